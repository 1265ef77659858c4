"""joined.py COL[=COL2],... LEFT RIGHT - the rows of kjoin -H, by a dictionary."""
import re
import sys

ESCAPES = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\", b"0": b"\0", b"#": b"#"}


def decode(field):
    return re.sub(rb"\\([tnr\\0#])", lambda match: ESCAPES[match[1]], field)


def read(path, columns):
    """The rows of a stream: key, fields, fields without those of the key."""
    with open(path, "rb") as file:
        for line in file.read().split(b"\n")[:-1]:
            fields = line.split(b"\t")
            if line.startswith(b"##"):
                continue
            if line.startswith(b"#"):
                names = line[1:].decode().split("\t")
                at = [names.index(column) for column in columns]
                continue
            rest = [field for i, field in enumerate(fields) if i not in at]
            if rest and fields[0] is rest[0] and rest[0].startswith(b"\\#"):
                rest[0] = rest[0][1:]
            yield tuple(decode(fields[i]) for i in at), fields, rest


pairs = [(word.split("=") * 2)[:2] for word in sys.argv[1].split(",")]
partners = {}
for key, _, rest in read(sys.argv[3], [right for _, right in pairs]):
    partners.setdefault(key, []).append(rest)
for key, fields, _ in read(sys.argv[2], [left for left, _ in pairs]):
    for rest in partners.get(key, []) if all(key) else []:
        sys.stdout.buffer.write(b"\t".join(fields + rest) + b"\n")
