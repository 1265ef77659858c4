#!/usr/bin/env python3
"""kcpu-reference.py [--idle] [--stacks] [--ignore=CAT,...] STREAM - the rules of kcpu(1), computed anew.

Prints the rows that kcpu -H writes for a stream of one file. The innermost row of a thread comes from
a sweep with the rows that are open, and the rows of other threads are tried one after the other.
"""
import bisect
import heapq
import sys
from collections import defaultdict
from decimal import Decimal, getcontext

getcontext().prec = 60
COPIES = ["step", "phase", "step_name", "layer", "cpu_op"]
CALLS = ("_runtime", "_api", "_API", "_API_EXT")
OTHER = set("""gpu_user_annotation cpu_instant_event fwdbwd ac2g overhead Trace async_cpu_to_gpu cuda_sync
cuda_event cuda_profiler_range rocm_marker_api async_npu external_correlation collective_comm mtia_workloadd
mtia_insight async_task_queue HostToDevice npu_sync npu_comm idle path SCRATCH_MEMORY MEMORY_ALLOCATION
signpost""".split())


def rank_of(cat):
    """The rank of a row of the host; -1: another row that is of no device; None: of a device."""
    if cat in OTHER:
        return -1
    if cat in ("user_annotation", "User Annotation"):
        return 0
    if cat == "python_function":
        return 1
    if cat in ("cpu_op", "hpu_op", "Operator", "enqueue", "dequeue"):
        return 2
    if cat == "Runtime" or cat.endswith(CALLS):
        return 3
    return 4 if cat.endswith("_driver") else None


def nano(text):
    return int(Decimal(text) * 10**9)


def text(time):
    return format(Decimal(time).scaleb(-9).normalize() + 0, "f")


def by_value(tid):
    try:
        return 0, Decimal(tid), tid
    except ArithmeticError:
        return 1, Decimal(0), tid


class Row:
    """A row with its times in billionths; thread, rank and order are of rows of the host."""

    def __init__(self, fields, at):
        self.fields = fields
        self.at = at
        self.name = fields["name"]
        self.id = "" if fields.get("correlation") == "0" else fields.get("correlation", "")
        self.rank = rank_of(fields["cat"])
        self.timed = fields["ts"] != "" and fields["dur"] != ""
        self.ts = nano(fields["ts"]) if fields["ts"] else None
        self.dur = nano(fields["dur"]) if fields["dur"] else 0
        self.end = self.ts + max(self.dur, 0) if self.ts is not None else None
        self.thread = fields["pid"], fields["tid"]
        self.self = 0
        self.before = []


class Thread:
    """The rows of a thread in their order, and the segments (start, end, row), row None: nothing."""

    def __init__(self, rows):
        self.rows = sorted(rows, key=lambda r: (r.ts, -r.end, r.rank, r.at))
        self.segments = []
        opened = []
        for at, row in enumerate(self.rows):
            opened = [r for r in opened if r.end > row.ts]
            row.before = list(opened)
            opened.append(row)
        self.sweep()
        self.starts = [s[0] for s in self.segments]

    def sweep(self):
        moments = sorted({r.ts for r in self.rows} | {r.end for r in self.rows})
        heap = []  # the last in the order on top
        at = 0
        for start, end in zip(moments, moments[1:]):
            while at < len(self.rows) and self.rows[at].ts <= start:
                heapq.heappush(heap, (-at, self.rows[at]))
                at += 1
            while heap and heap[0][1].end <= start:
                heapq.heappop(heap)
            row = heap[0][1] if heap else None
            if row:
                row.self += end - start
            self.segments.append((start, end, row))

    def within(self, start, end):
        """The segments cut to [start, end), with nothing before and after the rows."""
        at = start
        for i in range(max(0, bisect.bisect_right(self.starts, start) - 1), len(self.segments)):
            a, b, row = self.segments[i]
            a, b = max(a, start), min(b, end)
            if a >= end:
                break
            if a >= b:
                continue
            if at < a:
                yield at, a, None
            yield a, b, row
            at = b
        if at < end:
            yield at, end, None


