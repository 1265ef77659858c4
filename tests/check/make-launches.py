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
span = pick.choice([40, 200, 2000, 8000])
processes = pick.choice([[80], [80], [80, 90], [80, 90, 95]])
devices = pick.choice([[0], [0, 1], [0, 1, 2]])
rows = []


def add(name, cat, pid, tid, dur, correlation, op):
    rows.append([f"{pick.randrange(span * 2) / 2:g}", dur, name, cat, pid, tid, correlation, op])


def correlation(process):
    """None, one that any process may have, or one of this process."""
    return pick.choice(["", pick.randrange(20), pick.randrange(20), 100 * process + pick.randrange(5)])


for _ in range(pick.randrange(80)):
    process = pick.choice(processes)
    add(pick.choice(CALLS), "cuda_runtime", process, pick.randrange(2),
        pick.choice([0, 1, 3, 7.5, 60, ""]), correlation(process), "")
for _ in range(1, 2 + pick.randrange(150)):
    name, cat, op = pick.choice(KERNELS)
    device = pick.choice(devices)
    add(name, cat, device, pick.randrange(7, 9), pick.choice([0, 1, 2.5, 5, 30, -3]),
        correlation(processes[device % len(processes)]), op)
pick.shuffle(rows)
print("#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\top")
for row in rows:
    print(*row, sep="\t")
