#!/usr/bin/env python3
"""Cuts the trace on standard input at every byte and gives the pieces to trace2tsv.

The rows must be a prefix of the whole trace's rows. The status must be 1, with a
##damaged line just before ##end, but for what the format allows: an array
whose ] is missing, and white space missing at the end.
"""
import json
import subprocess
import sys


def run(data):
    done = subprocess.run(["trace2tsv"], input=data, capture_output=True)
    lines = done.stdout.decode("utf-8", "surrogateescape").splitlines()
    return done.returncode, lines, [line for line in lines if line[:1] != "#"]


def may_be_whole(data):
    """Whether the text is JSON as it stands, or an array of events without its end."""
    text = data.decode("utf-8", "replace").strip()
    if text == "[":
        return True
    for candidate in (text, text + "]", text.rstrip(",") + "]"):
        if not candidate.startswith("[") and candidate != text:
            continue
        try:
            json.loads(candidate)
            return True
        except ValueError:
            pass
    return False


whole = sys.stdin.buffer.read()
status, _, rows = run(whole)
wrong = 0
if status != 0 or not rows:
    sys.exit(f"the whole trace gives status {status} and {len(rows)} rows")
for n in range(len(whole)):
    status, lines, part = run(whole[:n])
    expected = 0 if may_be_whole(whole[:n]) else 1
    damaged = lines[-2].startswith("##damaged\t-\tbyte ")
    if status != expected or damaged != (expected == 1) or rows[: len(part)] != part:
        wrong += 1
        print(f"cut at byte {n}: status {status}, {len(part)} rows: {lines[-2]}")
print(f"{len(whole)} cuts, {wrong} wrong")
sys.exit(wrong != 0)
