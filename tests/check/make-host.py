#!/usr/bin/env python3
"""make-host.py SEED - a made stream of rows of the host and of devices, for kcpu.

Few times and few names, so that all comes that may: rows with equal times, that touch, overlap without
nesting, outlive the row around them, have dur 0 or none or one below 0; threads named by numbers and
texts; several processes and devices; graphs; launches after their kernel. No two rows of a thread have
equal ts, dur and rank: only their order in the input would part them.
"""
import random
import sys

pick = random.Random(int(sys.argv[1]))
HOST = [("step", "user_annotation", 0), ("loader;next", "user_annotation", 0), ("f", "python_function", 1),
        ("g;h", "python_function", 1), ("aten::mm", "cpu_op", 2), ("aten::add", "cpu_op", 2), ("enqueue", "enqueue", 2),
        ("cudaLaunchKernel", "cuda_runtime", 3), ("cudaDeviceSynchronize", "cuda_runtime", 3),
        ("cuLaunchKernel", "cuda_driver", 4), ("overhead", "overhead", -1), ("mark", "cuda_sync", -1)]
span = pick.choice([20, 60, 200, 1000])
processes = pick.choice([[80], [80], [80, 90]])
threads = pick.choice([[5], [5, 6], [5, 10, 9, "main", "io"]])
devices = pick.choice([[0], [0], [0, 1]])
whole = pick.choice([1, 2])
rows, seen = [], set()


def time(most):
    return f"{pick.randrange(most * whole) / whole:g}"


for _ in range(pick.randrange(120)):
    name, cat, rank = pick.choice(HOST)
    pid, tid = pick.choice(processes), pick.choice(threads)
    ts, dur = time(span), pick.choice([time(4), time(span // 4 + 1), time(span), "0", "", "-2"])
    if (pid, tid, ts, dur, rank) in seen:
        continue
    seen.add((pid, tid, ts, dur, rank))
    correlation = pick.choice(["", pick.randrange(20), pick.randrange(20), 100 * pid + pick.randrange(4)])
    rows.append([ts, dur, name, cat, pid, tid, correlation if rank in (3, 4) else "", "", ""])
for _ in range(1, 2 + pick.randrange(60)):
    name, cat = pick.choice([("gemm", "kernel"), ("norm", "kernel"), ("gemm", "Kernel"), ("Memcpy HtoD", "gpu_memcpy")])
    device = pick.choice(devices)
    rows.append([time(span), pick.choice([0, 1, 2.5, 5, -3]), name, cat, device, pick.randrange(7, 9),
                 pick.choice([pick.randrange(20), 100 * processes[device % len(processes)] + pick.randrange(4), ""]),
                 pick.choice(["", 0, 1]), pick.choice(["", "aten::mm"])])
pick.shuffle(rows)
print("#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tstep\tcpu_op")
for row in rows:
    print(*row, sep="\t")
