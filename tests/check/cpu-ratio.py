#!/usr/bin/env python3
"""Prints whether LARGE, a shell command, takes at most LIMIT times the CPU time of SMALL.

Usage: cpu-ratio.py LIMIT SMALL LARGE. The fastest run of each counts, and the two take turns: at least
3 runs of each, at most 15, until LARGE is within the limit. So other work on the machine, which
slows what shares caches and cores with it, does not matter unless it lasts for all runs of one alone.
"""
import math
import os
import subprocess
import sys


def seconds(command):
    """The CPU time of a command, which must succeed and whose output is dropped."""
    with subprocess.Popen(["bash", "-c", "exec " + command], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command}: status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


limit, small, large = sys.argv[1:]
rounds = 0
base = best = math.inf
while rounds < 3 or (rounds < 15 and best > float(limit) * base):
    base = min(base, seconds(small))
    best = min(best, seconds(large))
    rounds += 1
ratio = best / base
print("in proportion" if ratio <= float(limit) else f"{ratio:.1f} times, at most {limit}: {large[:60]}")
