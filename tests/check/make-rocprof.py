"""Writes a made document of rocprofv3 --output-format json.

Usage: make-rocprof.py [OPTION...] [STEPS]
old: the layout of the first versions (no streams, markers by roctxRangePushA, indented).
sorted: members in the order of their names, so that the tables come after the records.
counters: the kernels are in counter_collection only. two: two processes. rename: kernels have the
names of ranges. kernels: no other records.
"""
import json
import sys

words = [a for a in sys.argv[1:] if not a.isdigit()]
steps = int(([a for a in sys.argv[1:] if a.isdigit()] or ["2"])[0])
old = "old" in words
BASE = 63857982592000
GPU, CPU = 37946, 37944

KINDS = [
    ("NONE", []),
    ("HSA_CORE_API", ["hsa_init", "hsa_signal_wait_scacquire"]),
    ("HIP_RUNTIME_API", ["hipMalloc", "hipLaunchKernel", "hipMemcpyAsync", "hipDeviceSynchronize"]),
    ("MARKER_CORE_API", ["roctxMarkA", "roctxRangePushA", "roctxRangePop"]),
    ("MEMORY_COPY", ["MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_DEVICE",
                     "MEMORY_COPY_DEVICE_TO_HOST"]),
    ("KERNEL_DISPATCH", ["KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE",
                         "KERNEL_DISPATCH_COMPLETE"]),
    ("RCCL_API", ["ncclAllReduce"]),
    ("MEMORY_ALLOCATION", ["MEMORY_ALLOCATION_NONE", "MEMORY_ALLOCATION_ALLOCATE"]),
    ("SCRATCH_MEMORY", ["SCRATCH_MEMORY_NONE", "SCRATCH_MEMORY_ALLOC"]),
    ("MARKER_CORE_RANGE_API", ["roctxMarkA", "roctxThreadRangeA", "roctxProcessRangeA"]),
]
KERNELS = ["", "void gemm_kernel<float, 64>(float const*, float*)", "softmax \"quoted\"\tname",
           "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)"]


def record(kind, operation, ids, start, end, thread=7):
    internal, external = ids
    made = {"size": 72, "kind": [k for k, _ in KINDS].index(kind), "operation": operation,
            "correlation_id": {"internal": internal, "external": external},
            "start_timestamp": start, "end_timestamp": end, "thread_id": thread}
    if not old:
        made["correlation_id"]["ancestor"] = 0
    return made


def streamed(made, stream):
    if not old:
        made["stream_id"] = {"handle": stream}
    return made


def agent(handle, kind, node, name, product):
    return {"size": 312, "id": {"handle": handle}, "type": kind, "cu_count": 304 if kind == 2 else 8,
            "wave_front_size": 64 if kind == 2 else 0, "lds_size_in_kb": 64 if kind == 2 else 0,
            "workgroup_max_size": 1024 if kind == 2 else 0, "name": name, "vendor_name": "AMD",
            "product_name": product, "model_name": "", "node_id": node, "logical_node_id": node,
            "mem_banks": [{"heap_type": 1, "size_in_bytes": 206141652992}] if kind == 2 else [],
            "caches": [{"processor_id_low": 0, "size": 32, "level": 1}] * 3}