def read(path):
    names, rows = None, []
    for line in open(path, encoding="utf-8", errors="surrogateescape", newline="\n"):
        fields = line.rstrip("\n").split("\t")
        if line.startswith("##"):
            continue
        if line.startswith("#"):
            names = [fields[0][1:], *fields[1:]]
        else:
            rows.append(Row(dict(zip(names, fields, strict=True)), len(rows)))
    return names, rows


def folded(names):
    return ";".join(n.replace(";", ":") for n in names)


class Named:
    """A launch that only a row of a device names. A call with its span has its name and its place."""

    rank = 3

    def __init__(self, fields, threads):
        dur = fields["launch_dur"]
        self.fields = {"dur": dur}
        self.ts = nano(fields["launch_ts"])
        self.dur = nano(dur) if dur else 0
        self.end = self.ts + max(self.dur, 0)
        found = [t for t in threads if t[1] == fields["launch_tid"]]
        self.thread = found[0] if len(found) == 1 else (None, fields["launch_tid"])
        self.name = ""
        for row in threads[self.thread].rows if self.thread in threads else ():
            if (row.ts, row.end) == (self.ts, self.end) and is_call(row):
                self.name, self.rank = row.name, row.rank
                break

    def __eq__(self, other):
        return isinstance(other, Named) and self.key == other.key


def is_call(row):
    return row.rank in (3, 4) or row.fields["cat"] == "hpu_op"


def find_launches(rows, threads):
    """The launch of each row of a device: the earliest call with its correlation, of the device's process."""
    hosts = any(r.rank is not None and r.rank >= 0 for r in rows)
    calls = defaultdict(dict)
    for row in rows:
        if is_call(row) and row.id and row.ts is not None:
            key = (row.ts, row.fields["dur"] == "", -row.dur, row.thread, row.name)
            known = calls[row.id].get(row.thread[0])
            if not known or key < known[0]:
                calls[row.id][row.thread[0]] = key, row
    owners = {}
    devices = [r for r in rows if r.rank is None and r.timed]
    for row in devices:
        of = calls.get(row.id, {})
        if len(of) == 1:
            (pid,) = of
            owners[row.thread[0]] = pid if owners.get(row.thread[0], pid) == pid else None
    for row in devices:
        of = calls.get(row.id, {})
        pid = next(iter(of)) if len(of) == 1 else owners.get(row.thread[0])
        row.launch = of[pid][1] if pid in of else None
        if not row.launch and hosts and row.fields.get("launch_ts"):
            row.launch = Named(row.fields, threads)
            row.launch.key = tuple(row.fields[c] for c in ("correlation", "launch_ts", "launch_tid"))
    return devices


def find_gaps(rows):
    """Rows of dur 0 do not part a gap, but the first may begin and the last end one."""
    end = min(r.ts for r in rows)
    for row in sorted((r for r in rows if r.end > r.ts), key=lambda r: r.ts):
        if row.ts > end:
            yield end, row.ts
        end = max(end, row.end)
    last = max(r.end for r in rows)
    if last > end:
        yield end, last


def innermost(threads, thread, start, end):
    """The kind, row and thread of each segment of [start, end), as far as threads of the host say."""
    empty = Thread([])
    for a, b, row in threads.get(thread, empty).within(start, end):
        if row and row.rank:
            yield a, b, ("python" if row.rank == 1 else "operator" if row.rank == 2 else "runtime"), row, thread
            continue
        others = []
        moments = {a, b}
        for key, other in threads.items():
            if key[0] == thread[0] and key != thread:
                segments = [s for s in other.within(a, b) if s[2] and s[2].rank >= 2]
                others += [(*s, key) for s in segments]
                moments |= {m for s in segments for m in s[:2]}
        moments = sorted(moments)
        for x, y in zip(moments, moments[1:]):
            open_now = [(-r.ts, by_value(k[1]), k, r) for s, e, r, k in others if s <= x < e]
            if open_now:
                _, _, key, found = min(open_now, key=lambda o: o[:2])
                yield x, y, "other", found, key
            else:
                yield x, y, "annotation" if row else "nothing", row, thread


