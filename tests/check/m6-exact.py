#!/usr/bin/env python3
"""m6-exact.py EXPECTED default|measured TABLE: the table of ratio has the exact figures."""
import json
import sys
from decimal import ROUND_HALF_EVEN, Context, Decimal

with open(sys.argv[1], encoding="utf-8") as file:
    expected = json.load(file)["exact"][sys.argv[2]]
with open(sys.argv[3], encoding="utf-8") as file:
    lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("##")]
got = dict(zip([lines[0][0][1:], *lines[0][1:]], lines[1]))
wrong = [name for name in expected if name != "m6_ratio" and Decimal(got[name]) != Decimal(expected[name])]
rounded = Context(prec=12, rounding=ROUND_HALF_EVEN).divide(
    Decimal(expected["empirical_hit_us"]), Decimal(expected["real_per_fwd_us"])
)
ratio = Decimal(got["m6_ratio"])
if ratio != rounded or abs(ratio - Decimal(expected["m6_ratio"])) > Decimal("1e-11"):
    wrong.append("m6_ratio")
for name in wrong:
    print(f"{name}: {got[name]}, not {expected[name]}")
sys.exit(bool(wrong))