def process(pid):
    buffers = {name: [] for name in ("kernel_dispatch", "hip_api", "hsa_api", "marker_api",
                                     "rccl_api", "memory_copy", "memory_allocation",
                                     "scratch_memory")}
    messages, counted, correlation, dispatch, now = [], [], 0, 0, BASE

    def ids(external=0):
        nonlocal correlation
        correlation += 1
        return correlation, external

    for step in range(steps):
        begin = now
        api = ids()
        buffers["hsa_api"].append(record("HSA_CORE_API", 1, api, now + 1, now + 400))
        copy = ids()
        buffers["hip_api"].append(streamed(record("HIP_RUNTIME_API", 2, copy, now + 500,
                                                  now + 1500), 1))
        buffers["hip_api"][-1].update(args=[{"type": "void*", "name": "dst", "value": "0x7f"}],
                                      retval={"uint64_t_retval": 0})
        moved = record("MEMORY_COPY", 1 + step % 2, copy, now + 2000, now + 3001)
        moved.update(dst_agent_id={"handle": (CPU if step % 2 else GPU)},
                     src_agent_id={"handle": (GPU if step % 2 else CPU)}, bytes=4096 + step)
        buffers["memory_copy"].append(streamed(moved, 1))
        for kernel in (1, 2, 3):
            launch = ids(7 if "rename" in words and kernel == 1 else step * 10 + kernel)
            buffers["hip_api"].append(streamed(record("HIP_RUNTIME_API", 1, launch, now + 4000,
                                                      now + 5005), 0))
            if kernel == 3:
                buffers["rccl_api"].append(record("RCCL_API", 0, ids(), now + 3900, now + 5100))
            dispatch += 1
            made = record("KERNEL_DISPATCH", 2, launch, now + 6000, now + 8000 + 7 * kernel)
            made["dispatch_info"] = {
                "size": 72, "agent_id": {"handle": GPU}, "queue_id": {"handle": 2 + kernel % 2},
                "kernel_id": kernel, "dispatch_id": dispatch, "private_segment_size": 0,
                "group_segment_size": 16, "workgroup_size": {"x": 256, "y": 1, "z": 1},
                "grid_size": {"x": 1024, "y": 1, "z": 1}}
            streamed(made, kernel % 2)
            if "counters" in words:
                counted.append({"thread_id": 7, "dispatch_data": {
                    key: made[key] for key in ("size", "correlation_id", "start_timestamp",
                                               "end_timestamp", "dispatch_info")},
                    "records": [{"counter_id": {"handle": 5}, "value": 1.5e3}]})
                streamed(counted[-1], kernel % 2)
            else:
                buffers["kernel_dispatch"].append(made)
            now += 9000
        held = record("MEMORY_ALLOCATION", 1, ids(), now, now + 50)
        held.update(agent_id={"handle": GPU}, address="0x7f00", allocation_size=64)
        buffers["memory_allocation"].append(held)
        spilt = record("SCRATCH_MEMORY", 1, ids(), now, now + 60)
        spilt.update(agent_id={"handle": GPU}, queue_id={"handle": 3}, flags=0)
        buffers["scratch_memory"].append(spilt)
        mark = ids()
        kind = "MARKER_CORE_API" if old else "MARKER_CORE_RANGE_API"
        buffers["marker_api"].append(record(kind, 0, mark, now + 70, now + 70))
        span = ids()
        buffers["marker_api"].append(record(kind, 1, span, begin, now + 100))
        messages += [{"key": mark[0], "value": "mark"},
                     {"key": span[0], "value": "ProfilerStep#%d" % step}]
        now += 1000
    if "kernels" in words:
        buffers = {name: rows if name == "kernel_dispatch" else [] for name, rows in buffers.items()}
        messages = []
    renames = [{"key": 7, "value": "renamed by a range"}] if "rename" in words else []
    symbols = [{"size": 88, "kernel_id": i, "code_object_id": 1, "kernel_name": "_Z%d.kd" % i,
                "kernel_address": {"handle": 140341013926144 + i},
                "formatted_kernel_name": name, "demangled_kernel_name": name + " [clone .kd]",
                "truncated_kernel_name": name.split("(")[0]} for i, name in enumerate(KERNELS)]
    made = {
        "metadata": {"pid": pid, "init_time": BASE - 5, "fini_time": now, "config": {"pid": 1},
                     "command": ["/usr/bin/python3", "train.py"]},
        "agents": [agent(CPU, 1, 0, "EPYC", "EPYC"), agent(GPU, 2, 1, "gfx942", "MI300X")],
        "counters": [{"id": {"handle": 5}, "name": "SQ_WAVES"}],
        "strings": {"callback_records": [{"kind": k, "operations": o} for k, o in KINDS],
                    "buffer_records": [{"kind": k, "operations": o} for k, o in KINDS],
                    "marker_api": messages,
                    "correlation_id": {"external": renames},
                    "counters": {"dimension_ids": []}},
        "code_objects": [{"size": 0, "code_object_id": 0}],
        "kernel_symbols": symbols,
        "host_functions": [{"host_function_id": 0, "kernel_id": 0}],
        "callback_records": {"counter_collection": counted},
        "buffer_records": buffers,
    }
    if old:
        del made["host_functions"], made["strings"]["correlation_id"]
        made["buffer_records"].pop("memory_allocation")
    return made


document = {"rocprofiler-sdk-tool": [process(908 + i) for i in range(1 + ("two" in words))]}
print(json.dumps(document, sort_keys="sorted" in words, indent=1 if old else None,
                 separators=None if old else (",", ":")))
