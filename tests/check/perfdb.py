"""The performance database's rules in Python: what opagg and dbmerge must give.

With the csv module and a dictionary for each row, so also the way that the benchmark
compares dbmerge to. Sums are fractions; a mean is rounded once, half to even.

perfdb.py agg CSV...                  the rows that opagg gives, as its table
perfdb.py merge DIR TABLE [OPTION...] what dbmerge does, in place; prints its table. Of its
                                      options: --mode=missing-only --prune --add-matmul
                                      --prune-ops=OP,... --create --migrate --ops=OP,...
"""
import csv
import functools
import os
import re
import sys
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

BASE = ["OP State", "Accelerator Core", "Input Shapes", "Input Data Types", "Input Formats",
        "Output Shapes", "Output Data Types", "Output Formats"]
AVERAGE = "Average Duration(us)"
LEGACY = "MicroBench Duration(us)"
PROFILING = "Profiling Average Duration(us)"
OLDER = ["Median Duration(us)", "Std Duration(us)"]
DROPPED = ["MicroBench Task Duration(us)", "MicroBench Kernel Duration(us)"]
COUNTERS = """aicore_time(us) aic_total_cycles aic_mac_time(us) aic_mac_ratio aic_scalar_time(us)
    aic_scalar_ratio aic_mte1_time(us) aic_mte1_ratio aic_mte2_time(us) aic_mte2_ratio
    aic_fixpipe_time(us) aic_fixpipe_ratio aic_icache_miss_rate aiv_time(us) aiv_total_cycles
    aiv_vec_time(us) aiv_vec_ratio aiv_scalar_time(us) aiv_scalar_ratio aiv_mte2_time(us)
    aiv_mte2_ratio aiv_mte3_time(us) aiv_mte3_ratio aiv_icache_miss_rate cube_utilization(%)""".split()
OLDER += ["Average " + counter for counter in COUNTERS]
SET = [AVERAGE] + ["MicroBench " + counter for counter in COUNTERS]  # what a new row sets
IDENTIFYING = ["Input Shapes", "Input Data Types", "Input Formats", "Output Shapes", "Output Data Types"]
MATMULS = ["MatMulV2", "MatMulV3", "MatMulCommon"]
COPIES = ["Slice", "SliceAiCore", "Transpose", "TransposeAiCore"]
SIZED = "DispatchFFNCombine"
AROUND = ' \t\n\v\f\r"'
NOTHING = ["()", "N/A", "NA", "NULL", "None", "none"]
SPACES = " \t\n\v\f\r"


class Stop(Exception):
    """An error before any file is touched."""


@functools.cache
def number(text):
    """A number of kev(5), as a fraction of nine places; None where it is none."""
    text = (text or "").strip(SPACES)
    if not re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", text):
        return None
    return round(Fraction(Decimal(text)) * 10**9) / Fraction(10**9)


def operator(name):
    """What a name of an operator, of its file or of its script means."""
    return re.sub(r"(_run)?(\.csv)?$|_run\.py$", "", name, count=1)


def fixed(value, places):
    step = Decimal(1).scaleb(-places)
    exact = Context(prec=80).divide(Decimal(value.numerator), Decimal(value.denominator))
    # A quotient of more than 80 digits is no tie: its last digit settles nothing.
    return format(exact.quantize(step, rounding=ROUND_HALF_EVEN, context=Context(prec=80)), "f")


