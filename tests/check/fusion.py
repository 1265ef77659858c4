#!/usr/bin/env python3
"""What kfusion must claim, by the rules of its page, in another way: slowly, with fractions.

fusion.py A B [MIN_GROUP] prints the mappings, then the opportunities, as `kfusion -H` and
`kfusion -H --opportunities` do, without evidence and kernels. The parts of an attention are those whose pattern
contains "reduce". A and B are streams as kclass writes them.
"""
import sys
from collections import Counter, defaultdict
from decimal import Decimal, localcontext, ROUND_HALF_EVEN
from fractions import Fraction

FEWEST = 5
EVERYWHERE = ("Dense GEMM", "KV Cache", "MoE GEMM", "MoE Routing")
PART = "Attention part"


def read(path):
    kernels, names = [], None
    for line in open(path):
        line = line.rstrip("\n")
        if line.startswith("#"):
            if not line.startswith("##"):
                names = line[1:].split("\t")
            continue
        row = dict(zip(names, line.split("\t")))
        if not row["op"]:
            continue
        op = row["op"]
        if op.startswith("Attention") and "reduce" in row.get("pattern", row["name"]):
            op = PART
        step = (row["pid"], row["step"]) if row.get("step") else None
        launch = (row["pid"], row["correlation"]) if row["correlation"] not in ("", "0") else None
        kernels.append((row["pid"], Fraction(row["ts"]), Fraction(row["dur"]), op, step, launch))
    devices = list(dict.fromkeys(k[0] for k in kernels))
    return sorted(kernels, key=lambda k: (devices.index(k[0]), k[1], k[2]))


def neighbours(kernels):
    return [(a, b) for a, b in zip(kernels, kernels[1:]) if a[0] == b[0] and a[4] == b[4]]


def groups_of(kernels, fewest):
    launched = Counter(k[5] for k in kernels if k[5])
    groups = defaultdict(list)
    for k in kernels:
        if k[5] and launched[k[5]] >= fewest:
            groups["launch", k[5]].append(k)
        elif k[4]:
            groups["step", k[4]].append(k)
    order = {id(k): i for i, k in enumerate(kernels)}
    return sorted((g for g in groups.values() if len(g) >= fewest), key=lambda g: (-len(g), order[id(g[0])]))


def classes_in(group):
    return Counter(k[3] for k in group)


def matches_of(groups):
    free, pairs = list(range(len(groups[1]))), {}
    for i, a in enumerate(groups[0]):
        for j in free:
            if classes_in(a) == classes_in(groups[1][j]):
                pairs[i] = j
                free.remove(j)
                break
    for i, a in enumerate(groups[0]):
        best = None
        for j in free:
            b = groups[1][j]
            common = sum((classes_in(a) & classes_in(b)).values())
            if i in pairs or 4 * len(b) > 5 * len(a) or 4 * len(b) < 3 * len(a) or 2 * common < max(len(a), len(b)):
                continue
            key = (-common, abs(len(a) - len(b)), j)
            best = min(best or key, key)
        if best:
            pairs[i] = best[2]
            free.remove(best[2])
    return [(groups[0][i], groups[1][j]) for i, j in sorted(pairs.items())]


def part_class(name):
    return {"GEMM": "Dense GEMM", "SwiGLU": "Activation"}.get(name, name)


def everywhere(name):
    return (name.startswith("Attention") and name != PART) or name in EVERYWHERE


