#!/usr/bin/env python3
"""aie-reference.py SEED COUNT: aiepair against its manual page, written down a second time.

Made streams, broken in every way that traces are, under every option: the rows of the default
table and of --aggregate must be the same to the letter, the medians, boundaries and notes of -j too.
"""
import json
import random
import subprocess
import sys
from fractions import Fraction
from math import floor


def text_of(value, digits=15):
    """A fraction to so many significant digits, half to even, as kev(5) writes numbers."""
    value = Fraction(value)
    if value == 0:
        return "0"
    place = 0
    while abs(value) / Fraction(10) ** place >= 10:
        place += 1
    while abs(value) / Fraction(10) ** place < 1:
        place -= 1
    place -= digits - 1
    whole = round(abs(value) / Fraction(10) ** place)
    text = str(whole * 10**place) if place >= 0 else str(whole).rjust(1 - place, "0")
    if place < 0:
        text = (text[:place] + "." + text[place:]).rstrip("0").rstrip(".")
    return "-" * (value < 0) + text


def median(values):
    values = sorted(values)
    return Fraction(values[(len(values) - 1) // 2] + values[len(values) // 2], 2)


def greedy(starts, ends):
    pairs = []
    left = list(ends)
    for start in starts:
        left = [end for end in left if end > start]
        if not left:
            break
        pairs.append((start, left.pop(0)))
    return pairs


def latest(starts, ends):
    """Of all begins before an end the last is its own, of all ends of a begin the first."""
    owner = {}
    for end in ends:
        before = [i for i, start in enumerate(starts) if start < end]
        if before:
            owner.setdefault(before[-1], end)
    return [(starts[i], end) for i, end in sorted(owner.items())]


def far_apart(times, gap):
    kept = []
    for time in times:
        if not kept or time - kept[-1] >= gap:
            kept.append(time)
    return kept


def kernels_of(starts, ends, rules):
    pairs = (latest if rules["latest"] else greedy)(starts, ends)
    first = max(1, floor(median([e - s for s, e in pairs]))) if pairs else 1
    gap = max(1, floor(rules["dup_gap"] * first))
    starts, ends = far_apart(starts, gap), far_apart(ends, gap)
    if rules["latest"]:
        pairs = latest(starts, ends)
    else:
        pairs, last = [], None
        for start in starts:
            later = [end for end in ends if end > start and (last is None or end > last)]
            if later and (last is None or start > last):
                last = later[0]
                pairs.append((start, last))
    if pairs:
        middle = median([e - s for s, e in pairs])
        low = max(1, floor(rules["outlier_lo"] * middle))
        high = max(low + 1, floor(rules["outlier_hi"] * middle))
        pairs = [(s, e) for s, e in pairs if low <= e - s <= high] or pairs
    return pairs


def iterations_of(kernels, boundaries):
    """A kernel's iteration is the number of boundaries that its start is past."""
    if not kernels:
        return []
    index = [sum(start > boundary for boundary in boundaries) for start, _ in kernels]
    return [[k for k, i in zip(kernels, index) if i == n] for n in range(index[-1] + 1)]


def tile_figures(events, rules):
    """events: lists of starts, ends, stall begins and ends."""
    starts, ends, stall_begins, stall_ends = (sorted(times) for times in events)
    kernels = kernels_of(starts, ends, rules)
    middle = median([e - s for s, e in kernels]) if kernels else None
    stalls = (latest if rules["latest"] else greedy)(stall_begins, stall_ends)
    long = {e for s, e in stalls if kernels and e - s >= rules["stall_factor"] * middle}
    return kernels, middle, sorted(long), iterations_of(kernels, sorted(long))


def span(iteration):
    return iteration[-1][1] - iteration[0][0] if iteration else 0


FACTORS = {
    "clock": "1.25",
    "stall_factor": "20",
    "dup_gap": "0.25",
    "outlier_lo": "1/3",
    "outlier_hi": "3",
}


class Trace:
    """Processes by pid, in the order in which they are named: name, events."""

    def __init__(self):
        self.names = {}
        self.events = {}

    def cores(self):
        for pid, name in self.names.items():
            if "core_trace" in name:
                yield pid, name.split(" for ")[-1], self.events.get(pid, ([], [], [], []))


class Expected:
    """What aiepair must write of some traces."""

    def __init__(self, traces, numbers, factors, peak, rules):
        self.tiles, self.common, self.details = [], [], []
        self.numbers, self.rules = numbers, rules
        shared = max(1, numbers["row"] * numbers["col"])
        work = Fraction(numbers["M"] * numbers["K"] * numbers["N"])
        self.rate = work * factors["clock"]
        self.core_rate = self.rate / shared
        self.of_peak = work / (shared * (peak or 64))
        self.peak = peak
        for file, trace in traces.items():
            self.add(file, trace)

    def quotients(self, rate, cycles):
        row = [text_of(rate / cycles if cycles else 0)]
        return row + [text_of(self.of_peak / cycles if cycles else 0)] * bool(self.peak)

    def add(self, file, trace):
        warmup, expected = self.numbers["warmup"], self.numbers["warmup"] + self.numbers["iterations"]
        spans = []
        for pid, tile, events in trace.cores():
            kernels, middle, boundaries, iterations = tile_figures(events, self.rules)
            spans.append([span(iteration) for iteration in iterations])
            for i, iteration in enumerate(iterations):
                durations = [e - s for s, e in iteration]
                phase = "warmup" if i < warmup else "perf" if i < expected else "extra"
                row = [tile, pid, i, phase, len(iteration)]
                row += [text_of(Fraction(sum(durations), max(1, len(durations))))]
                row += [min(durations, default=0), max(durations, default=0), span(iteration)]
                row += [iteration[0][0], iteration[-1][1]] if iteration else ["", ""]
                self.tiles.append([*row, *self.quotients(self.core_rate, span(iteration)), *file])
            self.details.append(
                (pid, tile, middle, len(boundaries) if kernels else None, len(iterations),
                 list(range(warmup, min(expected, len(iterations)))),
                 not iterations or len(iterations) != expected)
            )
        window = range(warmup, min([expected, *map(len, spans)] if spans else [0]))
        cycles = {i: max(tile[i] for tile in spans) for i in window}
        rates = {i: Fraction(1, c) if c else 0 for i, c in cycles.items()}
        rows = [("iteration", i, cycles[i], rates[i]) for i in window]
        if window:
            n = len(window)
            rows.append(("average", "", text_of(Fraction(sum(cycles.values()), n)), sum(rates.values()) / n))
            best = max(window, key=lambda i: (rates[i], -i))
            worst = min(window, key=lambda i: (rates[i], i))
            rows += [("best", best, cycles[best], rates[best]), ("worst", worst, cycles[worst], rates[worst])]
        for kind, i, runtime, rate in rows:
            row = [kind, i, runtime, text_of(self.rate * rate)]
            self.common.append([*row, *[text_of(self.of_peak * rate)] * bool(self.peak), *file])


def made_tile(rng):
    """Events of a tile: starts, ends, stall begins and ends, lost and doubled here and there."""
    lists = [], [], [], []
    typical, now = rng.choice((1, 7, 40, 400)), rng.randrange(-5, 200)
    lost, doubled = rng.choice((0, 0, 0.03, 0.3)), rng.choice((0, 0, 0.1))
    for _ in range(rng.randrange(14)):
        if rng.random() < 0.35:
            end = now + rng.choice((1, typical, 20 * typical, 30 * typical))
            both = (2, now), (3, end)
        else:
            end = now + max(1, round(typical * rng.choice((0.2, 0.9, 1, 1, 1.1, 1.5, 4))))
            both = (0, now), (1, end)
        for which, time in both:
            if rng.random() >= lost:
                lists[which].append(time)
            if rng.random() < doubled:
                lists[which].append(time + rng.randrange(3))
        now = end + rng.choice((0, 0, 1, typical // 4, typical))
    return lists


NAMES = (
    "core_trace for tile{},{}",
    "core_trace for tile({},{})",
    "core_trace for column {}, row {}",
    "core_trace",
    "mem_trace for tile{},{}",
    "shim_trace for tile{},{}",
    "a for core_trace for {} for {}",
)


def made_trace(rng, to_begin):
    trace, lines, rows = Trace(), [], []
    for pid in rng.sample(range(9), rng.randrange(1, 4)):
        trace.names[str(pid)] = rng.choice(NAMES).format(rng.randrange(3), rng.randrange(3))
        lines.append(f"##process\t{pid}\t{trace.names[str(pid)]}\n")
        trace.events[str(pid)] = events = made_tile(rng)
        kinds = ("INSTR_EVENT_0", "B"), ("INSTR_EVENT_1", "EB"[to_begin]), ("LOCK_STALL", "B"), ("LOCK_STALL", "E")
        for times, (name, ph) in zip(events, kinds):
            for time in times:
                fraction = rng.choice(("", "", ".0", ".9")) if time > 0 else ""
                rows.append([f"{time}{fraction}", name, ph, str(pid)])
                if name.startswith("INSTR"):
                    rows.append([str(time + 1), name, "BE"[ph == "B"], str(pid)])  # ignored
    rows.append(["5", "INSTR_EVENT_0", "E", "0"])
    rng.shuffle(rows)
    return trace, lines, rows


def made(rng):
    """A stream, its options, and what is to come out."""
    rules = {"latest": rng.random() < 0.5}
    to_begin = rng.random() < 0.3
    numbers = {name: rng.randrange(1, 2000) for name in "MKN"}
    numbers |= {"row": rng.randrange(4), "col": rng.randrange(1, 4)}
    numbers |= {"warmup": rng.randrange(3), "iterations": rng.randrange(5)}
    given = {}
    if rng.random() < 0.6:
        given = {"clock": rng.choice(("1", "0.8", "4/3")), "stall_factor": rng.choice(("2", "1.5", "0")),
                 "dup_gap": rng.choice(("0", "1/2", "0.1")), "outlier_lo": rng.choice(("0", "0.5")),
                 "outlier_hi": rng.choice(("1.2", "100", "0"))}
        given = {name: given[name] for name in given if rng.random() < 0.7}
    factors = {name: Fraction(given.get(name, value)) for name, value in FACTORS.items()}
    peak = rng.choice((None, 64, 3))
    options = [f"--{name}={value}" for name, value in numbers.items()]
    options += [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
    options += [f"--peak-macs={peak}"] * bool(peak) + ["--pair=latest"] * rules["latest"] + ["--end=begin"] * to_begin
    files = rng.choice((("",), ("",), ("a.json",), ("b.json", "a.json")))
    stream, traces = "", {}
    for file in files:
        trace, lines, rows = made_trace(rng, to_begin)
        traces[(file,) if file else ()] = trace
        if file or rng.random() < 0.5:
            stream += f"##source\t{file or 'x.json'}\n"
        head = "#ts\tname\tph\tpid" + "\tfile" * bool(file) + "\n"
        body = "".join("\t".join([*row, *[file] * bool(file)]) + "\n" for row in rows)
        names = "".join(lines)
        stream += names + head + body if rng.random() < 0.5 else head + body + names
    return stream, options, Expected(traces, numbers, factors, peak, rules | factors)


def run(stream, options):
    done = subprocess.run(["aiepair", *options], input=stream, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr, done.returncode


def rows_of(output):
    return [line.split("\t") for line in output.splitlines() if not line.startswith("#")]


def compare(stream, options, expected):
    faults = []
    for rows, more in (expected.tiles, []), (expected.common, ["--aggregate"]):
        out, err, status = run(stream, [*options, *more])
        rows = [[str(cell) for cell in row] for row in rows]
        if rows_of(out) != rows or status != (0 if rows else 3):
            faults.append(f"{more}: status {status}\n{out}{err}expected\n" + "\n".join("\t".join(r) for r in rows))
    out, err, _ = run(stream, [*options, "-j"])
    try:
        tiles = [tile for one in json.loads(out, parse_float=Fraction)["runs"] for tile in one["tiles"]]
    except json.JSONDecodeError:
        return [*faults, f"-j: no JSON:\n{out}{err}"]
    got = [
        (str(tile["pid"]), tile["tile_name"], tile.get("median_kernel_duration_cycles"),
         tile.get("lock_stall_boundary_count"), tile["detected_total_iterations"],
         tile["performance_window"], tile["mismatch_note"] is not None)
        for tile in tiles
    ]
    if got != expected.details:
        faults.append(f"-j: {got}\nexpected {expected.details}")
    return faults


def main():
    rng = random.Random(int(sys.argv[1]))
    wrong = rows = 0
    for _ in range(int(sys.argv[2])):
        stream, options, expected = made(rng)
        rows += len(expected.tiles)
        faults = compare(stream, options, expected)
        wrong += bool(faults)
        if faults and wrong < 4:
            print(f"{' '.join(options)}\n{stream}" + "\n".join(faults))
    print(f"{sys.argv[2]} streams, {wrong} wrong")
    sys.exit(wrong != 0 or rows == 0)


if __name__ == "__main__":
    main()
