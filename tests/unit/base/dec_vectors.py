#!/usr/bin/env python3
"""Writes dec_vectors.h: what common/base/dec must give, by Python's decimal module.

	python3 tests/unit/base/dec_vectors.py >tests/unit/base/dec_vectors.h
"""
import random
import re
from decimal import ROUND_HALF_EVEN, Context, Decimal, setcontext

NANO = Decimal(1).scaleb(-9)
EXACT = Context(prec=400, rounding=ROUND_HALF_EVEN, Emax=10**6, Emin=-(10**6))
setcontext(EXACT)
LIMIT = Decimal(2**127 - 1) * NANO  # what fits 128 bits

random.seed(20240524)


def plain(x):
    """No exponent, no trailing zeros, no -0."""
    text = format(x, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def to_places(x, places):
    return x.quantize(Decimal(1).scaleb(-places))


def fixed(x, places, commas=False):
    x = to_places(x, places)
    if x == 0:
        x = abs(x)
    return format(x, (",." if commas else ".") + str(places) + "f")


def digits(low, high):
    n = random.randint(low, high)
    return "".join(random.choice("0123456789") for _ in range(n))


def number(whole, fraction):
    """No leading zeros: how many digits a number has is then beyond doubt."""
    text = digits(1, whole).lstrip("0") or "0"
    if random.random() < 0.8:
        text += "." + digits(1, fraction)
    return random.choice(["", "", "-"]) + text


def quotient(a, b, shift):
    ratio = (a / b).scaleb(shift)  # 400 digits: no tie of 12 digits hides behind them
    return plain(Context(prec=12, rounding=ROUND_HALF_EVEN).plus(ratio))


def row(*cells):
    shown = []
    for cell in cells:
        if cell is None:
            shown.append("NULL")
        elif isinstance(cell, str) and not cell.startswith("DEC_"):
            shown.append('"%s"' % cell)
        else:
            shown.append(str(cell))
    print("\t{%s}," % ", ".join(shown))


def table(declaration, rows):
    print("\nstatic const struct %s[] = {" % declaration)
    seen = set()
    for cells in rows:
        if cells not in seen:
            seen.add(cells)
            row(*cells)
    print("};")


def parse_rows():
    texts = [number(30, 9) for _ in range(40)] + [number(20, 19) for _ in range(40)]
    for _ in range(60):
        texts.append(number(12, 8) + random.choice("eE") + random.choice(["", "+", "-"]) + str(random.randint(0, 20)))
    for tail in ("5", "50", "500001", "4999999", "6"):
        for last in "0129":
            texts.append("7.12345678" + last + tail)
            texts.append("-0.99999999" + last + tail)
    edge = plain(LIMIT)
    texts += [edge, "-" + edge]
    for tail in ("4", "49999", "5", "51", "6", "0"):
        texts += [edge + tail, "-" + edge + tail]
    up = plain(LIMIT + NANO)
    texts += [up, "-" + up, "170141183460469231731687303716", "999999999999999999999999999999"]
    texts += ["1e29", "1.7e29", "1.8e29", "1e39", "-1e39", "17014118346046923173168730371588410.5727e-5"]
    for text in texts:
        x = Decimal(text)
        if len(re.sub(r"[^0-9]", "", format(x, "f"))) > 40:
            yield text, "DEC_NOT_A_NUMBER", None, None
            continue
        copy = format(x, "f") if re.search("[eE]", text) else text
        rounded = to_places(x, 9)
        if abs(rounded) > LIMIT:
            yield text, "DEC_OVERFLOW", None, copy
        else:
            yield text, "DEC_OK" if rounded == x else "DEC_ROUNDED", plain(rounded), copy


def sum_rows():
    edge = plain(LIMIT)
    pairs = [(number(29, 9), number(29, 9)) for _ in range(40)]
    pairs += [(number(10, 9), number(3, 9)) for _ in range(20)]
    pairs += [(edge, t) for t in ("0", "0.000000001", "-0.000000001", edge, "-" + edge)]
    pairs += [("-" + edge, t) for t in ("0.000000001", "-0.000000001", "0.000000002", edge)]
    for a, b in pairs:
        x, y = Decimal(a), Decimal(b)
        total, rest = x + y, x - y
        lowest = -LIMIT - NANO
        yield (a, b, plain(total) if lowest <= total <= LIMIT else None,
               plain(rest) if lowest <= rest <= LIMIT else None, (x > y) - (x < y))


def fixed_rows():
    texts = [number(20, 9) for _ in range(40)]
    texts += ["0", "999.5", "0.5", "1.5", "2.5", "-0.5", "-0.4", "-1.5", "99.995", "99.985", "0.05",
              "0.15", "0.25", "0.000000001", "999999.9999", "1000", "-1000", "100", "-100", "123456789",
              plain(LIMIT), "-" + plain(LIMIT)]
    for text in texts:
        for places in random.sample(range(10), 3):
            x = Decimal(text)
            yield text, places, fixed(x, places), fixed(x, places, True)


def quotient_rows():
    pairs = [(number(28, 9), number(28, 9)) for _ in range(60)]
    pairs += [(number(6, 9), number(6, 9)) for _ in range(60)]
    pairs += [(str(random.randint(-999, 999)), str(random.randint(1, 99))) for _ in range(60)]
    small, large = "0.000000001", plain(LIMIT)
    pairs += [(small, large), (large, small), ("-" + small, large), (large, "-" + small), (large, large),
              (large, "-" + large), ("0", large), ("0", "-1"), (small, small), ("1", "3"), ("2", "3"),
              ("-2", "3"), ("1", "-3"), ("1", "7"), ("22", "7")]
    # Ties at the twelfth digit, to even and to odd, and what breaks a tie far behind it.
    pairs += [("100000.0000005", "10"), ("100000.0000015", "10"), ("100000000000.5", "1"),
              ("100000000001.5", "1"), ("100000000000.500000001", "1"), ("999999999999.5", "1"),
              ("999999999998.5", "1"), ("99999999999.95", "1"), ("999999999999.499999999", "1"),
              ("100000000000.5", "0.000000001"), ("100000000001.5", "1000000000000"),
              ("10000000000050000000000000000", "1"), ("10000000000150000000000000000", "1"),
              ("10000000000050000000000000000.000000001", "1")]
    for a, b in pairs:
        x, y = to_places(Decimal(a), 9), to_places(Decimal(b), 9)
        if y == 0 or abs(x) > LIMIT or abs(y) > LIMIT:
            continue
        shift = random.choice([0, 0, 2, 2, 3, -3])
        places = random.choice([0, 1, 2, 3, 6, 9])
        ratio = (x / y).scaleb(shift)
        yield plain(x), plain(y), shift, quotient(x, y, shift), places, fixed(ratio, places)


print("""/* Made by dec_vectors.py with Python's decimal module; not to be edited. */
/* clang-format off */
#ifndef DEC_VECTORS_H
#define DEC_VECTORS_H

#include "base/dec.h"

#define LIMIT_TEXT "%s"

/* print: NULL where there is no value; copy: NULL where it is no number. */
struct parse_vector {
	const char *text;
	enum dec_result result;
	const char *print;
	const char *copy;
};

/* sum, difference: NULL where they are too large. */
struct sum_vector {
	const char *a;
	const char *b;
	const char *sum;
	const char *difference;
	int order;
};

struct fixed_vector {
	const char *x;
	int places;
	const char *plain;
	const char *commas;
};

struct quotient_vector {
	const char *a;
	const char *b;
	int shift;
	const char *quotient;
	int places;
	const char *fixed;
};""" % plain(LIMIT))
table("parse_vector parse_vectors", parse_rows())
table("sum_vector sum_vectors", sum_rows())
table("fixed_vector fixed_vectors", fixed_rows())
table("quotient_vector quotient_vectors", quotient_rows())
print("\n#endif")
