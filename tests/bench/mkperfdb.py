#!/usr/bin/env python3
"""Makes a performance database, and rows to merge into it, the same in every run.

mkperfdb.py [-f FILES] [-r ROWS] [-n NEW] DIR

DIR/db gets FILES (500) CSVs with ROWS (200000) rows, a tenth of them in one; DIR/new.tsv
NEW (100000) rows as opagg writes them, four of five of a case that the database has, in
no order. Prints the rows, the bytes of the database and those of its largest file.
"""
import argparse
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
from perfdb import AVERAGE, BASE, COUNTERS, PROFILING


def shape(number):
    """Another shape for each number."""
    dims = []
    for base in 64, 64, 4096:
        dims.append(str(number % base + 1))
        number //= base
    return ",".join(dims)


def cells(number):
    ins, out = shape(number), shape(number + 7)
    return ["dynamic", "AI_CORE", f'"{ins};{out};()"', "DT_BF16;DT_BF16;DT_UNDEFINED", "ND;ND;NULL",
            f'"{out}"', "DT_BF16", "ND"]


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"' if "," in cell or '"' in cell else cell


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-f", type=int, default=500)
    parser.add_argument("-r", type=int, default=200000)
    parser.add_argument("-n", type=int, default=100000)
    parser.add_argument("dir")
    options = parser.parse_args()
    rng = random.Random(1)

    rest, largest = divmod(options.r - options.r // 10, options.f - 1)
    sizes = [options.r // 10 + largest] + [rest] * (options.f - 1)
    known = [f"{kind} {name}" for name in COUNTERS for kind in ("MicroBench", "Profiling Average")]
    header = BASE + [AVERAGE, PROFILING, "Profiling Median Duration(us)", "Profiling Std Duration(us)"] + known
    os.makedirs(os.path.join(options.dir, "db"))
    total = 0
    for file, size in enumerate(sizes):
        path = os.path.join(options.dir, "db", f"Op{file:04}.csv")
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write(",".join(header) + "\r\n")
            for row in range(size):
                figures = [f"{rng.randrange(1, 10 ** 9) / 1e6:.6f}" for _ in range(8)]
                values = figures[:4] + [figures[i % 8] for i in range(len(known))]
                out.write(",".join([quoted(cell) for cell in cells(row)] + values) + "\r\n")
        total += os.path.getsize(path)

    with open(os.path.join(options.dir, "new.tsv"), "w", encoding="utf-8", newline="") as out:
        out.write("##kev\t1\n#" + "\t".join(["OP Type"] + BASE + [AVERAGE, "EP Size"]
                                             + ["MicroBench " + name for name in COUNTERS]) + "\n")
        # As often as there are rows, so that the largest file gets the most.
        files = rng.choices(range(options.f), sizes, k=options.n)
        added = [0] * options.f
        for i, file in enumerate(files):
            row = rng.randrange(sizes[file])
            if i % 5 == 0:
                row = sizes[file] + added[file]
                added[file] += 1
            figures = [f"{rng.randrange(1, 10 ** 9) / 1e6:.6f}" for _ in range(8)]
            values = [figures[0], ""] + [figures[i % 8] for i in range(len(COUNTERS))]
            out.write("\t".join([f"Op{file:04}"] + cells(row) + values) + "\n")
    path = os.path.join(options.dir, "db", "Op0000.csv")
    print(options.r, total, os.path.getsize(path))


main()
