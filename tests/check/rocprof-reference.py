"""The rows of trace2tsv -g for the JSON of rocprofv3, from the whole document in memory.

Usage: rocprof-reference.py FILE [ARG...]: rows without metadata lines, with these args as further
columns; FILE may be gzip. Times are exact (integers).
"""
import gzip
import json
import sys

LISTS = {
    "kernel_dispatch": "kernel", "hip_api": "cuda_runtime", "hsa_api": "cuda_runtime",
    "rccl_api": "cuda_runtime", "rocdecode_api": "cuda_runtime", "rocjpeg_api": "cuda_runtime",
    "marker_api": "user_annotation", "memory_copy": "gpu_memcpy",
}


def micro(ns):
    sign = "-" if ns < 0 else ""
    whole, rest = divmod(abs(ns), 1000)
    return sign + str(whole) + ("." + "%03d" % rest).rstrip("0").rstrip(".")


def escape(text):
    for byte, code in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(byte, code)
    return text


def unhandle(value):
    if isinstance(value, dict) and list(value) == ["handle"]:
        return value["handle"]
    return value


def rows(tool, number, args):
    agents = {a["id"]["handle"]: a for a in tool["agents"]}
    kernels = {k["kernel_id"]: k["formatted_kernel_name"] for k in tool["kernel_symbols"]}
    kinds = tool["strings"]["buffer_records"]
    messages = {m["key"]: m["value"] for m in tool["strings"].get("marker_api", [])}
    renames = {m["key"]: m["value"] for m in
               tool["strings"].get("correlation_id", {}).get("external", [])}
    process = str(tool["metadata"]["pid"])
    buffers = tool["buffer_records"]
    found = [(name, record) for name in buffers if name in LISTS for record in buffers[name]]
    if not buffers.get("kernel_dispatch"):
        for record in tool.get("callback_records", {}).get("counter_collection", []):
            found.append(("kernel_dispatch", {**record, **record["dispatch_data"]}))
    for name, record in found:
        flat = {**record, **record.get("dispatch_info", {})}
        stream = flat["stream_id"]["handle"] if "stream_id" in flat else \
            flat.get("queue_id", {}).get("handle", "")
        if number and stream != "":
            stream = "%d:%s" % (number + 1, stream)
        ids = record["correlation_id"]
        phase = "X"
        if name == "kernel_dispatch":
            title = renames.get(ids["external"], kernels[flat["kernel_id"]])
            place = (agents[flat["agent_id"]["handle"]]["node_id"], stream)
        else:
            title = kinds[record["kind"]]["operations"][record["operation"]]
            if title == "roctxMarkA":
                phase = "i"
            if name == "marker_api":
                title = messages.get(ids["internal"], title)
            place = (process, record["thread_id"])
        if name == "memory_copy":
            target, origin = (agents[record[k]["handle"]]
                              for k in ("dst_agent_id", "src_agent_id"))
            gpu = target if target["type"] == 2 or origin["type"] != 2 else origin
            place = (gpu["node_id"], stream)
        if phase != "X":
            continue
        on_device = LISTS[name] in ("kernel", "gpu_memcpy")
        correlation = ids["internal"] or ""
        if number and correlation:
            correlation = "%d:%s" % (number + 1, correlation)
        yield [micro(record["start_timestamp"]),
               micro(record["end_timestamp"] - record["start_timestamp"]), "", escape(title),
               LISTS[name], "X", place[0], place[1], "", correlation, ids["external"] or "",
               stream if on_device else "", "", ""] + [unhandle(flat.get(a, "")) for a in args]


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    for number, tool in enumerate(json.loads(data)["rocprofiler-sdk-tool"]):
        for row in rows(tool, number, sys.argv[2:]):
            print("\t".join(map(str, row)))


main()
