#!/usr/bin/env python3
"""literal-reference.py SEED COUNT: what opmap reads of a Python literal is what Python reads of
it. Literals as repr() and people write them must be read; of those that were then spoiled,
only what Python reads, and the same.
"""
import ast
import random
import subprocess
import sys
import warnings
from decimal import Decimal

rng = random.Random(int(sys.argv[1]))
warnings.simplefilter("ignore")
CHARACTERS = "abAB'\"\\\n\t \a0[](), #{}é中😀\x00\x7f"


def spaces():
    return rng.choice(["", "", "", " ", "\t ", "\n", "\r\n", "\f"])


def made_string():
    text = "".join(rng.choice(CHARACTERS) for _ in range(rng.randrange(1, 6)))
    how = rng.randrange(4)
    if how == 0:
        return repr(text)
    if how == 1:
        return ascii(text)
    quote = rng.choice("'\"")
    code = {2: "\\U{:08x}".format, 3: "\\{:o}".format}[how]
    return quote + "".join(c if c.isalpha() else code(ord(c)) + "_" for c in text) + quote


def made_number():
    number = rng.choice(["7", "0", "00", "19.76", "5.", ".5", "007.5", "1e3", "2.5E-3", "1.e+2", repr(rng.random())])
    return rng.choice(["", "", "-", "+"]) + number


def made_literal():
    def sequence(items, one):
        comma = rng.choice(["", "", ","])
        text = f"{spaces()},{spaces()}".join(items)
        if rng.random() < 0.5:
            return f"[{spaces()}{text}{spaces()}{comma}{spaces()}]"
        return f"({spaces()}{text}{',' if one else comma}{spaces()})"

    pairs = [sequence([made_string(), made_number()], False) for _ in range(rng.randrange(1, 4))]
    return sequence(pairs, len(pairs) == 1) + spaces()


def spoiled(text):
    for _ in range(rng.randrange(1, 3)):
        at = rng.randrange(len(text) + 1)
        end = at + rng.choice([0, 1, 1, 4])
        text = text[:at] + rng.choice(["", *"[](),'\"\\0.e1-+aNxu_ \n"]) + text[end:]
    return text.strip("\r\n\f\t ")


def pairs_of(text):
    try:
        pairs = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    if not isinstance(pairs, (list, tuple)) or not pairs:
        return None
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            return None
        if not isinstance(pair[0], str) or not pair[0] or not isinstance(pair[1], (int, float)):
            return None
    return [("".join("\ufffd" if "\ud800" <= c < "\ue000" else c for c in name), float(time)) for name, time in pairs]


ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0"}


def escaped(text):
    return "".join(ESCAPES.get(c, c) for c in text)


def unescaped(field):
    for plain, code in reversed(ESCAPES.items()):
        field = field.replace(code, plain) if plain != "\\" else field
    return field


literals = [made_literal() for _ in range(int(sys.argv[2]))]
literals = [(text, True) for text in literals] + [(spoiled(text), False) for text in literals]
stream = "#ts\tdur\ttype\tname\tsub_kernel_durations\n"
stream += "".join(f"0\t77\tnone\t{i}\t{escaped(text)}\n" for i, (text, _) in enumerate(literals))
done = subprocess.run(
    ["opmap", "-H", "-y", "/dev/null"], input=stream.encode(), capture_output=True, check=False
)
got = [[] for _ in literals]
for line in done.stdout.decode().split("\n")[:-1]:
    _, time, kind, i, *_ = line.split("\t")
    # A backslash that the literal holds is two here: parted first, so that \\t is no tab.
    name = "\\".join(unescaped(part) for part in kind.split("\\\\"))
    got[int(i)].append((name, float(Decimal(time))))
read = wrong = 0
for (text, good), pairs in zip(literals, got):
    want = pairs_of(text)
    taken = pairs != [("none", 77.0)]
    read += taken and not good
    if (good and not taken) or (taken and pairs != want):
        wrong += 1
        if wrong < 4:
            print(f"{text!r}: {pairs if taken else None}, where Python reads {want}")
print(f"{len(literals)} literals, {wrong} wrong")
# Else the spoiled ones would say nothing.
sys.exit(wrong != 0 or not len(literals) // 50 < read < len(literals) // 3)
