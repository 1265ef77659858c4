#!/usr/bin/env python3
"""The columns of kcontext --capture, computed anew from the streams and held against its output.

    capture-reference.py [-a COL,...] REF[,REF...] STREAM TABLE

TABLE is the output of `kcontext -a COL,... --copies --capture=REF,... STREAM`. Its own step,
step_name and launch are taken as right; kcontext-reference.py checks them. Everything else is found
by looking at all rows for each question. Says what differs, at most ten lines, and how much was
compared.
"""
import argparse
import bisect
import collections
import functools
import gzip
import re
from decimal import Decimal

ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "0": "\0"}
Call = collections.namedtuple("Call", "token op number args")


def text(field):
    return re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), field)


def read(path):
    """The rows of each trace of a stream, as dictionaries, and its metadata."""
    traces = collections.OrderedDict()
    metadata = []
    columns = None
    source = ""
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    for line in data.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        if line.startswith("##"):
            metadata.append(line[2:].split("\t"))
            if line.startswith("##source\t"):
                source = f"source {len(metadata)}"
        elif line.startswith("#"):
            columns = [text(name) for name in line[1:].split("\t")]
        else:
            row = dict(zip(columns, map(text, line.split("\t")), strict=True))
            trace = row.get("file", source)
            row["order"] = len(traces.setdefault(trace, []))
            traces[trace].append(row)
    return list(traces.values()), metadata


def thread(row):
    return row["pid"], row["tid"]


def is_call(row):
    return row["cat"].endswith(("_runtime", "_driver"))


def is_device(row):
    return row["cat"] in ("kernel", "gpu_memcpy", "gpu_memset")


def token_of(row):
    if row["cat"] == "gpu_memcpy" or row["name"].startswith("__amd_rocclr_copyBuffer"):
        return "copy"
    if row["cat"] == "gpu_memset" or row["name"].startswith("__amd_rocclr_fillBuffer"):
        return "memset"
    return "kernel", row["name"]


def by_name(token):
    """For an order of tokens: copies, memsets, kernels by name."""
    return (token == "memset", "") if isinstance(token, str) else (2, token[1])


def shortest(rows, time, where):
    """The innermost row open at a time on a thread."""
    best = None
    for row in rows:
        ts, dur = Decimal(row["ts"]), Decimal(row["dur"])
        if thread(row) == where and ts <= time < ts + dur:
            key = (dur, -ts, -row["order"])
            if best is None or key < best[0]:
                best = key, row
    return best and best[1]


def launches_of(rows):
    """The launch of each correlation: its earliest call."""
    calls = collections.defaultdict(list)
    for row in rows:
        if is_call(row) and row["correlation"] and row["ts"]:
            calls[row["correlation"]].append(row)
    return {
        correlation: min(same, key=lambda r: (Decimal(r["ts"]), -Decimal(r["dur"] or 0), thread(r),
                                              r["name"]))
        for correlation, same in calls.items()
    }


