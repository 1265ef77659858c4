#!/usr/bin/env python3
"""Whether kbusy, klaunch, kcheck, kcontext and tsv2trace agree on the rows of devices and their launches.

    launches-agree.py KLAUNCH KCONTEXT KBUSY KCHECK TRACE

KLAUNCH is the stream of klaunch, KCONTEXT that of kcontext --copies, KBUSY the table of kbusy, KCHECK
that of kcheck -j, and TRACE the JSON of tsv2trace --arrows, all from one stream. Says what differs,
and how much was compared.
"""
import collections
import json
import sys
from decimal import Decimal

LAUNCH = ["launch_ts", "launch_dur", "launch_tid"]


def rows(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        names = []
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if line.startswith("#") and not line.startswith("##"):
                names = [fields[0][1:], *fields[1:]]
            elif not line.startswith("#"):
                yield dict(zip(names, fields))


def launched(path):
    """The rows with times, in their order: what a row is, and its launch."""
    for row in rows(path):
        if row["ts"] and row["dur"]:
            yield ([row[name] for name in ("ts", "dur", "name", "pid", "tid", "correlation")],
                   [row[name] for name in LAUNCH])


def arrows(path):
    """Each arrow from a launch to a row: its two times and threads."""
    ends = collections.defaultdict(dict)
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for event in json.load(file, parse_float=Decimal, parse_int=Decimal)["traceEvents"]:
            if event.get("cat") == "launch":
                ends[event["id"]][event["ph"]] = (Decimal(event["ts"]), str(event["tid"]))
    return collections.Counter((arrow["s"], arrow["f"]) for arrow in ends.values())


def main():
    by_klaunch, by_kcontext = list(launched(sys.argv[1])), list(launched(sys.argv[2]))
    if len(by_klaunch) != len(by_kcontext):
        print(f"klaunch has {len(by_klaunch)} rows, kcontext {len(by_kcontext)}")
    for one, other in zip(by_klaunch, by_kcontext):
        if one != other:
            print(f"klaunch: {one}, kcontext: {other}")
            break
    linked = [(row, launch) for row, launch in by_klaunch if launch[0]]
    table = list(rows(sys.argv[3]))
    counts = sum(int(row["count"]) for row in table), sum(int(row["unlinked"] or row["count"]) for row in table)
    if counts != (len(by_klaunch), len(by_klaunch) - len(linked)):
        print(f"kbusy: {counts[0]} rows, {counts[1]} unlinked")
    with open(sys.argv[4], encoding="utf-8") as file:
        check = json.load(file, parse_float=Decimal)
    contents = check["contents"]
    if (contents["device_rows"], contents["linked"]) != (len(by_klaunch), len(linked)):
        print(f"kcheck: {contents['device_rows']} rows, {contents['linked']} linked")
    early = [Decimal(launch[0]) - Decimal(row[0]) for row, launch in linked if Decimal(launch[0]) > Decimal(row[0])]
    found = [f for f in check["findings"] if f["check"] == "before-launch"]
    told = sum(f["events"] for f in found), sum(Decimal(f["time"]) for f in found)
    if told != (len(early), sum(early)):
        print(f"kcheck: {told[0]} rows, {told[1]} before their launch, not {len(early)}, {sum(early)}")
    wanted = collections.Counter(((Decimal(launch[0]), launch[2]), (Decimal(row[0]), row[4])) for row, launch in linked)
    drawn = arrows(sys.argv[5])
    if drawn != wanted:
        print(f"tsv2trace: {sum(drawn.values())} arrows; wrong: {list((drawn - wanted).items())[:1]}")
    print(f"{len(by_klaunch)} rows of devices, {len(linked)} with a launch")


main()
