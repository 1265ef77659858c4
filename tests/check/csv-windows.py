#!/usr/bin/env python3
"""Lays the edge of csv2tsv's read buffer at every byte of some records.

A record with a long name fills the file up to the edge: at 64 KiB, what is read of a
plain file before it is known to be plain, and at 256 KiB. All files go to one run;
each must give the same rows behind the long one.
"""
import os
import subprocess
import sys

HEADER = "Name,Type,Start Time(us),Duration(us)\r\n"
RECORDS = '"a,""b""\r\n\nc",T,1,2\r\n"",T,3,4\n\r\n"x""",T,"5\t",6\n"y"z,T,7,8\nlast,T,9,10'
EDGES = 65536, 262144
folder = sys.argv[1]


def rows(texts):
    files = []
    for i, text in enumerate(texts):
        files.append(os.path.join(folder, f"{i}.csv"))
        with open(files[-1], "w", newline="", encoding="utf-8") as out:
            out.write(text)
    done = subprocess.run(["csv2tsv", *files], capture_output=True, text=True, check=False)
    others = [line for line in done.stderr.splitlines() if "the last row has no newline" not in line]
    if done.returncode or others:
        sys.exit(f"status {done.returncode}: {done.stderr[:300]}")
    parts = done.stdout.split("##source\t")[1:]
    return [
        [line for line in part.splitlines()[1:] if line[:1] != "#" and "xxx" not in line]
        for part in parts
    ]


expected = rows([HEADER + RECORDS])[0]
print("\n".join(expected))
for edge in EDGES:
    texts = []
    for k in range(len(RECORDS) + 3):
        name = "x" * (edge - len(HEADER) - len(",T,0,0\n") - k)
        texts.append(HEADER + name + ",T,0,0\n" + RECORDS)
    wrong = sum(got != expected for got in rows(texts))
    print(f"edge at {edge}: {len(texts)} files, {wrong} wrong")
