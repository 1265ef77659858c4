#!/usr/bin/env python3
"""Cuts each trace (gzip) at several places, packed and unpacked, and gives it to trace2tsv.

The rows must be a prefix of the whole trace's rows, the status 1, the last line before
##end a ##damaged one. Says what is wrong, and nothing else.
"""
import gzip
import subprocess
import sys


def run(data):
    done = subprocess.run(["trace2tsv"], input=data, capture_output=True, check=False)
    body = done.stdout.removesuffix(b"##end\ttrace2tsv\n")
    head, _, last = body.rstrip(b"\n").rpartition(b"\n")
    rows = [line for line in (head + b"\n" + last).split(b"\n") if line[:1] != b"#"]
    return done.returncode, rows, last


wrong = 0
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        packed = file.read()
    text = gzip.decompress(packed).rstrip()
    status, whole, last = run(packed)
    if status != 0 or not whole or last.startswith(b"##damaged"):
        sys.exit(f"{path}: status {status}, {len(whole)} rows")
    for data, cuts in (
        (text, (1, len(text) // 3, len(text) - len(text) // 50, len(text) - 1)),
        (packed, (2, len(packed) // 4, len(packed) - len(packed) // 50, len(packed) - 8, len(packed) - 1)),
    ):
        counts = []
        for cut in cuts:
            status, rows, last = run(data[:cut])
            counts.append(len(rows))
            if status != 1 or not last.startswith(b"##damaged\t-\t") or rows != whole[: len(rows)]:
                wrong += 1
                print(f"{path}: cut at {cut} of {len(data)}: status {status}, {len(rows)} rows: {last!r}")
        # A cut in the middle must not lose what came before it: more text, more rows.
        if counts != sorted(counts) or counts[1] == 0 or counts[-1] < counts[1]:
            wrong += 1
            print(f"{path}: rows at the cuts: {counts}")
sys.exit(wrong != 0)
