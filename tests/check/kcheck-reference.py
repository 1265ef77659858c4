"""kcheck-reference.py [FILE] - the findings of kcheck for a stream of one file with the column op, in
another way: by sets and searches over lists. Prints them as kcheck -H does, sorted as text."""
import operator
import re
import sys
from decimal import Decimal
from itertools import islice
from statistics import median_low

HOST = re.compile("(cpu_op|(gpu_)?user_annotation|python_function|cpu_instant_event|overhead|Trace|fwdbwd|ac2g|"
                  "cuda_sync|npu_sync|npu_comm|async_npu|async_task_queue|enqueue|dequeue|EVENT_RECORD|PROFILING_.*|"
                  "TASK_TIMEOUT_SET|SCRATCH_MEMORY|MEMORY_ALLOCATION|.*(_runtime|_driver|_api|_API|_API_EXT))$")
STEP = re.compile(r"ProfilerStep#\d|execute_(new_\d+_cached_\d|context_\d+\(|\d+_context_\d)|step\[")
US = 10**9
ORDER = operator.attrgetter("ts", "dur", "name", "correlation")


class Row:
    def __init__(self, fields):
        self.line = tuple(sorted(fields.items()))
        self.name, self.cat, self.pid = fields["name"], fields.get("cat", ""), fields["pid"]
        self.op, self.correlation = fields.get("op", ""), fields.get("correlation", "")
        self.correlation = "" if self.correlation == "0" else self.correlation
        self.stream = fields.get("stream", "") or fields.get("tid", "")
        self.host = bool(HOST.match(self.cat))
        self.timed = bool(fields["ts"] and (fields["dur"] or self.host))
        if self.timed:
            self.ts, self.dur = (int(Decimal(fields[key] or 0).quantize(Decimal("1e-9")) * US) for key in ("ts", "dur"))
            self.end = self.ts + self.dur


def read(file):
    names, rows = [], []
    for line in file:
        fields = line.rstrip("\n").split("\t")
        if line.startswith("#"):
            names = names if line.startswith("##") else [fields[0][1:], *fields[1:]]
        else:
            rows.append(Row(dict(zip(names, fields))))
    return [row for row in rows if row.timed]


def check(rows):
    """Yields check, severity, row, time."""
    device, host = [row for row in rows if not row.host], [row for row in rows if row.host]
    first_call, graphs, launches = {}, set(), set()
    for row in host:
        if row.correlation:
            known = first_call.get(row.correlation)
            if not known or (row.ts, row.name) < (known.ts, known.name):
                first_call[row.correlation] = row
            if "Launch" in row.name and "HostFunc" not in row.name:
                (graphs if "GraphLaunch" in row.name else launches).add(row.correlation)
    shared = {row.correlation for row in host if row.correlation and first_call[row.correlation].pid != row.pid}
    streams = {}
    for row in device:
        streams.setdefault((row.pid, row.stream), []).append(row)
    faulty, sorted_streams = set(), [sorted(stream, key=ORDER) for stream in streams.values()]
    branches = names_of_branches(sorted_streams)
    for stream in sorted_streams:
        yield from overlaps(stream, branches, faulty)
    for number, row in enumerate(device):
        if row.dur < 0:
            yield "impossible", "error", row, row.dur
        elif row.op != "Collective" and len(device) > 2 and row.dur > SPANS[0] * 0.001:
            others = device[:number] + device[number + 1:]
            span = max(max(o.end, o.ts) for o in others) - min(o.ts for o in others)
            if span and 2 * row.dur > span:
                yield "impossible", "error" if row in faulty else "warning", row, row.dur
    for row in device:
        call = first_call.get(row.correlation)
        if row.correlation and call and row.correlation not in shared and call.ts > row.ts:
            yield "before-launch", "error" if call.ts - row.ts > 100 * US else "note", row, call.ts - row.ts
        if row.ts == 0 or row.dur == 0:
            yield "zero", "warning", row, row.dur
    seen = set()
    for row in device:
        if row.line in seen:
            yield "twice", "warning", row, row.dur
        seen.add(row.line)
    yield from links(device, streams, first_call, graphs - shared, launches - shared)
    if not shared:
        yield from steps(device, host, first_call)
    classes = {}
    for row in device:
        classes.setdefault((row.pid, row.op), []).append(row)
    for rows_of in classes.values():
        longest = max(rows_of, key=lambda row: (row.dur, -row.ts))
        median = median_low(row.dur for row in rows_of)
        if median > 0 and longest.dur >= 100 * median and 2 * longest.dur > sum(row.dur for row in rows_of):
            yield "dominant", "warning", longest, longest.dur


