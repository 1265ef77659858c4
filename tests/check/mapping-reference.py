#!/usr/bin/env python3
"""mapping-reference.py YAML STREAM: writes a stream of every op of a mapping to STREAM, and to
standard output the type and name that opmap should give to each. Reads of the file what a line
at a time shows, in the layout that the real files have.
"""
import re
import sys

ops = {}
inside = False
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        if re.match(r"\S", line):
            inside = line.startswith("operator_mappings:") or (inside and line.startswith("#"))
        if not inside:
            continue
        if match := re.match(r'  "?([^\s"#:]+(?::+[^\s"#:]+)*)"?:\s*(?:#.*)?$', line):
            entry = ops.setdefault(match[1], {})
        elif match := re.match(r'    (kernel_type|zero_cost): *"?([^\s"#]+)', line):
            entry[match[1]] = match[2]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write("#dur\ttype\tname\n" + "".join(f"1\t\t{op}\n" for op in ops))
for op, entry in ops.items():
    if entry.get("zero_cost") != "true":
        print(f"{entry.get('kernel_type', op)}\t{op}")