class Reference:
    """What one trace of a REF has: its captures by set, and its eager kernels."""

    def __init__(self, rows, number, columns):
        self.number = number
        self.columns = columns
        self.operators = collections.defaultdict(list)
        for row in rows:
            if row["cat"] == "cpu_op":
                self.operators[thread(row)].append(row)
        for same in self.operators.values():
            same.sort(key=lambda r: Decimal(r["ts"]))
        self.longest = max((Decimal(r["dur"]) for r in rows if r["cat"] == "cpu_op"), default=0)
        self.find_captures(rows)
        self.find_eager(rows)

    def call(self, token, ts, where):
        operators = self.operators[where]
        low = bisect.bisect_left(operators, ts - self.longest, key=lambda r: Decimal(r["ts"]))
        high = bisect.bisect_right(operators, ts, key=lambda r: Decimal(r["ts"]))
        row = shortest(operators[low:high], ts, where)
        if not row:
            return Call(token, "", None, ("",) * len(self.columns))
        return Call(token, row["name"], (self.number, row["order"]),
                    tuple(row[column] for column in self.columns))

    def find_captures(self, rows):
        sets = collections.defaultdict(list)
        annotations = [row for row in rows if row["cat"] == "user_annotation"
                       and row["name"].startswith("capture_") and row["dur"]]
        calls = collections.defaultdict(list)
        for row in rows:
            if is_call(row):
                calls[thread(row)].append(row)
        for where, same in calls.items():
            same.sort(key=lambda r: (Decimal(r["ts"]), r["name"], r.get("kernel", ""), r["order"]))
            begun = []
            for row in same:
                name = row["name"]
                if "StreamBeginCapture" in name:
                    begun.append((row, []))
                elif "StreamEndCapture" in name:
                    if begun:
                        begin, inner = begun.pop()
                        annotation = shortest(annotations, Decimal(begin["ts"]), where)
                        key = annotation["order"] if annotation else None
                        if inner:
                            sets[key].append((Decimal(begin["ts"]), where, inner, annotation))
                        if begun:
                            begun[-1][1].extend(inner)
                else:
                    token = None
                    if re.search("Launch(Cooperative)?Kernel", name):
                        token = ("kernel", row["kernel"]) if row.get("kernel") else "nameless"
                    elif "Memcpy" in name:
                        token = "copy"
                    elif "Memset" in name:
                        token = "memset"
                    if token and begun:
                        begun[-1][1].append(self.call(token, Decimal(row["ts"]), where))
        self.sets = []
        for captures in sets.values():
            captures.sort(key=lambda c: c[:2])
            annotation = captures[0][3]
            name = annotation["name"] if annotation else "capture"
            size = re.match(r"capture_(\d+)", name)
            self.sets.append(([c[2] for c in captures], name, int(size[1]) if size else None,
                              captures[0][:2]))
        self.sets.sort(key=lambda s: s[3])

    def find_eager(self, rows):
        launches = launches_of(rows)
        eager = []
        for row in rows:
            launch = launches.get(row["correlation"]) if is_device(row) else None
            if launch and "GraphLaunch" not in launch["name"]:
                ts = Decimal(launch["ts"])
                eager.append(((ts, Decimal(row["ts"]), by_name(token_of(row)), row["order"]),
                              self.call(token_of(row), ts, thread(launch))))
        self.eager = [call for _, call in sorted(eager, key=lambda pair: pair[0])]


@functools.lru_cache(maxsize=None)
def match(calls, rows, streams):
    """For each row the number of its call, or None; all None if half of the rows or fewer."""
    none = [None] * len(rows)
    if "nameless" in calls:
        kinds = [t if t in ("copy", "memset") else "kernel" for t in calls]
        if streams == 1 and kinds == [t if isinstance(t, str) else "kernel" for t in rows]:
            return list(range(len(rows)))
        return none
    if collections.Counter(calls) == collections.Counter(rows):
        places = collections.defaultdict(collections.deque)
        for number, token in enumerate(calls):
            places[token].append(number)
        return [places[token].popleft() for token in rows]
    best = [[0] * (len(calls) + 1) for _ in range(len(rows) + 1)]
    for j in range(len(rows) - 1, -1, -1):
        for i in range(len(calls) - 1, -1, -1):
            best[j][i] = max(best[j + 1][i], best[j][i + 1],
                             best[j + 1][i + 1] + 1 if calls[i] == rows[j] else 0)
    found = []
    i = 0
    for j, token in enumerate(rows):
        first = next((k for k in range(i, len(calls))
                      if calls[k] == token and best[j + 1][k + 1] + 1 == best[j][i]), None)
        found.append(first)
        if first is not None:
            i = first + 1
    return found if 2 * sum(k is not None for k in found) > len(rows) else none


def matched(found):
    return sum(k is not None for k in found)


