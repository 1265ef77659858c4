#!/usr/bin/env python3
"""hcom-reference.py SEED COUNT: hcomdedup keeps the rows that it should, in their order."""
import random
import subprocess
import sys
from fractions import Fraction

rng = random.Random(int(sys.argv[1]))
TIMES = "1", "1.5", "2", "2.999", "3.25", "0", "-0.5", "-1.5", "", "1e0", "10"
DURATIONS = "", "0", "1", "2", "2.0", "3.5", "-1"
TYPES = "hcom_a", "hcom_b", "hcom_", "MatMul", "xAicpuKernel", "hcom_xAicpuKernel", ""


def made():
    rows = [
        [rng.choice(TIMES), rng.choice(DURATIONS), rng.choice(TYPES), rng.choice("01"), rng.choice("fg")]
        for _ in range(rng.randrange(40))
    ]
    in_order = rng.random() < 0.5
    if in_order:
        rows.sort(key=lambda row: Fraction(row[0] or -9))
    return rows, in_order


def split(rows, aicpu):
    """Which rows stay, and those of them that are collectives, by their keys' first rows."""
    stays = []
    longest = {}
    for i, (ts, dur, kind, pid, file) in enumerate(rows):
        stays.append(True)
        if kind.endswith("AicpuKernel"):
            stays[i] = aicpu
        elif kind.startswith("hcom_") and ts == "":
            stays[i] = False
        elif kind.startswith("hcom_"):
            key = int(Fraction(ts)), kind, pid, file
            length = (dur != "", Fraction(dur or 0))
            if key in longest and length <= longest[key][0]:
                stays[i] = False
            else:
                if key in longest:
                    stays[longest[key][1]] = False
                longest[key] = length, i
    return stays, [i for _, i in longest.values()]


wrong = 0
for _ in range(int(sys.argv[2])):
    rows, in_order = made()
    aicpu, dropped = rng.random() < 0.3, rng.random() < 0.4
    stays, collectives = split(rows, aicpu)
    expected = [i for i, stay in enumerate(stays) if stay != dropped]
    if not in_order and not dropped:
        expected = [i for i in expected if i not in collectives] + collectives
    options = [flag for flag, on in (("-s", in_order), ("--aicpu", aicpu), ("--dropped", dropped)) if on]
    text = "#ts\tdur\ttype\tpid\tfile\trow\n"
    text += "".join("\t".join([*row, str(i)]) + "\n" for i, row in enumerate(rows))
    done = subprocess.run(["hcomdedup", "-H", *options], input=text, capture_output=True, text=True, check=False)
    got = [int(line.split("\t")[-1]) for line in done.stdout.splitlines()]
    if dropped and not in_order:
        got.sort()
    if done.returncode or got != expected:
        wrong += 1
        if wrong < 4:
            print(f"{options}: rows {got}, not {expected}, of\n{text}")
print(f"{sys.argv[2]} streams, {wrong} wrong")
sys.exit(wrong != 0)
