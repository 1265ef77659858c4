"""make-coll.py FOLDER RANKS SEED [WORD...] - streams of RANKS ranks whose late ranks are known.

Writes RANK.kev for each rank, and what must come of them: late (rank, collectives, times late, wait
caused, wait) and waits (rank, ts, wait of each row that waits) and offsets (rank, its clock against that of rank 0). WORDS: clocks: each rank has a clock
of its own; seq, id: collectives have Seq, or Comms Id too; lost: rank 2 lacks one row in the middle;
missing: rank 2 has no file. Then waits are those against the rows that are left.
"""
import random
import sys

folder, ranks, seed, *words = sys.argv[1:]
ranks = int(ranks)
rnd = random.Random(int(seed))
offset = [rnd.randrange(-5 * 10**6, 5 * 10**6) if "clocks" in words else 0 for _ in range(ranks)]
rows = [[] for _ in range(ranks)]
# By rank: collectives, late, caused, wait, in ns.
late = [[0] * 4 for _ in range(ranks)]
waits = []


def text(ns):
    return "%d.%03d" % (ns // 1000, ns % 1000)


def collective(number, group, members, kind, elements, start):
    arrival = {r: start + rnd.randrange(60000) + (900000 if r == 5 and rnd.random() < .9 else 0) for r in members}
    end = max(arrival.values()) + 100000 + elements // 3
    split = "[%d, 1]" % elements if kind == "all_to_all" else "[]"
    durs = {}
    lost = "lost" in words and group == "0" and number == 4
    for r in members:
        dur = end - arrival[r] + rnd.randrange(-3000, 3000)
        ts = arrival[r] + offset[r]
        durs[r] = ts, dur
        out = elements * len(members) if kind == "_allgather_base" else elements
        seq = str(number) if "seq" in words or "id" in words else ""
        name = str(10**17 + int(group) * 10**6 + number * 7919 % 10**6) if "id" in words else ""
        row = [text(ts), text(dur), "ncclDevKernel_Generic_%d" % (elements % 3), "kernel", "0", "7", kind, "Float",
               str(elements), str(out), split, str(len(members)), group, str(list(members)), seq, name]
        if not (lost and r == 2):
            rows[r].append("\t".join(row))
    left = {r: durs[r] for r in members if not (r == 2 and (lost or "missing" in words))}
    if kind == "broadcast":
        return
    least = min(dur for _, dur in left.values())
    first = min(r for r in left if left[r][1] == least)
    for r, (ts, dur) in left.items():
        waits.append((r, ts, dur - least))
        late[r][0] += 1
        late[r][3] += dur - least
    late[first][1] += 1
    late[first][2] += sum(dur - least for _, dur in left.values())


kinds = ["allreduce", "_allgather_base", "broadcast", "reduce_scatter", "all_to_all", "allreduce"]
for number in range(12):
    start = 10**12 + number * 10**7
    collective(number, "0", range(ranks), kinds[number % 6], 1000 * (number % 3 + 1), start)
    for part in range(ranks // 4):
        members = range(4 * part, 4 * part + 4)
        collective(number, str(1 + part), members, "allreduce", 77, start + 5 * 10**6)
for r in range(ranks):
    rnd.shuffle(rows[r])
    if r == 2 and "missing" in words:
        continue
    with open("%s/%d.kev" % (folder, r), "w") as file:
        file.write("##kev\t1\n##source\trank %d\n" % r)
        file.write("#ts\tdur\tname\tcat\tpid\ttid\tCollective name\tdtype\tIn msg nelems\tOut msg nelems\t"
                   "In split size\tGroup size\tProcess Group Name\tProcess Group Ranks\tSeq\tComms Id\n")
        file.write("".join(row + "\n" for row in rows[r]))
        file.write("##rank\t%d\n##worldSize\t%d\n" % (r, ranks))
with open(folder + "/offsets", "w") as file:
    for r in range(ranks):
        file.write("%d\t%.3f\n" % (r, (offset[r] - offset[0]) / 1000))
with open(folder + "/late", "w") as file:
    for r in range(ranks):
        count, times, caused, wait = late[r]
        file.write("%d\t%d\t%d\t%.3f\t%.3f\n" % (r, count, times, caused / 1000, wait / 1000))
with open(folder + "/waits", "w") as file:
    for r, ts, wait in sorted(waits):
        file.write("%d\t%s\t%.3f\n" % (r, text(ts), wait / 1000))
