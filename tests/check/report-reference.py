"""report-reference.py TRACE FOLDER - computes figures of kreport anew, from the JSON of a PyTorch trace.
report-reference.py --join TRACE TRACE - prints one trace of both, whose host and devices differ.

FOLDER is that of kreport --keep. Times are compared exactly, shares to nine digits: device time and what it is
spent on, steps, the heaviest names, the causes of idle time by klaunch(1), and the longest gaps. Steps follow
the rules of kcontext(1) for ProfilerStep, vLLM and SGLang. Prints what differs, and the number of figures.
"""
import collections
import decimal
import gzip
import json
import re
import sys
from decimal import Decimal

decimal.getcontext().prec = 40
KINDS = {"kernel": "compute", "concurrent_kernel": "compute", "gpu_memcpy": "copy", "gpu_memset": "copy",
         "memcpy": "copy", "memset": "copy"}
COLLECTIVE = re.compile("nccl|rccl|cross_device_reduce|all_?reduce|all_?gather|reduce_?scatter", re.I)
CALL = re.compile("runtime$|_driver$", re.I)
WAIT = re.compile("Synchronize|^(cuda|cu|hip)Memcpy")
STEP = re.compile(r"ProfilerStep#\d|execute_(\d+_)?context_\d|execute_new_\d|step\[")
Row = collections.namedtuple("Row", "start end kind name pid call stream")
Call = collections.namedtuple("Call", "start end name thread")


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        trace = json.load(file, parse_float=Decimal, parse_int=Decimal)
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    return [event for event in events if event.get("ph") == "X" and "dur" in event and "cat" in event]


def span_of(event):
    return Decimal(event["ts"]), Decimal(event["ts"]) + Decimal(event["dur"])


def load(events):
    """The rows of devices in the order of their start, the calls by thread, and the annotations."""
    calls, threads = {}, collections.defaultdict(list)
    for event in events:
        correlation = event.get("args", {}).get("correlation")
        if CALL.search(event["cat"]):
            call = Call(*span_of(event), event["name"], (event["pid"], event["tid"]))
            threads[call.thread].append(call)
            if correlation is not None and (correlation not in calls or call.start < calls[correlation].start):
                calls[correlation] = call
    rows = []
    for event in events:
        kind = KINDS.get(event["cat"].lower())
        if kind:
            if COLLECTIVE.search(event["name"]):
                kind = "comm"
            if re.match("__amd_rocclr_(copy|fill)Buffer", event["name"]):
                kind = "copy"
            rows.append(Row(*span_of(event), kind, event["name"], event["pid"],
                            calls.get(event.get("args", {}).get("correlation")), (event["pid"], event["tid"])))
    rows.sort(key=lambda row: row.start)
    return rows, threads, [event for event in events if event["cat"].lower().endswith("user_annotation")]


def union(rows):
    """The disjoint spans of rows, in their order."""
    spans = []
    for row in sorted(rows, key=lambda row: row.start):
        if spans and row.start <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], row.end)
        else:
            spans.append([row.start, row.end])
    return spans


def length(rows):
    return sum((end - start for start, end in union(rows)), Decimal(0))


def busy_figures(rows, sums):
    """Adds the time of one device."""
    of = {kind: [row for row in rows if row.kind == kind] for kind in ("compute", "comm", "copy")}
    span = max(row.end for row in rows) - min(row.start for row in rows)
    sums["span"] += span
    sums["busy"] += length(rows)
    sums["idle"] += span - length(rows)
    sums["compute"] += length(of["compute"])
    sums["comm"] += length(of["comm"])
    sums["comm_exposed"] += length(of["compute"] + of["comm"]) - length(of["compute"])
    sums["copy_exposed"] += length(rows) - length(of["compute"] + of["comm"])


