"""kmem-reference.py [--live | --blocks | --every=N] STREAM - the rules of kmem(1), computed anew.
Prints the rows that kmem -H writes for a stream of make-memory.py. Blocks come from a dictionary of open
addresses, and slices from a look at all events for each of them."""
import sys

option = sys.argv[1] if len(sys.argv) > 2 else ""
lines = [line.rstrip("\n").split("\t") for line in open(sys.argv[-1])]
names = [lines[0][0][1:]] + lines[0][1:]
devices = {}
for line in lines[1:]:
    row = dict(zip(names, line))
    if row["name"] == "[memory]":
        key = int(row["pid"]), int(row["Device Type"]), int(row["Device Id"])
        devices.setdefault(key, []).append(row)


def put(*fields):
    print("\t".join("" if field is None else str(field) for field in fields))


for (pid, kind, number), rows in sorted(devices.items()):
    device = "cuda:%d" % number if kind else "cpu"
    rows.sort(key=lambda row: (int(row["ts"]), int(row["Ev Idx"])))
    size = [int(row["Bytes"]) for row in rows]
    total = [int(row["Total Allocated"]) for row in rows]
    start = total[0] - size[0]
    peak = max([start] + total)
    at = total.index(peak) if peak in total else None
    breaks = sum(b - a != s for a, b, s in zip(total, total[1:], size[1:]))
    open_at, blocks, early = {}, [], []
    for i, row in enumerate(rows):
        addr = row["Addr"]
        if addr in open_at:
            block = blocks[open_at.pop(addr)]
            block[1:] = [i, "freed" if size[i] < 0 else "replaced"]
            breaks += size[i] != -size[block[0]]
        elif size[i] < 0:
            early.append(-size[i])
        if size[i] > 0:
            open_at[addr] = len(blocks)
            blocks.append([i, None, "open"])
    last = int(rows[-1]["ts"])
    if option in ("--live", "--blocks"):
        rest = start if at is None else total[at]
        for begin, end, how in blocks:
            if option == "--live" and (at is None or begin > at or (end is not None and end <= at)):
                continue
            row = rows[begin]
            rest -= size[begin]
            ts = int(row["ts"])
            put(ts, (last if end is None else int(rows[end]["ts"])) - ts, "", "block", "memory_block", "X", pid,
                row["tid"], "", row["cpu_op"], device, size[begin], how)
        if option == "--live" and rest:
            put("", "", "", "before", "memory_block", "X", pid, "", "", "", device, rest, "")
    elif option:
        length = int(option.split("=")[1])
        for slice_ in range(int(rows[0]["ts"]) // length, last // length + 1):
            before = [t for t, row in zip(total, rows) if int(row["ts"]) < slice_ * length]
            within = [t for t, row in zip(total, rows) if int(row["ts"]) // length == slice_]
            values = [before[-1] if before else start] + within
            put(slice_ * length, length, "slice", "slice", "X", pid, device, device, min(values), max(values),
                values[-1])
    else:
        kept = [size[block[0]] for block in blocks if block[2] == "open"]
        allocs = [s for s in size if s > 0]
        frees = [-s for s in size if s < 0]
        reserved = (8192, 8192 - peak, 8192) if kind else (None, None, None)
        put(pid, device, len(rows), len(allocs), sum(allocs), len(frees), sum(frees), start, peak, peak - start,
            rows[at or 0]["ts"], None if at is None else rows[at]["cpu_op"], total[-1], len(kept), sum(kept),
            len(early), sum(early), *reserved, breaks)
