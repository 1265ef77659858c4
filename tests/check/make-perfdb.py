#!/usr/bin/env python3
"""Makes a performance database and op_summary CSVs with what real ones have: make-perfdb.py SEED DIR

DIR/db gets the database, DIR/op_summary_N.csv the profiles. Shapes come from few, so that
rows meet; they are written in all the ways that mean the same. The files differ in their
names, ends of lines, quotes, byte order marks, columns and their order; some are of the older
kind, some in inner folders. TWICE has two of them, and the one of BARE has not all base columns.
Of OTHER there is none. Of five seeds one has all files in inner folders, and one has a database
without files.
"""
import csv
import io
import os
import random
import sys

sys.dont_write_bytecode = True
from perfdb import AVERAGE, BASE, COUNTERS, DROPPED, LEGACY, MATMULS, PROFILING, SIZED

OPERATORS = MATMULS + [SIZED, "Index", "Slice", "TransposeAiCore", "RmsNorm", "Add", "caf\udcff"]
TWICE, BARE, OTHER, RUN = "Sort", "Gelu", "Tile", "Add_run"
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
    """What a row measures: shapes, dtypes and formats, in and out."""
    if op in MATMULS and rng.random() < 0.9:
        m, k, n = (rng.choice(DIMS) for _ in range(3))
        ins = [rng.choice([f"{m},{k}", f"{m},{k}", f"{k},{m}"]), rng.choice([f"{k},{n}", f"{n},{k}"])]
        ins += [shape(rng, 1)] if rng.random() < 0.2 else []
        outs = [f"{m},{n}"]
    else:
        ins = [shape(rng, rng.choice([0, 1, 2, 2, 3])) for _ in range(rng.choice([0, 1, 2, 2, 4]))]
        outs = [shape(rng, rng.choice([0, 1, 2]))] if rng.random() < 0.9 else []
    types = [rng.choice(TYPES[:2]) for _ in range(rng.choice([len(ins)] * 4 + [1]))]
    return ins, types, [rng.choice(FORMATS[:2]) for _ in ins], outs, [rng.choice(TYPES) for _ in outs]


def cells(rng, op, cases):
    """The cells of one of the cases, or of another, in one of their spellings."""
    ins, types, formats, outs, out_types = rng.choice(cases) if rng.random() < 0.8 else case(rng, op)
    return {
        "Input Shapes": cell(rng, [spelled(rng, slot) for slot in ins], True),
        "Input Data Types": cell(rng, types, False),
        "Input Formats": cell(rng, formats, False),
        "Output Shapes": cell(rng, [spelled(rng, slot) for slot in outs], True),
        "Output Data Types": cell(rng, out_types, False),
        "Output Formats": cell(rng, [rng.choice(FORMATS) for _ in outs], False),
    }


def padded(rng, text):
    return rng.choice(["{}"] * 8 + [" {}", "{} ", "\t{}", "{}\t"]).format(text)


def no_duration(rng):
    return rng.choice(["", "", "0", "0.000", "-0", "N/A", "nan", "inf", "-3.5", "-3.5 ", "1_000", "\u0663",
                       "5 us", " ", "0.0000000004"])


def duration(rng):
    """0.5 comes often, so that a file may have what is measured."""
    kind = rng.random()
    if kind < 0.2:
        return no_duration(rng)
    if kind < 0.4:
        return rng.choice(["0.5", "0.500000", " 0.500000", "0.500000\t"])
    text = f"{rng.randrange(1, 10 ** rng.choice([1, 3, 4, 5]))}"
    return padded(rng, rng.choice(["", "+"]) + text + rng.choice(["", ".5", ".250000", ".125", "e1", ".0000000005"]))


def counter(rng):
    return padded(rng, rng.choice(["", "N/A", "0", "0.000000", f"{rng.randrange(100000)}",
                                   f"{rng.random():.{rng.randrange(1, 10)}f}"]))


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


def older(rng, columns):
    """With columns that make a file one of the older kind, and sometimes one that it cannot have."""
    marks = rng.choice([["Median Duration(us)", "Std Duration(us)"], ["Std Duration(us)"], []])
    marks += ["Average " + name for name in rng.sample(COUNTERS, rng.choice([0, 1, 3]))]
    taken = ["Profiling " + name for name in marks + [AVERAGE]] if rng.random() < 0.6 else []
    return [name for name in columns if name not in taken] + marks