def cause_of(row, last, gap, threads):
    """Why a device was idle before a row; last is the row that ended last."""
    begin = row.start - gap
    call = row.call
    if call is None:
        return "unlinked"
    if last.call is call and call.end <= begin:
        return "graph"
    if call.start >= begin:
        waited = any(WAIT.search(other.name) and other.start < begin <= other.end <= call.start
                     for other in threads[call.thread])
        return "sync" if waited else "host"
    return "launch" if call.end > begin or gap < 30 else "other"


def gaps_of(rows, threads):
    """The gap, start and cause of each row that has a gap."""
    last = rows[0]
    for row in rows[1:]:
        if row.start > last.end:
            yield row.start - last.end, row.start, cause_of(row, last, row.start - last.end, threads)
        if row.end > last.end:
            last = row


class Steps:
    """The annotated steps of the host, and their copies on devices."""

    def __init__(self, annotations):
        steps = [(*span_of(event), event["name"], event["pid"], (event["pid"], event["tid"]), event["cat"])
                 for event in annotations if STEP.match(event["name"])]
        self.host = sorted(step for step in steps if "gpu" not in step[5])
        self.device = sorted(step for step in steps if "gpu" in step[5])
        # A step of the profiler around one forward pass is that pass.
        self.group = list(range(len(self.host)))
        for number, (start, end, *_, thread, _) in enumerate(self.host):
            inner = [other for other, step in enumerate(self.host)
                     if other != number and step[4] == thread and start <= step[0] and step[1] <= end]
            if len(inner) == 1:
                self.group[number] = inner[0]

    @staticmethod
    def shortest(found):
        return min(found)[1] if found else None

    def of(self, row):
        call = row.call
        if call:
            open_now = [(step[1] - step[0], self.group[number], step) for number, step in enumerate(self.host)
                        if step[0] <= call.start < step[1] and step[3] == call.thread[0]]
            own = [found for found in open_now if found[2][4] == call.thread]
            others = collections.defaultdict(list)
            for found in open_now:
                others[found[2][4]].append(found)
            best = {self.shortest(found) for found in others.values()}
            return self.shortest(own) if own else best.pop() if len(best) == 1 else None
        for place in (4, 3):
            found = [(step[1] - step[0], step) for step in self.device if step[0] <= row.start < step[1]
                     and step[place] == (row.stream if place == 4 else row.pid)]
            if found:
                copies = sorted(step for step in self.device if step[2] == min(found)[1][2])
                names = [number for number, step in enumerate(self.host) if step[2] == min(found)[1][2]]
                return self.group[names[copies.index(min(found)[1])]] if len(names) == len(copies) else None
        return None


def figures_of(path):
    rows, threads, annotations = load(read(path))
    out, devices = collections.defaultdict(Decimal), collections.defaultdict(list)
    for row in rows:
        devices[row.pid].append(row)
    out.update(device_rows=len(rows), devices=len(devices), total=sum(row.end - row.start for row in rows),
               collectives=sum(row.kind == "comm" for row in rows), gap_max=0)
    for device in devices.values():
        busy_figures(device, out)
    for name in "busy", "idle", "compute", "comm_exposed", "copy_exposed":
        out[name + "_share"] = 100 * out[name] / out["span"]
    linked = any(row.call for row in rows)
    gaps = sorted((gap for device in devices.values() for gap in gaps_of(device, threads)), reverse=True)
    out["gap_max"] = gaps[0][0] if gaps else ""
    if gaps:
        out["gap_share"] = 100 * gaps[0][0] / out["idle"]
        out["gaps_long"] = sum(gap[0] for gap in gaps[:5])
        out["gaps_long_share"] = 100 * out["gaps_long"] / out["idle"]
    if linked:
        for cause in "host", "launch", "sync", "graph", "unlinked", "other":
            time = sum((gap[0] for gap in gaps if gap[2] == cause), Decimal(0))
            out["idle_" + cause] = time
            if out["idle"]:
                out[f"idle_{cause}_share"] = 100 * time / out["idle"]
        out["unlinked_share"] = 100 * sum(row.end - row.start for row in rows if not row.call) / out["total"]
    names = collections.defaultdict(list)
    for row in rows:
        names[row.name].append(row.end - row.start)
    totals = sorted((sum(times) for times in names.values()), reverse=True)
    out.update(kernel_names=len(names), top_total=totals[0], top_share=100 * totals[0] / out["total"],
               ten_share=100 * sum(totals[:10]) / out["total"], short=sum(row.end - row.start < 5 for row in rows))
    out["top_count"] = {len(times) for times in names.values() if sum(times) == totals[0]}
    out["short_share"] = Decimal(100 * out["short"]) / len(rows)
    step_figures(out, rows, Steps(annotations))
    return out, gaps[:5] if linked else []