def run(traces, fewest):
    ops = sorted({k[3] for t in traces for k in t})
    count = [Counter(k[3] for k in t) for t in traces]
    total = [{op: sum((k[2] for k in t if k[3] == op), Fraction(0)) for op in ops} for t in traces]
    pairs = matches_of([groups_of(t, fewest) for t in traces])
    grouped = [Counter(k[3] for p in pairs for k in p[s]) for s in (0, 1)]
    grouped_total = [{op: sum((k[2] for p in pairs for k in p[s] if k[3] == op), Fraction(0)) for op in ops} for s in (0, 1)]
    steps = [len({k[4] for k in t if k[4]}) for t in traces]
    rate = lambda s, n: n * steps[1 - s] if steps[0] and steps[1] else n
    beside = [neighbours(t) for t in traces]
    follow = [Counter((a[3], b[3]) for a, b in n) for n in beside]
    experts = [any(op.startswith("MoE ") for op in c) for c in count]
    claimed = [Counter(), Counter()]
    fuses, within, renamed, taken, rows = [set(), set()], [set(), set()], set(), set(), []
    order = sorted(ops, key=lambda op: (-count[0][op] - count[1][op], op.encode()))

    def no_experts(op, s):
        return op.startswith("MoE ") and not experts[s]

    def lacks(op, s):
        return everywhere(op) or no_experts(op, s) or "+" in op or op in ("Triton Fused", "Collective", "Other")

    def claim(by, fused, n, sequence, times, of, unfused, in_fused):
        rows.append((by, fused, n, sequence, times, of, unfused, in_fused))

    for s in (0, 1):
        if count[s]["Triton Fused"] >= FEWEST and not count[1 - s]["Triton Fused"]:
            within[s] |= {op for op in ops if not count[s][op] and not lacks(op, s) and op != PART}
    for op in order:
        if "+" not in op:
            continue
        a, b = (part_class(p) for p in op.split("+", 1))
        for s in (0, 1):
            if count[s][op]:
                within[s] |= {a, b}
        by = 0 if count[0][op] else 1
        n = follow[1 - by][a, b]
        if count[1 - by][op] or count[by][op] < FEWEST or n < FEWEST or (by, a, b) in taken or a not in ops or b not in ops:
            continue
        if 5 * n > 4 * count[1 - by][a] or 4 * n >= 3 * count[by][op]:
            time = sum(x[2] + y[2] for x, y in beside[1 - by] if (x[3], y[3]) == (a, b))
            claim(by, op, count[by][op], (a, b), n, count[1 - by][a], time, total[by][op] * n / count[by][op])
            taken.add((by, a, b))
            fuses[by].add(op)
            claimed[1 - by][a] += n
            claimed[1 - by][b] += n
    for op in order:
        by = 1 if grouped[0][op] > grouped[1][op] else 0
        few, many = grouped[by][op], grouped[1 - by][op]
        left = max(0, many - claimed[1 - by][op])
        if not few or few + left < 100 or 10 * left < 13 * few or op in fuses[1 - by] or op == "Other":
            continue
        found = defaultdict(lambda: [0, 0, 0, 0])
        for p in pairs:
            c = [classes_in(p[0]), classes_in(p[1])]
            if c[1 - by][op] <= c[by][op]:
                continue
            for other in c[by]:
                if c[by][other] > c[1 - by][other]:
                    f = found[other]
                    f[0] += 1
                    f[1] += c[by][other] - c[1 - by][other]
                    f[2] += c[1 - by][op] - c[by][op]
                    f[3] += len(p[1 - by]) - len(p[by])
        good = {o: f for o, f in found.items() if f[0] >= FEWEST and (f[1] < f[2] or f[3] > 0) and not claimed[by][o] and o != "Other"}
        if good:
            best = min(good, key=lambda o: (-good[o][0], -good[o][1], o.encode()))
            more, missing = good[best][1], good[best][2]
            claim(by, best, more, (op,), missing, many, grouped_total[1 - by][op] * missing / many,
                  grouped_total[by][best] * more / grouped[by][best])
            claimed[1 - by][op] += missing
            fuses[by].add(best)
    anchors = {}
    most = [Counter(), Counter()]
    for s in (0, 1):
        near = defaultdict(lambda: defaultdict(list))
        for i, k in enumerate(traces[s]):
            if count[1 - s][k[3]]:
                continue
            around = {}
            for j in (i - 1, i + 1):
                if 0 <= j < len(traces[s]) and traces[s][j][0] == k[0] and traces[s][j][4] == k[4]:
                    place = (k[3] != PART and j > i, traces[s][j][3])
                    around.setdefault(place, k[2] + traces[s][j][2])
            for place, time in around.items():
                if min(count[0][place[1]], count[1][place[1]]) >= FEWEST:
                    near[k[3]][place].append(time)
        for op, found in near.items():
            at = min(found, key=lambda at: (-len(found[at]), at[0], at[1].encode()))
            w = at[1]
            if len(found[at]) >= FEWEST and 5 * len(found[at]) > 4 * count[s][op]:
                anchors[op] = (w, len(found[at]), sum(found[at]))
                if not everywhere(op):
                    most[s][w] = max(most[s][w], rate(s, count[s][op]))
    for op in order:
        if op not in anchors:
            continue
        other = 0 if count[0][op] else 1
        by = 1 - other
        w, n, time = anchors[op]
        if 10 * rate(other, count[other][op]) < 13 * most[by][w]:
            renamed.add(op)
        if op in renamed or op in within[by] or op in fuses[other] or lacks(op, by):
            continue
        after = follow[other][w, op] >= follow[other][op, w]
        claim(by, w, count[by][w], (w, op) if after else (op, w), n, count[other][op], time, total[by][w] * n / count[by][w])
        claimed[other][op] += n

    def launches(op):
        if grouped[0][op] or grouped[1][op]:
            return "group", [grouped[s][op] for s in (0, 1)]
        return "step" if steps[0] and steps[1] else "trace", [rate(s, count[s][op]) for s in (0, 1)]

    chains = [Counter(t[0][3:4]) if t else Counter() for t in traces]
    for s in (0, 1):
        for i in range(1, len(traces[s])):
            a, b = traces[s][i - 1:i + 1]
            chains[s][b[3]] += not (a[0] == b[0] and a[3] == b[3] and a[4] == b[4])
    for op in order:
        by = 1 if count[0][op] * chains[1][op] > count[1][op] * chains[0][op] else 0
        a, b, x, y = count[by][op], count[1 - by][op], chains[by][op], chains[1 - by][op]
        rates = launches(op)[1]
        if a + b > 100 and x >= FEWEST and y >= FEWEST and b * x > 2 * a * y and not claimed[1 - by][op] and \
                op not in fuses[1 - by] and rates[1 - by] > rates[by]:
            claim(by, op, a, (op, op), b - y, b, total[1 - by][op], total[by][op] * y / x)
            claimed[1 - by][op] += b - y

    def who(op, more):
        if claimed[more][op] or op in within[1 - more]:
            return 1 - more
        if op in fuses[more] or (("+" in op or op == "Triton Fused") and not no_experts(op, 1 - more)):
            return more
        if op in renamed or op == "Other" or (not count[1 - more][op] and lacks(op, 1 - more)):
            return None
        return 1 - more

    rows.sort(key=lambda r: (-r[4], [p.encode() for p in (r[3] + ("",))[:2]], r[0], r[1].encode()))
    chances = []
    for op in ops:
        per, n = launches(op)
        shown = [grouped[s][op] if per == "group" else count[s][op] for s in (0, 1)]
        times = [grouped_total[s][op] if per == "group" else total[s][op] for s in (0, 1)]
        more = 1 if n[1] > n[0] else 0
        if shown[more] >= FEWEST and n[more] > 2 * n[1 - more]:
            scaled = [rate(s, times[s]) if per == "step" else times[s] for s in (0, 1)]
            chances.append((op, who(op, more), shown, n, times, scaled, per))
    chances.sort(key=lambda c: (-abs(c[4][0] - c[4][1]), c[0].encode()))
    return rows, chances


