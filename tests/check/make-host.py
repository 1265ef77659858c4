#!/usr/bin/env python3
"""make-host.py SEED [named] - a made stream of rows of the host and of devices, for kcpu.

Few times and few names, so that all comes that may: rows with equal times, that touch, overlap without
nesting, outlive the row around them, have dur 0 or none or one below 0; threads named by numbers and
texts; several processes and devices; graphs; launches after their kernel. No two rows of a thread have
equal ts, dur and rank: only their order in the input would part them.

With `named`, rows of devices name their launch, as after kcontext: some of the calls are not in the stream, some
have an operator around them with their span, and thread 05 is not thread 5. Clocks may differ.
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
named = len(sys.argv) > 2
if named:
    skew = pick.choice([0, 0, 3, -3, 15])
    gone = {row[6] for row in rows if pick.randrange(2)}
    calls, kept, seen = {}, [], set()
    rank_of = {cat: rank for _, cat, rank in HOST} | {"hpu_op": 2}
    for row in rows:
        if row[3] in ("kernel", "Kernel", "gpu_memcpy"):
            kept.append(row)
            continue
        row[0] = f"{float(row[0]) + skew:g}"
        new = [row]
        if row[6] != "" and row[6] in gone:
            calls.setdefault(row[6], row)
            operator = pick.choice([("around", "cpu_op"), ("around", "cpu_op"), ("hpu", "hpu_op")])
            new = [[*row[:2], name, cat, *row[4:6], "", "", ""]
                   for name, cat in (operator, ("call", "cuda_runtime")) if pick.randrange(2)]
        elif row[5] == 5 and pick.randrange(2):
            new.append([*row[:2], "again", "cpu_op", row[4], "05", "", "", ""])
        kept += [n for n in new if (*n[:2], *n[4:6], rank_of[n[3]]) not in seen]
        seen |= {(*n[:2], *n[4:6], rank_of[n[3]]) for n in new}
    rows = kept
    for row in rows:
        launch = calls.get(row[6], [""] * 6) if row[3] in ("kernel", "Kernel", "gpu_memcpy") else [""] * 6
        row += [launch[0], launch[1], launch[5]]
pick.shuffle(rows)
print("#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tstep\tcpu_op" + "\tlaunch_ts\tlaunch_dur\tlaunch_tid" * named)
for row in rows:
    print(*row, sep="\t")