def step_figures(out, rows, steps):
    of = collections.defaultdict(list)
    for row in rows:
        of[steps.of(row)].append(row)
    outside = of.pop(None, [])
    out["steps"] = len(of)
    if not of:
        return
    spans = {}
    for step, within in of.items():
        devices = collections.defaultdict(list)
        for row in within:
            devices[row.pid].append(row)
        spans[step] = max(max(row.end for row in device) - device[0].start for device in devices.values())
    times = sorted(spans.values())
    out.update(step_median=times[(len(times) - 1) // 2], step_max=times[-1],
               nostep_share=100 * sum(row.end - row.start for row in outside) / out["total"])
    out["step_ratio"] = times[-1] / out["step_median"] if len(times) > 1 else ""
    # Steps are numbered in the order of their begin, and so are those without rows.
    order = sorted(set(steps.group), key=lambda group: min(
        step[0] for number, step in enumerate(steps.host) if steps.group[number] == group))
    out["step_slowest"] = {str(order.index(step)) for step, time in spans.items() if time == times[-1]}


def table(path, *columns):
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("##")]
    places = [lines[0].index(column) if column in lines[0] else lines[0].index("#" + column) for column in columns]
    return [[row[place] for place in places] for row in lines[1:]]


def equal(name, ours, theirs):
    if isinstance(ours, set):
        return theirs in map(str, ours)
    if ours == "" or theirs == "":
        return ours == theirs
    difference = abs(Decimal(ours) - Decimal(theirs))
    return difference <= (Decimal("1e-9") * abs(Decimal(ours)) if name.endswith(("_share", "_ratio")) else 0)


def join(*paths):
    """Prints the events of several traces, with processes and ids of their own."""
    out = []
    for number, path in enumerate(paths):
        for event in read(path):
            device = KINDS.get(event["cat"].lower()) or event["cat"].startswith("gpu_")
            if not device and isinstance(event["pid"], Decimal):
                event["pid"] += 10 ** 7 * number
            for name in "correlation", "External id":
                if name in event.get("args", {}):
                    event["args"][name] += 10 ** 7 * number
            out.append(event)
    json.dump({"traceEvents": out}, sys.stdout, default=lambda number: int(number) if number == int(number) else float(number))


def main():
    if sys.argv[1] == "--join":
        return join(*sys.argv[2:])
    path, folder = sys.argv[1:]
    ours, gaps = figures_of(path)
    names = list(ours)
    theirs = dict(zip(names, table(folder + "/figures.kev", *names)[0]))
    for name in names:
        if not equal(name, ours[name], theirs[name]):
            print(f"{name}: {ours[name]}, but kreport has {theirs[name]}")
    shown = [(Decimal(gap), Decimal(start), cause) for gap, start, cause in
             (table(folder + "/gaps.kev", "gap", "ts", "cause") if gaps else [])]
    # If the shortest of them are equal, any may be shown.
    if [gap[0] for gap in shown] != [gap[0] for gap in gaps] or \
            any(gap not in shown for gap in gaps if gap[0] > gaps[-1][0]):
        print(f"longest gaps: {gaps}, but kreport has {shown}")
    print(f"{len(names)} figures")


main()
