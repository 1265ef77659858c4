#!/usr/bin/env python3
"""tt-clock.py FILE: the times of Tenstorrent's operations on their devices, by Python's csv, in
exact nanoseconds. Prints a line for each device with its MHz, its rows, their sum and the union of
their times in us; and then each row: ts, dur."""

import csv
import gzip
import sys


def number(text):
    return int(text) if text.strip() else None


def as_read(nanoseconds):
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


def us(nanoseconds):
    return as_read(nanoseconds).rstrip("0").rstrip(".")


def main():
    opener = gzip.open if sys.argv[1].endswith(".gz") else open
    with opener(sys.argv[1], "rt", newline="") as lines:
        table = list(csv.DictReader(lines))
    rows = []
    sums = {}
    for row in table:
        start, end, firmware, kernel = (
            number(row[name])
            for name in (
                "DEVICE FW START CYCLE",
                "DEVICE FW END CYCLE",
                "DEVICE FW DURATION [ns]",
                "DEVICE KERNEL DURATION [ns]",
            )
        )
        device = row["DEVICE ID"]
        rows.append((device, end, firmware if kernel is None else kernel))
        if None not in (start, end, firmware):
            cycles, time = sums.get(device, (0, 0))
            sums[device] = cycles + end - start, time + firmware
    mhz = {
        device: (2000 * cycles + time) // (2 * time) for device, (cycles, time) in sums.items()
    }
    spans = {device: [] for device in mhz}
    times = []
    for device, end, dur in rows:
        if end is None:
            times.append(("", "" if dur is None else as_read(dur)))
            continue
        end = (2000 * end + mhz[device]) // (2 * mhz[device])
        spans[device].append((end - dur, end))
        times.append((us(end - dur), as_read(dur)))
    for device, found in spans.items():
        union = 0
        last = min(found)[0]
        for start, end in sorted(found):
            union += max(end - max(start, last), 0)
            last = max(last, end)
        total = sum(end - start for start, end in found)
        print(device, mhz[device], len(found), us(total), us(union), sep="\t")
    for ts, dur in times:
        print(ts, dur, sep="\t")


if __name__ == "__main__":
    main()
