#!/usr/bin/env python3
"""Computes a table of kgroup -k name -q 50,99 on its own and compares.

kgroup-exact.py TRACE TABLE            the kernel events of a Chrome trace, plain or gzip
kgroup-exact.py --stream STREAM TABLE  the rows of a kernel-event stream

Numbers are read as text and added as fractions; nothing passes through a float.
"""
import gzip
import json
import sys
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction


def escape(text):
    for byte, letter in ("\\", "\\"), ("\t", "t"), ("\n", "n"), ("\r", "r"), ("\0", "0"):
        text = text.replace(byte, "\\" + letter)
    return "\\" + text if text[:1] == "#" else text


def of_trace(path):
    opened = gzip.open(path) if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        trace = json.loads(file.read().decode("utf-8", "surrogateescape"), parse_float=str, parse_int=str)
    for event in trace["traceEvents"] if isinstance(trace, dict) else trace:
        if event.get("ph") == "X" and event.get("cat") == "kernel" and "dur" in event:
            yield escape(event["name"]), Fraction(event["dur"])


def of_stream(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for line in file:
            if line[0] != "#":
                fields = line.rstrip("\n").split("\t")
                yield ("\\" if fields[3][:1] == "#" else "") + fields[3], Fraction(fields[1])


def exact(value):
    """A fraction of a power of ten, without trailing zeros."""
    text = format(Context(prec=80).divide(Decimal(value.numerator), Decimal(value.denominator)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def quotient(value):
    """12 significant digits, half to even, rounded once."""
    if value == 0:
        return "0"
    digits = Context(prec=12, rounding=ROUND_HALF_EVEN).divide(
        Decimal(value.numerator), Decimal(value.denominator)
    )
    text = format(digits, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def rank(durs, percent):
    return durs[max(-(-percent * len(durs) // 100), 1) - 1]


arguments = [argument for argument in sys.argv[1:] if argument != "--stream"]
read = of_stream if "--stream" in sys.argv else of_trace
groups = {}
for name, dur in read(arguments[0]):
    groups.setdefault(name, []).append(dur)
whole = sum(map(sum, groups.values()), Fraction())
expected = ["#name\tcount\ttotal\tmean\tmin\tmax\tshare\tp50\tp99"]
order = sorted(groups, key=lambda name: name.encode("utf-8", "surrogateescape"))
for name in sorted(order, key=lambda name: sum(groups[name]), reverse=True):
    durs = sorted(groups[name])
    total = sum(durs)
    figures = [
        exact(total), quotient(total / len(durs)), exact(durs[0]), exact(durs[-1]),
        quotient(total * 100 / whole if whole else Fraction()), exact(rank(durs, 50)), exact(rank(durs, 99)),
    ]
    expected.append("\t".join([name, str(len(durs)), *figures]))
with open(arguments[1], encoding="utf-8", errors="surrogateescape", newline="\n") as file:
    got = [line.rstrip("\n") for line in file if line[:2] != "##"]
wrong = [pair for pair in zip(expected, got) if pair[0] != pair[1]]
print(f"{sum(map(len, groups.values()))} rows in {len(groups)} groups, total {exact(whole)}")
if len(expected) != len(got) or wrong:
    for line in wrong[:3]:
        print("expected {}\ngot      {}".format(*line))
    sys.exit(f"{len(wrong)} lines differ; {len(got)} lines instead of {len(expected)}")
