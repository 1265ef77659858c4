#!/usr/bin/env python3
"""Runs dbmerge in many modes against the rules in Python: perfdb-modes.py SEED DB TABLE SCRATCH

Merges the rows of TABLE into copies of the database DB, by dbmerge -N, by dbmerge, and by
perfdb.py: the status, the table, the skipped files, the operators without a file, and each file
must be the same; with -N no file may change. The modes, the operators of --ops, and those whose
rows are merged, are drawn by SEED. Prints the differences.
"""
import importlib
import os
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import perfdb

compare = importlib.import_module("perfdb-compare")
FLAGS = ["--mode=missing-only", "--prune", "--add-matmul", "--create", "--migrate"]
MODES = 20


def names_of(rng, operators):
    names = rng.sample(operators, rng.choice([1, 2, 4, 8]))
    return ",".join(name + rng.choice(["", "", ".csv", "_run", "_run.csv", "_run.py"]) for name in names)


def draw(rng, operators):
    options = [flag for flag in FLAGS if rng.random() < 0.4]
    if rng.random() < 0.6:
        options.append("--ops=" + names_of(rng, operators))
    if "--prune" not in options and rng.random() < 0.3:
        options.append("--prune-ops=" + names_of(rng, operators))
    return options


def run(folder, table, options):
    """Status, rows, skipped files, and operators without a file."""
    done = subprocess.run(["dbmerge", "-d", folder, *options, table], capture_output=True,
                          encoding="utf-8", errors="surrogateescape")
    lines = done.stdout.split("\n")
    refused = [line.split("\t")[1] for line in lines if line.startswith("##damaged\t")]
    left_out = re.search(r"operators without a file, rows skipped \(--create makes files\): (.*)", done.stderr)
    counts = {op: int(n) for op, n in re.findall(r"(\S+) \((\d+)\)", left_out[1])} if left_out else {}
    return done.returncode, [line for line in lines if line and line[0] != "#"], refused, counts


def in_hex(name, backslash):
    """The name with bytes that are not UTF-8 as xHH after a backslash."""
    return re.sub("[\udc80-\udcff]", lambda byte: f"{backslash}x{ord(byte[0]) - 0xdc00:02x}", name)


def expect(folder, rows, options):
    try:
        facts, refused, left_out = perfdb.merge(folder, rows, perfdb.mode_of(options))
    except perfdb.Stop:
        return 2, [], None, None
    # A stream doubles the backslash of ##damaged.
    plain = [in_hex(name, r"\\") for name in refused]
    left_out = {in_hex(name, "\\"): count for name, count in left_out.items()}
    return (1 if refused else 0), [perfdb.fact_line(*fact) for fact in facts], plain, left_out


def first_difference(ours, theirs):
    for what, a, b in zip(("status", "table", "refused", "left out"), ours, theirs):
        if b is not None and a != b:
            pairs = [(x, y) for x, y in zip(a, b) if x != y] if what == "table" else [(a, b)]
            x, y = pairs[0] if pairs else (f"{len(a)} rows", f"{len(b)} rows")
            return f"{what}: {x!r} instead of {y!r}"
    return None


def some_rows(rng, table, path):
    """A table with the rows of half of the operators, or of none."""
    with open(table, "rb") as file:
        head, *lines = file.readlines()
    kept, share = {}, rng.choice([0, 0.5])
    with open(path, "wb") as file:
        file.write(head)
        file.writelines(line for line in lines if kept.setdefault(line.split(b"\t")[0], rng.random() < share))
    return path


def check(db, table, scratch, options):
    rows = perfdb.read_table(table)
    ours, theirs = os.path.join(scratch, "ours"), os.path.join(scratch, "theirs")
    for folder in ours, theirs:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(db, folder)
    expected = expect(theirs, rows, options)
    what = first_difference(run(ours, table, ["-N", *options]), expected)
    if what:
        yield f"-N: {what}"
    yield from (f"-N: {what}" for what in compare.differences(db, ours, db))
    what = first_difference(run(ours, table, options), expected)
    if what:
        yield what
    yield from compare.differences(db, ours, theirs)


def main():
    seed, db, table, scratch = sys.argv[1:]
    rng = random.Random(int(seed))
    operators = sorted({perfdb.operator(row["OP Type"]) for row in perfdb.read_table(table)}) + ["Conv2D"]
    for _ in range(MODES):
        options = draw(rng, operators)
        merged = some_rows(rng, table, os.path.join(scratch, "some")) if rng.random() < 0.4 else table
        for what in check(db, merged, scratch, options):
            line = f"seed {seed}, {' '.join(options)}: {what}"
            print(line.encode("utf-8", "backslashreplace").decode())


main()
