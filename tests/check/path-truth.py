#!/usr/bin/env python3
"""path-truth.py SEED... - does the time on the path of kpath tell what a change of a kernel changes?

Simulates made programs: two threads of the host, one of which hands work to the other and waits, launches on
three streams, events for which streams and calls wait, and calls that wait for a stream or the device.
Then each kernel is made faster or slower, and the program is simulated again. A faster kernel must save at
most its time on the path of the first simulation, and a slower one cost at most what it is slower, all of
it if it is on the path, but for the latency of a launch: a kernel that followed another at once may have waited
for that, too, of which a trace tells nothing. Prints the kernels tried, and those on a path.
"""
import random
import subprocess
import sys

LATENCY = 3
HEAD = "#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tstream\twait_on_stream\twait_on_cuda_event_record_corr_id"


def program(pick):
    """A list of actions; the kernels have the durations that follow."""
    actions, kernels, events = [], [], []
    for _ in range(pick.randrange(10, 70)):
        what, stream = pick.randrange(14), pick.choice([7, 20, 21])
        if what < 6:
            actions.append(("launch", stream, len(kernels)))
            kernels.append(pick.choice([2, 5, 20, 60, 150]))
        elif what < 8:
            actions.append(("op", pick.choice([1, 5, 20])))
        elif what == 8:
            actions.append(("pause", pick.choice([1, 9])))
        elif what == 9:
            actions.append(("hand over",))
        elif what == 10:
            events.append(len(actions))
            actions.append(("record", stream))
        elif what == 11 and events:
            actions.append(("stream waits", stream, pick.choice(events)))
        elif what == 12:
            actions.append(pick.choice([("sync", stream), ("sync", None)]))
        elif events:
            actions.append(("event sync", pick.choice(events)))
    return actions + [("launch", 7, len(kernels))], kernels + [4]


def simulate(actions, kernels):
    """The rows of the trace, and the end of the last kernel."""
    now, thread, free, after, event, rows = 0, 5, {}, {}, {}, []
    for i, action in enumerate(actions):
        def call(name, end, number=i + 1):
            rows.append((now, end - now, name, "cuda_runtime", 1, thread, number, "", "", ""))
            return end

        def mark(name, stream, on="", record="", number=i + 1):
            rows.append((now, 0, name, "cuda_sync", 0, max(stream, 7), number, stream, on, record))

        if action[0] == "launch":
            stream, kernel = action[1:]
            now = call("cudaLaunchKernel", now + 2)
            start = max(now + LATENCY, free.get(stream, 0), after.pop(stream, 0))
            free[stream] = start + kernels[kernel]
            rows.append((start, kernels[kernel], f"k{kernel}", "kernel", 0, stream, i + 1, stream, "", ""))
        elif action[0] == "op":
            rows.append((now, action[1], "op", "cpu_op", 1, thread, "", "", "", ""))
            now += action[1]
        elif action[0] == "pause":
            now += action[1]
        elif action[0] == "hand over":
            thread = 11 - thread
        elif action[0] == "record":
            event[i] = free.get(action[1], 0)
            now = call("cudaEventRecord", now + 1)
        elif action[0] == "stream waits":
            stream, of = action[1:]
            mark("Stream Wait Event", stream, actions[of][1], of + 1)
            after[stream] = max(after.get(stream, 0), event[of])
            now = call("cudaStreamWaitEvent", now + 1)
        elif action[0] == "sync":
            mark("Stream Sync" if action[1] else "Context Sync", action[1] or -1)
            end = free.get(action[1], 0) if action[1] else max(free.values(), default=0)
            now = call("cudaStreamSynchronize", max(now, end) + 1)
        else:
            mark("Event Sync", -1, actions[action[1]][1], action[1] + 1)
            now = call("cudaEventSynchronize", max(now, event[action[1]]) + 1)
    return rows, max(free.values())


def path(rows):
    """The time of each kernel on the path."""
    text = "\n".join([HEAD, *("\t".join(map(str, row)) for row in rows)]) + "\n"
    out = subprocess.run(["kpath", "-H"], input=text, capture_output=True, text=True, check=True).stdout
    times = {}
    for fields in (line.split("\t") for line in out.splitlines()):
        if fields[8] == "kernel":
            times[fields[2]] = times.get(fields[2], 0) + int(fields[1])
    return times


def main():
    tried = on = 0
    for seed in sys.argv[1:]:
        actions, kernels = program(random.Random(int(seed)))
        rows, end = simulate(actions, kernels)
        times = path(rows)
        for i, dur in enumerate(kernels):
            time = times.get(f"k{i}", 0)
            tried += 1
            on += time > 0
            for new in (0, dur / 2, dur + 7, dur + 70):
                change = simulate(actions, [*kernels[:i], new, *kernels[i + 1:]])[1] - end
                if new < dur and -change > time * (1 - new / dur):
                    print(f"seed {seed}: k{i} saves {-change} by {new} instead of {dur}, but has {time} on the path")
                if new > dur and (change > new - dur or (time == dur and change < new - dur - LATENCY)):
                    print(f"seed {seed}: k{i} costs {change} by {new} instead of {dur}, and has {time} on the path")
    print(f"{tried} kernels, {on} on a path")


main()
