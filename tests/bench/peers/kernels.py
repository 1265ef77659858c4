# The rows of `trace2tsv -c kernel`, with Python's json module; ts is rounded, as it is a binary
# float.
import gzip
import json
import sys

path = sys.argv[1]
with (gzip.open if path.endswith(".gz") else open)(path, "rb") as trace:
    events = json.load(trace)["traceEvents"]
for e in events:
    if e.get("ph") == "X" and e.get("cat") == "kernel":
        args = e["args"]
        print(
            e["ts"], e["dur"], args.get("kernel_type", ""), e["name"], e["cat"], e["ph"],
            e["pid"], e["tid"], args.get("source", ""), sep="\t",
        )
