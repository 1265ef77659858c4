#!/usr/bin/env python3
"""klaunch-reference.py STREAM OUTPUT [--stream] [IDLE] - the rules of klaunch(1), computed anew.

STREAM is the input of klaunch, of trace2tsv -g or kcontext, and OUTPUT what klaunch wrote. IDLE is
the table of kbusy of the same stream: the gaps of a device must sum to its idle time. Prints the
number of rows of each cause and the time of their gaps, or the first row that differs.
"""

import bisect
import sys
from collections import Counter, defaultdict
from decimal import Decimal, getcontext

getcontext().prec = 60

HOST = set("""cpu_op user_annotation gpu_user_annotation python_function cpu_instant_event fwdbwd ac2g
overhead Trace async_cpu_to_gpu cuda_sync cuda_runtime cuda_driver cuda_profiler_range""".split())
ADDED = ["launch", "launch_ts", "launch_dur", "launch_tid", "latency", "delay", "queue", "gap", "cause"]
MICRO = 30


def rows_of(file):
    """The rows as dicts, in their order."""
    names = None
    for line in open(file, encoding="utf-8", errors="surrogateescape", newline="\n"):
        fields = line.rstrip("\n").split("\t")
        if line.startswith("##"):
            continue
        if line.startswith("#"):
            names = [fields[0][1:]] + fields[1:]
        else:
            yield dict(zip(names, fields, strict=True))


def blocks(name):
    return "Synchronize" in name or name.startswith(("cudaMemcpy", "cuMemcpy", "hipMemcpy"))


def file_of(row):
    return row.get("file", "")


def learn(rows):
    """The earliest call of each process by correlation, and the calls that block, by thread."""
    calls = defaultdict(dict)
    blocking = defaultdict(list)
    for row in rows:
        if row["cat"] not in HOST or row["ts"] == "":
            continue
        ts = Decimal(row["ts"])
        end = ts + Decimal(row["dur"]) if row["dur"] else None
        thread = file_of(row), row["pid"], row["tid"]
        if blocks(row["name"]) and end is not None:
            blocking[thread].append((ts, end))
        if row.get("correlation", "") not in ("", "0"):
            call = (ts, end is None, ts - end if end is not None else 0, row["name"], thread, row["dur"])
            of = calls[file_of(row), row["correlation"]]
            of[row["pid"]] = min(of.get(row["pid"], call), call)
    return calls, blocking


def find_owners(rows, calls):
    """The process of each device, by its rows with a correlation of one process; None if several."""
    owners = {}
    for row in rows:
        of = calls.get((file_of(row), row.get("correlation")), {})
        if len(of) == 1 and row["correlation"]:
            (pid,) = of
            owners[device(row)] = pid if owners.get(device(row), pid) == pid else None
    return owners


def expect_launch(row, calls, owners):
    """What klaunch adds about the launch; and the launch as (start, end, key, thread)."""
    if "launch_ts" in row:  # kcontext has seen the row
        if row["launch_ts"] == "":
            return {}, None
        ts = Decimal(row["launch_ts"])
        end = ts + Decimal(row["launch_dur"]) if row["launch_dur"] else None
        return {}, (ts, end, row["correlation"], None)
    key = file_of(row), row["correlation"]
    if row["correlation"] == "" or key not in calls:
        return {}, None
    of = calls[key]
    pid = next(iter(of)) if len(of) == 1 else owners.get(device(row))
    if pid not in of:
        return {}, None
    key = *key, pid
    ts, _, _, name, thread, dur = of[pid]
    told = {"launch": name, "launch_ts": str(ts), "launch_dur": dur, "launch_tid": thread[2]}
    return told, (ts, ts + Decimal(dur) if dur else None, key, thread)


def queues(rows):
    """Rows of one stream that were launched and had not begun, at the start of each."""
    launched = sorted(rows, key=lambda r: r["_launch"][0])
    waiting = []
    at = 0
    for row in sorted(rows, key=lambda r: r["_ts"]):
        while at < len(launched) and launched[at]["_launch"][0] < row["_ts"]:
            bisect.insort(waiting, launched[at]["_ts"])
            at += 1
        row["_queue"] = len(waiting) - bisect.bisect_right(waiting, row["_ts"])


def is_comm(row):
    return "nccl" in row["name"].lower() and row["cat"] == "kernel"


