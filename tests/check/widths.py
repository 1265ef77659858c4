#!/usr/bin/env python3
"""Compares the tables of common/answer/width.c with Unicode: widths.py WIDTH.C

Without an argument it prints the tables anew. Characters that are not assigned get the width of those
around them. If Python knows another version of Unicode than the tables, only their order is checked.
"""
import re
import sys
import unicodedata

VERSION = "14.0.0"  # version of the tables, that of Python 3.11
FIRST = 0x300


def width_of(code):
    """None if the character is not assigned."""
    category = unicodedata.category(chr(code))
    # The vowels and final consonants of Hangul join the consonant before them.
    if 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF or category in ("Mn", "Me", "Cf"):
        return 0
    if 0x20000 <= code <= 0x3FFFD:
        return 2
    if category == "Cn":
        return None
    return 2 if unicodedata.east_asian_width(chr(code)) in "WF" else 1


def ranges(width):
    found = []
    last = None
    for code in range(FIRST, 0x110000):
        now = width_of(code)
        if now == width and last == width:
            found[-1][1] = code
        elif now == width:
            found.append([code, code])
        last = last if now is None else now
    return found


def main():
    if len(sys.argv) == 1:
        for width in 2, 0:
            print(f"width {width}:", ", ".join(f"{{{a:#x}, {b:#x}}}" for a, b in ranges(width)))
        return
    text = open(sys.argv[1], encoding="utf-8").read()
    for name, width in ("wide", 2), ("none", 0):
        body = re.search(r"struct block " + name + r"\[\] = \{(.*?)\};", text, re.S)[1]
        table = [[int(a, 16), int(b, 16)] for a, b in re.findall(r"\{(0x\w+), (0x\w+)\}", body)]
        if unicodedata.unidata_version == VERSION:
            good = table == ranges(width)
        else:
            flat = [code for block in table for code in block]
            good = flat == sorted(flat)
        print(f"characters of width {width}:", "as in Unicode" if good else "differ from Unicode")


main()
