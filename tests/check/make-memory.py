"""make-memory.py SEED - a made stream of allocations and frees, in any order of rows, for kmem."""
import random
import sys

random.seed(int(sys.argv[1]))
print("#ts\tdur\tname\tcat\tpid\ttid\tBytes\tAddr\tTotal Allocated\tTotal Reserved\tDevice Type\tDevice Id\t"
      "Ev Idx\tcpu_op")
rows = []
number = 0
missing = random.random() < 0.5  # rows are lost, so that totals and bytes disagree
for pid in (7, 70):
    for kind, device in ((0, -1), (1, 0), (1, 1)):
        total = random.choice((0, 5000))
        alive = {}
        ts = random.randrange(-20, 20)
        for _ in range(random.randrange(1, 40)):
            number += 1
            ts += random.choice((0, 0, 1, 3))
            if alive and random.random() < 0.45:
                addr = random.choice(list(alive))
                size = -alive.pop(addr)
            elif total > 400 and random.random() < 0.1:
                addr, size = random.randrange(100, 120), -random.randrange(1, 50)
            else:
                addr, size = random.randrange(1, 30), random.randrange(1, 200)
                if addr in alive:
                    continue
                alive[addr] = size
            total += size
            rows.append([ts, "", "[memory]", "", pid, random.randrange(3), size, addr, total,
                         8192 if kind else 0, kind, device, number, "op%d" % random.randrange(4)])
if missing:
    rows = [row for row in rows if random.random() < 0.9]
rows.append([1, 2, "aten::mm", "cpu_op", 7, 7, "", "", "", "", "", "", "", ""])
random.shuffle(rows)
for row in rows:
    print("\t".join(map(str, row)))