def same_launch(row, other):
    return row.correlation == other.correlation != "" or (row.correlation, row.ts) == (other.correlation, other.ts)


def later_starts(stream, number):
    """The next later start on a sorted stream, that of another launch, and whether only its own launch begins at the first."""
    row, first = stream[number], None
    for after in islice(stream, number + 1, None):
        if after.ts > row.ts:
            first = after.ts if first is None else first
            if not same_launch(row, after):
                return first, after.ts, first < after.ts
    return first, None, first is not None


def names_of_branches(streams):
    """Names of which more than a tenth, or some of less than ten, overlap rows of their launch."""
    count = {}
    for stream in streams:
        for number, row in enumerate(stream):
            first, other, own = later_starts(stream, number)
            if own:
                sure = other is not None and row.end >= other + 10 * US
                count.setdefault(row.name, []).append(row.end >= first + 10 * US and not sure)
    return {name for name, long in count.items() if len(long) < 10 or 10 * sum(long) > len(long)}


def overlaps(stream, branches, faulty):
    for number, row in enumerate(stream):
        later = (r for r in islice(stream, number + 1, None) if (r.ts, r.correlation) != (row.ts, row.correlation))
        after = next(later, None)
        if not after or row.end <= after.ts:
            continue
        first, _, own = later_starts(stream, number)
        other = next((r for r in islice(stream, number + 1, None) if not same_launch(row, r)), None)
        wrong = other and row.end >= other.ts + 10 * US
        if wrong or own and row.name not in branches and row.end >= first + 10 * US:
            faulty.add(row)
        if row.correlation:
            yield "overlap", "error" if row in faulty else "note", row, row.end - after.ts


def severity(times, time):
    return "warning" if not times or min(times) <= time <= max(times) else "note"


def links(device, streams, first_call, graphs, launches):
    if not first_call:
        return
    everywhere = [row.ts for row in device if row.correlation in first_call]
    for stream in streams.values():
        linked = [row.ts for row in stream if row.correlation in first_call]
        for row in stream:
            if row.correlation and row.correlation not in first_call:
                yield "unlinked", severity(linked or everywhere, row.ts), row, row.dur
    used = {row.correlation for row in device} - {""}
    good = [first_call[c].ts for c in (launches | graphs) & used]
    for correlation in (launches | graphs) - used if used else ():
        call = first_call[correlation]
        if correlation in graphs:
            yield "graph", "note" if severity(good, call.ts) == "note" else "error", call, call.dur
        else:
            yield "unlinked", severity(good, call.ts), call, call.dur


def steps(device, host, first_call):
    used = {row.correlation for row in device}
    for row in host:
        if row.cat == "user_annotation" and STEP.match(row.name) and first_call and device:
            if not any(row.ts <= call.ts < row.end and call.pid == row.pid
                       for c, call in first_call.items() if c in used):
                yield "steps", "warning", row, row.dur


def text(number):
    return format(Decimal(number).scaleb(-9).normalize() + 0, "f")


ROWS = read(open(sys.argv[1], encoding="utf-8", errors="surrogateescape") if len(sys.argv) > 1 else sys.stdin)
SPANS = [max((r.end for r in ROWS if not r.host), default=0) - min((r.ts for r in ROWS if not r.host), default=0)]
FOUND = {}
for name, level, event, amount in check(ROWS):
    FOUND.setdefault((name, level, event.pid, event.stream), []).append((-abs(amount), event.ts, event.name, amount))
for key, events in sorted(FOUND.items()):
    _, ts, worst_name, worst = min(events)
    print(*key, len(events), text(sum(event[3] for event in events)), text(worst), text(ts), worst_name, sep="\t")
