#!/usr/bin/env python3
"""make-path.py SEED - a made stream for kpath: launches, graphs, copies, calls that wait, and marks of both.

Most rows are as a profiler writes them: calls launch rows of streams, and calls that wait return after them.
A part has times and correlations at random: clocks differ, rows overlap, calls have no row, rows no call,
and all times are few, so that many are equal. No two rows of a thread of the host have equal ts, dur and
rank: only their order in the input would part them.
"""
import random
import sys

pick = random.Random(int(sys.argv[1]))
processes = pick.choice([[80], [80], [80, 90]])
threads = pick.choice([[5], [5, 6], [5, 10, 9, "main"]])
devices = pick.choice([[0], [0], [0, 1]])
streams = pick.choice([[7], [7, 20], [7, 20, 21]])
marked = pick.choice(["", "", "sync", "wait", "sync wait"])
wild = pick.choice([0, 0.1, 0.5])
steps = pick.choice([1, 3])
unit = pick.choice([1, 2, 10])
rows, seen = [], set()
now = {(p, t): pick.randrange(4) for p in processes for t in threads}
free = {(d, s): 0 for d in devices for s in streams}
records = {}
correlation = 0


def put(ts, dur, name, cat, pid, tid, *more):
    rank = ["user_annotation", "python_function", "cpu_op", "cuda_runtime", "cuda_driver"]
    key = ts, dur, pid, tid, rank.index(cat) if cat in rank else None
    if key[-1] is not None and key in seen:
        return False
    seen.add(key)
    fields = [ts / unit if ts % unit else ts // unit, "" if dur is None else dur / unit if dur % unit else dur // unit]
    rows.append([*map(str, fields), name, cat, pid, tid, *more, *[""] * (6 - len(more))])
    return True


def some(most):
    return pick.randrange(most + 1)


for i in range(pick.randrange(5, 90)):
    pid, tid = key = pick.choice(processes), pick.choice(threads)
    device, stream = pick.choice(devices) if len(processes) == 1 else devices[-(pid == 90)], pick.choice(streams)
    step = 1 + i * steps // 90
    start = now[key] + some(4)
    correlation += 1
    if pick.random() < wild:
        start = some(200)
    cat = pick.choice(["cuda_runtime", "cuda_runtime", "cuda_driver"])
    what = pick.randrange(12)
    if what < 4 or what == 7 or (what == 4 and not marked):
        dur = pick.choice([0, 1, 2, 3])
        if pick.random() < 0.1:
            correlation -= pick.randrange(3)
        put(start, dur, pick.choice(["cudaLaunchKernel", "cudaGraphLaunch", "hpu"]), cat, pid, tid, correlation)
        count = pick.choice([1, 1, 1, 3])
        for _ in range(count):
            begin = max(free[device, stream], start + some(6)) - (pick.random() < wild) * some(9)
            long = pick.choice([0, 1, 2, 8, 40, 90, -1])
            name, kind = pick.choice([("gemm", "kernel"), ("norm", "kernel"), ("Memcpy HtoD", "gpu_memcpy")])
            number = correlation if pick.random() < 0.9 else pick.choice(["", some(40)])
            put(begin, long, name, kind, device, stream, number, pick.choice([stream, ""]), pick.choice([step, step, ""]))
            free[device, stream] = max(free[device, stream], begin + long)
            if count > 1 and pick.random() < 0.5:
                stream = pick.choice(streams)
        now[key] = start + dur
    elif what == 4:
        # An event of one stream, for which the next kernel of another stream waits.
        on = pick.choice(streams)
        record = pick.choice([correlation, correlation, *records])
        put(start, 1, "cudaEventRecord", cat, pid, tid, correlation)
        records[correlation] = on
        put(start + 1, 1, "cudaStreamWaitEvent", cat, pid, tid, correlation + 1)
        if "wait" in marked:
            put(start + 1, 0, "Stream Wait Event", "cuda_sync", device, stream, correlation + 1, stream, "", on, record)
        correlation += 2
        put(start + 2, 1, "cudaLaunchKernel", cat, pid, tid, correlation)
        begin = max(free[device, stream], free[device, on], start + 3) + some(1)
        put(begin, 7, "waiter", "kernel", device, stream, correlation, stream, step)
        free[device, stream] = begin + 7
        now[key] = start + 3
    elif what == 5:
        put(start, 1, "cudaEventRecord", cat, pid, tid, correlation)
        records[correlation] = stream
        now[key] = start + 1
    elif what == 6:
        end = max(start + 1, free[device, stream] + some(2)) if pick.random() > wild else start + some(50)
        name, mark, on, record = pick.choice([("cudaStreamSynchronize", "Stream Sync", "", ""),
                                              ("cudaDeviceSynchronize", "Context Sync", "", ""),
                                              ("hipDeviceSynchronize", None, "", ""),
                                              ("cudaEventSynchronize", "Event Sync", stream,
                                               pick.choice([*records, ""]))])
        put(start, end - start, name, cat, pid, tid, correlation)
        if mark and "sync" in marked:
            put(start, end - start, mark, "cuda_sync", pick.choice([device, device, devices[0]]), stream, correlation,
                -1 if mark == "Context Sync" or on else stream, "", on, record)
        now[key] = end
    elif what == 8:
        name = pick.choice(["cudaMemcpyAsync", "cuMemcpyDtoH", "hipMemcpy"])
        begin = max(free[device, stream], start + 1)
        put(start, begin + 4 - start, name, cat, pid, tid, correlation)
        if pick.randrange(2):
            put(start, begin + 3 - start, name, "cuda_driver", pid, tid, correlation)
        put(begin, 3, "Memcpy DtoH", "gpu_memcpy", device, stream, correlation, stream, step)
        free[device, stream] = begin + 3
        now[key] = begin + 4
    else:
        name, cat = pick.choice([("aten::mm", "cpu_op"), ("f", "python_function"), ("annotated", "user_annotation"),
                                 ("aten::add", "cpu_op"), ("overhead", "overhead")])
        put(start, pick.choice([0, 1, 5, 30, 100, None, -2]), name, cat, pid, tid, "", "",
            step if cat == "user_annotation" else "")
pick.shuffle(rows)
print("#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tstream\tstep\twait_on_stream\twait_on_cuda_event_record_corr_id")
for row in rows:
    print(*row[:11], sep="\t")
