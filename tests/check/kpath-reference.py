#!/usr/bin/env python3
"""kpath-reference.py [-k COL] [--ignore=CAT,...] [--micro=US] STREAM - the rules of kpath(1), computed anew.

Prints the rows that kpath -H writes for a stream of one file. Each step of the walk looks at all rows
of the device and at all segments of the threads. Reading and launches are those of kcpu-reference.py.
"""
import os
import runpy
import sys
from collections import defaultdict

kcpu = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kcpu-reference.py"))
text, nano, by_value = kcpu["text"], kcpu["nano"], kcpu["by_value"]
COPIED = ["step", "phase", "step_name", "layer", "cpu_op", "op", "correlation", "stream"]
KINDS = {0: "annotation", 1: "python", 2: "operator", 3: "runtime", 4: "runtime"}
NEVER = -(10**40)


def by_end(row):
    return row.end, row.ts, row.name, row.stream, row.thread[1], [row.fields[c] for c in row.copied]


def last(rows, x, after=NEVER):
    """The row that ended last, after a time, by x, and that began before x."""
    return max((r for r in rows if after < r.end <= x and r.ts < x), key=by_end, default=None)


def value(row, columns):
    return tuple(row.fields[c] for c in columns)


class Trace:
    def __init__(self, names, rows, skip, micro):
        self.micro = micro
        of_thread = defaultdict(list)
        for row in rows:
            if row.rank is not None and row.rank >= 0 and row.timed and row.dur >= 0:
                if row.fields["cat"] not in skip:
                    of_thread[row.thread].append(row)
        self.threads = {key: kcpu["Thread"](group) for key, group in of_thread.items()}
        self.devices = kcpu["find_launches"](rows, self.threads)
        self.calls = defaultdict(dict)  # by correlation and process, the earliest
        for row in rows:
            if kcpu["is_call"](row) and row.id and row.ts is not None:
                of = self.calls[row.id]
                if row.thread[0] not in of or row.ts < of[row.thread[0]].ts:
                    of[row.thread[0]] = row
        self.syncs = [r for r in rows if r.fields["cat"] == "cuda_sync"]
        self.waits = [r for r in self.syncs if r.name == "Stream Wait Event"]
        for row in self.devices + self.syncs:
            row.stream = row.fields.get("stream", "") or row.thread[1]
        for row in self.devices:
            row.copied = [c for c in COPIED if c in names]
            row.cat = row.fields["cat"]

    def call(self, row, column="correlation"):
        of = self.calls.get(row.fields.get(column, ""), {})
        if len(of) > 1:
            owners = {r.launch.thread[0] for r in self.device if r.launch and len(self.calls.get(r.id, {})) == 1}
            of = {p: c for p, c in of.items() if owners == {p}}
        return next(iter(of.values())) if len(of) == 1 else None

    # --- the device ---

    def before(self, k, x):
        """The row that let k begin, with the kind of the time since; None and the time of the launch."""
        launch = k.launch
        stream = [r for r in self.device if r.stream == k.stream and r.ts < k.ts]
        same = [r for r in self.device if launch and r.launch == launch]
        found = []
        for rows in (stream, [r for r in same if r.ts < k.ts]):
            if rows:
                found.append(max(rows, key=by_end))
            else:
                found.append(None)
        time = NEVER
        if launch:
            time = launch.end if launch.end <= min(r.ts for r in same) else launch.ts
        kinds = ["queue" if launch else "unlinked", "graph", "wait", "inferred"]
        found.append(self.waited(k, x) if launch and self.waits else None)
        found.append(None)
        if launch and not self.waits:
            latest = max([min(r.end, x) for r in found[:2] if r] + [time])
            row = last(self.device, x)
            if x - latest >= self.micro and row and row.end > latest:
                found[3] = row
        best = None
        for row, kind in zip(found, kinds):
            if row and (best is None or min(row.end, x) > min(best[0].end, x)):
                best = row, kind
        if best and (not launch or min(best[0].end, x) > time):
            row, kind = best
            return row, ("graph" if launch and row.launch == launch else kind)
        return None, None

    def launched(self, stream, time):
        """The row launched last on a stream before a time."""
        rows = [r for r in self.device if r.stream == stream and r.launch and r.launch.ts < time]
        return max(rows, key=lambda r: (r.launch.ts, by_end(r)), default=None)

    def waited(self, k, x):
        before = self.launched(k.stream, k.launch.ts)
        rows = []
        for wait in self.waits:
            call, record = self.call(wait), self.call(wait, "wait_on_cuda_event_record_corr_id")
            if wait.thread[0] != self.pid or wait.stream != k.stream or not call or not record:
                continue
            if call.ts < k.launch.ts and (not before or call.ts > before.launch.ts):
                row = self.launched(wait.fields["wait_on_stream"], record.ts)
                if row and row.end <= x and row.ts < x:
                    rows.append(row)
        return max(rows, key=by_end, default=None)

    # --- the host ---

    def innermost(self, thread, x):
        """The segment just before x, from its start; or the time without rows before x."""
        if thread not in self.threads:
            return NEVER, None
        begin = NEVER
        for a, b, row in self.threads[thread].segments:
            if a < x <= b:
                begin, found = a, row
                break
            if b <= x:
                begin = b
        else:
            return begin, None
        segments = self.threads[thread].segments
        at = segments.index((a, b, row))
        while at and segments[at - 1][2] is found and segments[at - 1][1] == begin:
            at -= 1
            begin = segments[at][0]
        if found is None and at == 0:
            begin = NEVER
        return begin, found

    def moments(self, x):
        """The last moment by x at which each thread was in an operator or a call, and the segment's start."""
        for key, thread in self.threads.items():
            runs = []
            for a, b, row in thread.segments:
                if row and row.rank >= 2 and a < x:
                    if runs and runs[-1][1] == a and runs[-1][2] is row:
                        runs[-1][1] = b
                    else:
                        runs.append([a, b, row])
            if runs:
                yield key, min(runs[-1][1], x), runs[-1][0]

    def returned(self, thread, x):
        if thread not in self.threads:
            return None, None
        for call in reversed(self.threads[thread].rows):
            sync, copy = "Synchronize" in call.name, call.name.startswith(("cudaMemcpy", "cuMemcpy", "hipMemcpy"))
            if not (call.rank >= 3 and call.ts < x <= call.end and (sync or copy)):
                continue
            rows = self.device
            marks = [r for r in self.syncs if r.id == call.id and call.id and r not in self.waits] if sync else []
            if not sync:
                rows = [r for r in rows if call.id and r.id == call.id]
            elif marks:
                mark = min(marks, key=lambda r: tuple(r.fields.get(c, "") for c in ("pid", "tid", "stream",
                           "wait_on_stream", "wait_on_cuda_event_record_corr_id")))
                rows = self.of_mark(mark)
            row = last(rows, x, call.ts)
            if row:
                return call, row
        return None, None

    def of_mark(self, mark):
        if mark.thread[0] != self.pid:
            return []
        on = mark.fields.get("wait_on_stream", "")
        if on not in ("", "-1"):
            record = self.call(mark, "wait_on_cuda_event_record_corr_id")
            return [r for r in self.device
                    if r.stream == on and (not record or (r.launch and r.launch.ts < record.ts))]
        if mark.stream not in ("", "-1"):
            return [r for r in self.device if r.stream == mark.stream]
        return self.device

    # --- the walk ---

    def walk(self, pid, begin, k):
        self.pid, self.device = pid, [r for r in self.devices if r.thread[0] == pid]
        self.pieces, self.begin = [], begin
        x, thread = k.end, None
        while x > begin:
            if k:
                self.put(k.ts, x, "copy" if k.cat in ("gpu_memcpy", "gpu_memset") else "kernel", k)
                x = min(x, k.ts)
                row, kind = self.before(k, x)
                if row:
                    self.put(row.end, x, kind, k)
                    x, k = min(x, row.end), row
                elif not k.launch:
                    self.put(begin, x, "unlinked", k)
                    return
                else:
                    self.put(k.launch.end, x, "delay", k)
                    self.put(k.launch.ts, min(x, k.launch.end), "launch", k.launch)
                    x, thread, k = min(x, k.launch.ts), k.launch.thread, None
                continue
            call, row = self.returned(thread, x)
            if call:
                self.put(row.end, x, "return", call)
                x, k = min(x, row.end), row
                continue
            start, row = self.innermost(thread, x)
            if row and row.rank >= 2:
                self.put(start, x, KINDS[row.rank], row)
                x = start
                continue
            moments = {key: (z, since) for key, z, since in self.moments(x) if key[0] == thread[0]}
            lo = moments.get(thread, (NEVER, 0))[0]
            others = [(-z, -since, by_value(key[1]), key) for key, (z, since) in moments.items() if z > lo]
            z, other = (-min(others)[0], min(others)[3]) if others else (lo, None)
            self.rest(thread, other, max(z, begin), x)
            x, thread = z, other or thread

    def rest(self, thread, other, z, x):
        while x > z:
            start, row = self.innermost(thread, x)
            if not row and other:
                a, row = self.innermost(other, x)
                start = max(start, a)
            start = max(start, z)
            if row:
                self.put(start, x, KINDS[row.rank], row)
            else:
                self.put(start, x, "nothing", thread)
            x = start

    def put(self, start, end, kind, of):
        start, end = max(start, self.begin), max(end, self.begin)
        if start >= end:
            return
        if self.pieces and self.pieces[-1][2] == kind and self.pieces[-1][3] == of and self.pieces[-1][0] == end:
            self.pieces[-1][0] = start
        else:
            self.pieces.append([start, end, kind, of])


