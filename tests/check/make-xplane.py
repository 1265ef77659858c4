#!/usr/bin/env python3
"""make-xplane.py KIND [ORDER]: writes a made XSpace (.xplane.pb) to standard output.

tpu      a TPU with Steps, XLA Modules, nested XLA Ops and Async XLA Ops, its host, and a second
         core; figures by hand: each time is a whole number of microseconds
gpu      two GPUs with streams, copies, allocations, XLA Ops that repeat the kernels, and steps of
         the host around their launches
host     a host alone
small    a device, a line, an event: for cuts at each byte
N        a number: a random XSpace by this seed, with odd names, ids, times and unknown fields
rows N   N kernels of a GPU;  events N: N events of a host without a use;  ops N: N nested
         operations of a TPU;  far N: as rows, with ids of metadata that are far from each other

With ORDER, another number, the fields of each message have another order; fields that a reader keeps
in order keep theirs.
"""

import random
import struct
import sys

args = sys.argv[1:]
BULK = {"rows", "events", "ops", "far"}
count = int(args.pop(1)) if args[0] in BULK else 0
order = random.Random(int(args[1])) if len(args) > 1 else None


def varint(value):
    value &= 2**64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def num(number, value):
    return number, varint(number << 3) + varint(value)


def double(number, value):
    return number, varint(number << 3 | 1) + struct.pack("<d", value)


def text(number, value):
    value = value if isinstance(value, bytes) else value.encode()
    return number, varint(number << 3 | 2) + varint(len(value)) + value


def message(fields):
    """Joins fields; with ORDER, shuffles them, but those of one number stay in order."""
    fields = list(fields)
    if order:
        numbers = [number for number, _ in fields]
        queues = {number: [f for f in fields if f[0] == number] for number in numbers}
        order.shuffle(numbers)
        fields = [queues[number].pop(0) for number in numbers]
    return b"".join(data for _, data in fields)


class Plane:
    """Collects lines and the metadata that they need."""

    def __init__(self, name, id_=0, step=1):
        self.name, self.id, self.step = name, id_, step
        self.lines, self.names, self.stats, self.metadata, self.own = [], {}, {}, [], []

    def stat_id(self, name):
        return self.stats.setdefault(name, 1 + self.step * len(self.stats))

    def stat(self, name, value, kind=None):
        fields = [num(1, self.stat_id(name))]
        if kind == "ref":
            fields.append(num(7, self.stat_id(value)))
        elif isinstance(value, float):
            fields.append(double(2, value))
        elif isinstance(value, int):
            fields.append(num(kind or 4, value))
        else:
            fields.append(text(kind or 5, value))
        return message(fields)

    def name_id(self, name, display="", stats=(), key=None):
        key = key or (name, display)
        if key not in self.names:
            id_ = self.names[key] = 1 + self.step * len(self.names)
            fields = [num(1, id_), text(2, name)]
            if display:
                fields.append(text(4, display))
            fields += [text(5, stat) for stat in stats]
            self.metadata.append(message([num(1, id_), text(2, message(fields))]))
        return self.names[key]

    def event(self, id_, offset, dur, stats=(), aggregate=False):
        fields = [num(1, id_), num(5 if aggregate else 2, offset)]
        if dur:
            fields.append(num(3, dur))
        return text(4, message(fields + [text(4, stat) for stat in stats]))

    def line(self, id_, name, timestamp_ns, events, display="", extra=()):
        fields = [num(1, id_), text(2, name), num(3, timestamp_ns), *events, *extra]
        if display:
            fields.append(text(11, display))
        self.lines.append(message(fields))

    def field(self):
        fields = [num(1, self.id), text(2, self.name)] if self.id else [text(2, self.name)]
        fields += [text(3, line) for line in self.lines]
        fields += [text(4, entry) for entry in self.metadata]
        for name, id_ in self.stats.items():
            value = message([num(1, id_), text(2, name)])
            fields.append(text(5, message([num(1, id_), text(2, value)])))
        fields += [text(6, stat) for stat in self.own]
        return text(1, message(fields))


