# What `trace2tsv -c kernel` selects, with Python's json module.
import gzip
import json
import sys

path = sys.argv[1]
with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as trace:
    events = json.load(trace)["traceEvents"]
for e in events:
    if e.get("ph") == "X" and e.get("cat") == "kernel":
        print(e["ts"], e["dur"], e["name"], e["pid"], e["tid"], sep="\t")
