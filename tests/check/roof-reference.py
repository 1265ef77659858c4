#!/usr/bin/env python3
"""The table of kroof, computed anew from the rules and a stream.

    roof-reference.py RULES [PEAKS [DEVICE]] <STREAM

STREAM is what `trace2tsv -g -a ... | kcontext -a ... --op=@OPS` writes, or the stream of a CSV.
RULES and PEAKS are what `kroof --dump` and `kroof --dump=peaks` print. The expressions have a parser
of their own here, and numbers are fractions, rounded once at the end. Rows are in the order of their
total, the largest first, then of their columns. Rows without an operator are left out, and the class
is empty if no rule applies.

The last lines are `## without an operator`, `## without a rule` and `## all`, each with its time.
"""
import bisect
import collections
import decimal
import fnmatch
import json
import re
import sys
from fractions import Fraction

TORCH = ("Input Dims", "Input type", "Concrete Inputs")
ASCEND = ("Input Shapes", "Input Data Types", "Input Formats",
          "Output Shapes", "Output Data Types", "Output Formats")
ARGUMENTS = TORCH[:2] + ("Input Strides",) + TORCH[2:] + ASCEND
FIGURES = ("M", "N", "K", "B", "flops", "bytes")


class Missing(Exception):
    """The rule does not apply."""


# --- rules ---------------------------------------------------------------------

TOKEN = re.compile(r"""\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_][A-Za-z_0-9.]*)|("(?:[^"\\]|\\.)*")|
                       (&&|\|\||[<>=!]=|[-+*/%()<>!,~]))""", re.X)


def tokens(text):
    at = 0
    text = text.strip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError("no token: " + text[at:])
        at = match.end()
        yield match.lastindex, match.group(match.lastindex)


class Parser:
    """Makes nested tuples of an expression."""

    LEVELS = [["||"], ["&&"]]

    def __init__(self, text):
        self.rest = collections.deque(tokens(text))
        self.tree = self.either()
        if self.rest:
            raise ValueError("left over in " + text)

    def ahead(self):
        return self.rest[0][1] if self.rest else None

    def take(self, *words):
        if self.ahead() in words and self.rest[0][0] != 3:
            return self.rest.popleft()[1]
        return None

    def chain(self, below, *words):
        left = below()
        while True:
            word = self.take(*words)
            if not word:
                return left
            left = (word, left, below())

    def either(self):
        return self.chain(self.both, "||")

    def both(self):
        return self.chain(self.negation, "&&")

    def negation(self):
        return ("!", self.negation()) if self.take("!") else self.comparison()

    def comparison(self):
        left = self.sum()
        word = self.take("==", "!=", "<", "<=", ">", ">=")
        if word:
            return (word, left, self.sum())
        if self.take("~"):
            return ("~", left, self.rest.popleft()[1][1:-1])
        if self.take("in"):
            self.take("(")
            items = [self.sum()]
            while self.take(","):
                items.append(self.sum())
            self.take(")")
            return ("in", left, items)
        return left

    def sum(self):
        return self.chain(self.product, "+", "-")

    def product(self):
        return self.chain(self.unary, "*", "/", "%")

    def unary(self):
        return ("minus", self.unary()) if self.take("-") else self.primary()

    def primary(self):
        kind, word = self.rest.popleft()
        if kind == 1:
            return ("number", Fraction(word))
        if kind == 3:
            return ("text", word[1:-1].replace("\\\\", "\\"))
        if word == "(":
            tree = self.either()
            self.take(")")
            return tree
        if not self.take("("):
            return ("name", word)
        arguments = []
        if not self.take(")"):
            arguments.append(self.either())
            while self.take(","):
                arguments.append(self.either())
            self.take(")")
        return ("call", word, arguments)


class Rule:
    def __init__(self, line):
        fields = line.split("\t")
        self.globs = [re.compile("(?:%s)" % ".*".join(map(re.escape, g.split("*"))), re.S)
                      for g in fields[0].split()]
        self.name = fields[1]
        self.steps = []

    def add(self, line):
        for part in split_outside(line, ";"):
            part = part.strip()
            if part.startswith("when "):
                self.steps.append((None, Parser(part[5:]).tree))
            elif part:
                name, text = part.split("=", 1)
                self.steps.append((name.strip(), Parser(text).tree))

    def names(self, op):
        return any(glob.fullmatch(op) for glob in self.globs)


