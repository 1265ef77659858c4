#!/usr/bin/env python3
"""Compares figures of ours with those of TraceLens and HTA, on the traces of their tests.

    KEV_TRACELENS=FOLDER KEV_HTA=FOLDER peers.py BIN KNOWN [TEXT]

FOLDER is a checkout of github.com/AMD-AGI/TraceLens, or of facebookresearch/HolisticTraceAnalysis,
BIN the folder of our programs, KNOWN the table of known differences (tests/data/peers.tsv). With
TEXT only traces whose path contains it. Prints a row for each figure: peer, trace, figure, what the
peer says, what ours say, and

    equal         the same, up to the rounding of binary64 times at the peer
    ours right    different, as KNOWN says, with its reason
    ours wrong    any other difference; the status is 1 then
    not compared  ours do not give this figure, with the reason

Span, busy and idle of kbusy on a trace with one device are also held to sums in exact decimals over the
JSON of the trace, by rules written again here. A difference from these is `ours wrong', whatever a peer
says. A trace that a peer cannot read is counted as "not answered".

One difference needs no line in KNOWN, as the script computes it: TOUCHING.

A peer runs in a process of its own, as peers.py --ask PEER FILE... . It needs Python with pandas, and
HTA plotly, networkx, and psutil. A peer without its variable or without these is skipped, with a word.
"""
import collections
import fnmatch
import glob
import gzip
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
from decimal import Decimal

FOLDERS = {"TraceLens": "KEV_TRACELENS", "HTA": "KEV_HTA"}
NEEDS = {"TraceLens": "pandas,tqdm,numpy", "HTA": "pandas,plotly,networkx,psutil,ijson"}
TRACES = {"TraceLens": "tests/traces/**/*.json.gz", "HTA": "tests/data/**/*.json.gz"}
SECONDS = 300  # for a peer and a trace
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm")
LAUNCHES = ("cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx", "hipLaunchKernel",
            "cudaMemsetAsync", "cudaMemcpyAsync")
TOUCHING = "a launch in the moment in which the row before ended is in time for them; klaunch(1) says host"
ARGUMENTS = "Input Dims,Input type,Concrete Inputs"


# What the peers say: these run in a process of their own.


def ask_tracelens(path):
    from TraceLens import NcclAnalyser, TreePerfAnalyzer  # pylint: disable=import-error

    figures = {}
    perf = TreePerfAnalyzer.from_file(path)
    names = {"computation_time": "compute", "exposed_comm_time": "comm_exposed",
             "exposed_memcpy_time": "copy_exposed", "busy_time": "busy", "idle_time": "idle",
             "total_time": "span", "total_comm_time": "comm", "total_memcpy_time": "copy"}
    for _, line in perf.get_df_gpu_timeline().iterrows():
        figures["kbusy " + names[line["type"]]] = float(line["time ms"]) * 1000
    calls = [event for event in perf.tree.events
             if event.get("cat") == "cpu_op" and event.get("name") in PRODUCTS]
    table = perf.build_df_perf_metrics(calls) if calls else None
    for _, line in table.iterrows() if table is not None and len(table) else ():
        if not line["Kernel Time (µs)"] > 0:
            continue
        for name, value in (("count", 1), ("gflops", line["GFLOPS"]), ("us", line["Kernel Time (µs)"])):
            key = f"kroof {line['name']} {name}"
            figures[key] = figures.get(key, 0) + float(value)
    table = NcclAnalyser([path], 1).build_df_long()
    if table is not None and len(table):
        figures["kcoll count"] = len(table)
        figures["kcoll us"] = float(table["dur"].sum())
    return figures


def ask_hta(path):
    os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
    from hta.trace_analysis import TraceAnalysis  # pylint: disable=import-error

    analysis = TraceAnalysis(trace_files={0: path}, include_last_profiler_step=True)
    line = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    figures = {"kbusy idle": line["idle_time(us)"], "kbusy compute": line["compute_time(us)"],
               "kbusy span": line["kernel_time(us)"]}
    rows = analysis.get_cuda_kernel_launch_stats(visualize=False)[0]
    figures["klaunch count"] = len(rows)
    figures["klaunch delay"] = rows["launch_delay"].sum()
    figures["klaunch gpu"] = rows["gpu_duration"].sum()
    rows = analysis.get_idle_time_breakdown(visualize=False)[0]
    for _, line in rows.iterrows():
        key = "klaunch " + str(line["idle_category"])
        figures[key] = figures.get(key, 0) + line["idle_time"]
    return {name: float(value) for name, value in figures.items()}