def plain(value):
    """Without trailing zeros."""
    exact = Context(prec=80).divide(Decimal(value.numerator), Decimal(value.denominator))
    text = format(exact, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def quotient(value):
    """12 significant digits, half to even."""
    digits = Context(prec=12, rounding=ROUND_HALF_EVEN).divide(
        Decimal(value.numerator), Decimal(value.denominator))
    text = format(digits, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


# --- signatures


def slots(cell):
    text = (cell or "").strip(AROUND)
    return [part.strip(AROUND) for part in text.split(";")] if text else []


def shape(slot):
    if slot in NOTHING:
        return ""
    if len(slot) > 1 and slot[0] == "(" and slot[-1] == ")":
        slot = slot[1:-1]
    return ",".join(slot.replace(",", " ").split())


def dims(slot):
    parts = slot.split(",") if slot else []
    return parts if all(re.fullmatch(r"-?[0-9]+", part) for part in parts) else []


def masked(attributes, shapes):
    return [a if s else "" for a, s in zip(attributes, shapes)]


def cut(values):
    values = list(values)
    while values and not values[-1]:
        values.pop()
    return tuple(values)


def inner_dim(a, b, out):
    if a[0] == out[0] and [out[1], a[1]] in (b, b[::-1]):
        return a[1]
    common = set(a) & set(b)
    inner = common - set(out)
    for candidates in inner, common:
        if len(candidates) == 1:
            return candidates.pop()
    return None


def signature(row, op):
    shapes = [shape(slot) for slot in slots(row.get("Input Shapes"))]
    types = slots(row.get("Input Data Types"))
    formats = slots(row.get("Input Formats"))
    outs = [shape(slot) for slot in slots(row.get("Output Shapes"))]
    out_types = masked(slots(row.get("Output Data Types")), outs)
    if op in MATMULS and len(shapes) > 1 and outs:
        a, b, out = dims(shapes[0]), dims(shapes[1]), dims(outs[0])
        if len(a) == len(b) == len(out) == 2:
            k = inner_dim(a, b, out)
            if k is not None:
                return ((f"{out[0]},{k}", f"{out[1]},{k}"), cut(types[:2]), cut(formats[:2]),
                        (",".join(out),), cut(out_types))
    if op == "Index" and shapes and outs and dims(outs[0]):
        shapes = [shapes[0], dims(outs[0])[0]]
        types = [types[0], types[-1]] if types else []
        formats = [formats[0], formats[-1]] if formats else []
    elif op in COPIES:
        shapes, types, formats = shapes[:1], types[:1], ["ND"] if formats else []
    key = (cut(shapes), cut(masked(types, shapes)), cut(masked(formats, shapes)), cut(outs), cut(out_types))
    return key + ((row.get("EP Size") or "").strip(),) if op == SIZED else key


def shown(row):
    return (row.get("Input Shapes") or "N/A") + " -> " + (row.get("Output Shapes") or "N/A")


# --- opagg


def read_csv(path):
    """The names of the columns, and the rows; a line of spaces alone is no row."""
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        reader = csv.DictReader(file)
        names = [name.strip() for name in reader.fieldnames or []]
        rows = [dict(zip(names, row.values())) for row in reader
                if list(row.values())[1:2] != [None] or row[reader.fieldnames[0]].strip()]
    return names, rows


def aggregate(paths, ep_size="16", means=None):
    """The rows that opagg gives; means gets the exact mean for each text of one in them."""
    cases = {}
    for path in paths:
        for row in read_csv(path)[1]:
            row = {key: (value or "").strip(" \t") for key, value in row.items()}
            if not row["OP Type"]:
                continue
            case = cases.setdefault((row["OP Type"], signature(row, row["OP Type"])), {"row": row, "rows": []})
            case["rows"].append(row)
    result = []
    for (op, _), case in cases.items():
        rows = case["rows"]
        # A kernel takes time: nothing, no number and 0 are no durations.
        durs = [number(row["Task Duration(us)"]) for row in rows]
        durs = [dur for dur in durs if dur is not None and dur > 0]
        new = {"OP Type": op, **{name: case["row"].get(name, "") for name in BASE}}
        new["Accelerator Core"] = case["row"]["Task Type"]
        new[AVERAGE] = fixed(min(durs), 6) if durs else ""
        new["EP Size"] = ep_size if op == SIZED else ""
        for counter in COUNTERS:
            total = sum((number(row.get(counter)) or 0 for row in rows), Fraction())
            new["MicroBench " + counter] = fixed(total / len(rows), 6)
            if means is not None:
                means[op, shown(new), "MicroBench " + counter] = total / len(rows)
        result.append(new)
    return result


# --- dbmerge


def migrated(name):
    return "Profiling " + name if name == AVERAGE or name in OLDER else name


def columns_of(names):
    if names is None:
        columns = BASE + [AVERAGE, PROFILING, "Profiling Median Duration(us)", "Profiling Std Duration(us)"]
        for counter in COUNTERS:
            columns += ["MicroBench " + counter, "Profiling Average " + counter]
        return columns
    columns = [name for name in names if name not in DROPPED]
    if AVERAGE not in columns and LEGACY in columns:
        columns[columns.index(LEGACY)] = AVERAGE
    if AVERAGE not in columns:
        columns = BASE + [AVERAGE] + [name for name in columns if name not in BASE]
    for counter in COUNTERS:
        if "Profiling Average " + counter in columns and "MicroBench " + counter not in columns:
            columns.insert(columns.index("Profiling Average " + counter), "MicroBench " + counter)
    return columns


def above_zero(text):
    return (number(text) or 0) > 0


def has_duration(row):
    return above_zero(row.get(AVERAGE)) or above_zero(row.get(PROFILING))


def bare(text):
    """Spaces around a value are no change of it."""
    return (text or "").strip(SPACES)


def is_pruned(op, mode):
    return "prune" in mode or op in mode.get("prune-ops", [])


def merge_file(path, op, own, others, mode, matched):
    """The facts of one file, which is written anew where a row changes; none where it is refused.

    matched gets the id of each new row that the facts speak of.
    """
    names, rows = read_csv(path) if os.path.exists(path) else (None, [])
    older = any(name in OLDER for name in names or [])
    if older:
        renamed = [migrated(name) for name in names]
        if "migrate" not in mode or len(set(renamed)) < len(renamed):
            return []
        names, rows = renamed, [{migrated(name): text for name, text in row.items()} for row in rows]
    columns = columns_of(names)
    facts = []
    if op == SIZED and "EP Size" not in columns:
        sizes = {row["EP Size"] for row in own if row.get("EP Size")}
        if len(sizes) == 1:
            columns.append("EP Size")
            for row in rows:
                row["EP Size"] = next(iter(sizes))
    first, times, set_by_own, touched = {}, {}, set(), set()
    for row in rows:
        if LEGACY in row and AVERAGE not in row:
            row[AVERAGE] = row[LEGACY]
        key = signature(row, op)
        first.setdefault(key, row)
        times[key] = times.get(key, 0) + 1
    before = [[row.get(name) or "" for name in columns] for row in rows]
    old = len(rows)
    for new, added in [(row, True) for row in own] + [(row, False) for row in others]:
        key = signature(new, op)
        row = first.get(key)
        if row is None:
            if added:
                facts.append(("missing", shown(new), 1))
                matched.add(id(new))
            if added and "missing-only" not in mode:
                facts.append(("added", shown(new), 1, new[AVERAGE]))
                row = {name: text for name, text in new.items() if text and name != "OP Type"}
                rows.append(row)
                first[key] = row
                if above_zero(new[AVERAGE]):
                    set_by_own.add(id(row))
            continue
        matched.add(id(new))
        if "add-matmul" in mode and id(row) in set_by_own and not added and new[AVERAGE]:
            continue
        if added and above_zero(new[AVERAGE]):
            set_by_own.add(id(row))
        if "missing-only" in mode and has_duration(row):
            if not added:
                continue
            facts.append(("unchanged", shown(row), 1, row.get(AVERAGE)))
        else:
            was = bare(row.get(AVERAGE))
            touched.add(id(row))
            for name in SET:
                if new.get(name):
                    row[name] = new[name]
            if was != bare(row.get(AVERAGE)):
                facts.append(("updated", shown(row), 1, row[AVERAGE], "", was))
        if above_zero(row.get(AVERAGE)) and above_zero(row.get(PROFILING)):
            facts.append(("gap", shown(row), 1, row[AVERAGE], row[PROFILING]))
    for row, texts in zip(rows, before):
        if id(row) not in touched:
            continue
        for name, text in zip(columns, texts):
            if name in SET and bare(row.get(name)) == bare(text):
                row[name] = text
    again = [(shown(first[key]), count) for key, count in times.items() if count > 1]
    for text, count in sorted(again, key=lambda pair: (-pair[1], pair[0].encode("utf-8", "surrogateescape"))):
        facts.append(("duplicate", text, count))
    kept = [row for row in rows if not is_pruned(op, mode) or has_duration(row)]
    for row in rows:
        if is_pruned(op, mode) and not has_duration(row):
            facts.append(("deleted", shown(row), 1))
    kept_ids = {id(row) for row in kept}
    for row in rows[old:]:
        if id(row) in kept_ids:
            columns += [name for name in row if name not in columns and name not in SET]
    after = [[row.get(name) or "" for name in columns] for row in kept]
    if names is None or older or [row[:len(before[0])] if before else row for row in after] != before:
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(after)
    return [("file", "", len(kept))] + facts


def has_base(path):
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        names = [name.strip() for name in next((row for row in csv.reader(file) if row), [])]
    return all(name in names for name in IDENTIFYING)


def files_of(folder, ops):
    """The files to merge into, each by its operator: those of `ops`, or all of a database."""
    found = {}
    for at, below, names in os.walk(folder):
        below[:] = [name for name in below if name[0] != "." and ops]
        for name in names:
            path = os.path.relpath(os.path.join(at, name), folder)
            op = operator(name)
            if name[0] == "." or name[-4:] != ".csv" or (ops and op not in ops):
                continue
            if not ops and not has_base(os.path.join(at, name)):
                continue
            if op in found:
                raise Stop(f"two files of one operator: {found[op]} and {path}")
            found[op] = path
    return found


def has_below(folder):
    """Whether a folder below it has a file of a database."""
    for at, below, names in os.walk(folder):
        below[:] = [name for name in below if name[0] != "."]
        if at != folder and any(name[-4:] == ".csv" and has_base(os.path.join(at, name)) for name in names):
            return True
    return False


def wants_new(folder, files, mode):
    if "create" in mode or files or "missing-only" in mode:
        return "create" in mode
    if "ops" not in mode and has_below(folder):
        raise Stop("the database is in folders below")
    return True


def kin(op):
    """The operators whose rows may update a file of op: its own first."""
    return [op] + [other for other in MATMULS if other != op] if op in MATMULS else [op]


def merge(folder, new_rows, mode):
    """The facts of all files; those that were refused; the new rows of operators without a file.

    mode has the options that are given, without --; "ops" and "prune-ops" with their operators.
    """
    by_op = {}
    for row in new_rows:
        by_op.setdefault(operator(row["OP Type"]), []).append(row)
    ops = mode.get("ops")
    chosen = [op for op in by_op if not ops or op in ops]
    files = files_of(folder, ops)
    if wants_new(folder, files, mode):
        for op in chosen:
            if op not in files and os.path.lexists(os.path.join(folder, op + ".csv")):
                raise Stop(f"{op}.csv: the file exists, but is not a file of a database")
            files.setdefault(op, op + ".csv")
    facts, refused, matched, alone = [], [], set(), set()
    for op in sorted(files, key=os.fsencode):
        own, *others = [by_op.get(other, []) for other in kin(op)]
        others = sum(others, [])
        if op in MATMULS and "add-matmul" not in mode:
            own, others = [], own + others
        got = merge_file(os.path.join(folder, files[op]), op, own, others, mode, matched)
        facts += [(op, files[op], *fact) for fact in got]
        # What there was nothing to do in is left alone, and no more.
        concerned = is_pruned(op, mode) or "migrate" in mode or ops or set(kin(op)) & set(by_op)
        alone |= set() if got else {op}
        refused += [files[op]] if concerned and not got else []
    for op in [] if alone & set(MATMULS) else MATMULS:
        facts += [(op, "", "unmatched", shown(row), 1, row[AVERAGE]) for row in by_op.get(op, [])
                  if set(kin(op)) & set(files) and id(row) not in matched]
    return facts, refused, {op: len(by_op[op]) for op in chosen if not set(kin(op)) & set(files)}


# --- tables


def escape(text):
    if text.isprintable() and "\\" not in text:
        return text
    for byte, letter in ("\\", "\\"), ("\t", "t"), ("\n", "n"), ("\r", "r"), ("\0", "0"):
        text = text.replace(byte, "\\" + letter)
    return text


def unescape(text):
    return text if "\\" not in text else re.sub(r"\\([\\tnr0#])", lambda m: dict(zip("\\tnr0#", "\\\t\n\r\0#"))[m[1]], text)


def read_table(path):
    """The rows below a columns line, as dictionaries."""
    rows, columns = [], None
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if line[:2] == "##":
                continue
            if line[:1] == "#":
                columns = [unescape(name) for name in [fields[0][1:]] + fields[1:]]
            else:
                rows.append(dict(zip(columns, map(unescape, fields))))
    return rows


def fact_line(op, path, action, text, count, *durations):
    mb, prof, old = [number(text) for text in durations] + [None] * (3 - len(durations))
    figures = [mb, prof, None if prof is None else abs(mb - prof)]
    fields = [action, op, path, text, str(count)] + ["" if x is None else plain(x) for x in figures]
    fields += ["" if prof is None else quotient(mb / prof), "" if old is None else plain(old)]
    return "\t".join(map(escape, fields))


def mode_of(options):
    mode = {}
    for name, _, value in (option[2:].partition("=") for option in options):
        mode[value if name == "mode" else name] = [operator(op) for op in value.split(",")]
    return mode


def main(arguments):
    options = [word for word in arguments if word.startswith("--")]
    words = [word for word in arguments if not word.startswith("--")]
    if words[0] == "agg":
        rows = aggregate(words[1:])
        print("#" + "\t".join(["OP Type"] + BASE + [AVERAGE, "EP Size"] + ["MicroBench " + c for c in COUNTERS]))
        for row in rows:
            print("\t".join(map(escape, row.values())))
        return
    print("#action\toperator\tcsv\tsignature\tcount\tmicrobench_us\tprofiling_us\tdiff_us\tratio\told_us")
    for fact in merge(words[1], read_table(words[2]), mode_of(options))[0]:
        print(fact_line(*fact))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    main(sys.argv[1:])
