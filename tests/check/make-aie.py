#!/usr/bin/env python3
"""make-aie.py [-l PERCENT] [-s SEED] [-k KERNELS] [-t TILES] [-e] [--truth FILE] - a trace of AI Engine cores.

Kernels of about 400 cycles, a wait for a lock between them, and a long one behind every
twentieth. -l loses so many percent of the ends, of kernels and of stalls alike, as a trace
unit does that runs out of room. Writes the JSON of AMD's tools, with -e the stream that
`trace2tsv -p BEM` makes of it; --truth the kernels: tile, begin, end, whether the end is there.
"""
import argparse
import json
import random
import sys

PER_ITERATION = 20


def kernels_and_stalls(rng, kernels):
    """(begin, end, whether it is a kernel), in order of time."""
    now = 1000
    for i in range(kernels):
        long = i > 0 and i % PER_ITERATION == 0
        wait = rng.randrange(9000, 12000) if long else rng.randrange(20, 80)
        yield now, now + wait, False
        now += wait + rng.randrange(1, 5)
        cycles = 400 + rng.randrange(-25, 26)
        yield now, now + cycles, True
        now += cycles + rng.randrange(2, 8)


def events_of(rng, pid, begin, end, kernel, lost):
    """An INSTR_EVENT is a pulse of one cycle; a kernel lasts to the end of the second one."""
    if not kernel:
        yield "LOCK_STALL", "B", begin, pid
        if not lost:
            yield "LOCK_STALL", "E", end, pid
        return
    yield "INSTR_EVENT_0", "B", begin, pid
    yield "INSTR_EVENT_0", "E", begin + 1, pid
    if not lost:
        yield "INSTR_EVENT_1", "B", end - 1, pid
        yield "INSTR_EVENT_1", "E", end, pid


THREADS = "INSTR_EVENT_0", "INSTR_EVENT_1", "LOCK_STALL"


class Json:
    def __init__(self):
        self.before = "["

    def write(self, event):
        sys.stdout.write(f"{self.before}{json.dumps(event)}")
        self.before = ",\n"

    def process(self, pid, name):
        self.write({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}})

    def event(self, name, ph, ts, pid):
        self.write({"name": name, "ph": ph, "ts": ts, "pid": pid, "tid": THREADS.index(name), "args": {}})

    def end(self):
        sys.stdout.write("]\n")


class Stream:
    def __init__(self):
        sys.stdout.write("##kev\t1\n##unit\tcycles\n#ts\tdur\ttype\tname\tcat\tph\tpid\ttid\tsource\n")

    def process(self, pid, name):
        sys.stdout.write(f"##process\t{pid}\t{name}\n")

    def event(self, name, ph, ts, pid):
        sys.stdout.write(f"{ts}\t\t\t{name}\t\t{ph}\t{pid}\t{THREADS.index(name)}\t\n")

    def end(self):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-l", "--lost", type=float, default=0)
    parser.add_argument("-s", "--seed", type=int, default=1)
    parser.add_argument("-k", "--kernels", type=int, default=1000)
    parser.add_argument("-t", "--tiles", type=int, default=1)
    parser.add_argument("-e", "--events", action="store_true")
    parser.add_argument("--truth")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    out = Stream() if args.events else Json()
    truth = []
    for pid in range(args.tiles):
        out.process(pid, f"core_trace for tile{pid // 4},{2 + pid % 4}")
        for begin, end, kernel in kernels_and_stalls(rng, args.kernels):
            lost = rng.random() * 100 < args.lost
            if kernel and args.truth:
                truth.append(f"{pid}\t{begin}\t{end}\t{'lost' if lost else 'whole'}\n")
            for event in events_of(rng, pid, begin, end, kernel, lost):
                out.event(*event)
    out.end()
    if args.truth:
        with open(args.truth, "w", encoding="utf-8") as file:
            file.writelines(truth)


if __name__ == "__main__":
    main()