def environment(start):
    plane = Plane("Task Environment")
    plane.own = [plane.stat("profile_start_time", start, 3), plane.stat("profile_stop_time", start + 1, 3)]
    return plane


US = 1000000


def tpu():
    """Two steps of 1000 us; in each an annotated module of 900 us, with a while of three bodies."""
    core = Plane("/device:TPU:0", 2)
    steps, modules, ops, asyncs = [], [], [], []
    for step in range(2):
        at = step * 1000 * US
        steps.append(core.event(core.name_id(str(12 + step)), at, 1000 * US))
        module = core.name_id("jit_train_step(77)")
        modules.append(core.event(module, at + 50 * US, 900 * US, [core.stat("run_id", step)]))

        def op(name, category, start, dur, flops=None, moved=None):
            stats = [core.stat("hlo_category", category, "ref")]
            if flops is not None:
                stats += [core.stat("flops", flops, 3), core.stat("bytes_accessed", moved, 3)]
            stats += [core.stat("tf_op", "jit(train_step)/" + name)]
            hlo = f"%{name} = bf16[8,8]{{1,0}} {category}(%x)"
            ops.append(core.event(core.name_id(hlo, name, stats), at + start * US, dur * US))

        op("copy.1", "copy", 50, 10)
        op("while.2", "while", 60, 600)
        for turn in range(3):
            op("fusion.3", "convolution fusion", 60 + 200 * turn, 150, 4096, 768)
            op("all-reduce.4", "all-reduce", 210 + 200 * turn, 50 - 10 * turn)
        op("conditional.5", "conditional", 700, 100)
        op("call.6", "call", 700, 100)
        op("fusion.7", "loop fusion", 700, 100, 128, 64)
        op("zero.8", "custom-call", 800, 0)
        op("all-gather-start.9", "all-gather-start", 810, 5)
        asyncs.append(core.event(core.name_id("all-gather.9"), at + 810 * US, 60 * US))
        op("all-gather-done.10", "all-gather-done", 850, 20)
    core.line(1, "Steps", 5000, steps)
    core.line(2, "XLA Modules", 5000, modules)
    core.line(3, "XLA Ops", 5000, ops)
    core.line(4, "Async XLA Ops", 5000, asyncs)
    other = Plane("/device:TPU:1", 3)
    other.line(3, "XLA Ops", 7000, [other.event(other.name_id("fusion.3"), 0, 40 * US)])
    custom = Plane("/device:CUSTOM:Megascale Trace", 9)
    custom.line(1, "XLA Ops", 0, [custom.event(custom.name_id("send"), 0, US)])
    host = Plane("/host:CPU", 1)
    host.line(
        -5,
        "python",
        4000,
        [
            host.event(host.name_id("train"), step * 1000 * US, 990 * US, [host.stat("step_num", 12 + step)])
            for step in range(2)
        ]
        + [host.event(host.name_id("PjitFunction(train_step)"), 10 * US, 5 * US)],
    )
    return [core, other, custom, host, environment(1700000000000000000)]


