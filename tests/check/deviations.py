"""deviations.py KEY OF SUM FILE - key, count, total, std and sum of each group of a stream, sorted.

The standard deviation is that of kgroup --std, rounded to 12 digits, half to even, from fractions.
"""
import decimal
import fractions
import sys

decimal.getcontext().prec = 200
key, of, extra, path = sys.argv[1:]
groups = {}
with open(path) as file:
    for line in file:
        fields = line.rstrip("\n").split("\t")
        if line.startswith("##"):
            continue
        if line.startswith("#"):
            names = line[1:].rstrip("\n").split("\t")
            continue
        row = dict(zip(names, fields))
        if row[of]:
            values, sums = groups.setdefault(row[key], ([], []))
            values.append(fractions.Fraction(row[of]))
            sums += [fractions.Fraction(row[extra])] if row[extra] else []


def text(number):
    number = decimal.Decimal(number.numerator) / decimal.Decimal(number.denominator)
    return f"{number.normalize():f}" if number else "0"


def deviation(values):
    if len(values) < 2:
        return ""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    root = (decimal.Decimal(variance.numerator) / decimal.Decimal(variance.denominator)).sqrt()
    return text(fractions.Fraction(decimal.Context(prec=12, rounding=decimal.ROUND_HALF_EVEN).plus(root)))


for name, (values, sums) in sorted(groups.items()):
    print(name, len(values), text(sum(values)), deviation(values), text(sum(sums)) if sums else "", sep="\t")
