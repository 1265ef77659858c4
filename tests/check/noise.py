#!/usr/bin/env python3
"""Simulates runs whose kernels do not differ, and counts the false alarms of kcompare.

Usage: noise.py [PAIRS]    (default: 1000, some two minutes)

Each pair has 300 groups with 20 samples a side and a noise of 3 %. A false alarm is a group that is
called slower, faster or mixed; the probability of one in a pair is to be at most 5 %, and so is that of
the sum, which is tested alone. Then one group of NEW is made 8 % slower: it is to be found in at
least 95 % of the pairs. Fewer pairs are allowed three standard deviations more. Prints the
counts, and whether they are within the limits; the status is 1 if not.
"""
import math
import os
import random
import subprocess
import sys
import tempfile

GROUPS, SAMPLES, NOISE, SLOWDOWN, ALPHA, FOUND = 300, 20, 0.03, 1.08, 0.05, 0.95


def durations(chance):
    """Of each group, the samples of one side."""
    return [[(10 + group) * chance.gauss(1, NOISE) for _ in range(SAMPLES)]
            for group in range(GROUPS)]


def write(path, groups):
    with open(path, "w", encoding="ascii") as file:
        file.write("#dur\tname\trun\n")
        for group, samples in enumerate(groups):
            file.writelines(f"{dur:.6f}\tk{group}\t{run}\n" for run, dur in enumerate(samples))


def verdicts(old, new):
    """The verdict of each row of the table, by its key."""
    done = subprocess.run(["kcompare", "-H", "--by=run", old, new], capture_output=True, text=True,
                          check=False)
    if done.returncode or done.stderr:
        sys.exit(f"kcompare: status {done.returncode}: {done.stderr}")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {row[0]: row[1] for row in rows if row[0] != "(geomean)"}


def changed(verdict):
    return verdict in ("slower", "faster", "mixed")


def main():
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    chance = random.Random(22)
    alarms = sums = found = 0
    with tempfile.TemporaryDirectory() as folder:
        old, new = os.path.join(folder, "old"), os.path.join(folder, "new")
        for _ in range(pairs):
            groups = durations(chance)
            write(old, durations(chance))
            write(new, groups)
            equal = verdicts(old, new)
            sums += changed(equal.pop("(sum)"))
            alarms += any(changed(verdict) for verdict in equal.values())
            groups[7] = [SLOWDOWN * dur for dur in groups[7]]
            write(new, groups)
            slower = verdicts(old, new)
            found += slower["k7"] == "slower"
    slack = 0 if pairs >= 1000 else 3 * math.sqrt(ALPHA * (1 - ALPHA) / pairs)
    bad = max(alarms, sums) > (ALPHA + slack) * pairs or found < (FOUND - slack) * pairs
    print(f"{pairs} pairs: false alarms {alarms}, of the sum {sums}; found {found}")
    print("outside of the limits" if bad else "within the limits")
    sys.exit(bad)


main()
