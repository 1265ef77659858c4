#!/usr/bin/env python3
"""op-reference.py SEED COUNT: opmap and opdiff compare predictions and profiles as they should:
every figure of COUNT made pairs, by rules written down a second time.
"""
import ast
import json
import os
import random
import subprocess
import sys
import tempfile
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

rng = random.Random(int(sys.argv[1]))
NANO = 10**9
KERNELS = "MatMulV2", "RmsNorm", "hcom_allReduce_", "hcom_allGather_", "Cast", "B,A", "zero_cost"
OPS = "aten.mm.default", "torch.ops.tc.norm.default", "tc.linear_All_Reduce", "aten.view", "odd, {name}\t"
SHAPES = "1,2;3", "4", ""
COLUMNS = [
    "tc_funcs", "tc_total_us", "tc_count", "prof_per_fwd_us", "prof_count",
    "error_pct", "count_error_pct", "prof_share_pct", "status",
]  # fmt: skip


def duration():
    digits = rng.choice([0, 1, 3, 3, 3, 9])
    return f"{rng.randrange(1, 40)}.{rng.randrange(10**digits):0{digits}d}" if digits else str(rng.randrange(60))


def made_literal():
    pairs = [(rng.choice(["A", "B", 'qu"ote', "hcom_allReduce_"]), duration()) for _ in range(rng.randrange(1, 4))]
    texts = [f"({name!r}, {time})" for name, time in pairs]
    return rng.choice(["[{}]", "[{},]", "({},)", " [ {} ]"]).format(", ".join(texts))


def made_event():
    args = {"Shapes": rng.choice(SHAPES)}
    kind = rng.choice(["", "?", *KERNELS, ", ".join(rng.sample(KERNELS, 3)), ",MatMulV2,, ", " , "])
    if kind or rng.random() < 0.5:
        args["kernel_type"] = kind
    if rng.random() < 0.4:
        args["sub_kernel_durations"] = rng.choice([made_literal(), made_literal(), "garbage", "[]", "[10, 20]"])
    return {"ph": "X", "pid": 7, "tid": 0, "name": rng.choice(OPS), "ts": 1, "dur": duration(), "args": args}


def made_mapping():
    entries = {}
    for op in OPS:
        entry = rng.choice([{}, None, {"kernel_type": "Mapped"}, {"zero_cost": True}, {"zero_cost": False}, "none"])
        if entry != "none":
            entries[op if rng.random() < 0.5 else op.replace("torch.ops.", "")] = entry
    return {"version": "1", "operator_mappings": entries} if rng.random() < 0.5 else entries


def made_profile():
    return [
        [
            rng.choice([*KERNELS, "allreduceAicpuKernel", "hcom_xAicpuKernel", "Sort"]),
            "" if rng.random() < 0.1 else f"1716543210123456.{rng.randrange(4) * 25:02d}",
            rng.choice(["", "0", "-2", "5", "5.0", duration()]),
            rng.choice("01"),
            rng.choice(SHAPES),
        ]
        for _ in range(rng.randrange(1, 40))
    ]


def pairs_of(text):
    try:
        pairs = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    if not isinstance(pairs, (list, tuple)) or not pairs:
        return None
    return pairs if all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs) else None


def kernels_of(event, mapping):
    """What an op runs: (type, duration, hit) each."""
    name, args = event["name"], event["args"]
    entries = mapping.get("operator_mappings", mapping)
    entry = entries.get(name.removeprefix("torch.ops.")) or entries.get(name) or {}
    whole = Fraction(event["dur"])
    if entry.get("zero_cost"):
        return []
    types = [part.strip() for part in args.get("kernel_type", "").split(",") if part.strip()]
    if not types or types == ["?"]:
        return [(entry.get("kernel_type") or name, whole, False)]
    pairs = pairs_of(args.get("sub_kernel_durations", ""))
    if pairs:
        return [(kind, Fraction(repr(time)), True) for kind, time in pairs]
    share, rest = divmod(int(whole * NANO), len(types))
    kernels = [(kind, Fraction(share + (i < rest), NANO), True) for i, kind in enumerate(types)]
    if "all_reduce" in name.lower() and "hcom_allReduce_" not in types:
        kernels.append(("hcom_allReduce_", Fraction(0), True))
    return kernels


class Op:
    def __init__(self):
        self.tc = self.prof = Fraction(0)
        self.hits = self.misses = self.count = 0
        self.funcs = []