def gpu():
    planes = []
    for device in range(2):
        plane = Plane(f"/device:GPU:{device}", 10 + device)
        kernels, copies, ops = [], [], []
        for step in range(2):
            at = (step * 1000 + 100 + device) * US
            for i, name in enumerate(["gemm_fusion_dot_1", "loop_add_fusion"]):
                stats = [
                    plane.stat("correlation_id", 100 * device + 10 * step + i + 1, 3),
                    plane.stat("kernel_details", "regs:32", "ref"),
                    plane.stat("tf_op", "XlaModule:", "ref"),
                    plane.stat("name", "jit(f)/dot_general", "ref"),
                    plane.stat("hlo_op", name, "ref"),
                    plane.stat("hlo_module", "jit_f", "ref"),
                ]
                start = at + 100 * i * US
                kernels.append(plane.event(plane.name_id(name), start, 80 * US, stats))
                ops.append(plane.event(plane.name_id("dot.1"), start, 80 * US))
            stats = [
                plane.stat("correlation_id", 100 * device + 10 * step + 9, 3),
                plane.stat("memcpy_details", "kind:device size:64", "ref"),
            ]
            copies.append(plane.event(plane.name_id("MemcpyD2D"), at + 150 * US, 10 * US, stats))
            copies.append(
                plane.event(plane.name_id("Memset"), at + 170 * US, 5 * US, [plane.stat("Memset_details", "x")])
            )
            copies.append(
                plane.event(plane.name_id("MemAlloc"), at + 180 * US, US, [plane.stat("memalloc_details", "x")])
            )
        plane.line(7, "Stream #7(Kernel)", 0, kernels)
        plane.line(8, "Stream #8(MemcpyD2D,Memset)", 0, copies)
        plane.line(9, "XLA Ops", 0, ops)
        plane.line(10, "XLA Modules", 0, [plane.event(plane.name_id("jit_f"), 0, 2000 * US)])
        planes.append(plane)
    host = Plane("/host:CPU")
    launches, steps = [], []
    for step in range(2):
        steps.append(
            host.event(host.name_id("train"), step * 1000 * US, 990 * US, [host.stat("step_num", step)])
        )
        for device in range(2):
            for i in (1, 2, 9):
                number = 100 * device + 10 * step + i
                launches.append(
                    host.event(
                        host.name_id("cuMemcpyDtoDAsync" if i == 9 else "cuLaunchKernel"),
                        (step * 1000 + 50 + 10 * device + i) * US,
                        US,
                        [host.stat("correlation_id", number, 3), host.stat("device_id", 2**40, 3)],
                    )
                )
    host.line(2**63 + 77, "python", 0, steps)
    host.line(77, "launcher/77", 0, launches)
    return planes + [host, environment(1700000000000000000)]


def host():
    plane = Plane("/host:CPU")
    plane.line(4, "python", 3, [plane.event(plane.name_id("f"), 5, 7, [plane.stat("correlation_id", 3)])])
    return [Plane("/host:metadata"), plane]


def small():
    plane = Plane("/device:GPU:0", 1)
    stats = [plane.stat("correlation_id", 7), plane.stat("flops", 2.5)]
    plane.line(3, "Stream #3", 1, [plane.event(plane.name_id("k"), 5, 7, stats)], extra=[num(99, 5)])
    return [plane, Plane("/host:CPU")]


