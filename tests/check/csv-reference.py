#!/usr/bin/env python3
"""csv-reference.py FOLDER SEED COUNT: csv2tsv -A gives the records that Python's csv finds.

COUNT made files: quotes, doubled and misplaced, newlines in quotes, CRLF, blank lines,
ragged rows, spaces around values, times that are not there.
"""
import csv
import io
import os
import random
import re
import subprocess
import sys

folder, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
HEADER = ["Name", "Type", "Start Time(us)", "Duration(us)", "x", "y z"]
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)$", re.A)
ESCAPED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0"}


def piece():
    return rng.choice(("a", "b c", " ", "\t", "", "é", "#", "\\", "'", "12.5"))


def field():
    kind = rng.random()
    if kind < 0.5:
        return "".join(piece() for _ in range(rng.randrange(3)))
    if kind < 0.6:
        return "a" + rng.choice(('"', '""', '"b"')) + piece()  # a quote that opens nothing
    inside = "".join(rng.choice((piece(), ",", "\n", "\r\n", '""')) for _ in range(rng.randrange(5)))
    tail = "".join(rng.choice((piece(), '"')) for _ in range(rng.randrange(1, 3))) if rng.random() < 0.1 else ""
    return '"a' + inside + 'z"' + tail.lstrip('"')


def record():
    times = [rng.choice(("1", "1", "")), rng.choice(("2", ""))]
    fields = [field(), rng.choice(("T", " U ", field())), *times, field(), field()]
    extra = rng.choice((0, 0, 0, 1, -1, -2))
    fields = fields + ["long"] * extra if extra > 0 else fields[: len(fields) + extra]
    return ",".join(fields) + rng.choice(("\n", "\n", "\r\n", "\n\n"))


def escape(value):
    return "".join(ESCAPED.get(c, c) for c in value.strip(" \t"))


def time(value):
    return value if NUMBER.match(value) else ""


wrong = []
for i in range(count):
    text = ",".join(HEADER) + "\n" + "".join(record() for _ in range(rng.randrange(9)))
    path = os.path.join(folder, "a.csv")
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(text)
    expected = []
    for row in list(csv.reader(io.StringIO(text, newline="")))[1:]:
        row = [escape(value) for value in row[:6]] + [""] * (6 - len(row))
        if row[1]:
            values = [time(row[2]), time(row[3]), row[1], row[0], "", "X", "", "", "", row[4], row[5]]
            expected.append("\t".join(values))
    done = subprocess.run(["csv2tsv", "-H", "-A", path], capture_output=True, check=False)
    got = done.stdout.decode().split("\n")[:-1]
    if done.returncode == 1 and b"inside of quotes" in done.stderr:
        expected = expected[: len(got)]  # Python takes what stands there for a record
    elif done.returncode:
        expected = None
    if got != expected:
        wrong.append((text, got, expected))
for text, got, expected in wrong[:3]:
    print(f"seed {seed}: {text!r}\n  got      {got}\n  expected {expected}")
print(f"{count} files, {len(wrong)} wrong")
sys.exit(bool(wrong))
