#!/usr/bin/env python3
"""compare-reference.py FOLDER - compares kcompare with fractions, over random samples.

Groups have 1 to 300 samples a side, with and without equal ones. In the first table each row is a
sample, in the second each sample is two rows of a unit, shuffled. Medians, intervals, p, adjusted p
and verdicts are computed here from their definitions: p by adding one sample after the other, not
by the formulas of the program. Prints what differs, and how many groups there were.
"""
import collections
import fractions
import math
import os
import random
import subprocess
import sys

ALPHA = fractions.Fraction(1, 20)
EXACT = range(2, 12)  # the columns that are no quotient
SIZES = (1, 2, 3, 4, 5, 8, 10, 20, 25, 26, 49, 50, 51, 100, 300)


def make_groups(chance):
    """Samples in thousandths: few values, many, and quarters."""
    makers = (lambda: chance.randint(1, 6) * 1000, lambda: round(chance.gauss(1e8, 5e6)),
              lambda: chance.randint(1, 60) * 250)
    groups = {}
    for number in range(90):
        make = makers[number % 3]
        groups[f"g{number}"] = ([make() for _ in range(chance.choice(SIZES))],
                                [make() + chance.choice((0, 1000)) for _ in range(chance.choice(SIZES))])
    return groups


def probability(first, second):
    """p of the Mann-Whitney test, a fraction, or a float if it is not exact; and which ranks are larger."""
    ranks, seen = {}, 0
    counts = collections.Counter(first + second)
    for value in sorted(counts):
        ranks[value] = 2 * seen + counts[value] + 1
        seen += counts[value]
    observed = sum(ranks[value] for value in first)
    middle = len(first) * (seen + 1)
    order = (middle > observed) - (middle < observed)
    if max(len(first), len(second)) > (25 if max(counts.values()) > 1 else 50):
        pairs = len(first) * len(second)
        off = abs(observed - middle) - 1
        ties = sum(count ** 3 - count for count in counts.values())
        variance = pairs / 12 * (seen + 1 - ties / (seen * (seen - 1)))
        return 1.0 if off <= 0 else math.erfc(off / 2 / math.sqrt(2 * variance)), order
    ways = [collections.Counter() for _ in range(len(first) + 1)]
    ways[0][0] = 1
    for value, count in counts.items():
        for _ in range(count):
            for chosen in range(len(first) - 1, -1, -1):
                for total, number in ways[chosen].items():
                    ways[chosen + 1][total + ranks[value]] += number
    whole = math.comb(seen, len(first))
    below = sum(number for total, number in ways[-1].items() if total <= observed)
    above = sum(number for total, number in ways[-1].items() if total >= observed)
    return min(fractions.Fraction(1), fractions.Fraction(2 * min(below, above), whole)), order


def side(samples):
    """Median, and both ends of its interval or two empty texts."""
    ordered, n = sorted(samples), len(samples)
    median = fractions.Fraction(ordered[(n - 1) // 2] + ordered[n // 2], 2000)
    k = below = 0
    while 2 * (below + math.comb(n, k)) <= ALPHA * 2 ** n:
        below += math.comb(n, k)
        k += 1
    return [median, fractions.Fraction(ordered[k - 1], 1000) if k else "",
            fractions.Fraction(ordered[n - k], 1000) if k else ""]


def adjust(groups, tests):
    """Adjusted p of the groups that have enough samples."""
    least = {key: fractions.Fraction(2, math.comb(len(a) + len(b), len(a)))
             for key, (a, b) in groups.items()}
    k = 1
    while sum(value <= ALPHA / k for value in least.values()) > k:
        k += 1
    able = sorted((key for key in groups if least[key] <= ALPHA / k), key=lambda key: tests[key])
    adjusted, last = {}, 0
    for number, key in enumerate(able):
        last = adjusted[key] = max(last, min(1, (len(able) - number) * tests[key]))
    return adjusted


def expected(groups):
    found = {key: probability(*samples) for key, samples in groups.items()}
    tests = {key: p for key, (p, _) in found.items()}
    adjusted = adjust(groups, tests)
    rows = {}
    for key, (first, second) in groups.items():
        one, two = side(first), side(second)
        order = (two[0] > one[0]) - (two[0] < one[0])
        verdict = "few" if key not in adjusted else "~" if adjusted[key] > ALPHA \
            else "mixed" if order != found[key][1] else "slower" if order > 0 else "faster"
        rows[key] = [verdict, 100 * (two[0] - one[0]) / one[0], len(first), len(second),
                     fractions.Fraction(sum(first), 1000), fractions.Fraction(sum(second), 1000), *one, *two,
                     tests[key], adjusted.get(key, "")]
    return rows


def equal(column, text, want):
    """Quotients are rounded to 12 digits, p that is not exact to 6; all else is exact."""
    if isinstance(want, str) or text == "":
        return text == want
    if column in EXACT:
        return fractions.Fraction(text) == want
    if isinstance(want, float):
        return math.isclose(float(text), max(want, 1e-30), rel_tol=6e-6)
    return math.isclose(float(text), want, rel_tol=1e-11)


def compare(name, rows, arguments, folder):
    done = subprocess.run(["kcompare", "-H", *arguments], capture_output=True, text=True, cwd=folder,
                          check=True)
    seen = 0
    for line in done.stdout.splitlines():
        fields = line.split("\t")
        if fields[0] not in rows:
            continue
        seen += 1
        for column, (text, want) in enumerate(zip(fields[1:], rows[fields[0]])):
            if not equal(column, text, want):
                print(f"{name}: {fields[0]}: column {column + 2}: {text} instead of {want}")
    print(f"{name}: {seen} groups")


def main():
    folder, chance = sys.argv[1], random.Random(5)
    groups = make_groups(chance)
    for number, label in enumerate(("old", "new")):
        rows, units = [], []
        for key, samples in groups.items():
            for unit, value in enumerate(samples[number]):
                part = chance.randint(0, value)
                rows.append(f"{value / 1000:.3f}\t{key}\n")
                units += [f"{part / 1000:.3f}\t{key}\t{unit}\n", f"{(value - part) / 1000:.3f}\t{key}\t{unit}\n"]
        chance.shuffle(rows)
        chance.shuffle(units)
        with open(os.path.join(folder, label), "w", encoding="ascii") as file:
            file.writelines(["#dur\tname\n", *rows])
        with open(os.path.join(folder, label + ".units"), "w", encoding="ascii") as file:
            file.writelines(["#dur\tname\tunit\n", *units])
    want = expected(groups)
    compare("rows", want, ["old", "new"], folder)
    compare("units", want, ["--by=unit", "old.units", "new.units"], folder)


main()
