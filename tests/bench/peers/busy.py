"""How long each process was busy, by pandas: its span and idle time, from FILE, a kev stream."""
import sys

import pandas

rows = pandas.read_csv(sys.argv[1], sep="\t", comment="#", header=None, usecols=[0, 1, 6], names=["ts", "dur", "pid"])
rows = rows.sort_values(["pid", "ts"], kind="stable")
rows["end"] = rows.ts + rows.dur
for pid, group in rows.groupby("pid"):
    until = group.end.cummax()
    idle = (group.ts - until.shift()).clip(lower=0).sum()
    print(pid, until.iloc[-1] - group.ts.iloc[0], idle, sep="\t")