def step_size(name):
    for pattern in (r"execute_(\d+)_context_", r"execute_context_\d+\((?:sq)?(\d+).*?\)_generation_\d+\((?:sq)?(\d+)",
                    r"execute_new_(\d+)_cached_(\d+)", r"step\[.*?\bbs=(\d+).*\]"):
        found = re.match(pattern, name)
        if found:
            return sum(map(int, found.groups()))
    return None


def by_size(candidates, size):
    """Of candidates (size, ...) those of the least size that is enough."""
    sizes = {candidate[0] for candidate in candidates}
    enough = [s for s in sizes if s is not None and size is not None and s >= size]
    if len(sizes) > 1 and enough:
        return [candidate for candidate in candidates if candidate[0] == min(enough)]
    return candidates


def best_of(candidates):
    """Of (score, candidate) those with the best score."""
    top = min((score for score, _ in candidates), default=None)
    return [candidate for score, candidate in candidates if score == top]


def tokens(calls):
    return tuple(call.token for call in calls)


def choose(run, references, size):
    """For each launch of a run its tied candidates: (name, calls by row)."""
    answers = []
    sets = []
    for reference in references:
        for captures, name, capacity, first in reference.sets:
            if len(captures) != len(run):
                continue
            found = [match(tokens(c), *launch) for c, launch in zip(captures, run)]
            if all(map(matched, found)):
                score = -sum(map(matched, found)), sum(map(len, captures))
                sets.append((score, (capacity, reference.number, first, name, captures, found)))
    sets = by_size(sorted(best_of(sets), key=lambda s: s[1:3]), size)
    for k, launch in enumerate(run):
        if sets and size is not NO_STEP:
            answers.append([(s[3], [None if i is None else s[4][k][i] for i in s[5][k]])
                            for s in sets])
        else:
            answers.append(choose_one(launch, references, size))
    return answers


NO_STEP = Decimal(-1)


def choose_one(launch, references, size):
    size = None if size is NO_STEP else size
    candidates = []
    for reference in references:
        for captures, name, capacity, _ in reference.sets:
            for calls in captures:
                found = match(tokens(calls), *launch)
                if matched(found):
                    candidates.append(((-matched(found), len(calls)),
                                       (capacity, name, [None if i is None else calls[i]
                                                         for i in found])))
    candidates = by_size(best_of(candidates), size)
    if candidates:
        return [candidate[1:] for candidate in candidates]
    places = []
    rows = launch[0]
    for reference in references:
        eager = tokens(reference.eager)
        for at in range(len(eager) - len(rows) + 1):
            if eager[at] == rows[0] and eager[at:at + len(rows)] == rows:
                places.append(("eager", reference.eager[at:at + len(rows)]))
    if places:
        return places
    for reference in references:
        if not reference.eager:
            continue
        found = match(tokens(reference.eager), rows, 2)
        if matched(found):
            candidates.append(((-matched(found), len(reference.eager)),
                               ("eager", [None if i is None else reference.eager[i]
                                          for i in found])))
    return best_of(candidates)