def read_rules(path):
    rules, sizes, costs = [], {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file.read().replace(" \\\n", " ").split("\n"):
            if not line.strip() or line.startswith("#"):
                continue
            if line[0] in " \t":
                rules[-1].add(line)
            elif line.startswith("size ") and "\t" in line:
                head, names = line.split("\t", 1)
                _, size, short = head.split()
                for name in names.split(","):
                    sizes[name.strip()] = (Fraction(size), short)
            elif line.startswith("cost ") and "\t" in line:
                head, names = line.split("\t", 1)
                costs.update((name.strip(), Fraction(head[5:])) for name in names.split(","))
            else:
                rules.append(Rule(line))
    return rules, sizes, costs


# --- arguments -----------------------------------------------------------------

def split_outside(text, separator):
    """At separators outside of brackets and quotes."""
    parts, depth, quote, part = [], 0, None, ""
    for c in text:
        if quote:
            quote = None if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "[(":
            depth += 1
        elif c in "])":
            depth -= 1
        elif c == separator and depth == 0:
            parts.append(part)
            part = ""
            continue
        part += c
    return parts + [part]


def items_of(text):
    """The items of a list like [1, 2]; None if it is not one."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    return [x.strip() for x in split_outside(text[1:-1], ",")] if text[1:-1].strip() else []


def shape_of(text, form):
    """A shape of Ascend, blocks undone."""
    dims = [int(x) for x in text.strip("() ").split(",") if x.strip()]
    if form == "FRACTAL_NZ" and len(dims) >= 4:
        a, b, c, d = dims[-4:]
        dims = dims[:-4] + [b * c, a * d]
    elif form == "NC1HWC0" and len(dims) == 5:
        n, c1, h, w, c0 = dims
        dims = [n, c1 * c0, h, w]
    return dims


class Side:
    """Inputs or outputs: shapes (a list of ints, of lists for a list of tensors) and types."""

    def __init__(self, shapes=(), types=(), formats=()):
        self.shapes, self.types, self.formats = list(shapes), list(types), list(formats)

    @staticmethod
    def ascend(shapes, types, formats):
        if shapes in ("", "N/A"):
            return Side()
        formats = [f.split(":")[0] for f in formats.strip('"').split(";")]
        texts = shapes.strip('"').split(";")
        forms = formats + [""] * (len(texts) - len(formats))
        return Side([shape_of(t, f) for t, f in zip(texts, forms)], types.strip('"').split(";"), formats)

    def at(self, i):
        if i < 0:
            i += len(self.shapes)
        if not 0 <= i < len(self.shapes) or self.shapes[i] is None:
            raise Missing
        return self.shapes[i]

    def is_list(self, i):
        return any(isinstance(x, list) for x in self.at(i))

    def single(self, i):
        if self.is_list(i):
            raise Missing
        return self.at(i)

    def type(self, i):
        return self.types[i] if i < len(self.types) else ""

    def unrecorded(self, i):
        return self.at(i) == [] and self.type(i) == "TensorList"

    def elements(self, i):
        if self.is_list(i):
            return sum(product(x) for x in self.at(i))
        return None if self.unrecorded(i) else product(self.at(i))


def product(items):
    out = Fraction(1)
    for item in items:
        out *= item
    return out


class Arguments:
    def __init__(self, row):
        self.pytorch = bool(row.get("Input Dims"))
        if self.pytorch:
            self.inputs = Side(json.loads(row["Input Dims"]), json.loads(row.get("Input type") or "[]"))
            self.outputs = Side()
        else:
            self.inputs = Side.ascend(*(row.get(name, "") for name in ASCEND[:3]))
            self.outputs = Side.ascend(*(row.get(name, "") for name in ASCEND[3:]))
        self.values = json.loads(row.get("Concrete Inputs") or "[]")

    def value(self, i):
        if not 0 <= i < len(self.values):
            raise Missing
        value = self.values[i]
        return value if isinstance(value, str) else json.dumps(value)


# --- evaluation ----------------------------------------------------------------

def spread(operation, *values):
    """Of numbers, or of vectors element by element."""
    if None in values:
        return None
    lengths = {len(v) for v in values if isinstance(v, list)}
    if not lengths:
        return operation(*values)
    if len(lengths) > 1:
        return None
    count = lengths.pop()
    items = [v if isinstance(v, list) else [v] * count for v in values]
    out = [operation(*each) for each in zip(*items)]
    return None if None in out else out


def divide(a, b):
    return a / b if b else None


def rest_of(a, b):
    return a - b * int(a / b) if b else None


ARITHMETIC = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
              "/": divide, "%": rest_of}
COMPARE = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
           "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
TRUTH = {"True": True, "true": True, "1": True, "False": False, "false": False, "0": False}


class Call:
    """One rule on the arguments of one call."""

    def __init__(self, sizes, costs, op, arguments, row):
        self.sizes, self.costs, self.arguments, self.row = sizes, costs, arguments, row
        self.names = {"cpu_op": op}

    def value(self, tree):
        kind = tree[0]
        if kind in ("number", "text"):
            return tree[1]
        if kind == "name":
            return self.names[tree[1]]
        if kind == "call":
            return self.call(tree[1], tree[2])
        if kind == "!":
            return not self.value(tree[1])
        if kind == "minus":
            return spread(lambda a: -a, self.value(tree[1]))
        if kind == "&&":
            return self.value(tree[1]) and self.value(tree[2])
        if kind == "||":
            return self.value(tree[1]) or self.value(tree[2])
        if kind == "~":
            return bool(re.search(tree[2], self.value(tree[1])))
        if kind == "in":
            return self.value(tree[1]) in [self.value(x) for x in tree[2]]
        left, right = self.value(tree[1]), self.value(tree[2])
        if kind in COMPARE:
            return left is not None and right is not None and COMPARE[kind](left, right)
        return spread(ARITHMETIC[kind], left, right)

    def call(self, name, trees):
        if name == "if":
            return self.value(trees[1] if self.value(trees[0]) else trees[2])
        if name == "sub":
            return re.sub(trees[1][1], trees[2][1], self.value(trees[0]))
        values = [self.value(tree) for tree in trees]
        if name in ("floor", "abs", "min", "max"):
            operation = {"floor": lambda a: Fraction(a.numerator // a.denominator), "abs": abs,
                         "min": min, "max": max}[name]
            return spread(operation, *values)
        side = self.arguments.inputs
        if name.startswith("o") and name != "out":
            side, name = self.arguments.outputs, name[1:]
        if values and None in values:
            raise Missing
        values = [int(v) if isinstance(v, Fraction) else v for v in values]
        return getattr(self, "do_" + name)(side, *values)

    @staticmethod
    def part(dims, start=0, end=None):
        end = len(dims) if end is None else end
        start, end = (x + len(dims) if x < 0 else x for x in (start, end))
        if not 0 <= start <= end <= len(dims):
            raise Missing
        return [Fraction(x) for x in dims[start:end]]

    def do_dim(self, side, i, j):
        dims = side.single(i)
        if not -len(dims) <= j < len(dims):
            raise Missing
        return Fraction(dims[j])

    def do_dims(self, side, i, *bounds):
        return self.part(side.single(i), *bounds)

    def do_rank(self, side, i):
        return Fraction(len(side.single(i)))

    def do_prod(self, side, *values):
        if not values:
            all_of = [side.elements(i) for i in range(len(side.shapes))]
            return None if None in all_of else sum(all_of, Fraction(0))
        if isinstance(values[0], list):
            return product(values[0])
        return product(self.part(side.single(values[0]), *values[1:])) if values[1:] else side.elements(values[0])

    def do_size(self, side, i):
        if side.is_list(i) or side.type(i) not in self.sizes:
            return None
        return self.sizes[side.type(i)][0]

    def do_bytes(self, side, *places):
        out = Fraction(0)
        for i in places or range(len(side.shapes)):
            if not side.is_list(i) and side.at(i) == [] and not side.unrecorded(i):
                if side is self.arguments.inputs and self.arguments.pytorch and out is not None:
                    out += -(-(self.do_size(side, i) or 0) // 1)
                continue
            size, elements = self.do_size(side, i), side.elements(i)
            if size is None or elements is None:
                out = None
            elif out is not None:
                out += -(-size * elements // 1)
        return out

    def do_type(self, side, i):
        side.at(i)
        return side.type(i)

    def do_given(self, side, i):
        return 0 <= i < len(side.shapes) and bool(side.shapes[i])

    def do_format(self, side, i):
        if not (0 <= i < len(side.formats) and side.formats[i]):
            raise Missing
        return side.formats[i]

    def do_out(self, side, *places):
        shape = []
        for i in places:
            dims = i if isinstance(i, list) else [Fraction(x) for x in side.single(i)]
            count = max(len(shape), len(dims))
            a, b = ([Fraction(1)] * (count - len(x)) + x for x in (shape, dims))
            if any(x != y and 1 not in (x, y) for x, y in zip(a, b)):
                raise Missing
            shape = [y if x == 1 else x for x, y in zip(a, b)]
        return shape

    def do_elements(self, side):
        sized = [side.elements(i) for i in range(len(side.shapes))
                 if side.at(i) is not None and self.do_size(side, i) is not None]
        out = None
        for i in reversed(range(len(side.types))):
            if side.types[i] != "Scalar":
                continue
            text = self.arguments.value(i).strip() if i < len(self.arguments.values) else ""
            if not re.fullmatch("[1-9][0-9]*", text) or int(text) * (out or 1) > max(sized, default=0):
                break
            out = Fraction(int(text)) * (out or 1)
        if out is None:
            raise Missing
        return out

    def do_column(self, _, name):
        if not self.row.get(name):
            raise Missing
        return self.row[name]

    @staticmethod
    def do_number(_, text):
        try:
            return Fraction(text)
        except ValueError:
            raise Missing from None

    def do_cost(self, _, text):
        """The first of all splits, the longest first names before others."""
        def split(start):
            for end in reversed(range(start + 1, len(text) + 1)):
                if text[start:end] in self.costs and text[end:end + 1] in ("", "_"):
                    if end == len(text):
                        return self.costs[text[start:end]]
                    rest = split(end + 1)
                    if rest is not None:
                        return self.costs[text[start:end]] + rest
            return None
        out = split(0)
        if out is None:
            raise Missing
        return out

    def do_flag(self, _, i, j=None):
        text = self.arguments.value(i)
        items = items_of(text)
        if j is not None and items is not None:
            if not 0 <= j < len(items):
                raise Missing
            text = items[j]
        if text.strip() not in TRUTH:
            raise Missing
        return TRUTH[text.strip()]

    def do_nums(self, _, i, *instead):
        if instead and (i >= len(self.arguments.values) or self.arguments.value(i).strip() == ""):
            return Fraction(instead[0])
        text = self.arguments.value(i)
        items = items_of(text)
        try:
            if items is None:
                return Fraction(text.strip())
            if items:
                return [Fraction(x) for x in items]
        except ValueError:
            pass
        raise Missing

    @staticmethod
    def do_band(_, rows, width, first, last):
        spans = (min(width - 1, i + last) - max(0, i + first) + 1 for i in range(rows))
        return Fraction(sum(span for span in spans if span > 0))

    def do_kept(self, side, i, c):
        dims = side.single(i)
        text = self.arguments.value(c).strip()
        items = items_of(text) if text else []
        if items is None:
            items = [text]
        try:
            gone = {int(x) for x in items}
        except ValueError:
            raise Missing from None
        if any(not -len(dims) <= x < len(dims) for x in gone):
            raise Missing
        gone = {x % len(dims) for x in gone}
        return [Fraction(d) for i, d in enumerate(dims) if items and i not in gone]


def columns_in(tree):
    """The columns that an expression uses."""
    if isinstance(tree, tuple) and tree[:2] == ("call", "column"):
        return [tree[2][0][1]]
    return [x for part in tree if isinstance(part, (tuple, list)) for x in columns_in(part)]


def columns_of(rules, op=None):
    """The columns that the rules for an operator use, or all rules, in their order."""
    return list(dict.fromkeys(x for rule in rules if op is None or rule.names(op)
                              for _, tree in rule.steps for x in columns_in(tree)))


def answer(rules, sizes, costs, op, row):
    """The class and figures of the first rule that applies; None if none does."""
    arguments = Arguments(row)
    for rule in rules:
        if not rule.names(op):
            continue
        call = Call(sizes, costs, op, arguments, row)
        try:
            for name, tree in rule.steps:
                value = call.value(tree)
                if name is None and not value:
                    raise Missing
                if name is not None:
                    call.names[name] = value
        except Missing:
            continue
        figures = {name: call.names.get(name) for name in FIGURES}
        for name, value in figures.items():
            if value is not None and (value < 0 or value.denominator != 1):
                raise ValueError("%s of %s is %s" % (name, op, value))
        figures["dtype"] = call.names.get("dtype") or ""
        figures["class"] = "" if rule.name == "-" else rule.name
        figures["basis"] = call.names.get("basis", "exact")
        return figures
    return None


# --- the stream ----------------------------------------------------------------

def unescape(text):
    return re.sub(r"\\([tnr\\0#])", lambda m: {"t": "\t", "n": "\n", "r": "\r", "0": "\0"}.get(m[1], m[1]), text)


def nano(text):
    return Fraction(decimal.Decimal(text))


def union(spans):
    """The time in which at least one is open."""
    total, end = Fraction(0), None
    for start, stop in sorted(spans):
        if end is None or start > end:
            total += stop - start
            end = stop
        elif stop > end:
            total += stop - end
            end = stop
    return total


def significant(value):
    """12 digits, half to even."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    with decimal.localcontext() as context:
        context.prec = 12
        context.rounding = decimal.ROUND_HALF_EVEN
        text = format(decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def exact(value):
    text = format(decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def read_peaks(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def peak(peaks, device, kind):
    for glob, name, value, _ in peaks:
        if name == kind and fnmatch.fnmatchcase(device.lower(), glob.lower()):
            return Fraction(value)
    return None


def main():
    rules, sizes, costs = read_rules(sys.argv[1])
    peaks = read_peaks(sys.argv[2]) if len(sys.argv) > 2 else []
    device = sys.argv[3] if len(sys.argv) > 3 else None
    columns, order, calls, used = [], [], {}, {}
    without, all_time = Fraction(0), Fraction(0)
    for number, line in enumerate(sys.stdin.buffer.read().decode("utf-8", "surrogateescape").split("\n")):
        if line.startswith("##device\t") and device is None:
            device = line.split("\t")[1]
        if line.startswith("##") or not line:
            continue
        if line.startswith("#"):
            columns = [unescape(x) for x in line[1:].split("\t")]
            order = [x for x in ARGUMENTS if x in columns]
            continue
        row = dict(zip(columns, map(unescape, line.split("\t"))))
        if not row["ts"] or not row["dur"]:
            continue
        start, dur = nano(row["ts"]), nano(row["dur"])
        all_time += dur
        op = row["cpu_op"] if "cpu_op" in columns else row["type"] or row["name"]
        if not op:
            without += dur
            continue
        key = row.get("op_id") or "row %d" % number
        key = (row.get("file", ""), key)
        if op not in used:
            used[op] = columns_of(rules, op)
        values = tuple(sorted((x, row.get(x, "")) for x in used[op]))
        call = calls.setdefault(key, [op, tuple(row.get(x, "") for x in order), [], (start, values)])
        call[2].append((start, start + dur))
        call[3] = min(call[3], (start, values))
    table = collections.OrderedDict()
    for op, arguments, spans, (_, values) in calls.values():
        entry = table.setdefault((op, arguments, values), [0, Fraction(0), 0])
        entry[0] += 1
        entry[1] += union(spans)
        entry[2] += len(spans)
    shown = [x for x in columns_of(rules) if x in columns and any(x in values for values in used.values())]
    print("#" + "\t".join(["cpu_op", "op", "M", "N", "K", "B", "dtype", "peak_share", "bound", "count", "total",
                           "mean", "flops", "bytes", "tflops", "gbs", "intensity", "kernels", "basis"] + order + shown))
    unruled = Fraction(0)
    lines = []
    for (op, arguments, values), (count, total, kernels) in table.items():
        values = dict(values)
        figures = answer(rules, sizes, costs, op, dict(zip(order, arguments), **values))
        if figures is None:
            unruled += total
            figures = {}
        flops, moved = figures.get("flops"), figures.get("bytes")
        matrix = bool(figures.get("dtype"))
        bound, share = "", None
        if figures and device is not None:
            kind = "matrix " + sizes.get(figures["dtype"], (0, "-"))[1] if matrix else "vector"
            top, wide = peak(peaks, device, kind), peak(peaks, device, "memory")
            if None not in (wide, flops, moved) and (top or flops == 0) and total and (flops or moved):
                compute, memory = flops and flops / (top * 10**6), moved / (wide * 10**3)
                bound = "compute" if compute >= memory else "memory"
                share = 100 * max(compute, memory) * count / total
        cells = [op, figures.get("class", "")]
        cells += ["" if figures.get(x) is None else str(figures[x]) for x in FIGURES[:4]]
        cells += [figures.get("dtype", ""), significant(share), bound, str(count), exact(total), significant(total / count)]
        cells += ["" if x is None else str(x) for x in (flops, moved)]
        cells += [significant(flops * count / total / 10**6 if flops is not None and total else None),
                  significant(moved * count / total / 10**3 if moved is not None and total else None),
                  significant(flops / moved if flops is not None and moved else None),
                  significant(Fraction(kernels, count)), "" if flops is None and moved is None else figures["basis"]]
        more = list(arguments) + [values.get(x, "") for x in shown]
        lines.append((-total, [op] + more, cells + more))
    for _, _, cells in sorted(lines):
        print("\t".join(x.replace("\\", "\\\\") for x in cells))
    print("## without an operator\t%s" % exact(without))
    print("## without a rule\t%s" % exact(unruled))
    print("## all\t%s" % exact(all_time))


if __name__ == "__main__":
    decimal.getcontext().prec = 60
    main()
