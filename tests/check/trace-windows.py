#!/usr/bin/env python3
"""trace-windows.py FOLDER EDGE|large...: lays the edges of trace2tsv's read buffers at every
byte of an event.

A text is shifted by white space so that each of its bytes in turn stands where a
buffer ends: at 64 KiB, what is read of a plain file before it is known to be plain;
at 512 KiB, which a gzip file fills at once; and 256 KiB later, where the thread that
inflates it has filled its first chunk. Then, of an edge at which an event is large enough
for that, the same with the event's own padding before the text, so that it is walked.
`large`: events of all sizes around the one at which they are walked. All files of a set
go to one run; each must give what the unshifted text gives. With a way to read forced, in variants of the
build, and in quick tests, every third byte: which, depends on KEV_SEED.
"""
import os
import subprocess
import sys
import zlib

PLAIN, WINDOW, WALKED = 65536, 524288, 262144
folder, parts = sys.argv[1], sys.argv[2:]
edges = [int(part) for part in parts if part != "large"]
failures = 0
LESS = ("KEV_SIMD", "KEV_JSON", "KEV_VARIANT", "KEV_TEST_QUICK")
STEP = 3 if any(os.environ.get(name) for name in LESS) else 1
FIRST = int(os.environ.get("KEV_SEED") or 0) % STEP

MEMBERS = (
    '"na\\u006de":"\\ud83d\\ude00 \\"]}\\\\", "ts" : "1.5e3","dur":2.50,"pid":-0,"x":{"y":["]",{}]},'
    '"args":{"kernel_type":"T\\n", "k": [ 1, {"]":"\\\\\\""} , null],"u":NaN,"k2":true},"tid":null'
)
BEFORE = '{"deviceProperties":[{"name":"A\\u0042\\"","warpSize":64}],"traceEvents":['
AFTER = ',{"ph":"X","name":"next","ts":2,"dur":1}],"distributedInfo":{"rank":3}}'


def rows(files):
    """The lines of each file, ## lines in front of and behind its rows included."""
    done = subprocess.run(["trace2tsv", "-a", "k,k2", *files], capture_output=True, check=False)
    if done.returncode or done.stderr:
        sys.exit(f"status {done.returncode}: {done.stderr[:300]!r}")
    texts = done.stdout.split(b"##source\t")[1:]
    # A file's name, the ##via of the run and its columns line are not the text's.
    return [
        b"\n".join(
            line
            for line in text.split(b"\n")[1:]
            if not line.startswith((b"##via", b"##end", b"#ts"))
        )
        for text in texts
    ]


def check(what, texts, prefix="", pack=True):
    """The files hold prefix and a text each; the one they are compared with holds `whole`."""
    global failures
    deflate = zlib.compressobj(1, wbits=31)
    packed = deflate.compress(prefix.encode())
    files = []
    for i, text in enumerate(["", *texts]):
        path = os.path.join(folder, f"{i}.json")
        with open(path, "wb") as out:
            if i == 0:
                out.write(whole.encode())
            elif pack:  # the prefix is packed once
                rest = deflate.copy()
                out.write(packed + rest.compress(text.encode()) + rest.flush())
            else:
                out.write((prefix + text).encode())
        files.append(path)
    got = rows(files)
    wrong = [i for i, text in enumerate(got) if text != got[0]]
    if len(texts) < 16 or len(got) != len(files) or got[0].count(b"\n") < 2:
        sys.exit(f"{what}: {len(got)} answers to {len(files)} files")
    failures += len(wrong)
    print(f"{what}: {len(wrong)} wrong")
    for i in wrong[:3]:
        print(f"  file {i}: {got[i]!r}, not {got[0]!r}")
    for path in files:
        os.remove(path)


event = '{"ph":"X",' + MEMBERS + "}"
whole = BEFORE + event + AFTER

# White space before the text, so that the edge falls before each of its bytes.
for edge in edges:
    shifts = [" " * (len(whole) - k) + whole for k in range(FIRST, len(whole) + 1, STEP)]
    check(f"edge at {edge}", shifts, " " * (edge - len(whole)), edge != PLAIN)

# A member that nobody wants fills the event up to the edge; the event is walked.
for edge in edges:
    if edge < WALKED:
        continue
    head = BEFORE + '{"ph":"X","pad":"'
    room = len(MEMBERS) + 2
    texts = ["x" * (room - k) + '",' + MEMBERS + "}" + AFTER for k in range(FIRST, room, STEP)]
    check(f"walked, edge at {edge}", texts, head + "x" * (edge - len(head) - room))

# Events around the size at which they are walked, at three places in the window.
for start in (0, WALKED - 100, WINDOW - 1000) if "large" in parts else ():
    texts = []
    for size in (*range(WALKED - 12, WALKED + 13), *range(WINDOW - 12, WINDOW + 13)):
        fixed = '{"ph":"X","pad":[],' + MEMBERS + "}"
        pad = "0," * ((size - len(fixed)) // 2) + "7" * ((size - len(fixed)) % 2 + 1)
        texts.append(fixed.replace("[]", "[" + pad[1:] + "]") + AFTER)
    check(f"large events from {start} on", texts[FIRST::STEP], " " * start + BEFORE)

sys.exit(failures != 0)