def merge(candidates, columns, row):
    """The columns of a row: those on which all candidates agree."""
    none = {"capture": "", "cpu_op": "", "op": None, **{column: "" for column in columns}}
    calls = [candidate[1][row] for candidate in candidates]
    if not calls or None in calls:
        return none
    names = {name for name, _ in candidates}
    result = {"capture": names.pop() if len(names) == 1 else "capture", "cpu_op": "", "op": None}
    if len({call.op for call in calls}) == 1:
        result["cpu_op"] = calls[0].op
        result["op"] = calls[0].number
    for number, column in enumerate(columns):
        values = {call.args[number] for call in calls}
        result[column] = values.pop() if len(values) == 1 else ""
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-a", default="")
    parser.add_argument("references")
    parser.add_argument("stream")
    parser.add_argument("table")
    options = parser.parse_args()
    columns = [column for column in options.a.split(",") if column]
    references = []
    for path in options.references.split(","):
        for rows in read(path)[0]:
            references.append(Reference(rows, len(references), columns))
    tables, metadata = read(options.table)
    counts = collections.Counter()
    totals = collections.defaultdict(lambda: [0, 0, 0])
    wrong = []
    times = collections.defaultdict(lambda: [0, Decimal(0)])
    for rows, table in zip(read(options.stream)[0], tables, strict=True):
        check(rows, table, references, columns, counts, totals, wrong, times)
    lines = {line[1]: list(map(int, line[2:])) for line in metadata if line[0] == "capture"}
    totals["none"][0] += 0
    if lines != dict(totals):
        wrong.append(f"##capture {lines}, not {dict(totals)}")
    for line in wrong[:10]:
        print(line)
    for name, (count, time) in sorted(times.items(), key=lambda item: -item[1][1]):
        if options.a:
            print(f"{name}\t{count}\t{time}")
    print(f"{counts['rows']} rows, {counts['graph']} of graphs, {counts['matched']} matched, "
          f"{counts['op']} with an operator; {len(wrong)} wrong")


def check(rows, table, references, columns, counts, totals, wrong, times):
    launches = launches_of(rows)
    groups = collections.defaultdict(list)
    device = [row for row in rows if is_device(row)]
    for row, written in zip(device, table, strict=True):
        launch = launches.get(row["correlation"])
        if launch and "GraphLaunch" in launch["name"]:
            groups[row["correlation"]].append((row, written))
    runs = collections.defaultdict(list)
    for correlation, same in groups.items():
        same.sort(key=lambda pair: (Decimal(pair[0]["ts"]), by_name(token_of(pair[0])),
                                    pair[0]["order"]))
        launch = launches[correlation]
        step = same[0][1]["step"]
        key = (step, thread(launch)) if step else (correlation,)
        runs[key].append((Decimal(launch["ts"]), correlation))
    expected = {}
    pairs = collections.defaultdict(set)
    for key, run in runs.items():
        run.sort()
        shapes = [(tuple(token_of(row) for row, _ in groups[c]),
                   len({thread(row) for row, _ in groups[c]})) for _, c in run]
        size = step_size(groups[run[0][1]][0][1]["step_name"]) if key[0] and len(key) == 2 else NO_STEP
        for (_, correlation), candidates in zip(run, choose(shapes, references, size)):
            names = {name for name, _ in candidates}
            name = "none" if not names else names.pop() if len(names) == 1 else "capture"
            totals[name][0] += 1
            totals[name][1] += len(groups[correlation])
            for number, (row, _) in enumerate(groups[correlation]):
                answer = merge(candidates, columns, number)
                totals[name][2] += answer["capture"] != ""
                expected[row["order"]] = answer
                if answer["op"] is not None:
                    pairs[correlation, answer["op"]].add(row["order"])
    groups_of_id = collections.defaultdict(set)
    for row, written in zip(device, table, strict=True):
        counts["rows"] += 1
        if row["order"] not in expected:
            if written["capture"]:
                wrong.append(f"row {row['order']}: capture is {written['capture']!r}")
            continue
        answer = expected[row["order"]]
        counts["graph"] += 1
        counts["matched"] += answer["capture"] != ""
        counts["op"] += answer["cpu_op"] != ""
        for column in ["capture", "cpu_op", *columns]:
            want = answer[column] or (row[column] if column in columns else "")
            if written[column] != want:
                wrong.append(f"row {row['order']}: {column} is {written[column]!r}, not {want!r}")
        if written["op_id"]:
            groups_of_id[written["op_id"]].add(row["order"])
        elif answer["op"] is not None:
            wrong.append(f"row {row['order']}: no op_id")
        name = answer["cpu_op"] or "-"
        times[name][0] += 1
        times[name][1] += Decimal(row["dur"])
    if sorted(map(sorted, groups_of_id.values())) != sorted(map(sorted, pairs.values())):
        wrong.append("op_id groups other rows")


main()
