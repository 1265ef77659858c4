#!/usr/bin/env python3
"""sqlite-reference.py FILE - kernels, copies, memsets, CUDA calls and NVTX ranges of a database of nsys, by joins.

Prints ts, dur, type, name, cat, pid, tid, correlation and bytes of each as sqlite2tsv writes them. For databases of
one process, without NVTX domains and without CUDA graphs.
"""
import sqlite3
import sys

MEMORY = "Pageable Pinned Device Array Managed".split()
COPIES = ["Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"]
ACTIVITY = "CUPTI_ACTIVITY_KIND_"
QUERIES = {
    "KERNEL": "SELECT start, end, value, 'kernel', deviceId, streamId, correlationId, '' FROM {} "
              "LEFT JOIN StringIds ON id = demangledName",
    "MEMCPY": "SELECT start, end, copy(copyKind, srcKind, dstKind), 'gpu_memcpy', deviceId, streamId, "
              "correlationId, bytes FROM {}",
    "MEMSET": "SELECT start, end, memset(memKind), 'gpu_memset', deviceId, streamId, correlationId, bytes FROM {}",
    "RUNTIME": "SELECT start, end, value, CASE eventClass WHEN 1 THEN 'cuda_driver' ELSE 'cuda_runtime' END, "
               "globalTid / 16777216 % 16777216, globalTid % 16777216, correlationId, '' FROM {} "
               "LEFT JOIN StringIds ON id = nameId",
}
RANGES = ("SELECT start, end, text, 'user_annotation', globalTid / 16777216 % 16777216, globalTid % 16777216, '', '' "
          "FROM NVTX_EVENTS WHERE eventType IN (59, 60)")


def us(ns):
    text = f"{ns // 1000}.{ns % 1000:03d}"
    return text.rstrip("0").rstrip(".")


db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro&immutable=1", uri=True)
db.create_function("copy", 3, lambda kind, src, dst: f"Memcpy {COPIES[kind]} ({MEMORY[src]} -> {MEMORY[dst]})")
db.create_function("memset", 1, lambda kind: f"Memset ({MEMORY[kind]})")
for query in [text.format(ACTIVITY + table) for table, text in QUERIES.items()] + [RANGES]:
    for start, end, name, cat, pid, tid, correlation, size in db.execute(query):
        print(us(start), us(end - start), "", name, cat, pid, tid, correlation, size, sep="\t")