def cause(row, last, empty, blocking, others):
    launch = row["_launch"]
    if row["_gap"] == 0:
        return "none"
    if launch is None:
        return "unlinked"
    returned = launch[0] if launch[1] is None else launch[1]
    held = row["_ts"] - max(returned, empty)
    in_time = held >= MICRO and 2 * held > row["_gap"]
    if last["_launch"] and last["_launch"][2] == launch[2] and (in_time or returned <= empty):
        return "graph"
    if launch[0] >= empty and not in_time:
        if any(start < empty <= end <= launch[0] for start, end in blocking[launch[3]]):
            return "sync"
        return "host"
    if not in_time:
        return "launch"
    for kind, test in (("comm", is_comm), ("copy", lambda r: r["cat"] in ("gpu_memcpy", "gpu_memset"))):
        if any(test(r) and max(r["_ts"], empty) < min(r["_end"], row["_ts"]) for r in others):
            return kind
    return "other"


def gaps(rows, blocking, others):
    """Rows of one device or stream."""
    last = empty = None
    for row in sorted(rows, key=lambda r: r["_ts"]):
        row["_gap"] = None
        row["_cause"] = ""
        if last is not None:
            row["_gap"] = max(Decimal(0), row["_ts"] - empty)
            row["_cause"] = cause(row, last, empty, blocking, others)
        end = max(row["_end"], row["_ts"])
        if last is None or end >= empty:
            last, empty = row, end


def by(rows, key):
    groups = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def device(row):
    return file_of(row), row["pid"]


def stream(row):
    return *device(row), row.get("stream") or row["tid"]


def number(value):
    if value is None or value == "":
        return ""
    return format(Decimal(value).normalize() + 0, "f")


def compare(got, row):
    told = dict(row["_told"])
    launch = row["_launch"]
    if launch:
        told["latency"] = row["_ts"] - launch[0]
        told["queue"] = row["_queue"]
        if row["_leads"] and launch[1] is not None and launch[1] <= row["_ts"]:
            told["delay"] = row["_ts"] - launch[1]
    told["gap"] = row["_gap"]
    told["cause"] = row["_cause"]
    for column in ADDED:
        if column in row and not column.startswith("_"):
            continue
        want = told.get(column, "")
        if column not in ("launch", "launch_tid", "cause"):
            want = number(want)
        if number(got[column]) != want if column not in ("launch", "launch_tid", "cause") else got[column] != want:
            sys.exit(f"{column} is {got[column]!r}, not {want!r}: {got}")


def check_idle(table, rows):
    sums = Counter()
    for row in rows:
        sums[row["pid"]] += row["_gap"] or 0
    for line in rows_of(table):
        if Decimal(line["idle"]) != sums[line["pid"]]:
            sys.exit(f"pid {line['pid']}: idle {line['idle']}, gaps {sums[line['pid']]}")


def main():
    by_stream = "--stream" in sys.argv
    files = [a for a in sys.argv[1:] if a != "--stream"]
    rows = list(rows_of(files[0]))
    calls, blocking = learn(rows)
    rows = [r for r in rows if r["cat"] not in HOST and r["ts"] and r["dur"]]
    owners = find_owners(rows, calls)
    leaders = {}
    for row in rows:
        row["_ts"] = Decimal(row["ts"])
        row["_end"] = row["_ts"] + Decimal(row["dur"])
        row["_told"], row["_launch"] = expect_launch(row, calls, owners)
        row["_queue"] = 0
    for row in sorted(rows, key=lambda r: r["_ts"]):
        key = row["_launch"] and row["_launch"][2]
        row["_leads"] = key is not None and leaders.setdefault(key, row) is row
    for group in by(rows, stream).values():
        queues([r for r in group if r["_launch"]])
    devices = by(rows, device)
    for group in by(rows, stream if by_stream else device).values():
        others = [r for r in devices[device(group[0])] if stream(r) != stream(group[0])] if by_stream else []
        gaps(group, blocking, others)
    output = list(rows_of(files[1]))
    if len(output) != len(rows):
        sys.exit(f"{len(output)} rows, not {len(rows)}")
    for got, row in zip(output, rows):
        if any(got[c] != row[c] for c in row if not c.startswith("_")):
            sys.exit(f"the rows differ: {got}")
        compare(got, row)
    if len(files) > 2:
        check_idle(files[2], rows)
    for name, group in sorted(by(rows, lambda r: r["_cause"]).items()):
        print(name or "(first)", len(group), sum(r["_gap"] or 0 for r in group), sep="\t")


main()
