#!/usr/bin/env python3
"""Writes a stream of N rows of mixed names and durations. The same for the same N."""
import random
import sys

random.seed(2)
print("##kev\t1\n##unit\tus\n#ts\tdur\ttype\tname\tcat\tph\tpid\ttid\tsource")
for i in range(int(sys.argv[1])):
    kind = random.randrange(4)
    if kind == 0:
        dur = f"{random.randrange(10**6)}.{random.randrange(1000):03d}"
    elif kind == 1:
        dur = random.choice(["0", "1", "1.0", "01.50", "2.5"])
    elif kind == 2:
        dur = f"{random.randrange(-5, 10**4)}.{random.randrange(10**9):09d}"
    else:
        dur = str(random.randrange(10**18))
    name = random.choice(["## forward ##", "void f<int, 4>(float*)", "a\\tb", "ø", "", "x\\\\y"])
    name += str(random.randrange(5))
    print(f"{i}\t{dur}\tT{i % 3}\t{name}\tc\tX\t{random.randrange(3)}\t7\t")
