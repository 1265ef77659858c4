#!/usr/bin/env python3
"""table-sums.py TABLE ROWS: the table's counts and totals add up to those of the rows' dur,
the second field."""
import sys
from decimal import Decimal, getcontext

getcontext().prec = 60
with open(sys.argv[1], encoding="utf-8") as table:
    names = next(table)[1:].rstrip("\n").split("\t")
    groups = [dict(zip(names, line.rstrip("\n").split("\t"))) for line in table]
with open(sys.argv[2], encoding="utf-8") as rows:
    durs = [Decimal(line.split("\t")[1]) for line in rows]
count = sum(int(group["count"]) for group in groups)
total = sum(Decimal(group["total"]) for group in groups)
print(f"{len(durs)} rows, {sum(durs)} us")
if count != len(durs) or total != sum(durs):
    sys.exit(f"the table has {count} rows, {total} us")
