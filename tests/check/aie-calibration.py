#!/usr/bin/env python3
"""aie-calibration.py EXPECTED FOLDER TABLE AGGREGATE: every figure that the original found.

FOLDER is what -o wrote, TABLE and AGGREGATE what aiepair wrote without and with --aggregate.
Figures may differ by 1e-12 of themselves; notes must be there, with the same numbers in them.
"""
import json
import re
import sys
from fractions import Fraction
from pathlib import Path

faults = []
figures = 0


def same_number(got, want):
    global figures
    figures += 1
    return abs(Fraction(got) - Fraction(want)) <= Fraction(1, 10**12) * abs(Fraction(want))


def compare(place, got, want):
    if isinstance(want, dict) and isinstance(got, dict):
        if got.keys() != want.keys():
            faults.append(f"{place}: members {sorted(got)}, not {sorted(want)}")
        for key in want.keys() & got.keys():
            compare(f"{place}: {key}", got[key], want[key])
    elif isinstance(want, list) and isinstance(got, list):
        if len(got) != len(want):
            faults.append(f"{place}: {len(got)} items, not {len(want)}")
        for i, (a, b) in enumerate(zip(got, want)):
            compare(f"{place}: {i}", a, b)
    elif isinstance(want, (int, Fraction)) and isinstance(got, (int, Fraction)):
        if not same_number(got, want):
            faults.append(f"{place}: {got}, not {want}")
    elif re.search(r": (mismatch_)?notes?(: \d+)?$", place) and isinstance(want, str) and isinstance(got, str):
        if set(re.findall(r"\d+", got)) != set(re.findall(r"\d+", want)):
            faults.append(f"{place}: {got!r} does not say what {want!r} does")
    elif got != want:
        faults.append(f"{place}: {got!r}, not {want!r}")


def markdown(text):
    """The head line, and the cells of the table's rows."""
    lines = text.splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return [lines[0], lines[-1], rows[0], *rows[2:]]


def table(path):
    lines = [line for line in Path(path).read_text(encoding="utf-8").splitlines() if not line.startswith("##")]
    rows = [line.split("\t") for line in lines]
    return [dict(zip([rows[0][0].lstrip("#"), *rows[0][1:]], row)) for row in rows[1:]]


IN_TABLE = {
    "iteration": "iteration_index",
    "kernels": "num_kernels",
    "mean": "avg_duration_cycles",
    "min": "min_duration_cycles",
    "max": "max_duration_cycles",
    "span": "total_span_cycles",
    "first_start": "first_start",
    "last_end": "last_end",
    "gmacs": "gmacs_per_second",
}


def compare_table(rows, tiles):
    wanted = [(tile, it) for tile in tiles for it in tile["iterations"]]
    if len(rows) != len(wanted):
        faults.append(f"the table has {len(rows)} rows, not {len(wanted)}")
    for row, (tile, it) in zip(rows, wanted):
        place = f"row {tile['tile_name']} {it['iteration_index']}"
        compare(place, [row["tile"], row["pid"], row["phase"]], [tile["tile_name"], str(tile["pid"]), it["phase"]])
        for column, key in IN_TABLE.items():
            compare(f"{place}: {column}", Fraction(row[column]), it[key])


def compare_aggregate(rows, want):
    wanted = [("iteration", it) for it in want["per_iteration"]]
    wanted += [(kind, want[kind]) for kind in ("average", "best", "worst")]
    compare("aggregate rows", [row["kind"] for row in rows], [kind for kind, _ in wanted])
    for row, (kind, it) in zip(rows, wanted):
        compare(f"aggregate {kind}", row["iteration"], str(it.get("iteration_index", "")))
        compare(f"aggregate {kind}", Fraction(row["runtime"]), it["runtime_cycles"])
        compare(f"aggregate {kind}", Fraction(row["gmacs"]), it["gmacs_per_second"])


expected_path, folder, table_path, aggregate_path = sys.argv[1:]
expected = json.loads(Path(expected_path).read_text(encoding="utf-8"), parse_float=Fraction)
del expected["_args"]
compare("files", sorted(path.name for path in Path(folder).iterdir()), sorted(expected))
for name, want in expected.items():
    text = (Path(folder) / name).read_text(encoding="utf-8")
    if name.endswith(".md"):
        compare(name, markdown(text), markdown(want))
    else:
        compare(name, json.loads(text, parse_float=Fraction), want)
tiles = [want for name, want in expected.items() if name.startswith("tile")]
compare_table(table(table_path), tiles)
compare_aggregate(table(aggregate_path), expected["aggregate_perf.json"])
print("\n".join(faults) or f"{figures} figures, all as they should be")
sys.exit(bool(faults) or figures == 0)
