#!/usr/bin/env python3
"""sql.py FILE [SQL...] - runs SQL from its arguments, or from standard input, on the SQLite database FILE.

FILE is made if it is missing, with pages of 512 bytes, so that small databases have many. Prints the
rows of a SELECT, with | between their values.
"""
import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA page_size = 512")
for text in sys.argv[2:] or [sys.stdin.read()]:
    if text.lstrip().upper().startswith("SELECT"):
        for row in connection.execute(text):
            print(*("" if value is None else value for value in row), sep="|")
    else:
        connection.executescript(text)
connection.close()
