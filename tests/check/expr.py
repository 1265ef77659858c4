#!/usr/bin/env python3
"""Compares expressions of kselect with Python's fractions and re.

usage: expr.py ROWS SEED

Makes random rows and random expressions, computes each of them by itself, and prints the number of
values that were compared, or the first that differ. The rules are those of kselect(1): sums are
exact, a product is rounded at the ninth decimal, a quotient to nine decimals or 12 significant
digits, half to even, a remainder has the sign of its first part; a missing number is empty.
"""
import math
import random
import re
import subprocess
import sys
from fractions import Fraction

NANO = Fraction(1, 10**9)
CLASSES = {"[[:digit:]]": "[0-9]", "[[:alpha:]_]": "[A-Za-z_]", "[^[:space:]]": r"[^\t\n\v\f\r ]"}


def nearest(x):
    """The whole number nearest to x, half to even."""
    low = math.floor(x)
    return low + (x - low > Fraction(1, 2) or (x - low == Fraction(1, 2) and low % 2))


def quotient(a, b):
    if not b:
        return None
    places = 9
    value = abs(a / b)
    while value and places < 60 and value * 10**places < 10**11:
        places += 1
    return Fraction(nearest(a / b * 10**places), 10**places)


def product(a, b):
    return nearest(a * b / NANO) * NANO


def remainder(a, b):
    return None if not b else (abs(a) % abs(b)) * (-1 if a < 0 else 1)


class TooLarge(Exception):
    """A result that 128 bits do not hold, or only without some of its places."""


def places_of(x):
    places = 9
    while (x * 10**places).denominator > 1:
        places += 1
    return places


def fitting(operation):
    """The operation of two numbers, empty if one is missing."""
    def operate(a, b):
        if a is None or b is None:
            return None
        result = operation(a, b)
        parts = [x for x in (a, b, result) if x is not None]
        if max(map(abs, parts)) * 10 ** max(map(places_of, parts)) >= 2**127:
            raise TooLarge
        return result
    return operate


BINARY = {"+": fitting(lambda a, b: a + b), "-": fitting(lambda a, b: a - b), "*": fitting(product),
          "/": fitting(quotient), "%": fitting(remainder)}
COMPARE = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
           "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


def text_of(x):
    """The number as kselect prints it."""
    if x is None:
        return ""
    digits = f"{nearest(abs(x) * 10**60):061d}"
    text = (digits[:-60] + "." + digits[-60:]).rstrip("0").rstrip(".")
    return ("-" if x < 0 else "") + text