def main():
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    columns = sys.argv[sys.argv.index("-k") + 1].split(",") if "-k" in sys.argv else []
    skip = [c for a in sys.argv if a.startswith("--ignore=") for c in a[9:].split(",")]
    micro = next((nano(a[8:]) for a in sys.argv if a.startswith("--micro=")), nano("30"))
    names, rows = kcpu["read"](sys.argv[-1])
    trace = Trace(names, rows, skip, micro)
    copied = [c for c in COPIED if c in names and c not in columns]
    groups = defaultdict(list)
    for row in trace.devices:
        if all(value(row, columns)):
            groups[(row.thread[0], *value(row, columns))].append(row)
    total = unlinked = 0
    for key in sorted(groups, key=lambda k: [by_value(v) for v in k]):
        group = groups[key]
        begin = min([r.ts for r in group] + [r.launch.ts for r in group if r.launch])
        if columns:
            begin = min([begin] + [r.ts for r in rows if r.rank == 0 and r.ts is not None and r.timed and r.dur >= 0
                                   and r.fields["cat"] not in skip and value(r, columns) == key[1:]])
        trace.walk(key[0], begin, max(group, key=by_end))
        for start, end, kind, of in reversed(trace.pieces):
            device = kind in ("kernel", "copy", "queue", "graph", "wait", "inferred", "unlinked", "delay")
            pid, tid = of if kind == "nothing" else of.thread
            total += end - start
            if device and not of.launch:
                unlinked += end - start
            print(text(start), text(end - start), "" if kind == "nothing" else of.name, "path", "X", *key,
                  pid or "", tid, kind, *(of.fields[c] if device else "" for c in copied), sep="\t")
    if unlinked:
        print("unlinked", float(100 * unlinked / total), file=sys.stderr)


main()
