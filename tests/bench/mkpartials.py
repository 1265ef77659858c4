#!/usr/bin/env python3
"""mkpartials.py RANKS FOLDER <PARTIAL

Makes partial tables of many ranks, FOLDER/rank000000.kev and so on, from that of `kgroup -p` of one: the
durations of each rank are up to 2 % shorter or longer, in whole nanoseconds (with --digits, rounded to as many
digits). The figures of tests/bench/README.md, "Many ranks", are of such partials.
"""
import pathlib
import random
import sys
from collections import Counter
from decimal import Decimal


def varied(values, rng, digits):
    """The durations of a rank, in nanoseconds, with their counts."""
    counts = Counter()
    for value in values.split(","):
        dur, _, count = value.partition(":")
        ns = int(Decimal(dur) * 1000)
        for _ in range(int(count or 1)):
            counts[rounded(int(ns * (0.98 + 0.04 * rng.random())), digits)] += 1
    return counts


def rounded(ns, digits):
    unit = 10 ** max(len(str(ns)) - digits, 0) if digits else 1
    return (ns + unit // 2) // unit * unit


def text(ns):
    return f"{Decimal(ns) / 1000:f}"


def row(line, columns, rng, digits):
    field = dict(zip(columns, line.split("\t")))
    if field.get("values"):
        counts = varied(field["values"], rng, digits)
        field["total"] = text(sum(ns * count for ns, count in counts.items()))
        field["min"], field["max"] = text(min(counts)), text(max(counts))
        field["values"] = ",".join(f"{text(ns)}:{counts[ns]}" for ns in sorted(counts))
    else:
        field["total"] = text(int(Decimal(field["total"]) * 1000 * Decimal(rng.uniform(0.98, 1.02))))
    return "\t".join(field[column] for column in columns)


def main():
    ranks, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    lines = sys.stdin.read().splitlines()
    digits = next((int(line.split("\t")[1]) for line in lines if line.startswith("##digits")), 0)
    columns = next(line[1:].split("\t") for line in lines if line.startswith("#") and line[1] != "#")
    head = {"##source": "rank{}.json.gz", "##rank": "{}", "##worldSize": str(ranks)}
    folder.mkdir(parents=True, exist_ok=True)
    for rank in range(ranks):
        rng = random.Random(rank)
        with open(folder / f"rank{rank:06}.kev", "w", encoding="utf-8") as out:
            for line in lines:
                key = line.split("\t")[0]
                if key in head:
                    line = f"{key}\t{head[key].format(rank)}"
                elif not line.startswith("#"):
                    line = row(line, columns, rng, digits)
                out.write(line + "\n")


if __name__ == "__main__":
    main()