def ask_hta_diff(old, new):
    os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
    from hta.common.trace import Trace  # pylint: disable=import-error
    from hta.trace_diff import DeviceType, LabeledTrace, TraceDiff  # pylint: disable=import-error

    sides = []
    for label, path in (("old", old), ("new", new)):
        trace = Trace(trace_files={0: path})
        sides.append(LabeledTrace(label=label, t=trace))
    every = [side.iterations() for side in sides]
    table = TraceDiff.compare_traces(*sides, control_iteration=every[0], test_iteration=every[1],
                                     device_type=DeviceType.GPU)
    figures = {}
    for name, line in table.iterrows():
        for label, number in (("old", "1"), ("new", "2")):
            key = f"kdiff {name[:60]} count{number}"
            figures[key] = figures.get(key, 0) + float(line[label + "_counts"])
    return figures


def ask(peer, paths):
    sys.path.insert(0, os.environ[FOLDERS[peer]])
    with open(os.dup(1), "w", encoding="utf-8") as answer:
        os.dup2(2, 1)
        call = ask_tracelens if peer == "TraceLens" else ask_hta if len(paths) == 1 else ask_hta_diff
        json.dump(call(*paths), answer)


# What ours say.


def table(text):
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("##")]
    names = [lines[0][0][1:], *lines[0][1:]] if lines else []
    return [dict(zip(names, line)) for line in lines[1:]]


