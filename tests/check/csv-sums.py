#!/usr/bin/env python3
"""csv-sums.py FILE UNIT DUR [START]: what csv2tsv must make of a table, by Python's csv and decimals.

DUR is a header, or END-START, two headers. Prints how many rows have a duration, their sum in us,
and, if START is given, the first start in us. The header is the first record with these names.
"""

import csv
import decimal
import gzip
import sys

PER_US = {"ns": "0.001", "us": "1", "ms": "1000", "s": "1000000"}


def number(text, unit):
    try:
        return decimal.Decimal(text.strip()) * decimal.Decimal(PER_US[unit])
    except decimal.InvalidOperation:
        return None


def plain(value):
    return f"{value.normalize():f}"


def main():
    path, unit, dur, *start = sys.argv[1:]
    decimal.getcontext().prec = 60
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="") as lines:
        records = csv.reader(lines)
        wanted = dur.split("-") if "-" in dur else [dur]
        for record in records:
            header = [name.strip() for name in record]
            if all(name in header for name in wanted + start):
                break
        at = [header.index(name) for name in wanted]
        rows = [row for row in records if row]
    durs = []
    for row in rows:
        values = [number(row[i], unit) if i < len(row) else None for i in at]
        if None not in values:
            durs.append(values[0] - values[1] if len(values) == 2 else values[0])
    figures = [str(len(durs)), plain(sum(durs, decimal.Decimal(0)))]
    if start:
        starts = (number(row[header.index(start[0])], unit) for row in rows)
        figures.append(plain(next(value for value in starts if value is not None)))
    print("\t".join(figures))


if __name__ == "__main__":
    main()
