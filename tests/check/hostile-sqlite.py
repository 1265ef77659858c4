#!/usr/bin/env python3
"""hostile-sqlite.py KIND FILE [ROWS] - makes an SQLite database that no profiler writes.

In a shared tree each inner page names one page below it many times, so that a walk through a few
pages would not end. The kinds:

table       the kernels of nsys are in a shared tree
texts       StringIds of nsys is
schema      the list of tables is
definition  all rows of ROWS pages of the list of tables are one long definition
joined      a table that is joined to the tasks of msprof is
index       the index of that table is
overflow    each of ROWS texts of StringIds is about as long as the file, and they share their pages
statistics  sqlite_stat1 says of a joined table with ROWS rows that it has one row
MODULE      the kernels of nsys are a virtual table, fts5, fts4, fts3 or rtree, with a root page
renamed     such a table, but the name in the list of tables is that of an ordinary one
"""
import sqlite3
import struct
import sys

PAGE = 512
TABLE_INNER, TABLE_LEAF, INDEX_INNER = 5, 13, 2
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
NSYS = f"""CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm');
CREATE TABLE {KERNELS} (start, end, deviceId, shortName, globalPid);
INSERT INTO {KERNELS} VALUES (1000, 2000, 0, 1, 1 << 24), (3000, 4000, 0, 1, 2 << 24);"""
MSPROF = """CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO STRING_IDS VALUES (1, 'matmul');
CREATE TABLE TASK (startNs, endNs, deviceId, globalTaskId, taskType);
CREATE TABLE COMPUTE_TASK_INFO (name, globalTaskId, taskType, opType);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
INSERT INTO TASK SELECT i * 1000, i * 1000 + 500, 0, i, 1 FROM n;
INSERT INTO COMPUTE_TASK_INFO SELECT 1, globalTaskId, 1, 1 FROM TASK;"""


def run_sql(path, *texts):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {PAGE}")
    for text in texts:
        connection.executescript(text)
    connection.close()


def root_of(path, name):
    connection = sqlite3.connect(path)
    number, = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    connection.close()
    return number


def varint(number):
    """A number as SQLite writes it."""
    data = bytes([number & 127])
    while number > 127:
        number >>= 7
        data = bytes([number & 127 | 128]) + data
    return data


def page_of(kind, cells, last=None, head=b"", repeated=1):
    """A page of these cells, of which the last is named several times; `last` is its right child."""
    start, offsets = PAGE, []
    for cell in cells:
        start -= len(cell)
        offsets.append(start)
    offsets += offsets[-1:] * (repeated - 1)
    page = head + struct.pack(">BHHHB", kind, 0, len(offsets), start, 0)
    page += b"" if last is None else struct.pack(">L", last)
    page += struct.pack(f">{len(offsets)}H", *offsets)
    return page.ljust(start, b"\0") + b"".join(reversed(cells))


def edit(path, change):
    """Calls change with the pages of a database, from 0 on, and writes them."""
    with open(path, "r+b") as file:
        data = file.read()
        pages = [data[at:at + PAGE] for at in range(0, len(data), PAGE)]
        change(pages)
        pages[0] = pages[0][:28] + struct.pack(">L", len(pages)) + pages[0][32:]
        file.seek(0)
        file.write(b"".join(pages))


