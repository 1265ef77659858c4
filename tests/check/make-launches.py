#!/usr/bin/env python3
"""make-launches.py SEED - a made stream of calls and of rows of devices, for kbusy and klaunch.

Few times and few ids, so that all comes that may: equal times, durations of 0 and below, rows that
overlap and touch, calls that wait, graphs, correlations of several processes, rows without a launch.
"""
import random
import sys

pick = random.Random(int(sys.argv[1]))
CALLS = ["cudaLaunchKernel", "cudaGraphLaunch", "cudaDeviceSynchronize", "cudaMemcpyAsync"]
KERNELS = [("gemm", "kernel", "Dense GEMM"), ("ncclDevKernel", "kernel", "Collective"),
           ("Memcpy HtoD", "gpu_memcpy", "Memory"), ("Memset", "gpu_memset", "Memory")]
span = pick.choice([40, 200, 2000])
processes = pick.choice([[80], [80], [80, 90], [80, 90, 95]])
devices = pick.choice([[0], [0, 1], [0, 1, 2]])
rows = []


def add(name, cat, pid, tid, dur, correlation, op):
    rows.append([f"{pick.randrange(span * 2) / 2:g}", dur, name, cat, pid, tid, correlation, op])


for _ in range(pick.randrange(40)):
    add(pick.choice(CALLS), "cuda_runtime", pick.choice(processes), pick.randrange(2),
        pick.choice([0, 1, 3, 7.5, 60, ""]), pick.choice(["", pick.randrange(15)]), "")
for _ in range(1, 2 + pick.randrange(60)):
    name, cat, op = pick.choice(KERNELS)
    add(name, cat, pick.choice(devices), pick.randrange(7, 9), pick.choice([0, 1, 2.5, 5, 30, -3]),
        pick.choice(["", pick.randrange(15), pick.randrange(15)]), op)
pick.shuffle(rows)
print("#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\top")
for row in rows:
    print(*row, sep="\t")
