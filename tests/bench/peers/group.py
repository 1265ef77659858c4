# The pipe `trace2tsv -c kernel FILE.json.gz | kgroup -k name | cut -f1-3`, with Python's gzip and
# json modules.
import gzip
import json
import sys

with gzip.open(sys.argv[1]) as trace:
    events = json.load(trace)["traceEvents"]
groups = {}
for e in events:
    if e.get("ph") == "X" and e.get("cat") == "kernel":
        group = groups.setdefault(e["name"], [0, 0.0])
        group[0] += 1
        group[1] += e["dur"]
for name, (count, total) in sorted(groups.items(), key=lambda item: -item[1][1]):
    print(name, count, f"{total:.3f}", sep="\t")