class Maker:
    """Random expressions, as text and as a function of a row."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def literal(self):
        pick = self.random.randrange
        text = self.random.choice([str(pick(20)), f"{pick(2000)}.{pick(1000):03d}", f"0.{pick(10**9):09d}",
                                   str(pick(10**15)), f"{pick(100)}e{pick(4)}", "0"])
        return text, Fraction(text)

    def number(self, depth):
        kind = self.random.randrange(9 if depth else 3)
        if kind == 0:
            text, value = self.literal()
            return text, lambda row: value
        if kind < 3:
            column = self.random.choice(["a", "b", "{c d}"])
            return column, lambda row: row[column.strip("{}")]
        if kind < 7:
            op = self.random.choice(list(BINARY))
            (x, of_x), (y, of_y) = self.number(depth - 1), self.number(depth - 1)
            return f"({x}) {op} ({y})", lambda row: BINARY[op](of_x(row), of_y(row))
        if kind == 7:
            (x, of_x), (y, of_y) = self.number(depth - 1), self.number(depth - 1)
            name = self.random.choice(["min", "max"])
            choose = fitting(min if name == "min" else max)
            return f"{name}({x}, {y})", lambda row: choose(of_x(row), of_y(row))
        name, change = self.random.choice([("abs", abs), ("floor", lambda v: Fraction(math.floor(v))),
                                           ("-", lambda v: -v)])
        x, of_x = self.number(depth - 1)
        return f"{name}({x})", lambda row: None if of_x(row) is None else change(of_x(row))

    def condition(self, depth):
        kind = self.random.randrange(6 if depth else 2)
        if kind < 2:
            op = self.random.choice(list(COMPARE))
            # One side is certainly a number: two columns could be compared by bytes.
            (x, of_x), (y, of_y) = self.number(2), self.number(1)
            return f"{x} + 0 {op} {y}", lambda row: (
                of_x(row) is not None and of_y(row) is not None and COMPARE[op](of_x(row), of_y(row)))
        if kind < 4:
            (x, of_x), (y, of_y) = self.condition(depth - 1), self.condition(depth - 1)
            if self.random.random() < 0.5:
                return f"({x}) && ({y})", lambda row: of_x(row) and of_y(row)
            return f"({x}) || ({y})", lambda row: of_x(row) or of_y(row)
        if kind == 4:
            x, of_x = self.condition(depth - 1)
            return f"!({x})", lambda row: not of_x(row)
        pattern, regex = self.pattern(2)
        return f'text ~ "{pattern}"', lambda row: re.search(regex, row["text"], re.S) is not None

    def pattern(self, depth):
        """A pattern and the same for Python. Its $ is also before a last newline, \\Z is not."""
        kind = self.random.randrange(9 if depth else 3)
        if kind == 0:
            return (self.random.choice("ab_<"),) * 2
        if kind == 1:
            return self.random.choice([(".", "."), (r"\\.", r"\."), ("^", "^"), ("$", r"\Z"), ("[ab]", "[ab]"),
                                       ("[^a]", "[^a]")])
        if kind == 2:
            return self.random.choice(list(CLASSES.items()))
        (x, of_x), (y, of_y) = self.pattern(depth - 1), self.pattern(depth - 1)
        if kind < 5:
            return x + y, of_x + of_y
        if kind == 5:
            return f"({x}|{y})", f"({of_x}|{of_y})"
        low = self.random.randrange(3)
        repeat = self.random.choice(["*", "+", "?", f"{{{low}}}", f"{{{low},}}", f"{{{low},{low + 2}}}"])
        return f"({x}){repeat}", f"({of_x}){repeat}"


def rows(maker, count):
    pick = maker.random.randrange
    for _ in range(count):
        yield {"a": maker.literal()[1] if pick(8) else None, "b": maker.literal()[1] if pick(8) else Fraction(0),
               "c d": -maker.literal()[1], "text": "".join(maker.random.choice("ab_<1 .") for _ in range(pick(12)))}


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    maker = Maker(seed)
    table = list(rows(maker, count))
    lines = ["#a\tb\tc d\ttext"]
    lines += ["\t".join([text_of(row["a"]), text_of(row["b"]), text_of(row["c d"]), row["text"]]) for row in table]
    expressions = []
    while len(expressions) < 300:
        text, value = maker.number(4) if len(expressions) % 2 else maker.condition(3)
        try:
            expressions.append((text, [value(row) for row in table]))
        except TooLarge:
            pass
    args = [arg for i, (text, _) in enumerate(expressions) for arg in ("-a", f"v{i}={text}")]
    done = subprocess.run(["kselect", "-H", *args], input="\n".join(lines) + "\n", capture_output=True, text=True,
                          check=False)
    got = [line.split("\t")[4:] for line in done.stdout.splitlines()]
    if done.returncode or len(got) != len(table):
        print("kselect:", done.returncode, done.stderr)
        return
    differ = 0
    for i, (text, values) in enumerate(expressions):
        for fields, row, value in zip(got, table, values):
            want = str(int(value)) if isinstance(value, bool) else text_of(value)
            if fields[i] != want and (differ := differ + 1) <= 5:
                print(f"{text} of {row}: {fields[i]}, but should be {want}")
    print(f"{len(expressions) * len(table)} values, {differ} differ")


main()
