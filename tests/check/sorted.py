"""sorted.py [-]COL,... FILE - the rows of a stream in the order of ksort, by fractions."""
import fractions
import re
import sys

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
ESCAPES = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\", b"0": b"\0", b"#": b"#"}


def key(field):
    text = re.sub(rb"\\([tnr\\0#])", lambda match: ESCAPES[match[1]], field)
    if not text:
        return (0,)
    return (1, fractions.Fraction(text.decode())) if NUMBER.match(text) else (2, text)


with open(sys.argv[2], "rb") as file:
    lines = file.read().splitlines()
names = next(line[1:] for line in lines if re.match(rb"#[^#]", line)).decode().split("\t")
rows = [line.split(b"\t") for line in lines if not line.startswith(b"#")]
for column in reversed(sys.argv[1].split(",")):
    at = names.index(column.lstrip("-"))
    rows.sort(key=lambda row: key(row[at]), reverse=column.startswith("-"))
for row in rows:
    sys.stdout.buffer.write(b"\t".join(row) + b"\n")