def columns_of(rng):
    known = [f"{kind}{name}" for name in rng.sample(COUNTERS, rng.randrange(len(COUNTERS) + 1))
             for kind in rng.choice([["MicroBench ", "Profiling Average "], ["Profiling Average "], ["MicroBench "]])]
    rest = rng.choice([[AVERAGE], [AVERAGE], [LEGACY], [], [AVERAGE, LEGACY]])
    rest += rng.choice([[PROFILING], [PROFILING, "Profiling Median Duration(us)"], []]) + known
    rest += rng.sample(["note", "avg_seq_len"] + DROPPED, rng.randrange(4))
    columns = BASE + rest
    if rng.random() < 0.3:
        columns = older(rng, columns)
    if rng.random() < 0.2:
        rng.shuffle(columns)
    return columns


def make_file(rng, path, op, cases, columns):
    rows = []
    for _ in range(rng.choice([0, 1, 5, 40])):
        row = {"OP State": rng.choice(["dynamic", "static, \"x\""]), "Accelerator Core": "AI_CORE",
               "EP Size": rng.choice(["16", "16", "8", " 16 ", ""]), "note": rng.choice(["", "a,b", "two\nlines", "\udcfe"])}
        draw = no_duration if rng.random() < 0.2 else duration
        row.update({name: draw(rng) for name in columns if name.endswith("Duration(us)")})
        row.update(cells(rng, op, cases))
        row.update({name: counter(rng) for name in columns if name not in row})
        rows.append(row)
    write_csv(rng, path, columns, rows)


def make_database(rng, folder, cases, kind):
    folders = [os.path.join(folder, *below) for below in ([], ["inner"], ["inner", "deep"], [".hidden"])]
    for at in folders:
        os.makedirs(at, exist_ok=True)
    top, *inner, hidden = folders
    for op in OPERATORS if kind != "empty" else []:
        if rng.random() < 0.15:
            continue
        columns = columns_of(rng)
        if op == SIZED and rng.random() < 0.6:
            columns.append("EP Size")
        at = rng.choice(inner if kind == "nested" else [top, top, top] + inner)
        make_file(rng, os.path.join(at, op + rng.choice(["", "", "_run"]) + ".csv"), op, cases[op], columns)
    for at in inner if kind != "empty" else []:
        make_file(rng, os.path.join(at, TWICE + ".csv"), TWICE, cases[TWICE], columns_of(rng))
    make_file(rng, os.path.join(hidden, "Add.csv"), "Add", cases["Add"], columns_of(rng))
    missing = rng.choice(BASE)
    columns = [name for name in columns_of(rng) if name != missing]
    make_file(rng, os.path.join(rng.choice([top] * (kind == "") + inner), BARE + ".csv"), BARE, cases[BARE], columns)


def make_profile(rng, path, cases):
    columns = ["Device_id", "Op Name", "OP Type", "OP State", "Task Type", "Task Start Time(us)",
               "Task Duration(us)"] + BASE[2:] + rng.sample(COUNTERS, rng.randrange(len(COUNTERS) + 1))
    rows = []
    for i in range(300):
        op = rng.choice(OPERATORS * 3 + [TWICE, BARE, OTHER, RUN] + ([""] if rng.random() < 0.1 else []))
        row = {"Device_id": "0", "Op Name": f"{op}_{i}", "OP Type": op, "OP State": "dynamic",
               "Task Type": rng.choice(["AI_CORE", "MIX_AIC"]), "Task Start Time(us)": f"{1000 + i}.5\t"}
        row["Task Duration(us)"] = duration(rng)
        row.update(cells(rng, op, cases.get(op, cases["Add"])))
        row.update({name: counter(rng) for name in columns if name not in row})
        rows.append(row)
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([row[name] for name in columns] for row in rows)


def main():
    rng = random.Random(int(sys.argv[1]))
    folder = sys.argv[2]
    cases = {op: [case(rng, op) for _ in range(12)] for op in OPERATORS + [TWICE, BARE]}
    for other in MATMULS:
        cases[other] = cases[MATMULS[0]]
    make_database(rng, os.path.join(folder, "db"), cases, ["nested", "", "", "", "empty"][int(sys.argv[1]) % 5])
    for number in range(2):
        make_profile(rng, os.path.join(folder, f"op_summary_{number}.csv"), cases)


main()
