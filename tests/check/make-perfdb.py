#!/usr/bin/env python3
"""Makes a performance database and op_summary CSVs with what real ones have: make-perfdb.py SEED DIR

DIR/db gets the database, DIR/op_summary_N.csv the profiles. Shapes come from few, so that
rows meet; they are written in all the ways that mean the same. The files differ in their
ends of lines, quotes, byte order marks, columns and their order.
"""
import csv
import io
import os
import random
import sys

sys.dont_write_bytecode = True
from perfdb import AVERAGE, BASE, COUNTERS, DROPPED, LEGACY, MATMULS, PROFILING, SIZED

OPERATORS = MATMULS + [SIZED, "Index", "Slice", "TransposeAiCore", "RmsNorm", "Add", "caf\udcff"]
DIMS = ["1", "7", "16", "128", "4096"]
TYPES = ["DT_BF16", "FLOAT", "INT64", ""]
FORMATS = ["ND", "FRACTAL_NZ", "NULL", ""]


def spelled(rng, slot):
    """A shape as some tool would write it."""
    if not slot:
        return rng.choice(["", "()", "N/A", "NULL", "None", " "])
    return rng.choice(["{}", "{}", "{}", "({})", " {} ", '"{}"', "{},"]).format(
        slot.replace(",", rng.choice([",", ",", ", ", " ", " ,"])))


def cell(rng, values, quotes):
    text = ";".join(values) + rng.choice(["", "", ";", ";;"] if values else [""])
    return '"' + text + '"' if quotes and rng.random() < 0.8 else text


def shape(rng, rank):
    return ",".join(rng.choice(DIMS) for _ in range(rank))


def case(rng, op):
    """The signature's cells, in one of their spellings."""
    if op in MATMULS and rng.random() < 0.9:
        m, k, n = (rng.choice(DIMS) for _ in range(3))
        ins = [rng.choice([f"{m},{k}", f"{m},{k}", f"{k},{m}"]), rng.choice([f"{k},{n}", f"{n},{k}"])]
        ins += [shape(rng, 1)] if rng.random() < 0.2 else []
        outs = [f"{m},{n}"]
    else:
        ins = [shape(rng, rng.choice([0, 1, 2, 2, 3])) for _ in range(rng.choice([0, 1, 2, 2, 4]))]
        outs = [shape(rng, rng.choice([0, 1, 2]))] if rng.random() < 0.9 else []
    return {
        "Input Shapes": cell(rng, [spelled(rng, slot) for slot in ins], True),
        "Input Data Types": cell(rng, [rng.choice(TYPES[:2]) for _ in range(rng.choice([len(ins)] * 4 + [1]))], False),
        "Input Formats": cell(rng, [rng.choice(FORMATS[:2]) for _ in ins], False),
        "Output Shapes": cell(rng, [spelled(rng, slot) for slot in outs], True),
        "Output Data Types": cell(rng, [rng.choice(TYPES) for _ in outs], False),
        "Output Formats": cell(rng, [rng.choice(FORMATS) for _ in outs], False),
    }


def duration(rng):
    kind = rng.random()
    return "" if kind < 0.15 else rng.choice(["0", "N/A", "0.000", "nan"]) if kind < 0.25 else (
        f"{rng.randrange(1, 10 ** rng.choice([3, 4, 5]))}" + rng.choice(["", ".5", ".250000", ".125"]))


def counter(rng):
    return rng.choice(["", "N/A", "0", f"{rng.randrange(100000)}", f"{rng.random():.{rng.randrange(1, 10)}f}"])


def write_csv(rng, path, columns, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=rng.choice(["\n", "\r\n"]),
                        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer.writerow(columns)
    for row in rows:
        values = [row.get(name, "") for name in columns]
        if rng.random() < 0.03 and row is not rows[-1]:
            values = values[:rng.randrange(1, len(values) + 1)] or [""]
        if not any(values):
            values[0] = "dynamic"
        writer.writerow(values)
        if rng.random() < 0.02:
            text.write(rng.choice(["\n", "\r\n", "  \n"]))
    whole = text.getvalue()
    if rng.random() < 0.2:
        whole = whole.rstrip("\r\n") if rows else whole
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(rng.choice(["", "", "\ufeff"]) + whole)


def columns_of(rng):
    known = [f"{kind}{name}" for name in rng.sample(COUNTERS, rng.randrange(len(COUNTERS) + 1))
             for kind in rng.choice([["MicroBench ", "Profiling Average "], ["Profiling Average "], ["MicroBench "]])]
    rest = rng.choice([[AVERAGE], [AVERAGE], [LEGACY], [], [AVERAGE, LEGACY]])
    rest += rng.choice([[PROFILING], [PROFILING, "Profiling Median Duration(us)"], []]) + known
    rest += rng.sample(["note", "avg_seq_len"] + DROPPED, rng.randrange(4))
    columns = BASE + rest
    if rng.random() < 0.2:
        rng.shuffle(columns)
    return columns


def make_database(rng, folder):
    os.makedirs(folder)
    for op in OPERATORS:
        if rng.random() < 0.15:
            continue
        columns = columns_of(rng)
        if op == SIZED and rng.random() < 0.6:
            columns.append("EP Size")
        rows = []
        for _ in range(rng.choice([0, 1, 5, 40])):
            row = {"OP State": rng.choice(["dynamic", "static, \"x\""]), "Accelerator Core": "AI_CORE",
                   AVERAGE: duration(rng), LEGACY: duration(rng), PROFILING: duration(rng),
                   "EP Size": rng.choice(["16", "16", "8", " 16 ", ""]), "note": rng.choice(["", "a,b", "two\nlines", "\udcfe"])}
            row.update(case(rng, op))
            row.update({name: counter(rng) for name in columns if name not in row})
            rows.append(row)
        write_csv(rng, os.path.join(folder, op + ".csv"), columns, rows)


def make_profile(rng, path):
    columns = ["Device_id", "Op Name", "OP Type", "OP State", "Task Type", "Task Start Time(us)",
               "Task Duration(us)"] + BASE[2:] + rng.sample(COUNTERS, rng.randrange(len(COUNTERS) + 1))
    rows = []
    for i in range(300):
        op = rng.choice(OPERATORS + ([""] if rng.random() < 0.1 else []))
        row = {"Device_id": "0", "Op Name": f"{op}_{i}", "OP Type": op, "OP State": "dynamic",
               "Task Type": rng.choice(["AI_CORE", "MIX_AIC"]), "Task Start Time(us)": f"{1000 + i}.5\t"}
        row["Task Duration(us)"] = duration(rng)
        row.update(case(rng, op))
        row.update({name: counter(rng) for name in columns if name not in row})
        rows.append(row)
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([row[name] for name in columns] for row in rows)


def main():
    rng = random.Random(int(sys.argv[1]))
    folder = sys.argv[2]
    make_database(rng, os.path.join(folder, "db"))
    for number in range(2):
        make_profile(rng, os.path.join(folder, f"op_summary_{number}.csv"))


main()
