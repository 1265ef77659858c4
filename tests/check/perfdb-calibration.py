#!/usr/bin/env python3
"""Compares with what the original programs made of a calibration folder.

perfdb-calibration.py FOLDER base DIR        writes the database it was merged into
perfdb-calibration.py FOLDER agg KEY TABLE   opagg's table
perfdb-calibration.py FOLDER merge KEY DIR TABLE [REPORT [HOTSPOTS]]
                                             the database, dbmerge's table, dbreport's report and CSV

Every cell must be the same, but that a mean may differ by one in its sixth place where the
original's binary fractions rounded a tie: these cells are printed, and checked to be ties.
"""
import csv
import io
import json
import os
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
import perfdb


def wrong(*what):
    sys.exit(" ".join(str(part) for part in what))


def ties(folder, expected, key):
    """What the original has of a case and counter, and what is right, where that is a tie."""
    paths = [os.path.join(folder, f"op_summary_{number}.csv") for number in key.replace("agg", "")]
    found = {}
    theirs = {op: iter(rows) for op, rows in expected[key].items()}
    means = {}
    for row in perfdb.aggregate(paths, means=means):
        other = next(theirs[row["OP Type"]])
        for name, text in row.items():
            if name.startswith("MicroBench ") and other[name] != text:
                place = row["OP Type"], perfdb.shown(row), name
                halves = means[place] * 2_000_000
                if halves.denominator != 1 or {int(Decimal(x) * 2_000_000) for x in (other[name], text)} != \
                        {int(halves) - 1, int(halves) + 1}:
                    wrong(*place, "is no tie:", text, other[name])
                found[place] = (other[name], text)
    return found


def check_agg(folder, expected, key, path):
    known = ties(folder, expected, key)
    theirs = {op: iter(rows) for op, rows in expected[key].items()}
    count = 0
    for row in perfdb.read_table(path):
        op = row.pop("OP Type")
        other = next(theirs[op], None) or wrong(key, op, "has a row too many")
        if op != perfdb.SIZED and row.pop("EP Size"):
            wrong(key, op, "has an EP Size")
        for name in sorted(set(row) | set(other)):
            tie = known.pop((op, perfdb.shown(row), name), None)
            if tie:
                print(f"{key} {op} {perfdb.shown(row)} {name}: {tie[1]}, and not {tie[0]}")
            if (tie or (other[name],))[-1] != row.get(name):
                wrong(key, op, perfdb.shown(row), name, row.get(name), other.get(name))
            count += 1
    if known or any(next(rows, None) for rows in theirs.values()):
        wrong(key, "lacks rows")
    print(key, "is the same:", count, "cells")


def cells(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def read(*path):
    with open(os.path.join(*path), encoding="utf-8", newline="") as file:
        return file.read()


def check_files(key, theirs, folder, known):
    count = 0
    if sorted(theirs) != sorted(os.listdir(folder)):
        wrong(key, os.listdir(folder))
    for name, text in theirs.items():
        ours, other = cells(read(folder, name)), cells(text)
        if [len(row) for row in ours] != [len(row) for row in other] or ours[0] != other[0]:
            wrong(key, name, "has other rows or columns")
        for mine, his in zip(ours, other):
            shown = perfdb.shown(dict(zip(ours[0], mine)))
            for column, a, b in zip(ours[0], mine, his):
                tie = known.get((name[:-4], shown, column))
                if a != b and (b, a) != tie:
                    wrong(key, name, shown, column, a, b)
                if a != b:
                    print(f"{key} {name} {shown} {column}: {a}, and not {b}")
                count += 1
    return count


def check_results(key, theirs, table):
    ours = {}
    for row in perfdb.read_table(table):
        if row["action"] == "unmatched":
            continue  # the original says it of no row
        result = ours.setdefault(row["csv"], {"csv": row["csv"], "updated": 0, "added": 0, "unchanged": 0,
                                              "missing": [], "deleted": [], "duplicates": [], "gaps": []})
        action, text = row["action"], row["signature"]
        if action in ("updated", "added", "unchanged"):
            result[action] += 1
        elif action in ("missing", "deleted"):
            result[action].append(text)
        elif action == "duplicate":
            result["duplicates"].append([text, int(row["count"])])
        elif action == "gap":
            figures = [row[name] for name in ("microbench_us", "profiling_us", "diff_us", "ratio")]
            result["gaps"].append([row["operator"], row["csv"], text] + figures)
    for mine, his in zip(ours.values(), theirs):
        for a, b in zip(mine["gaps"], his["gaps"]):
            # Theirs are binary fractions: compare 12 digits, to which ours are rounded.
            a[3:] = [f"{float(figure):.11e}" for figure in a[3:]]
            b[3:] = [f"{figure:.11e}" for figure in b[3:]]
        if mine != his:
            wrong(key, mine, his)
    if len(ours) != len(theirs):
        wrong(key, len(ours), "files were looked at, and not", len(theirs))


def check_hotspots(key, theirs, path):
    rows = cells(read(path))[1:]
    want = [[op, name, f"{mb:.6f}", f"{prof:.6f}", f"{diff:.6f}", f"{ratio:.6f}", text]
            for op, name, text, mb, prof, diff, ratio in theirs]
    if rows != want:
        wrong(key, "hotspots", [pair for pair in zip(rows, want) if pair[0] != pair[1]][:2])


def check_merge(folder, expected, key, database, table, report=None, hotspots=None):
    theirs = expected[key]
    known = ties(folder, expected, "agg1" if key == "create" else "agg12")
    count = check_files(key, theirs["files"], database, known)
    check_results(key, theirs["results"], table)
    # The original prints one newline more.
    if report and read(report) + "\n" != theirs["report"]:
        wrong(key, "the report differs")
    if hotspots:
        check_hotspots(key, theirs["hotspots"], hotspots)
    print(key, "is the same:", count, "cells")


def main():
    folder, what = sys.argv[1:3]
    expected = json.loads(read(folder, "expected.json"))
    if what == "base":
        for name, text in expected["base"].items():
            with open(os.path.join(sys.argv[3], name), "w", encoding="utf-8", newline="") as file:
                file.write(text)
    elif what == "agg":
        check_agg(folder, expected, *sys.argv[3:])
    else:
        check_merge(folder, expected, *sys.argv[3:])


main()
