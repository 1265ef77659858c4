#!/usr/bin/env python3
"""Writes a trace that tries kcontext: make-context.py SEED. The same for the same seed.

Steps overlap, hold each other, have copies on the device; launches are missing, ids are
there twice or are no numbers; graphs have many kernels; functions overlap, and their
parents go round. No profiler would write all of this.
"""
import json
import random
import sys

random.seed(int(sys.argv[1]))
pick, chance = random.choice, lambda n: random.randrange(n) == 0

THREADS = [(100, 100), (100, 101), (100, "worker"), (200, 100)]
STREAMS = [(0, 7), (0, 20), (1, 7)]
KERNELS = [
    "flash_fwd_kernel<128>",
    "kernel_unified_attention_2d",
    "paged_attention_ll4mi_QKV_mfma16_kernel<__hip_bfloat16>",
    "paged_attention_ll4mi_reduce_kernel<__hip_bfloat16>",
    "Cijk_Ailk_Bljk_BBS_BH",
    "nvjet_tst_128x64",
    "void at::native::vectorized_elementwise_kernel<4>",
    "triton_poi_fused_add_0",
]
STEPS = [
    "execute_context_2(2048)_generation_0(0)",
    "execute_context_2(20)_generation_0(0)",
    "execute_context_1(2000)_generation_3(3)",
    "execute_2051_context_1(sq2048sk4096sqsq1sqsk1)_generation_3(sq3sk9sqsq3sqsk9)",
    "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk9sqsq32sqsk9)",
    "execute_new_2_cached_0",
    "execute_new_1_cached_7",
    "step[EXTEND bs=2 toks=4096]",
    "step[EXTEND bs=2]",
    "step[DECODE bs=32]",
    "step[MIXED bs=2 c=1 g=1 c_sq=5000 g_sq=1]",
    "step[MIXED bs=1 c=1 g=0 c_sq=5000 g_sq=0]",
    "step[MIXED bs=2]",
    "step[IDLE bs=0]",
    "ProfilerStep#1",
    "ProfilerStep#2",
    "nccl:all_reduce",
    "execute_model",
]
SPAN = 400  # µs; few enough that times meet


def time(low=0, high=SPAN):
    """At epoch times, where doubles fail, with zero to nine places."""
    value = random.randrange(low, max(high, low + 1))
    places = pick([0, 0, 0, 1, 3, 3, 9])
    digits = str(pick([0, 5, random.randrange(10**places)])).rjust(places, "0")[-places:] if places else ""
    return f"{1716543210123000 + value}" + ("." + digits if places else "")


def duration(high=60):
    return pick(["0", "0.001", str(random.randrange(high)), f"{random.randrange(high)}.{random.randrange(1000):03}"])


def identity(high):
    number = random.randrange(high)
    return pick([f"id{number}", f"0{number}"]) if chance(30) else number


events = []


def event(cat, name, thread, ts, dur, **args):
    events.append(
        {"ph": "X", "cat": cat, "name": name, "pid": thread[0], "tid": thread[1], "ts": ts, "dur": dur}
        | ({"args": args} if args else {})
    )


for i in range(40):
    name, external = pick(STEPS), identity(40)
    start, dur, thread = time(), duration(120), pick(THREADS)
    event("user_annotation", name, thread, start, dur, **{"External id": external})
    if chance(3):  # a second annotation, within it or equal to it
        start = start if chance(2) else str(int(start.split(".")[0]) + 1)
        event("user_annotation", pick(STEPS), thread, start, duration(100), **{"External id": identity(40)})
    for _ in range(pick([0, 0, 1, 2])):
        copied = {} if chance(6) else {"External id": identity(80) if chance(6) else external}
        event("gpu_user_annotation", name, pick(STREAMS), time(200, 800), duration(90), **copied)
for _ in range(60):  # few times, so that some are equal
    name = pick(["a;b", "forward", "tab\tbed", "", "loss", "z"])
    start, dur = str(1716543210123000 + 10 * random.randrange(40)), pick(["0", "10", "20", "150"])
    event("user_annotation", name, pick(THREADS), start, dur)
for i in range(90):
    parent = None if chance(8) else identity(100)
    event(
        "python_function",
        pick(["run.py(1): main", "a;b", "model.py(2): forward", f"<built-in {i}>", "", "nn.Module: Model_0",
              f"nn.Module: BigLayer_{i}", "nn.Module: Layer", "nn.Module: BigLayer_3x", "nn.Module: a;b", "<built-in of type at 0x7aF09g at 0x>"]),
        pick(THREADS + [(0, 0)]),
        time(),
        duration(200),
        **{"Python id": identity(100), "Python parent id": parent},
    )
for i in range(60):
    shape = {} if chance(3) else {"Input Dims": [[i % 5, "\t"], []]}
    event("cpu_op", f"aten::op{i % 9}", pick(THREADS), time(), duration(), **{"External id": identity(90)}, **shape)
for i in range(120):
    cat = pick(["cuda_runtime", "cuda_runtime", "cuda_driver"])
    name = pick(["cudaLaunchKernel"] * 3 + ["hipGraphLaunch"])
    event(cat, name, pick(THREADS), time(), duration(9), correlation=identity(150))
for i in range(250):
    args = {"correlation": identity(200)} | ({} if chance(4) else {"External id": identity(90)})
    args |= {"Input Dims": [7]} if chance(9) else {}
    cat = pick(["gpu_memcpy", "gpu_memset"]) if chance(12) else "kernel"
    name = pick(KERNELS) if cat == "kernel" else pick(["Memcpy HtoD", "Memset (Device)"])
    event(cat, name, pick(STREAMS), time(100, 800), duration(9), **({} if chance(20) else args))
for graph in range(4):
    correlation, stream = pick([7, 1000 + graph, 99 - graph, 12]), pick(STREAMS)
    names = KERNELS if graph else KERNELS[4:]
    for i in range(random.randrange(60, 90)):
        event("kernel", pick(names), stream, time(300, 900), "1", correlation=correlation)
random.shuffle(events)
json.dump({"traceEvents": events}, sys.stdout)
