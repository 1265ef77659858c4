#!/usr/bin/env python3
"""diff-sums.py A B [OPTION...]: the tables of `kdiff OPTION... A B` add up. Each class total
stands in one row, so operations add up to the kernels of their stream, -K and -O rows to their class,
and -L rows to the kernels that have a layer; the head says the same."""
import subprocess
import sys
from decimal import Decimal, getcontext

getcontext().prec = 60
COUNTS = ("count1", "count2")
TOTALS = ("total1", "total2")


def stream(path, phase):
    """Of a stream: count and total of all its kernels, and of those with a layer; whether
    it has a column of layers."""
    every, layered = [0, Decimal(0)], [0, Decimal(0)]
    names, has_layers = [], False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if line.startswith("##"):
                continue
            if line.startswith("#"):
                names = [fields[0][1:]] + fields[1:]
                has_layers |= "layer" in names
                continue
            row = dict(zip(names, fields))
            if not row["op"] or not row["dur"] or (phase and row.get("phase") != phase):
                continue
            for sums in [every] + ([layered] if row.get("layer") else []):
                sums[0] += 1
                sums[1] += Decimal(row["dur"])
    return every, layered, has_layers


def table(*command):
    out = subprocess.run(["kdiff", *command], check=True, capture_output=True, text=True).stdout
    head, rows, names = {}, [], []
    for line in out.splitlines():
        fields = line.split("\t")
        if line.startswith("##"):
            head["\t".join(fields[:-1])] = fields[-1]
        elif line.startswith("#"):
            names = [fields[0][1:]] + fields[1:]
        else:
            rows.append(dict(zip(names, fields)))
    return head, rows


def want(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, where {wanted} is right")


def main():
    first, second, *options = sys.argv[1:]
    phase = next((o.split("=")[1] for o in options if o.startswith("--phase=")), None)
    sides = [stream(path, phase) for path in (first, second)]
    head, operations = table(*options, first, second)
    _, kernels = table(*options, "-K", first, second)
    _, operators = table(*options, "-O", first, second)
    for i, (every, layered, _) in enumerate(sides):
        trace = f"##trace{i + 1}\t"
        want("kernels in the head", int(head[trace + "kernels"]), every[0])
        want("total in the head", Decimal(head[trace + "total_ms"]) * 1000, every[1])
        want("count of operations", sum(int(row[COUNTS[i]]) for row in operations), every[0])
        want("total of operations", sum(Decimal(row[TOTALS[i]]) for row in operations), every[1])
        for row in operations:
            for what, parts in ("kernels", kernels), ("operators", operators):
                own = [k for k in parts if k["op"] == row["op"]]
                want(f"{what} of {row['op']}", sum(int(k[COUNTS[i]]) for k in own),
                     int(row[COUNTS[i]]))
                want(f"total of {row['op']}", sum(Decimal(k[TOTALS[i]]) for k in own),
                     Decimal(row[TOTALS[i]]))
        if all(has_layers for _, _, has_layers in sides):
            _, layers = table(*options, "-L", first, second)
            want("layered kernels", sum(int(row[f"kernels{i + 1}"]) for row in layers),
                 layered[0])
            want("layered total", sum(Decimal(row[TOTALS[i]]) for row in layers), layered[1])
    print(f"{len(operations)} operations, {len(kernels)} kernels: they add up")


main()
