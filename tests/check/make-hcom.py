#!/usr/bin/env python3
"""Writes a stream of N rows, many of them records of few collectives. The same for the same N."""
import random
import sys

random.seed(1)
types = ["MatMulV2", "hcom_allReduce_", "hcom_allGather_", "hcom_xAicpuKernel", "FooAicpuKernel", "hcomx"]
print("##kev\t1\n##unit\tus\n#ts\tdur\ttype\tname\tcat\tph\tpid\ttid\tsource")
for i in range(int(sys.argv[1])):
    ts = f"{1716543210123456 + random.randrange(1500)}.{random.randrange(4) * 25:02d}"
    dur = random.choice(["", "0", "1.5", "2", "2.0", "10.25"])
    kernel, pid = random.choice(types), random.randrange(3)
    print(f"{ts}\t{dur}\t{kernel}\tn{i % 7}\tc\tX\t{pid}\t{random.randrange(3)}\t")
