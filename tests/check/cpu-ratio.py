#!/usr/bin/env python3
"""Prints whether LARGE, a shell command, takes at most LIMIT times the CPU time of SMALL.

Usage: cpu-ratio.py LIMIT SMALL LARGE. Of each the fastest of five runs counts, so that other
work of the machine does not matter.
"""
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
base = min(seconds(small) for _ in range(5))
runs = []
while len(runs) < 5 and (not runs or min(runs) > float(limit) * base):
    runs.append(seconds(large))
ratio = min(runs) / base
print("in proportion" if ratio <= float(limit) else f"{ratio:.1f} times, at most {limit}: {large[:60]}")