def some(seed):
    rng = random.Random(seed)
    odd = ["a", "tab\there", "new\nline", "back\\slash", "#1", b"bad \xff\xfe", "", "\u00e9", "nul\0", "12", " "]
    numbers = [0, 1, 7, 999999, 1000000, 1000001, 2**31, 2**40 + 1, 2**53 + 1, 10**15 - 1]
    wild = [-1, -999999, -1000000, -(2**63), 2**63 - 1]
    ids = [0, 1, 2, 3, 4, 5, 2**40, -1, 2**63 - 1]
    names = [
        "/device:GPU:0", "/device:GPU:1", "/device:TPU:0", "/device:TPU:1 SparseCore 0", "/device:GPU:701",
        "/device:CUSTOM:x", "/host:CPU", "/host:metadata", "/device:TPU:1",
    ]
    lines = [
        "Stream #1(Kernel)", "Stream #2", "XLA Ops", "XLA Ops", "XLA Modules", "Steps", "Async XLA Ops",
        "pool/12", "pool/-7", "pool/x", "python", "", "/5",
    ]
    stats = [
        "memcpy_details", "MemCpy_Details", "Memset_details", "memalloc_details", "MemFree_details",
        "MemoryResidency_details", "step_num", "correlation_id", "name", "tf_op", "hlo_op", "hlo_module",
        "hlo_category", "flops", "bytes_accessed", "other", "XlaModule:", "profile_start_time",
    ]
    absolute = rng.random() < 0.3

    def stat(plane, name=None):
        name = name or rng.choice(stats)
        kind = rng.randrange(7)
        if kind == 0:
            return plane.stat(name, rng.choice(odd))
        if kind == 1:
            return plane.stat(name, rng.choice([0.5, 1e20, 1 / 3, -2.25e-7, 1e300, float("nan"), 123456789.0]))
        if kind == 2:
            return plane.stat(name, rng.choice(numbers), 3)
        if kind == 3:
            return plane.stat(name, rng.choice(numbers + wild), 4)
        if kind == 4:
            return plane.stat(name, rng.choice(stats), "ref")
        if kind == 5:
            return message([num(1, plane.stat_id(name)), num(7, 2**50)])
        return plane.stat(name, b"by\ttes", 6)

    planes = []
    for _ in range(rng.randrange(1, 5)):
        plane = Plane(rng.choice(names), rng.choice([0, 1, 3, -4, 701]), rng.choice([1, 1, 2**33]))
        for name in stats:
            plane.stat_id(name)
        for i in range(rng.randrange(6)):
            own = [stat(plane) for _ in range(rng.randrange(4))]
            plane.name_id(rng.choice(odd), rng.choice(["", "", "shown"]), own, key=i)
        usual = rng.random() < 0.6
        for _ in range(rng.randrange(5)):
            events = []
            for _ in range(rng.randrange(12)):
                id_ = rng.choice([*plane.names.values(), *ids])
                offset = rng.randrange(20) * 10**6 if usual else rng.choice(numbers + wild)
                dur = rng.randrange(8) * 10**6 if usual else rng.choice(numbers + wild)
                own = [stat(plane) for _ in range(rng.randrange(4))]
                events.append(plane.event(id_, offset, dur, own, rng.random() < 0.1))
                if rng.random() < 0.1:
                    events.append(rng.choice([num(4, 5), num(77, 2**60), double(12, 1.0), (13, b"\x6d1234")]))
            start = 1700000000 * 10**9 if absolute else rng.choice([0, 5, 1234567, 2**40])
            label = rng.choice(["", "", "label"])
            plane.line(rng.choice(ids), rng.choice(lines), start, events, label)
        planes.append(plane)
    if rng.random() < 0.5:
        planes.insert(rng.randrange(len(planes) + 1), environment(1700000000 * 10**9))
    return planes


def bulk(kind):
    """One plane with many events; the bytes are joined here, as classes would take minutes."""
    device = kind != "events"
    plane = Plane("/device:TPU:0" if kind == "ops" else "/device:GPU:0" if device else "/host:CPU", 1)
    plane.step = 2**33 if kind == "far" else 1
    names = [plane.name_id(f"fusion.{i}" + "_f" * (i % 20)) for i in range(300)]
    events = []
    for i in range(count):
        if kind == "events":
            stats = [plane.stat("_pt", 15), plane.stat("_p", i)] if i % 2 else []
        elif kind == "ops":
            stats = []
        else:
            stats = [
                plane.stat("correlation_id", i + 1, 3),
                plane.stat("kernel_details", "regs:32", "ref"),
                plane.stat("hlo_op", "dot.1", "ref"),
                plane.stat("hlo_module", "jit_f", "ref"),
            ]
        at = i // 4 * 4000 * 1000 + i % 4 * 1000 if kind == "ops" else i * 5000 * 1000
        dur = 4000000 - 2 * (i % 4) * 1000 if kind == "ops" else 4321000
        events.append(plane.event(names[i * 7919 % 300], at, dur, stats))
    name = {"ops": "XLA Ops", "events": "python"}.get(kind, "Stream #7(Kernel)")
    plane.line(7, name, 1000, events)
    return [plane]


kinds = {"tpu": tpu, "gpu": gpu, "host": host, "small": small}
if args[0] in BULK:
    planes = bulk(args[0])
elif args[0] in kinds:
    planes = kinds[args[0]]()
else:
    planes = some(int(args[0]))
fields = [plane.field() for plane in planes] + [text(4, "node1")]
if args[0] == "host":
    fields += [text(2, "no device\tfound"), text(3, "buffer full")]
sys.stdout.buffer.write(message(fields))
