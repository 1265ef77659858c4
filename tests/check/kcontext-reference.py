#!/usr/bin/env python3
"""kcontext's columns, computed anew from a trace's JSON and held against its output.

    kcontext-reference.py [OPTION...] TRACE TABLE

TABLE is the output of `trace2tsv -g TRACE | kcontext --stacks OPTION...`. Each annotation,
launch and function is looked at for each kernel; times are the decimals of the text. Says
what differs, at most ten lines, and how much was compared.

Which kernels are attention is told here by name; that holds for the traces of the tests.
"""
import argparse
import collections
import fnmatch
import functools
import gzip
import itertools
import json
import re
from decimal import Decimal

Span = collections.namedtuple("Span", "start end thread order")
COLUMNS = ["step", "phase", "layer", "cpu_op", "step_name", "launch_ts", "launch_dur", "launch_tid",
           "op_id", "python_stack", "range", "range_stack", "module", "module_stack"]

ATTENTION = re.compile(r"attention|fmha|flash_fwd|^attn_fwd", re.I)
PART = re.compile(r"reduce|combine|reshape|metadata|_dot_do_o|convert_dq", re.I)


def read_events(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    trace = json.loads(data, parse_float=Decimal, parse_int=str)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    for event in events:
        if event.get("ph") == "X":
            event.setdefault("args", {})
    return events


def span_of(event, order):
    start = Decimal(event["ts"])
    return Span(start, start + Decimal(event["dur"]), (event["pid"], event["tid"]), order)


def shortest(spans, time, thread=None, best=min):
    """The number of the span that counts at a time, None if none is open; best=max: the longest."""
    found = [
        (span.end - span.start, -span.start, -span.order, number)
        for number, span in spans
        if span.start <= time < span.end and thread in (None, span.thread)
    ]
    return best(found)[3] if found else None


class Index:
    """Spans by pieces of time, so that a question looks at few of them."""

    def __init__(self, spans):
        self.pieces = collections.defaultdict(list)
        self.low = min((span.start for _, span in spans), default=Decimal(0))
        high = max((span.end for _, span in spans), default=Decimal(0))
        self.width = (high - self.low) / 1000 or Decimal(1)
        for number, span in spans:
            for piece in range(self.piece(span.start), self.piece(span.end) + 1):
                self.pieces[piece].append((number, span))

    def piece(self, time):
        return int((time - self.low) // self.width)

    def at(self, time, thread=None, best=min):
        return shortest(self.pieces[self.piece(time)], time, thread, best)


# --- steps


def count(pattern, name):
    match = re.search(pattern, name)
    return int(match[1]) if match else None


def form_of(name):
    """(context, generation, tokens of context), None where it is no step's; tokens None: unknown."""
    match = re.match(r"execute_(?:\d+_)?context_(\d+)\((?:sq)?(\d+)[^)]*\)", name)
    if match:
        rest = name[match.end() :]
        generation = re.match(r"_generation_(\d+)\((?:sq)?\d+[^)]*\)", rest)
        if rest.startswith("_generation_") and not generation:
            return None
        requests, tokens = int(match[1]), int(match[2])
        return bool(requests or tokens), bool(generation and int(generation[1])), tokens
    match = re.match(r"execute_new_(\d+)_cached_(\d+)", name)
    if match:
        return int(match[1]) > 0, int(match[2]) > 0, None
    match = re.match(r"step\[ *([^ \]]+)([^\]]*)\]", name)
    if match:
        mode, rest = match[1].upper(), match[2]
        context = mode in ("EXTEND", "PREFILL", "SPLIT_PREFILL", "DLLM_EXTEND", "MIXED")
        generation = mode in ("MIXED", "DECODE", "VERIFY", "TARGET_VERIFY") or mode.startswith("DRAFT_EXTEND")
        of_context, of_generation = count(r" c=(\d+)", rest), count(r" g=(\d+)", rest)
        context = context if of_context is None else of_context > 0
        generation = generation if of_generation is None else of_generation > 0
        tokens = count(r" c_sq=(\d+)", rest)
        return context, generation, count(r" toks=(\d+)", rest) if tokens is None else tokens
    return (False, False, None) if re.match(r"ProfilerStep#\d+", name) else None


def worth(form):
    context, generation, tokens = form
    return 2 if tokens is not None or (generation and not context) else int(context)


def phase_of(form, prefill_tokens, mixed):
    context, generation, tokens = form
    if context and generation and mixed:
        return "mixed"
    if context and not generation and (tokens is None or tokens >= prefill_tokens):
        return "prefill"
    return "decode" if context or generation else ""


class Steps:
    def __init__(self, events):
        self.spans, self.device, self.forms, self.names, identity = [], [], [], [], []
        for order, event in enumerate(events):
            form = form_of(event["name"])
            if form is None or Decimal(event["dur"]) <= 0:
                continue
            self.spans.append(span_of(event, order))
            self.device.append(event["cat"] == "gpu_user_annotation")
            self.forms.append(form)
            self.names.append(event["name"])
            identity.append((event["args"].get("External id") or "", event["name"]))
        self.group, self.copies = list(range(len(self.spans))), set()
        self.join_copies(identity)
        self.join_nested()
        self.number()
        of = lambda device: [(n, s) for n, s in enumerate(self.spans) if self.device[n] == device]
        self.on_host, self.on_device = of(False), of(True)

    def join(self, a, b):
        old, new = self.group[b], self.group[a]
        self.group = [new if group == old else group for group in self.group]

    def holds(self, a, b):
        x, y = self.spans[a], self.spans[b]
        if a == b or x.thread != y.thread or self.device[a] != self.device[b]:
            return False
        if (x.start, x.end) == (y.start, y.end):
            return x.order < y.order
        return x.start <= y.start and y.end <= x.end

    def join_nested(self):
        """What holds one annotation alone, but for those that this one holds, is of its step."""
        own = [n for n in range(len(self.spans)) if n not in self.copies]
        last = lambda n: (self.spans[n].start, -self.spans[n].end, self.spans[n].order)
        holder = {b: max((a for a in own if self.holds(a, b)), key=last, default=None) for b in own}
        for a, held in collections.Counter(holder.values()).items():
            if a is not None and held == 1:
                self.join(a, next(b for b in own if holder[b] == a))

    def join_copies(self, identity):
        """A copy is of the host's that began last before it, else of the first. Where none has
        its id, it is of the last of its name before it that has no copy of its own id, with
        those that overlap it."""
        key = lambda b: (self.spans[b].start, -self.spans[b].end, self.spans[b].order)
        strangers, copied = [], set()
        for a, span in enumerate(self.spans):
            alike = [b for b in range(len(self.spans)) if identity[b] == identity[a]]
            host = [b for b in alike if not self.device[b]]
            if not self.device[a]:
                continue
            if host:
                before = [b for b in host if self.spans[b].start <= span.start]
                of = max(before, key=key) if before else min(host, key=key)
                self.join(of, a)
                self.copies.add(a)
                copied.add(of)
                continue
            strangers.append(a)
            for b in alike:
                if self.spans[b].start < span.end and span.start < self.spans[b].end:
                    self.join(a, b)
        together = collections.defaultdict(list)
        for a in strangers:
            together[self.group[a]].append(a)
        for members in together.values():
            first = min(members, key=key)
            free = [b for b, other in enumerate(identity)
                    if other[1] == identity[first][1] and not self.device[b] and b not in copied
                    and self.spans[b].start <= self.spans[first].start]
            if free:
                self.join(max(free, key=key), first)
                self.copies.update(members)

    def number(self):
        members = collections.defaultdict(list)
        for number, group in enumerate(self.group):
            members[group].append(number)
        starts = {}
        self.form, self.name, self.annotated_on_device = {}, {}, {}
        for group, numbers in members.items():
            host = [n for n in numbers if not self.device[n]] or numbers
            starts[group] = min((self.spans[n].start, min(numbers)) for n in host)
            inner = lambda n: (worth(self.forms[n]), self.spans[n].start, -self.spans[n].end, n)
            self.form[group] = self.forms[max(host, key=inner)]
            self.name[group] = self.names[max(host, key=inner)]
            self.annotated_on_device[group] = any(self.device[n] for n in numbers)
        self.index = {group: i for i, group in enumerate(sorted(starts, key=starts.get))}
        self.total = len(self.index)

    def at(self, spans, time, thread=None):
        number = shortest(spans, time, thread)
        return None if number is None else self.group[number]

    def near(self, time, thread):
        """On the thread, or else the only one on any thread of its process."""
        step = self.at(self.on_host, time, thread)
        if step is not None:
            return step
        threads = {span.thread for _, span in self.on_host if span.thread[0] == thread[0]}
        found = {self.at(self.on_host, time, other) for other in threads} - {None}
        return found.pop() if len(found) == 1 else None


# --- stacks


class Stacks:
    def __init__(self, events):
        self.events = events
        self.spans = [(i, span_of(e, i)) for i, e in enumerate(events)]
        self.index = Index(self.spans)
        # The earliest function with an id counts; those without a span come last.
        self.ids = {}
        for i in sorted(range(len(events)), key=self.rank):
            self.ids.setdefault(events[i]["args"].get("Python id"), i)

    def rank(self, number):
        event, parent = self.events[number], self.events[number]["args"].get("Python parent id")
        timed = Decimal(event["dur"]) > 0
        caller = (0, 0, "") if parent is None else (1, int(parent), "") if parent.isdigit() else (2, 0, parent)
        return not timed, Decimal(event["ts"]) if timed else 0, event["name"].encode(), caller

    @functools.lru_cache(maxsize=None)
    def at(self, time, thread):
        found = self.index.at(time, thread)
        return self.index.at(time) if found is None else found

    def chain(self, number, most=51):
        chain = []
        while number is not None and number not in chain and len(chain) < most:
            chain.append(number)
            parent = self.events[number]["args"].get("Python parent id")
            number = None if parent is None else self.ids.get(parent)
        return chain

    def fold(self, number):
        chain = self.chain(number)
        names = (re.sub(" at 0x[0-9a-fA-F]+", "", self.events[n]["name"]) for n in reversed(chain))
        return ";".join(name.replace(";", ":") for name in names)


# --- ranges


class Ranges:
    def __init__(self, annotations):
        self.spans = [(span_of(e, 0), e["name"].replace(";", ":")) for e in annotations
                      if e["cat"] == "user_annotation" and Decimal(e["dur"]) > 0]

    def at(self, time, thread):
        """The open ranges of the thread, or else of the only other one of its process."""
        found = collections.defaultdict(list)
        for span, name in self.spans:
            if span.thread[0] == thread[0] and span.start <= time < span.end:
                found[span.thread].append((span.start, span.start - span.end, name.encode(), name))
        if thread not in found and len(found) == 1:
            (thread,) = found
        return [name for *_, name in sorted(found.get(thread, []))]


# --- kernels


def words(name):
    name = name.lower()
    return bool(re.search("attention|fmha", name)), bool(re.search("cijk_|nvjet|wvsplitk|gemm", name))


def graph_layers(kernels, launches, owners):
    """The layer of each correlation and device. Each process numbers its own."""
    by_device = any(len(found) > 1 for found in launches.values())
    groups = collections.defaultdict(list)
    for event in kernels:
        correlation = event["args"].get("correlation")
        if event["cat"] == "kernel" and correlation not in (None, "", "0"):
            groups[correlation, event["pid"] if by_device else None].append(event)
    process = {}
    for key, found in groups.items():
        if len(found) >= 70 and all(any(column) for column in zip(*(words(event["name"]) for event in found))):
            call = launch_of(found[0], launches, owners)[2]
            process[key] = call and call["pid"]
    known = set(process.values()) - {None}
    of_device = collections.defaultdict(set)
    for key, pid in process.items():
        of_device[groups[key][0]["pid"]] |= {pid} - {None}
    layers = collections.defaultdict(list)
    for key, pid in process.items():
        if pid is None:
            some = known if len(known) == 1 else of_device[groups[key][0]["pid"]]
            pid = next(iter(some)) if len(some) == 1 else str(len(some) > 1)
        layers[pid].append(key)
    numbered = {key: sorted({int(key[0]) for key in keys}).index(int(key[0])) for keys in layers.values() for key in keys}
    return lambda event: numbered.get((event["args"].get("correlation"), event["pid"] if by_device else None), "")


def module_layers(stacks, steps, name):
    """Of each function, the layer that it is in. Callers that go round end where its first row began."""
    is_one = re.compile(r"nn\.Module: .*" + re.escape(name) + r"(_\d+)?$", re.S)
    outer = {}
    for number in range(len(stacks.events)):
        chain = stacks.chain(number, len(stacks.events))
        known = next((i for i, n in enumerate(chain) if n in outer), len(chain))
        found = outer[chain[known]] if known < len(chain) else None
        for n in reversed(chain[:known]):
            found = n if found is None and is_one.match(stacks.events[n]["name"]) else found
            outer[n] = found
    outer = {number: found for number, found in outer.items() if found is not None}
    groups = collections.defaultdict(list)
    for number in set(outer.values()):
        span = stacks.spans[number][1]
        groups[steps.near(span.start, span.thread), span.thread].append((span.start, number))
    layer = {number: i for group in groups.values() for i, (_, number) in enumerate(sorted(group))}
    return {number: layer.get(found, "") for number, found in outer.items()}


def device_owners(kernels, launches):
    """The process of each device, by its rows with a correlation of one process; None if several."""
    owners = {}
    for event in kernels:
        found = launches.get(event["args"].get("correlation"), {})
        if len(found) == 1:
            (pid,) = found
            owners[event["pid"]] = pid if owners.get(event["pid"], pid) == pid else None
    return owners


def launch_of(event, launches, owners):
    found = launches.get(event["args"].get("correlation"), {})
    pid = next(iter(found)) if len(found) == 1 else owners.get(event["pid"])
    return found.get(pid, (None, False, None))


def expected(events, options):
    of = collections.defaultdict(list)
    for event in events:
        if event.get("ph") == "X":
            of[event.get("cat")].append(event)
    annotations = [e for e in events if e.get("ph") == "X" and str(e.get("cat")).endswith("user_annotation")]
    steps, stacks, ranges = Steps(annotations), Stacks(of["python_function"]), Ranges(annotations)
    launches = {}
    for event in events:
        correlation = event.get("args", {}).get("correlation")
        if event.get("ph") == "X" and event.get("cat") in ("cuda_runtime", "cuda_driver") and correlation not in (None, "", "0"):
            graph = "GraphLaunch" in event["name"]
            launches.setdefault(correlation, {}).setdefault(event["pid"], []).append((span_of(event, 0), graph, event))
    for found in launches.values():
        for pid, calls in found.items():
            found[pid] = min(calls, key=lambda l: (l[0].start, -Decimal(l[2]["dur"]), str(l[2]["tid"])))
    earliest = {}
    for number, event in enumerate(of["cpu_op"]):
        if event["args"].get("External id"):
            key = (Decimal(event["ts"]), event["name"], event["args"].get("Input Dims") or "", number)
            shared = event["args"]["External id"]
            earliest[shared] = min(key, earliest.get(shared, key))
    ids = {shared: key[-1] for shared, key in earliest.items()}
    operators = Index([(number, span_of(event, number)) for number, event in enumerate(of["cpu_op"])])
    is_outer = lambda e: e["args"].get("Input Dims") and any(
        fnmatch.fnmatchcase(e["name"], glob) for glob in options.ops)
    outer = Index([(number, span_of(event, number)) for number, event in enumerate(of["cpu_op"])
                   if is_outer(event)])
    modules = module_layers(stacks, steps, options.layer[7:]) if options.layer[:7] == "module=" else None
    wanted = ["kernel", "gpu_memcpy", "gpu_memset"] if options.copies else ["kernel"]
    kernels = [e for e in events if e.get("ph") == "X" and e.get("cat") in wanted]
    owners = device_owners(kernels, launches)
    graphs = graph_layers(kernels, launches, owners)

    rows, starts = [], collections.defaultdict(list)
    module = "nn.Module: "
    for event in kernels:
        args, time, frame, graph = event["args"], Decimal(event["ts"]), None, False
        launch, graph, call = launch_of(event, launches, owners)
        number = ids.get(args.get("External id"))
        if options.at == "kernel":
            step = steps.at(steps.on_host, time)
            frame = stacks.at(time, None)
        elif launch:
            step = steps.near(launch.start, launch.thread)
            frame = stacks.at(launch.start, launch.thread)
            number = None if graph else outer.at(launch.start, launch.thread, max)
            if number is None and not graph:
                number = operators.at(launch.start, launch.thread)
        else:
            step = steps.at(steps.on_device, time, (event["pid"], event["tid"]))
            if step is None:
                own = [(n, span) for n, span in steps.on_device if span.thread[0] == event["pid"]]
                step = steps.at(own, time)
            if step is None:
                step = steps.at(steps.on_device, time)
            if step is None and not launches:
                step = steps.at(steps.on_host, time)
                if step is not None and steps.annotated_on_device[step]:
                    step = None
        operator = {"name": "", "args": {}} if number is None else of["cpu_op"][number]
        cpu_op = operator["name"]
        if options.at == "kernel" and not cpu_op and frame is not None:
            cpu_op = stacks.events[frame]["name"]
        form = (False, False, None) if step is None else steps.form[step]
        phase = phase_of(form, options.prefill_tokens, options.mixed)
        place = step, event["pid"]
        own, shape = args.get(options.arg), operator["args"].get(options.arg)
        attention = ATTENTION.search(event["name"]) and not PART.search(event["name"])
        if event["cat"] == "kernel" and step is not None and attention:
            starts[place].append(time)
        around = ranges.at(launch.start, launch.thread) if launch else []
        calls = [stacks.events[n]["name"] for n in stacks.chain(frame, len(stacks.events))] if launch else []
        calls = [name[len(module):].replace(";", ":") for name in calls[::-1] if name.startswith(module)]
        rows.append(
            {
                "range": around[-1] if around else "",
                "range_stack": ";".join(around),
                "module": calls[-1] if calls else "",
                "module_stack": ";".join(calls),
                "name": event["name"],
                "ts": time,
                "place": place,
                "frame": frame,
                "step": "" if step is None else str(steps.index[step]),
                "phase": "decode" if options.at == "kernel" and not phase else phase,
                "layer": str(graphs(event)),
                "cpu_op": cpu_op,
                "step_name": "" if step is None else steps.name[step],
                "launch_ts": "" if launch is None else Decimal(call["ts"]),
                "launch_dur": "" if launch is None else Decimal(call["dur"]),
                "launch_tid": "" if launch is None else str(call["tid"]),
                "op_id": "" if number is None else str(number + 1),
                options.arg: plain(json.dumps(shape if own is None else own)) if own or shape else "",
                "python_stack": "" if frame is None else stacks.fold(frame),
            }
        )
    for row in rows if modules is not None else []:
        row["layer"] = str(modules.get(row["frame"], ""))
    if options.layer == "attention":
        for row in rows:
            before = sum(start <= row["ts"] for start in starts[row["place"]])
            row["layer"] = str(before - 1) if before else ""
    return rows, steps.total


# --- the table


def unescape(field):
    byte = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\", "0": "\0", "#": "#"}
    return re.sub(r"\\([tnr\\0#])", lambda match: byte[match[1]], field)


def plain(text):
    return re.sub(r'[\s"]', "", text)


def read_table(path):
    names = None
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for line in file:
            fields = line[:-1].split("\t")
            if line.startswith("##"):
                continue
            if line.startswith("#"):
                names = [unescape(name) for name in [fields[0][1:]] + fields[1:]]
                continue
            yield dict(zip(names, map(unescape, fields), strict=True))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-l", dest="layer", default="graph")
    parser.add_argument("--at", default="launch")
    parser.add_argument("--copies", action="store_true")
    parser.add_argument("--mixed", action="store_true")
    parser.add_argument("--stacks", action="store_true")
    parser.add_argument("--prefill-tokens", type=int)
    parser.add_argument("-a", dest="arg", default="-")
    parser.add_argument("--op", default="@/dev/null")
    parser.add_argument("trace")
    parser.add_argument("table")
    options = parser.parse_args()
    with open(options.op[1:], encoding="utf-8") as file:
        options.ops = file.read().split("\n")[:-1]
    if options.prefill_tokens is None:
        options.prefill_tokens = 1024 if options.at == "kernel" else 0

    want, steps = expected(read_events(options.trace), options)
    wrong, last = 0, {}
    for number, (row, table) in enumerate(itertools.zip_longest(want, read_table(options.table))):
        if row is None or table is None:
            print(f"row {number}: there are {len(want)} kernels")
            wrong += 1
            break
        last = table
        same = row["name"] == table["name"] and row["ts"] == Decimal(table["ts"])
        for column in COLUMNS + [options.arg] if same else ["name"]:
            if column not in table or table[column] == row[column]:
                continue
            if column == options.arg and plain(table[column]) == row[column]:
                continue
            if column in ("launch_ts", "launch_dur") and table[column] and row[column] != "":
                wrong += Decimal(table[column]) != row[column]
            else:
                wrong += 1
                if wrong <= 10:
                    print(f"row {number}: {column}: {table[column]!r} instead of {row[column]!r}")
    layers = len({row["layer"] for row in want} - {""})
    in_step = sum(row["step"] != "" for row in want)
    stacked = sum(row["python_stack"] != "" for row in want)
    operators = sum(row["cpu_op"] != "" for row in want)
    added = "".join(f", {sum(row[column] != '' for row in want)} with a {column}"
                    for column in ("range", "module") if column in last)
    print(
        f"{len(want)} rows, {in_step} in {steps} steps, {layers} layers, {operators} with an operator, "
        f"{stacked} with a stack" + added + f"; {wrong} wrong"
    )


main()