def show(x):
    x = int(x * 10**9) * Fraction(1, 10**9)
    return f"{Decimal(x.numerator) / Decimal(x.denominator):f}"


def ratio(a, b):
    if b == 0:
        return "inf" if a else "1"
    with localcontext() as context:
        context.prec, context.rounding = 12, ROUND_HALF_EVEN
        q = Fraction(a) / Fraction(b)
        text = f"{+(Decimal(q.numerator) / Decimal(q.denominator)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def main():
    traces = [read(sys.argv[1]), read(sys.argv[2])]
    rows, chances = run(traces, int(sys.argv[3]) if len(sys.argv) > 3 else 50)
    for by, fused, n, sequence, times, of, unfused, in_fused in rows:
        cut = lambda x: Fraction(int(x * 10**9), 10**9)
        unfused, in_fused = cut(unfused), cut(in_fused)
        print(fused, f"trace{by + 1}", n, f"trace{2 - by}", ", ".join(sequence), times, ratio(100 * times, of),
              show(unfused), show(in_fused), show(unfused - in_fused), sep="\t")
    for op, by, shown, n, times, scaled, per in chances:
        print(op, "" if by is None else f"trace{by + 1}", *shown, ratio(n[0], n[1]), show(times[0]), show(times[1]),
              ratio(scaled[0], scaled[1]), per, sep="\t")


main()
