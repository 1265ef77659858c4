#!/usr/bin/env python3
"""aie-lost.py STREAM TRUTH: what each way of pairing makes of a trace that lost ends.

Of the kernels whose begin and end are both there, how many are found; how many are found
that never were; and the medians. Which kernels are found is from aie-reference.py; aiepair
must give the same number of them in all, the same sum, and the same median.
"""
import importlib.util
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

spec = importlib.util.spec_from_file_location("reference", Path(__file__).with_name("aie-reference.py"))
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)

NEEDED = "--M=1 --K=1 --N=1 --row=1 --col=1 --warmup=0 --iterations=50".split()
LISTS = ("INSTR_EVENT_0", "B"), ("INSTR_EVENT_1", "E"), ("LOCK_STALL", "B"), ("LOCK_STALL", "E")


def read(stream, truth):
    events = [], [], [], []
    with open(stream, encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if not line.startswith("#") and (fields[3], fields[5]) in LISTS:
                events[LISTS.index((fields[3], fields[5]))].append(int(fields[0]))
    with open(truth, encoding="utf-8") as file:
        kernels = [line.rstrip("\n").split("\t")[1:] for line in file]
    return events, {(int(begin), int(end)): what for begin, end, what in kernels}


def tile_of_aiepair(stream, way):
    done = subprocess.run(["aiepair", *NEEDED, f"--pair={way}", "-j", stream], capture_output=True, check=True)
    (tile,) = json.loads(done.stdout, parse_float=Fraction)["runs"][0]["tiles"]
    return tile


def main():
    stream, truth = sys.argv[1:]
    events, kernels = read(stream, truth)
    whole = {kernel for kernel, what in kernels.items() if what == "whole"}
    true = reference.median([end - begin for begin, end in kernels])
    print(f"{len(kernels)} kernels, {len(whole)} of them whole, median {reference.text_of(true)}")
    wrong = False
    for way in "greedy", "latest":
        rules = {name: Fraction(value) for name, value in reference.FACTORS.items()} | {"latest": way == "latest"}
        found, median, _, iterations = reference.tile_figures(events, rules)
        tile = tile_of_aiepair(stream, way)
        sums = [sum(e - s for s, e in i) for i in iterations]
        wrong |= tile["median_kernel_duration_cycles"] != median or sums != [
            round(i["avg_duration_cycles"] * i["num_kernels"]) for i in tile["iterations"]
        ]
        print(
            f"{way}: {len(found)} kernels, {len(whole & set(found))} of the whole ones and "
            f"{len(set(found) - set(kernels))} that never were; median {reference.text_of(median)}, "
            f"{reference.text_of(abs(median - true) / true * 100, 3)} % off; {len(iterations)} iterations"
        )
    if wrong:
        print("aiepair finds others")
    sys.exit(wrong)


main()
