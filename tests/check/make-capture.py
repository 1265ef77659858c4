#!/usr/bin/env python3
"""Made streams for kcontext --capture: a REF and an input, with much that is alike.

    make-capture.py SEED REF STREAM

Captures in annotations of several sizes, within each other, without an end, with equal and with
almost equal calls; eager kernels, copies, memsets; launches in steps and outside, on two threads;
rows that lack a call, on one stream or two, in any order.
"""
import random
import sys

rng = random.Random(int(sys.argv[1]))
NAMES = [f"k{i}" for i in range(rng.choice([2, 3, 6]))]
HEAD = "#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tExternal id\tkernel\tInput Dims\n"
named = rng.random() < 0.85


class Stream:
    def __init__(self):
        self.rows = []
        self.correlation = 0
        self.now = 0

    def tick(self, most=3):
        self.now += rng.randrange(1, most)
        return self.now

    def row(self, ts, dur, name, cat, pid, tid, correlation="", kernel="", dims=""):
        self.rows.append(f"{ts}\t{dur}\t{name}\t{cat}\t{pid}\t{tid}\t{correlation}\t\t{kernel}\t{dims}\n")

    def next(self):
        self.correlation += 1
        return self.correlation

    def call(self, name, tid, kernel=""):
        """A call within an operator, or within two, or none."""
        start = self.tick()
        correlation = self.next()
        self.row(start, 1, name, "cuda_runtime", 9, tid, correlation, kernel)
        for around in range(rng.choice([0, 1, 1, 1, 2])):
            self.row(start - around - 1 / 4, 2 + 2 * around, f"aten::op{rng.randrange(3)}", "cpu_op",
                     9, tid, "", "", f"[[{rng.randrange(3)}]]")
        return start, correlation

    def launch(self, kind, tid):
        if kind == "copy":
            return self.call("hipMemcpyAsync", tid)
        if kind == "memset":
            return self.call("hipMemsetAsync", tid)
        return self.call(rng.choice(["hipLaunchKernel", "hipModuleLaunchKernel"]), tid,
                         kind if named or rng.random() < 0.8 else "")

    def device(self, ts, kind, correlation, stream):
        if kind == "copy":
            self.row(ts, 1, "Memcpy DtoD", "gpu_memcpy", 0, stream, correlation)
        elif kind == "memset":
            if rng.random() < 0.5:
                self.row(ts, 1, "Memset (Device)", "gpu_memset", 0, stream, correlation)
            else:
                self.row(ts, 1, "__amd_rocclr_fillBufferAligned", "kernel", 0, stream, correlation)
        else:
            self.row(ts, 1, kind, "kernel", 0, stream, correlation)

    def eager(self, kinds, tid):
        for kind in kinds:
            start, correlation = self.launch(kind, tid)
            self.device(start + 2, kind, correlation, 7)

    def capture(self, kinds, tid):
        self.call("hipStreamBeginCapture", tid)
        for kind in kinds:
            if rng.random() < 0.03:
                self.call(rng.choice(["hipStreamBeginCapture", "hipStreamEndCapture"]), tid)
            self.launch(kind, tid)
        if rng.random() < 0.95:
            self.call("hipStreamEndCapture", tid)

    def write(self, path):
        if rng.random() < 0.5:
            rng.shuffle(self.rows)
        with open(path, "w") as file:
            file.write("##kev\t1\n" + HEAD + "".join(self.rows))


def kinds():
    return [rng.choice(NAMES + ["copy", "memset"] * (rng.random() < 0.3))
            for _ in range(rng.choice([1, 2, 3, 5, 8, 70]))]


def almost(some):
    some = list(some)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        at = rng.randrange(len(some) + 1)
        if rng.random() < 0.5:
            some.insert(at, rng.choice(NAMES + ["other"]))
        else:
            del some[at:at + 1]
    return some or ["k0"]


graphs = [[kinds() for _ in range(rng.choice([1, 1, 2, 3]))] for _ in range(rng.choice([1, 2, 3]))]
reference = Stream()
for graph in graphs:
    for size in rng.sample([1, 4, 16, 32, 64, ""], rng.choice([0, 1, 1, 2, 4])):
        start = reference.tick()
        tid = rng.choice([9, 9, 10])
        for piece in graph:
            reference.capture(almost(piece) if rng.random() < 0.2 else piece, tid)
        if rng.random() < 0.8:
            reference.row(start, reference.tick() - start, f"capture_{size}_x", "user_annotation", 9, tid)
    if rng.random() < 0.5:
        for piece in graph:
            reference.eager(piece, 9)
    if rng.random() < 0.3:
        reference.eager(almost(rng.choice(graph)), 9)
if rng.random() < 0.3:
    reference.eager(almost(kinds()), 10)
reference.write(sys.argv[2])

stream = Stream()
for step in range(rng.choice([1, 3, 8])):
    start = stream.tick()
    graph = rng.choice(graphs)
    tid = rng.choice([9, 9, 9, 10])
    device = start + 5
    for piece in graph if rng.random() < 0.8 else rng.sample(graph, 1):
        ts, correlation = stream.call("hipGraphLaunch", tid)
        two = rng.random() < 0.2
        for kind in almost(piece):
            device += rng.choice([0, 1, 1, 1]) if two else 1
            stream.device(device, kind, correlation, rng.choice([7, 8]) if two else 7)
    if rng.random() < 0.2:
        stream.call("hipGraphLaunch", tid)
    if rng.random() < 0.3:
        stream.eager(rng.choice(graph), tid)
    name = rng.choice([f"step[DECODE bs={rng.choice([1, 16, 20, 33, 65])}]", f"execute_{rng.randrange(70)}_context_0(0)_generation_3(3)",
                       f"execute_context_1({rng.randrange(40)})_generation_3(3)",
                       "execute_new_3_cached_17", "ProfilerStep#5", "none"])
    stream.row(start, stream.tick() - start, name, "user_annotation", 9, tid)
stream.write(sys.argv[3])
