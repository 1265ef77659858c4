#!/usr/bin/env python3
"""Lays the edges of the stream reader's buffer at every byte of some lines.

A row with a long name fills the file up to the edge: at 64 KiB, what is read of a
plain file before it is known to be plain, and at 256 KiB. All files go to one run
of hcomdedup; each must give the same lines behind the long one.
"""
import os
import subprocess
import sys

HEAD = "#ts\tdur\ttype\tname\n"
LINES = "1\t2\tT\t\n##key\tvalue\n#name\ttype\tdur\tts\n\\#a\\t\tT\t1.5\t2\r\nlast\tU\t1\t2\n"
EDGES = 65536, 262144
folder = sys.argv[1]


def lines(text):
    path = os.path.join(folder, "a.kev")
    with open(path, "w", newline="", encoding="utf-8") as out:
        out.write(text)
    done = subprocess.run(["hcomdedup", path], capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        sys.exit(f"status {done.returncode}: {done.stderr[:300]}")
    return [line for line in done.stdout.splitlines() if "xxx" not in line and line[:5] != "##via"]


expected = lines(HEAD + LINES)
print("\n".join(expected))
for edge in EDGES:
    wrong = 0
    for k in range(len(LINES) + 3):
        name = "x" * (edge - len(HEAD) - len("0\t0\tT\t\n") - k)
        wrong += lines(HEAD + f"0\t0\tT\t{name}\n" + LINES) != expected
    print(f"edge at {edge}: {len(LINES) + 3} files, {wrong} wrong")