def compared(events, mapping, profile, shapes):
    ops = {}

    def op(kind, shape):
        return ops.setdefault((kind, shape) if shapes else (kind,), Op())

    for event in events:
        for kind, time, hit in kernels_of(event, mapping):
            mine = op(kind, event["args"]["Shapes"])
            mine.tc += time
            mine.hits += hit
            mine.misses += not hit
            func = event["name"].removeprefix("torch.ops.")
            if func not in mine.funcs:
                mine.funcs.append(func)
    collectives = {}
    for kind, start, time, device, shape in profile:
        collective = kind.startswith("hcom_")
        if kind.endswith("AicpuKernel") or not time or (collective and not start):
            continue
        time = Fraction(time)
        key = (int(Fraction(start)), kind, device) if collective else len(collectives)
        if key not in collectives or time > collectives[key][0]:
            collectives[key] = time, kind, shape
    for time, kind, shape in collectives.values():
        op(kind, shape).prof += time
        op(kind, shape).count += 1
    return ops


def number(value):
    """Twelve digits of a fraction, rounded once."""
    context = Context(prec=12, rounding=ROUND_HALF_EVEN)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def percent(part, whole):
    """Nothing of a time below 0, 0 if there was none."""
    if whole < 0:
        return None
    return number(part / whole * 100) if whole else Decimal(0)


def error(predicted, measured):
    return percent(predicted - measured, measured)


def expected(ops, passes):
    total = sum(op.prof for op in ops.values())
    rows = []
    for key, op in sorted(ops.items(), key=lambda item: (-max(item[1].tc, item[1].prof / passes), item[0])):
        status = "PARTIAL" if op.hits and op.misses else "HIT" if op.hits else "MISS" if op.misses else "UNMODELED"
        rows.append([
            *key,
            ", ".join(op.funcs[:3]),
            Decimal(int(op.tc * NANO)) / NANO,
            Decimal(op.hits + op.misses),
            Decimal(int(op.prof * NANO)) / NANO if passes == 1 else number(op.prof / passes),
            number(Fraction(op.count, passes)),
            error(op.tc, op.prof / passes),
            error(Fraction(op.hits + op.misses), Fraction(op.count, passes)),
            percent(op.prof, total),
            status,
        ])  # fmt: skip
    return rows


def field(text):
    return text.replace("\\t", "\t").replace("\\\\", "\\")


def figure(text):
    return Decimal(text) if text else None


def run(folder, trace, mapping, profile, passes, shapes):
    with open(f"{folder}/tc.json", "w", encoding="utf-8") as file:
        json.dump({"traceEvents": trace}, file)
    with open(f"{folder}/map.yaml", "w", encoding="utf-8") as file:
        json.dump(mapping, file)  # JSON is YAML
    with open(f"{folder}/fwd.csv", "w", encoding="utf-8") as file:
        file.write("Type,Start Time(us),Duration(us),Device_id,Shapes,Name\n")
        file.writelines(",".join(f'"{cell}"' for cell in [*row, "n"]) + "\n" for row in profile)
    command = (
        "trace2tsv -a sub_kernel_durations,Shapes tc.json | opmap -y map.yaml >tc.kev &&"
        f" csv2tsv -a Shapes fwd.csv | opdiff --passes={passes} {'-k type,Shapes' if shapes else ''} tc.kev -"
    )
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    lines = [line.split("\t") for line in done.stdout.splitlines() if not line.startswith("##")]
    head = ["#kernel_type", *(["Shapes"] if shapes else []), *COLUMNS]
    if not lines or lines[0] != head:
        return [["the head is", lines[:1], done.stderr]]
    keys = 1 + shapes
    return [
        [*map(field, line[: keys + 1]), *map(figure, line[keys + 1 : -1]), line[-1]]
        for line in lines[1:]
    ]  # fmt: skip


wrong = 0
with tempfile.TemporaryDirectory(dir=os.environ.get("TMP")) as folder:
    for _ in range(int(sys.argv[2])):
        trace = [made_event() for _ in range(rng.randrange(1, 40))]
        mapping, profile = made_mapping(), made_profile()
        passes, shapes = rng.choice([1, 1, 2, 3, 7]), rng.random() < 0.4
        want = expected(compared(trace, mapping, profile, shapes), passes)
        got = run(folder, trace, mapping, profile, passes, shapes)
        if got != want:
            wrong += 1
            if wrong < 3:
                print(*(f"got    {a}\nwanted {b}" for a, b in zip(got, want) if a != b), sep="\n")
                print(f"{len(got)} rows, wanted {len(want)}, of {passes} passes and {mapping}")
print(f"{sys.argv[2]} comparisons, {wrong} wrong")
sys.exit(wrong != 0)
