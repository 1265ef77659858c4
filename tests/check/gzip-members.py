#!/usr/bin/env python3
"""gzip-members.py FOLDER: gzip members of all kinds, their headers cut by the reads at every byte.

The first member ends shortly before 64 KiB, as much as is read at once, so that the
header of the second, with a name, a comment, extra fields or a checksum of its own, is
cut there; then a file of thousands of small members, as bgzip writes them.
"""
import os
import struct
import subprocess
import sys
import zlib

READ = 65536
NAME, EXTRA, COMMENT, CHECKSUM = 8, 4, 16, 2
folder = sys.argv[1]


def header(flags, extra=b"", name=b"", comment=b""):
    text = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\x03"
    if flags & EXTRA:
        text += struct.pack("<H", len(extra)) + extra
    if flags & NAME:
        text += name + b"\0"
    if flags & COMMENT:
        text += comment + b"\0"
    if flags & CHECKSUM:
        text += struct.pack("<H", zlib.crc32(text) & 0xFFFF)
    return text


def member(head, data, level=6):
    deflate = zlib.compressobj(level, wbits=-15)
    packed = deflate.compress(data) + deflate.flush()
    return head + packed + struct.pack("<II", zlib.crc32(data), len(data))


def rows(data):
    path = os.path.join(folder, "a.json.gz")
    with open(path, "wb") as out:
        out.write(data)
    done = subprocess.run(["trace2tsv", "-H", path], capture_output=True, check=False)
    return done.stdout.count(b"\n") if done.returncode == 0 and not done.stderr else -1


BEGIN = b'[{"ph":"X","name":"a","ts":1},'
END = b'{"ph":"X","name":"' + b"b" * 200 + b'","ts":2}]'
EXTRAS = b"BC\2\0\xff\xff"
for flags in (0, NAME, EXTRA, EXTRA | NAME, COMMENT, CHECKSUM, NAME | EXTRA | COMMENT | CHECKSUM):
    head = header(flags, EXTRAS * 5, b"name.json", b"a comment")
    wrong = 0
    for cut in range(len(head) + 12):
        begin = member(header(NAME, name=b""), BEGIN)
        begin = member(header(NAME, name=b"n" * (READ - cut - len(begin))), BEGIN)
        for level in 0, 6:
            wrong += rows(begin + member(head, END, level)) != 2
    print(f"flags {flags}: {2 * (len(head) + 12)} files, {wrong} wrong")

text = b"[" + b",".join(b'{"ph":"X","name":"%x","ts":%d}' % (i * 2654435761, i) for i in range(60000)) + b"]"
blocks = [text[i : i + 300] for i in range(0, len(text), 300)]
small = b"".join(member(header(EXTRA, EXTRAS), block) for block in blocks)
print(f"{len(blocks)} members: {rows(small)} rows")
