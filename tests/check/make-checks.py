"""make-checks.py COUNT SEED [FAULTS] - a stream of COUNT kernels on two devices and four streams, with their
launches, steps and a class each, and so many FAULTS (default: 40) for kcheck to find: durations that are too
long or negative, launches that come too late or are missing, rows without kernels, rows that come twice.

Half of the kernels are of graphs. With FAULTS 0 kernels follow each other without a gap on each stream, and
kcheck finds nothing.
"""
import random
import sys

count, seed, faults = (int(text) for text in [*sys.argv[1:], "40"][:3])
draw = random.Random(seed)
rows, clock, graph = [], {}, {}
for number in range(count):
    device, stream = draw.randrange(2), draw.choice([7, 20])
    start = clock.get((device, stream), 50000)
    dur = draw.randrange(1000, 20000)
    clock[device, stream] = start + dur
    op = draw.choice(["Dense GEMM", "Normalization", "Collective"])
    launch, call = number, ["cudaLaunchKernel", "cuda_runtime", 9, 9, number]
    if stream == 20:  # graphs of 40 kernels
        launches = graph.setdefault(device, [])
        launch = launches[-1] if len(launches) % 40 else number
        launches.append(launch)
        call = ["cudaGraphLaunch", *call[1:]] if launch == number else ["aten::mm", "cpu_op", 9, 9, ""]
    rows.append([start, dur, f"k{draw.randrange(9)}", "kernel", device, stream, launch, stream, op])
    rows.append([start - draw.randrange(2000, 40000), 900, *call, "", ""])
end = max(clock.values(), default=0)
for step in range(4):
    rows.append([step * end // 4, end // 4, f"ProfilerStep#{step}", "user_annotation", 9, 9, "", "", ""])
for fault in range(faults):
    kernel, launch = 2 * draw.randrange(count), 2 * draw.randrange(count) + 1
    kind = fault % 9
    if kind == 0:
        rows[kernel][1] *= draw.choice([2, 3, 9])
    elif kind == 1:
        rows[kernel][1] = draw.choice([-5, 0, 3 * end])
    elif kind == 2:
        rows[launch][0] += draw.choice([30000, 90000, 200000])
    elif kind == 3:
        rows[launch][6] = ""
    elif kind == 4:
        rows[kernel][6] = ""
    elif kind == 5:
        rows.append(list(rows[kernel]))
    elif kind == 6:
        rows.append([draw.randrange(end), 700, "hipGraphLaunch", "cuda_runtime", 9, 9, count + fault, "", ""])
    elif kind == 7:
        rows.append([2 * end + fault, 10, "ProfilerStep#9", "user_annotation", 9, 9, "", "", ""])
    else:
        rows[kernel][6] = rows[(kernel + 4) % (2 * count)][6]
print("#ts", "dur", "name", "cat", "pid", "tid", "correlation", "stream", "op", sep="\t")
for ts, dur, *others in sorted(rows, key=str):
    print(f"{ts / 1000:.3f}", f"{dur / 1000:.3f}", *others, sep="\t")
