"""report-commands.py WIDTH [FIRST...] - runs each command of a text report of kreport, read from standard input.

A command of a table must print the table that stands below it: the report was made with --width=WIDTH, and
kview, which ends the command, gets the same option. Those of rules must succeed. Prints what is not so, and the
number of commands.
"""
import re
import subprocess
import sys


def main():
    width = sys.argv[1]
    report = sys.stdin.buffer.read()
    count = tables = 0
    for match in re.finditer(rb"^( *)\$ ((?:.*[|\\]\n)*.*[^|\\\n])\n", report, re.M):
        inside, command = match[1], match[2].decode()
        run = subprocess.run(["bash", "-o", "pipefail", "-c", f"{command} --width={width}"], capture_output=True)
        count += 1
        if run.returncode:
            print(f"status {run.returncode}: {command}\n{run.stderr.decode()}")
        elif not inside:
            tables += 1
            if not run.stdout or not report[match.end():].startswith(run.stdout):
                print(f"another table: {command}\n{run.stdout.decode()}")
    print(f"{count} commands, {tables} tables")


main()
