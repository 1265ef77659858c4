#!/usr/bin/env python3
"""xplane-reference.py [-A] FILE: the rows of xplane2tsv -H for an XSpace, computed anew.

It reads all fields of all messages into lists by their numbers, and times as fractions. A row of XLA
Ops looks at every other one of its line. It expects an undamaged file. On standard error: the events,
the rows, the aggregates and the events left out.
"""

import sys
from decimal import Decimal
from fractions import Fraction

ESCAPES = {9: b"\\t", 10: b"\\n", 13: b"\\r", 92: b"\\\\", 0: b"\\0"}


def number_at(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value % 2**64, at


def fields(data):
    """{(number, wire type): [values in order]}, and the order of all."""
    found, at, turn = {}, 0, 0
    while at < len(data):
        key, at = number_at(data, at)
        wire = key & 7
        if wire == 0:
            value, at = number_at(data, at)
        else:
            size = {1: 8, 5: 4}.get(wire)
            if size is None:
                size, at = number_at(data, at)
            value, at = data[at : at + size], at + size
        found.setdefault((key >> 3, wire), []).append((turn, value))
        turn += 1
    return found


def last(found, number, wire, default):
    return found[number, wire][-1][1] if (number, wire) in found else default


def every(found, number):
    return [value for _, value in found.get((number, 2), [])]


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def entries(plane, number):
    """A map: the last entry of a key counts."""
    out = {}
    for entry in every(plane, number):
        entry = fields(entry)
        out[signed(last(entry, 1, 0, 0))] = fields(last(entry, 2, 2, b""))
    return out


def micro(ps):
    value = abs(Fraction(ps, 10**6))
    whole, rest = divmod(value, 1)
    text = str(whole)
    if rest:
        text += ("%.6f" % 0)[1:2] + ("%06d" % (rest * 10**6)).rstrip("0")
    return ("-" if ps < 0 else "") + text


def real(data):
    import struct

    value = struct.unpack("<d", data)[0]
    if value != value or abs(value) == float("inf"):
        return b""
    text = format(Decimal(repr(value)), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.encode() if sum(c.isdigit() for c in text) <= 40 else b""


def stats_of(messages, names):
    """{name in small letters: text}; None is a value that is missing."""
    out = {}
    for message in messages:
        found = fields(message)
        name = names.get(signed(last(found, 1, 0, 0)))
        if name is None:
            continue
        turns = []
        for number, wire in ((2, 1), (3, 0), (4, 0), (5, 2), (6, 2), (7, 0)):
            if (number, wire) in found:
                turns.append((*found[number, wire][-1], number))
        value = None
        if turns:
            _, value, number = max(turns, key=lambda turn: turn[0])
            if number == 2:
                value = real(value)
            elif number == 3:
                value = b"%d" % value
            elif number == 4:
                value = b"%d" % signed(value)
            elif number == 7:
                value = names.get(signed(value), b"")
        if value is not None:
            out[name.lower()] = value
    return out


def escape(text):
    return b"".join(ESCAPES.get(byte, bytes([byte])) for byte in text)


def main():
    everything = sys.argv[1] == "-A"
    data = open(sys.argv[-1], "rb").read()
    pids, spare = {}, 1000
    counts = dict(events=0, rows=0, aggregates=0, left=0)
    for bytes_ in every(fields(data), 1):
        plane = fields(bytes_)
        plane_name = last(plane, 2, 2, b"")
        plane_id = signed(last(plane, 1, 0, 0))
        names = {id_: last(found, 2, 2, b"") for id_, found in entries(plane, 5).items()}
        metadata = entries(plane, 4)
        known = {}
        for id_, found in metadata.items():
            shown = last(found, 4, 2, b"") or last(found, 2, 2, b"")
            known[id_] = shown, stats_of(every(found, 5), names)
        device = plane_name.startswith(b"/device:") and not plane_name.startswith(b"/device:CUSTOM")
        host = plane_name == b"/host:CPU"
        lines = [fields(line) for line in every(plane, 3)]
        labels = [last(line, 2, 2, b"") or last(line, 11, 2, b"") for line in lines]
        streams = any(label.startswith(b"Stream #") for label in labels)
        for line, label in zip(lines, labels):
            events = []
            for message in every(line, 4):
                counts["events"] += 1
                event = fields(message)
                when = [(turn, value, False) for turn, value in event.get((2, 0), [])]
                when += [(turn, value, True) for turn, value in event.get((5, 0), [])]
                _, offset, aggregate = max(when, default=(0, 0, False))
                if aggregate:
                    counts["aggregates"] += 1
                    continue
                id_ = signed(last(event, 1, 0, 0))
                name, stats = known.get(id_, (b"", {}))
                stats = {**stats, **stats_of(every(event, 4), names)}
                dur = signed(last(event, 3, 0, 0))
                events.append((signed(offset), dur, name or b"#%d" % id_, bool(name), stats))
            places = sorted(range(len(events)), key=lambda i: (events[i][0], -events[i][1], i))
            contains = set()
            for at, i in enumerate(places):
                end = events[i][0] + events[i][1]
                if any(events[j][1] > 0 and events[j][0] + events[j][1] <= end for j in places[at + 1 :]):
                    contains.add(i)
            for i, (offset, dur, name, named, stats) in enumerate(events):
                cat = None
                if host and "step_num" in [key.decode() for key in stats]:
                    cat, name = b"user_annotation", b"ProfilerStep#" + stats[b"step_num"]
                elif host and b"correlation_id" in stats:
                    cat = b"cuda_runtime"
                elif device and label.startswith(b"Stream #"):
                    if not {b"memalloc_details", b"memfree_details", b"memoryresidency_details"} & stats.keys():
                        cat = b"gpu_memset" if b"memset_details" in stats else b"kernel"
                        cat = b"gpu_memcpy" if b"memcpy_details" in stats else cat
                elif device and label == b"XLA Ops":
                    cat = b"gpu_user_annotation" if streams or i in contains else b"kernel"
                elif device and label == b"XLA Modules":
                    cat = b"gpu_user_annotation"
                elif device and label == b"Steps":
                    cat = b"gpu_user_annotation"
                    if named and name.isdigit():
                        name = b"ProfilerStep#" + name
                if cat is None:
                    if not everything:
                        counts["left"] += 1
                        continue
                    cat = b"gpu_user_annotation" if device else b"user_annotation"
                if plane_name not in pids:
                    tail = plane_name.rpartition(b":")[2]
                    pid = int(tail) if tail.isdigit() and b":" in plane_name else plane_id
                    pid = 701 if host else pid
                    if pid in pids.values() or (pid == 701 and not host) or not (host or device):
                        while spare in pids.values():
                            spare += 1
                        pid = spare
                    pids[plane_name] = pid
                pid = pids[plane_name]
                ts = signed(last(line, 3, 0, 0)) * 1000 + offset
                operation = stats.get(b"name") or stats.get(b"tf_op", b"")
                row = [micro(ts).encode(), micro(dur).encode(), b"", name, cat, b"X", b"%d" % pid]
                row += [b"%d" % signed(last(line, 1, 0, 0)), b"", stats.get(b"correlation_id", b""), b""]
                row += [b"" if operation == b"XlaModule:" else operation]
                row += [stats.get(key, b"") for key in (b"hlo_op", b"hlo_module", b"hlo_category")]
                row += [stats.get(key, b"") for key in (b"flops", b"bytes_accessed")]
                if everything:
                    row.append(label)
                counts["rows"] += 1
                sys.stdout.buffer.write(b"\t".join(escape(field) for field in row) + b"\n")
    print(counts["events"], counts["rows"], counts["aggregates"], counts["left"], file=sys.stderr)


main()
