#!/usr/bin/env python3
"""op-expected.py EXPECTED KEY JSON TABLE: what opdiff makes of a calibration run is what the
original made of it: JSON (of --lang zh) figure for figure, status and order, and TABLE, the
rows, rounds to the same.
"""
import json
import sys
from decimal import ROUND_HALF_EVEN, Decimal

with open(sys.argv[1], encoding="utf-8") as file:
    expected = json.load(file)[sys.argv[2]]
with open(sys.argv[3], encoding="utf-8") as file:
    answer = json.load(file)
answer.pop("missing", None)  # a kernel of these profiles may have no duration
((_, got),) = answer.items()
with open(sys.argv[4], encoding="utf-8") as file:
    lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("##")]
names = [lines[0][0][1:], *lines[0][1:]]
table = [dict(zip(names, line)) for line in lines[1:]]
wrong = []

if not len(expected) == len(got) == len(table):
    sys.exit(f"{len(expected)} rows expected, {len(got)} in the JSON, {len(table)} in the table")
for want, row, exact in zip(expected, got, table):
    if list(row) != list(want):
        wrong.append(f"members {list(row)}, not {list(want)}")
    for name, value in want.items():
        if row.get(name) != value:
            wrong.append(f"{want['kernel_type']}: {name}: {row.get(name)}, not {value}")
        if name in ("kernel_type", "tc_funcs", "status"):
            text = exact[name].replace("\\t", "\t").replace("\\\\", "\\")
            good = text == value or (text, value) == ("UNMODELED", "TC未建模")
        else:
            places = Decimal(1) if name.endswith("count") else Decimal("0.1")
            good = Decimal(exact[name]).quantize(places, ROUND_HALF_EVEN) == Decimal(str(value))
        if not good:
            wrong.append(f"{want['kernel_type']}: {name}: {exact[name]} is not {value}")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
