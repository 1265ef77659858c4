"""Kernels of FILE, a trace of mktrace, by the phase of their step and the class of their name, by pandas.

The pipe `trace2tsv -g -c -python_function FILE | kcontext | kclass --rules=tests/bench/peers/class.rules |
kgroup -k phase,op | cut -f1-4`. Times are whole nanoseconds, as floats cannot tell them apart.
"""
import json
import sys

import numpy
import pandas

with open(sys.argv[1], encoding="utf-8") as trace:
    events = json.load(trace, parse_float=str)["traceEvents"]


def rows_of(category):
    """The rows of a category, with ts and dur in ns, and the correlation if they have one."""
    rows = pandas.DataFrame(
        [(e["ts"], e["dur"], e["name"], e["args"].get("correlation")) for e in events if e.get("cat") == category],
        columns=["ts", "dur", "name", "correlation"],
    )
    for column in ("ts", "dur"):
        rows[column] = rows[column].str.replace(".", "", regex=False).astype("int64")
    return rows


kernels = rows_of("kernel")
launches = rows_of("cuda_runtime").sort_values("ts", kind="stable").drop_duplicates("correlation")
steps = rows_of("user_annotation")
del events

steps["phase"] = numpy.select(
    [
        steps.name.str.match(r"execute_context_[1-9]\d*\(|step\[EXTEND"),
        steps.name.str.match(r"execute_context_0\(|step\[DECODE"),
        steps.name.str.match("ProfilerStep#"),
    ],
    ["prefill", "decode", ""],
    "no step",
)
steps["end"] = steps.ts + steps.dur
steps = steps[steps.phase != "no step"].sort_values(["ts", "end"], ascending=[True, False], kind="stable")

# A step around exactly one other is one step with it; its phase is that of the inner one, if that has any.
ends, phases = steps.end.tolist(), steps.phase.tolist()
holder, held, first, opened = [-1] * len(ends), [0] * len(ends), list(range(len(ends))), []
for i, end in enumerate(ends):
    while opened and ends[opened[-1]] < end:
        opened.pop()
    if opened:
        holder[i] = opened[-1]
        held[holder[i]] += 1
    opened.append(i)
for i, around in enumerate(holder):
    if around >= 0 and held[around] == 1:
        first[i] = first[around]
        phases[first[i]] = phases[i] or phases[first[i]]
steps["phase"] = [phases[i] for i in first]

steps = steps.sort_values(["dur", "ts"], ascending=[False, True], kind="stable")
# If several steps are open, the shortest counts, so it is written last.
phase = numpy.full(len(launches), "", dtype=object)
spans = (numpy.searchsorted(launches.ts, times) for times in (steps.ts, steps.end))
for begin, end, name in zip(*spans, steps.phase):
    phase[begin:end] = name
kernels = kernels.merge(launches.assign(phase=phase)[["correlation", "phase"]], on="correlation", how="left")

classes = {
    "Communication": "nccl",
    "Attention": "flash",
    "Dense GEMM": "gemm|nvjet|cijk_",
    "Norm": "norm",
    "Elementwise": "elementwise|vectorized",
    "Fused": "^triton_",
    "Copy/Memory": "memset|memcpy|copy",
}
low = pandas.Series(kernels.name.unique(), index=kernels.name.unique()).str.lower()
op = pandas.Series(
    numpy.select([low.str.contains(pattern) for pattern in classes.values()], list(classes), "Other"), index=low.index
)
kernels["op"] = kernels.name.map(op)
table = kernels.fillna({"phase": ""}).groupby(["phase", "op"]).dur.agg(["size", "sum"])
for (phase_name, op_name), (count, total) in table.sort_values("sum", ascending=False).iterrows():
    print(phase_name, op_name, count, f"{total // 1000}.{total % 1000:03}", sep="\t")
