"""The longest event of a kev(5) stream: its duration and name."""
import re
import sys
from collections import Counter
from decimal import Decimal

ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "0": "\0"}


def text(field):
    return re.sub(r"\\([tnr\\0#])",
                  lambda m: ESCAPES.get(m[1], m[1]), field)


columns = "ts dur type name cat ph pid tid source".split()
longest = None
status = 0
ends = Counter()
for line in sys.stdin.buffer:
    line = line.decode("utf-8", "surrogateescape")
    fields = line.removesuffix("\n").removesuffix("\r").split("\t")
    if line.startswith("##"):
        if fields[0] == "##damaged":
            print(*map(text, fields[1:]), sep=": ", file=sys.stderr)
            status = max(status, 2 if fields[3:] == ["usage"] else 1)
        ends[fields[-1]] += (fields[0] == "##ends") - (fields[0] == "##end")
    elif line.startswith("#"):
        fields[0] = fields[0][1:]
        columns = [text(name) for name in fields]
    else:
        row = dict(zip(columns, fields, strict=True))
        dur = Decimal(row["dur"] or 0)
        if not longest or dur > longest[0]:
            longest = dur, text(row["name"])
if any(n > 0 for n in ends.values()):
    print("the stream is cut", file=sys.stderr)
    status = max(status, 1)
if longest:
    print(*longest)
sys.exit(status)