class Ours:
    """Runs our programs on one trace, through a file of the stream."""

    def __init__(self, programs, folder):
        self.folder = folder
        self.path = ""
        self.touching = collections.Counter()
        self.missing = {}  # why there are no figures of a program
        self.environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", LC_ALL="C")

    def run(self, command, *arguments):
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + command, "-", *arguments],
                              cwd=self.folder, env=self.environment, capture_output=True, check=False)
        return table(done.stdout.decode("utf-8", "surrogateescape"))

    def kbusy(self, peer):
        options = "--linked --memset=compute" if peer == "TraceLens" else "--linked"
        rows = self.run(f"kbusy {options} T.kev")
        if len(rows) != 1:
            self.missing["kbusy"] = f"kbusy has {len(rows)} rows, and the peer one"
            return {}
        return {"kbusy " + name: Decimal(value) for name, value in rows[0].items()
                if name not in ("pid", "count", "first", "last") and value != ""}

    def linked(self):
        """Makes L.kev of T.kev, without rows of devices that have no launch, which HTA leaves out."""
        with open(f"{self.folder}/T.kev", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            lines = file.readlines()
        names, launched = {}, set()
        for keep in (False, True):
            with open(f"{self.folder}/L.kev", "w", encoding="utf-8", errors="surrogateescape",
                      newline="\n") as file:
                for line in lines:
                    fields = line.rstrip("\n").lstrip("#").split("\t")
                    if line.startswith("#") and not line.startswith("##"):
                        names = {name: at for at, name in enumerate(fields)}
                    elif not line.startswith("#"):
                        device = fields[names["cat"]] in DEVICE
                        number = fields[names["correlation"]] if "correlation" in names else ""
                        if not device and number:
                            launched.add(number)
                        if keep and device and number not in launched:
                            continue
                    file.write(line)

    def klaunch(self):
        figures = collections.Counter({"klaunch count": 0})
        self.linked()
        for row in self.run("klaunch --stream L.kev"):
            if row["launch"] in LAUNCHES:
                figures["klaunch count"] += 1
                figures["klaunch delay"] += Decimal(row["delay"] or 0)
                figures["klaunch gpu"] += Decimal(row["dur"])
            if not row["gap"]:
                continue
            gap = Decimal(row["gap"])
            short = "kernel_wait" if gap < 30 else "other"
            name = "klaunch " + ("host_wait" if row["cause"] in ("host", "sync") else short)
            figures[name] += gap
            # A launch that began in the moment in which the row before ended is in time for HTA.
            if name == "klaunch host_wait" and Decimal(row["launch_ts"]) == Decimal(row["ts"]) - gap:
                self.touching[name] -= gap
                self.touching["klaunch " + short] += gap
        return figures

    def kroof(self):
        figures = collections.Counter()
        for row in self.run(f"kroof --ops >ops; trace2tsv -g -a '{ARGUMENTS}' $1 | "
                            f"kcontext --copies -a '{ARGUMENTS}' --op=@ops | kroof", self.path):
            if row["cpu_op"] in PRODUCTS:
                name = "kroof " + row["cpu_op"]
                figures[name + " count"] += int(row["count"])
                figures[name + " us"] += Decimal(row["total"])
                figures[name + " gflops"] += Decimal(row["flops"] or 0) * int(row["count"]) / 10**9
        return figures

    def kcoll(self):
        figures = collections.Counter()
        for row in self.run("trace2tsv --collectives $1 | kcoll", self.path):
            figures["kcoll count"] += int(row["rows"])
            figures["kcoll us"] += Decimal(row["total"])
        return figures

    def figures(self, peer, path):
        self.path = path
        self.run('trace2tsv -g "$1" >T.kev', path)
        self.touching = collections.Counter()
        self.missing = {}
        figures = self.kbusy(peer)
        if peer == "HTA":
            figures.update(self.klaunch())
        else:
            figures.update(self.kroof())
            figures.update(self.kcoll())
        return figures

    def kdiff(self, old, new):
        for number, path in (("1", old), ("2", new)):
            self.run('trace2tsv -g "$1" | kcontext --copies | kselect -w "$2" | kclass >$3.kev', path,
                     'step != ""', number)
        figures = collections.Counter()
        for row in self.run("kdiff -K 1.kev 2.kev"):
            for name in ("count1", "count2"):
                figures[f"kdiff {row['kernel'][:60]} {name}"] += int(row[name])
        return figures


# The trace itself, in exact decimals.


def union(spans):
    total, end = Decimal(0), None
    for start, stop in sorted(spans):
        if end is None or start > end:
            total, end = total + (stop - start), stop
        elif stop > end:
            total, end = total + (stop - end), stop
    return total


def exact(path):
    """Figures of kbusy that need no classes, if the trace has one device, and its rows of devices."""
    with gzip.open(path, "rb") as file:
        trace = json.loads(file.read(), parse_float=Decimal, parse_int=Decimal)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    events = [event for event in events if event.get("ph") == "X" and "dur" in event]
    rows, launches = [], {}
    for event in events:
        number = (event.get("args") or {}).get("correlation")
        if event.get("cat") in DEVICE:
            rows.append((event, number))
        elif event.get("cat") in ("cuda_runtime", "cuda_driver") and number is not None:
            if number not in launches or Decimal(event["ts"]) < Decimal(launches[number]["ts"]):
                launches[number] = event
    linked = [event for event, number in rows if number in launches]
    if not linked or len({event["pid"] for event, _ in rows}) != 1:
        return {}, rows
    spans = [(Decimal(event["ts"]), Decimal(event["ts"]) + Decimal(event["dur"])) for event in linked]
    whole = max(stop for _, stop in spans) - min(start for start, _ in spans)
    busy = union(spans)
    return {"kbusy span": whole, "kbusy busy": busy, "kbusy idle": whole - busy}, rows


# The comparison.


class Verdicts:
    def __init__(self, known):
        with open(known, encoding="utf-8") as file:
            self.known = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        self.counts = collections.Counter()
        self.not_compared = collections.Counter()

    def say(self, word, *fields):
        self.counts[word] += 1
        print("\t".join([word, *map(str, fields)]), flush=True)

    def reason(self, peer, trace, figure, theirs, ours):
        for who, where, what, said, right, why in self.known:
            if (who == peer and fnmatch.fnmatchcase(trace, where) and fnmatch.fnmatchcase(figure, what)
                    and said in ("*", theirs) and right in ("*", ours)):
                return why
        return None

    def compare(self, peer, trace, theirs, ours, truth, slack, touching, missing):
        for figure in sorted(theirs):
            program = figure.split()[0]
            # What they have no rows for, these programs leave out.
            if program in ("kdiff", "klaunch") and program not in missing:
                ours.setdefault(figure, Decimal(0))
            said = f"{theirs[figure]:.3f}"
            if figure not in ours:
                why = missing.get(program, "ours do not give it")
                self.say("not compared", peer, trace, figure, said, "", why)
                self.not_compared[why] += 1
                continue
            right = f"{Decimal(ours[figure]):.3f}"
            bound = 0 if "count" in figure else max(slack, 1e-9 * abs(theirs[figure]))
            why = self.reason(peer, trace, figure, said, right)
            if figure in truth and truth[figure] != ours[figure]:
                self.say("ours wrong", peer, trace, figure, said, right, f"exact: {truth[figure]}")
            elif abs(theirs[figure] - float(ours[figure])) <= bound:
                self.say("equal", peer, trace, figure, said, right)
            elif (touching.get(figure) and
                  abs(theirs[figure] - float(ours[figure] + touching[figure])) <= bound):
                self.say("ours right", peer, trace, figure, said, right, TOUCHING)
            elif why:
                self.say("ours right", peer, trace, figure, said, right, why)
            else:
                self.say("ours wrong", peer, trace, figure, said, right)


def answer(peer, paths):
    """What a peer says, or None and its last words."""
    try:
        done = subprocess.run([sys.executable, __file__, "--ask", peer, *paths], capture_output=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None, f"more than {SECONDS} s"
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return None, words[-1][:100] if words else "no message"
    return json.loads(done.stdout), ""


def compare_peer(peer, folder, programs, verdicts, text):
    traces = sorted(glob.glob(str(folder / TRACES[peer]), recursive=True))
    with tempfile.TemporaryDirectory() as scratch:
        ours = Ours(programs, scratch)
        for path in traces:
            trace = str(pathlib.Path(path).relative_to(folder))
            if text not in trace:
                continue
            try:
                truth, rows = exact(path)
            except (OSError, EOFError, ValueError, KeyError, TypeError):
                continue  # no trace, or a pointer to a file that is not in the checkout
            if not rows:
                continue
            theirs, words = answer(peer, [path])
            if theirs is None:
                verdicts.say("not answered", peer, trace, words)
                continue
            # Each end of a row is rounded to a binary64 at the peer.
            # Such errors add up like a walk at random.
            whole = all(event["ts"] == int(event["ts"]) for event, _ in rows)
            last = max(float(event["ts"]) for event, _ in rows)
            slack = 0 if whole else 6 * math.sqrt(len(rows)) * math.ulp(last) + 1e-3
            figures = ours.figures(peer, path)
            verdicts.compare(peer, trace, theirs, figures, truth, slack, ours.touching, ours.missing)
        pair = [folder / "tests/data/trace_diff" / side for side in
                ("control/control.json.gz", "test/test.json.gz")]
        if peer == "HTA" and all(path.exists() for path in pair) and text in "trace_diff":
            pair = list(map(str, pair))
            theirs, words = answer(peer, pair)
            if theirs is None:
                verdicts.say("not answered", peer, "trace_diff", words)
            else:
                verdicts.compare(peer, "trace_diff", theirs, ours.kdiff(*pair), {}, 0, {}, {})


def main():
    if sys.argv[1:2] == ["--ask"]:
        ask(sys.argv[2], sys.argv[3:])
        return 0
    if len(sys.argv) not in (3, 4):
        print(__doc__.split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    verdicts = Verdicts(sys.argv[2])
    for peer, variable in FOLDERS.items():
        folder = os.environ.get(variable)
        missing = folder and subprocess.run([sys.executable, "-c", "import " + NEEDS[peer]],
                                            capture_output=True, check=False).returncode
        if not folder or missing:
            print(f"skipped {peer}: " + ("it needs Python with " + NEEDS[peer] if folder else
                                         f"{variable} does not name a checkout"))
            continue
        compare_peer(peer, pathlib.Path(folder).resolve(), os.path.abspath(sys.argv[1]), verdicts,
                     sys.argv[3] if len(sys.argv) == 4 else "")
    print(", ".join(f"{verdicts.counts[word]} {word}" for word in
                    ("equal", "ours right", "ours wrong", "not answered")))
    for why, number in sorted(verdicts.not_compared.items()):
        print(f"not compared: {number} ({why})")
    return 1 if verdicts.counts["ours wrong"] else 0


sys.exit(main())
