#!/usr/bin/env python3
"""Compares two databases that were merged from one: perfdb-compare.py OLD OURS THEIRS

Cell for cell; and where theirs did not write a file, or has a row as it was under columns
as they were, ours must have the old bytes.
"""
import csv
import io
import os
import re
import sys


def read(folder, name):
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def cells(data):
    text = data.decode("utf-8-sig", "surrogateescape")
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if "".join(row).strip()]
    width = len(rows[0])
    return [[name.strip() for name in rows[0]]] + [(row + [""] * width)[:width] for row in rows[1:]]


def records(data):
    """The lines that are no blank ones, without their ends; quotes may hold newlines."""
    data = data[3:] if data[:3] == b"\xef\xbb\xbf" else data
    found = re.findall(rb'(?:[^"\n]|"(?:[^"]|"")*")+', data)
    return [line.rstrip(b"\r") for line in found if line.strip()]


def check(old, ours, theirs):
    if ours is None or theirs is None:
        return "it is not there" if ours is not theirs else None
    if theirs == old:
        return None if ours == old else "it was written, and nothing changed"
    a, b = cells(ours), cells(theirs)
    if a != b:
        for row, (x, y) in enumerate(zip(a, b)):
            for name, p, q in zip(a[0], x, y):
                if p != q:
                    return f"row {row}, {name}: {p!r} instead of {q!r}"
        return f"{len(a)} rows of {len(a[0])} columns instead of {len(b)} of {len(b[0])}"
    if old is None or cells(old)[0] != b[0]:
        return None
    known = {tuple(row): line for row, line in zip(cells(old), records(old))}
    for row, line in zip(b, records(ours)):
        if known.get(tuple(row), line) != line:
            return f"a row that did not change was written otherwise: {line!r}"
    return None


def names_in(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


def differences(old, ours, theirs):
    for name in sorted(names_in(ours) | names_in(theirs), key=os.fsencode):
        what = check(read(old, name), read(ours, name), read(theirs, name))
        if what:
            yield f"{name}: {what}"


def main():
    old, ours, theirs = sys.argv[1:]
    wrong = list(differences(old, ours, theirs))
    for what in wrong:
        print(what.encode("utf-8", "backslashreplace").decode())
    sys.exit(len(wrong) != 0)


if __name__ == "__main__":
    main()