def pieces(threads, gap, before, after):
    start, end = gap
    launch = after.launch
    if not launch:
        yield start, end, "unlinked", after.name, "", ""
        return
    thread = launch.thread
    key = launch.ts, -launch.end, launch.rank
    around = [r.name for r in threads.get(thread, Thread([])).rows
              if (r.ts, -r.end, r.rank) < key and r.end > launch.ts]
    whole = folded([*around, launch.name] if launch.name else around)
    after_call = "graph" if any(r.launch == launch for r in before) else "delay"
    if after_call == "graph" and launch.fields["dur"] == "":
        yield start, end, "graph", after.name, thread[1], whole
        return
    for a, b, kind, row, of in innermost(threads, thread, start, max(start, min(launch.ts, end))):
        yield a, b, kind, row.name if row else "", of[1], folded(r.name for r in row.before) if row else ""
    yield max(start, launch.ts), min(end, launch.end), "launch", launch.name, thread[1], folded(around)
    yield max(start, launch.end), end, after_call, after.name, thread[1], whole


def by_launch(launch):
    """The order of rows with one name that end a gap: those with a launch first, by their launches."""
    if launch is None:
        return (True,)
    own = isinstance(launch, Named)
    track = "\t" + launch.thread[1] if own else "\t".join(launch.thread)
    return False, launch.ts, -launch.ts - launch.dur, track, "" if own else launch.name


def idle(rows, threads, names, stacks):
    devices = find_launches(rows, threads)
    columns = [c for c in COPIES if c in names]
    of_pid = defaultdict(list)
    for row in devices:
        of_pid[row.thread[0]].append(row)
    for pid in sorted(of_pid, key=by_value):
        starts, ends = defaultdict(list), defaultdict(list)
        for row in of_pid[pid]:
            starts[row.ts].append(row)
            ends[row.end].append(row)
        for gap in find_gaps(of_pid[pid]):
            before = ends[gap[0]]
            after = min(starts[gap[1]], key=lambda r: (r.name, *by_launch(r.launch), [r.fields[c] for c in columns]))
            last = max(before, key=lambda r: (r.ts, r.name)).name
            told = [after.launch.thread[1] if after.launch else "", last, after.name, text(gap[0]),
                    *(after.fields[c] for c in columns)]
            run = None
            for a, b, kind, name, tid, stack in pieces(threads, gap, before, after):
                if a >= b:
                    continue
                piece = [name, "idle", "X", pid, tid, kind, *told, *([stack] if stacks else [])]
                if run and run[2] == piece and run[1] == a:
                    run[1] = b
                else:
                    if run:
                        print(text(run[0]), text(run[1] - run[0]), *run[2], sep="\t")
                    run = [a, b, piece]
            print(text(run[0]), text(run[1] - run[0]), *run[2], sep="\t")


def main():
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    stacks = "--stacks" in sys.argv
    skip = [c for a in sys.argv if a.startswith("--ignore=") for c in a[9:].split(",")]
    names, rows = read(sys.argv[-1])
    of_thread = defaultdict(list)
    for row in rows:
        if row.rank is not None and row.rank >= 0 and row.timed and row.dur >= 0 and row.fields["cat"] not in skip:
            of_thread[row.thread].append(row)
    threads = {key: Thread(group) for key, group in of_thread.items()}
    if "--idle" in sys.argv:
        idle(rows, threads, names, stacks)
        return
    hosts = {id(r) for group in of_thread.values() for r in group}
    for row in rows:
        own = [text(row.self), len(row.before), *([folded(r.name for r in row.before)] if stacks else [])]
        if id(row) not in hosts:
            own = [""] * len(own)
        print(*row.fields.values(), *own, sep="\t")


if __name__ == "__main__":
    main()
