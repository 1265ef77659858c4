#!/usr/bin/env python3
"""kbusy's table and its --gaps, computed anew from a stream of kclass.

    busy-reference.py STREAM TABLE GAPS

STREAM has the column op, which is not empty for rows of a device. Times are the decimals of the
text, and unions are lists of intervals that are merged and cut. Says what differs, at most ten
lines, and how much was compared.
"""
import collections
import sys
from decimal import ROUND_HALF_EVEN, Decimal, getcontext

getcontext().prec = 60
FIGURES = ["busy", "comm_exposed", "span", "idle", "copy_exposed", "compute", "comm", "copy", "comm_hidden", "total",
           "count", "unlinked", "idle_micro", "idle_macro", "first", "last"]
COPIES = ("MEMORY_COPY_", "__amd_rocclr_copyBuffer", "__amd_rocclr_fillBuffer")


def number(text):
    """A number of kev(5): places past the ninth are rounded, half to even."""
    return Decimal(text).quantize(Decimal("1e-9"), ROUND_HALF_EVEN)


def rows(path):
    """The rows of a stream, with the last ##source."""
    source, names = "", []
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if line.startswith("##source\t"):
                source = fields[1]
            elif line.startswith("#") and not line.startswith("##"):
                names = [fields[0][1:], *fields[1:]]
            elif not line.startswith("#"):
                row = dict(zip(names, fields))
                yield row.get("file", source), row


def union(spans):
    merged = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def without(spans, others):
    """What is left of the union spans without the union others."""
    left, at = [], 0
    for start, end in spans:
        while at < len(others) and others[at][1] <= start:
            at += 1
        i = at
        while i < len(others) and others[i][0] < end:
            if start < others[i][0]:
                left.append([start, others[i][0]])
            start = max(start, others[i][1])
            i += 1
        if start < end:
            left.append([start, end])
    return left


def length(spans):
    return sum((end - start for start, end in spans), Decimal(0))


def kind(row):
    if row["cat"] in ("gpu_memcpy", "gpu_memset") or row["name"].startswith(COPIES):
        return "copy"
    if (row["cat"], row["name"]) == ("mtia_ccp_events", "dma_request"):
        return "copy"
    return "comm" if row["op"] == "Collective" else "compute"


def read(path):
    """The rows of each device, each (start, end, name, kind, launch, dur); whether there are launches."""
    devices, launches = collections.defaultdict(list), set()
    for file, row in rows(path):
        if not row["op"]:
            launches.add((file, row.get("correlation", "")))
        elif row["ts"] and row["dur"]:
            start, dur = number(row["ts"]), number(row["dur"])
            devices[file, row["pid"]].append(
                (start, start + max(dur, 0), row["name"], kind(row), (file, row.get("correlation", "")), dur))
    launches = {launch for launch in launches if launch[1] not in ("", "0")}
    return devices, launches


def figures(events, launches):
    unions = {kind: union(event[:2] for event in events if event[3] == kind) for kind in ("compute", "comm", "copy")}
    first, last = min(event[0] for event in events), max(event[1] for event in events)
    gaps = without([[first, last]], union(event[:2] for event in events))
    comm_exposed = without(unions["comm"], unions["compute"])
    copy_exposed = without(without(unions["copy"], unions["compute"]), unions["comm"])
    found = {kind: length(spans) for kind, spans in unions.items()}
    found |= {
        "span": last - first, "busy": length(union(event[:2] for event in events)), "idle": length(gaps),
        "comm_exposed": length(comm_exposed), "copy_exposed": length(copy_exposed),
        "comm_hidden": found["comm"] - length(comm_exposed),
        "total": sum(event[5] for event in events), "count": len(events),
        "unlinked": sum(event[4] not in launches for event in events) if launches else "",
        "idle_micro": length(gap for gap in gaps if gap[1] - gap[0] < 30),
        "idle_macro": length(gap for gap in gaps if gap[1] - gap[0] >= 30), "first": first, "last": last,
    }
    if found["compute"] + found["comm_exposed"] + found["copy_exposed"] + found["idle"] != found["span"]:
        raise SystemExit("the parts do not add up to the span")
    ends, starts = collections.defaultdict(list), collections.defaultdict(list)
    for start, end, name, *_ in events:
        ends[end].append((start, name.encode(errors="surrogateescape")))
        starts[start].append(name.encode(errors="surrogateescape"))
    beside = {gap[0]: (gap[1] - gap[0], max(ends[gap[0]])[1], min(starts[gap[1]])) for gap in gaps}
    return found, beside


def main():
    stream, table, gaps = sys.argv[1:]
    devices, launches = read(stream)
    wrong, seen = [], 0
    want_gaps = {}
    table = {(file if "file" in row else "", row["pid"]): row for file, row in rows(table)}
    several = any("file" in row for row in table.values())
    for (file, pid), events in devices.items():
        key = (file if several else "", pid)
        found, beside = figures(events, launches)
        want_gaps |= {(key, start): gap for start, gap in beside.items()}
        if key not in table:
            wrong.append(f"no row for {key}")
            continue
        for name in FIGURES:
            got = table[key][name]
            if (Decimal(got) if got else "") != found[name]:
                wrong.append(f"{key} {name}: {got}, not {found[name]}")
        seen += 1
    if seen != len(table):
        wrong.append(f"{len(table)} rows for {len(devices)} devices")
    for file, row in rows(gaps):
        gap = (Decimal(row["dur"]), row["before"].encode(errors="surrogateescape"),
               row["after"].encode(errors="surrogateescape"))
        if want_gaps.pop(((file if several else "", row["pid"]), Decimal(row["ts"])), None) != gap:
            wrong.append(f"gap {row}")
    wrong += [f"no gap {gap}" for gap in want_gaps]
    print("\n".join(wrong[:10]), end="\n" * bool(wrong))
    print(f"{sum(map(len, devices.values()))} rows of {len(devices)} devices; {len(wrong)} wrong")


main()