def share(path, root, kind=TABLE_INNER, key=varint(1), levels=4):
    """Puts inner pages above the tree of a root page, which stays where it is."""
    def change(pages):
        head = pages[0][:100] if root == 1 else b""
        if root == 1:  # it is an inner page already
            child = struct.unpack(">L", pages[0][108:112])[0]
        else:
            pages.append(pages[root - 1])
            child = len(pages)
        for level in reversed(range(levels)):
            cells, used = [struct.pack(">L", child) + key], head if level == 0 else b""
            page = page_of(kind, cells, child, used, (PAGE - 8) // 6 - len(used) // 2)
            if level == 0:
                pages[root - 1] = page
            else:
                pages.append(page)
                child = len(pages)
    edit(path, change)


def loop_overflow(path, root, rows):
    """Fills the tree of StringIds with rows whose texts are in one overflow page, again and again."""
    def change(pages):
        pages.append(b"")
        overflow, leaves, cells = len(pages), [], []
        payload = 39 + (PAGE - 4) * (len(pages) + rows // 9)
        head = varint(0) + varint(13 + 2 * (payload - 5))
        pages[-1] = struct.pack(">L", overflow) + b"x" * (PAGE - 4)
        for row in range(1, rows + 1):
            local = (varint(len(head) + 1) + head).ljust(39, b"x")
            cells.append(varint(payload) + varint(row) + local + struct.pack(">L", overflow))
            if len(cells) == 9 or row == rows:
                pages.append(page_of(TABLE_LEAF, cells))
                leaves.append((len(pages), row))
                cells = []
        while len(leaves) > 40:
            above = []
            for i in range(0, len(leaves), 40):
                part = leaves[i:i + 40]
                inner = [struct.pack(">L", page) + varint(row) for page, row in part[:-1] or part]
                pages.append(page_of(TABLE_INNER, inner, part[-1][0]))
                above.append((len(pages), part[-1][1]))
            leaves = above
        inner = [struct.pack(">L", page) + varint(row) for page, row in leaves[:-1] or leaves]
        pages[root - 1] = page_of(TABLE_INNER, inner, leaves[-1][0])
    edit(path, change)


def repeat_definition(path, pages):
    """Writes a database whose list of tables has these leaf pages of 64 KiB, with one cell each."""
    size = 65536
    sql = f"CREATE TABLE t ({', '.join(f'a{i}' for i in range(1000))}, , )".encode()
    texts = [b"table", b"t", b"t", sql]
    types = [varint(13 + 2 * len(text)) for text in texts]
    head = b"".join(types[:3]) + b"\x01" + types[3]
    record = varint(len(head) + 1) + head + b"tablett" + b"\x02" + sql
    cell = varint(len(record)) + varint(1) + record
    start, count = size - len(cell), (size - 8) // 6
    leaf = struct.pack(">BHHHB", TABLE_LEAF, 0, count, start, 0) + struct.pack(">H", start) * count
    leaf = leaf.ljust(start, b"\0") + cell
    cells = [struct.pack(">L", page) + varint(page) for page in range(2, pages + 1)]
    start = size - sum(map(len, cells))
    offsets = [start + sum(map(len, cells[:i])) for i in range(len(cells))]
    root = b"SQLite format 3\0" + struct.pack(">H6B", 1, 1, 1, 0, 64, 32, 32)
    root += struct.pack(">12L", 1, pages + 1, 0, 0, 1, 4, 0, 0, 1, 0, 0, 0)
    root = root.ljust(92, b"\0") + struct.pack(">2L", 1, 3040001)
    root += struct.pack(">BHHHBL", TABLE_INNER, 0, len(cells), start, 0, pages + 1)
    root += struct.pack(f">{len(offsets)}H", *offsets)
    with open(path, "wb") as file:
        file.write(root.ljust(start, b"\0") + b"".join(cells) + leaf * pages)


def make(kind, path, rows):
    if kind in ("table", "texts"):
        run_sql(path, NSYS)
        share(path, root_of(path, KERNELS if kind == "table" else "StringIds"))
    elif kind == "schema":
        run_sql(path, NSYS, *(f"CREATE TABLE t{i} (a)" for i in range(9)))
        share(path, 1)
    elif kind == "definition":
        repeat_definition(path, rows)
    elif kind == "joined":
        run_sql(path, MSPROF.format(rows=rows))
        share(path, root_of(path, "COMPUTE_TASK_INFO"))
    elif kind == "index":
        run_sql(path, MSPROF.format(rows=rows), "UPDATE COMPUTE_TASK_INFO SET globalTaskId = 1",
                "CREATE INDEX i ON COMPUTE_TASK_INFO (globalTaskId)")
        share(path, root_of(path, "i"), INDEX_INNER, varint(4) + b"\x03\x01\x01\x01\x01")
    elif kind == "overflow":
        run_sql(path, NSYS)
        loop_overflow(path, root_of(path, "StringIds"), rows)
    elif kind == "statistics":
        run_sql(path, MSPROF.format(rows=rows), "ANALYZE", "DELETE FROM sqlite_stat1",
                "INSERT INTO sqlite_stat1 VALUES ('COMPUTE_TASK_INFO', NULL, '1'), ('TASK', NULL, '1')")
    else:
        module = "fts5" if kind == "renamed" else kind
        name = "Other" if kind == "renamed" else KERNELS
        columns = "id, start, end, deviceId, shortName" if module == "rtree" else "start, end, shortName"
        run_sql(path, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)", "CREATE TABLE t (a)",
                f"CREATE VIRTUAL TABLE {name} USING {module} ({columns})",
                f"INSERT INTO {name} VALUES ({'1, ' if module == 'rtree' else ''}1000, 2000, 1"
                f"{', 1' if module == 'rtree' else ''})")
        row = f"UPDATE sqlite_master SET rootpage = {root_of(path, 't')} WHERE name = '{name}'"
        if kind == "renamed":
            row = (f"UPDATE sqlite_master SET name = '{KERNELS}', sql = 'CREATE TABLE Other (start, end, shortName)' "
                   f"WHERE name = 't'; UPDATE sqlite_master SET name = 't', sql = replace(sql, 'Other', '{KERNELS}') "
                   f"WHERE name = 'Other'")
        run_sql(path, f"PRAGMA writable_schema = ON; {row}")


make(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 2)
