#!/usr/bin/env python3
"""on-terminal.py WAY COMMAND... - runs a command with a terminal, prints what the terminal got.

slow: standard output is a pipe that is read 2.3 s late, standard error a terminal.
rows: both are the terminal; standard output is drained slowly, so that reading takes as long.
stdin: standard input and standard error are a terminal, on which a row and one Ctrl-D are typed.
Control characters are printed as \\xHH; a number of MB as N, the last of equal lines only.
"""

import os
import pty
import re
import select
import subprocess
import sys
import termios
import threading
import time


def wait_for_start(fd):
    """2.3 s from the first output on, as a busy machine may start the command late."""
    select.select([fd], [], [])
    time.sleep(2.3)


def drain(fd, out, late):
    if late:
        wait_for_start(fd)
    try:
        while data := os.read(fd, 65536):
            out.append(data)
    except OSError:  # the terminal's other end is closed
        pass


def main():
    way, command = sys.argv[1], sys.argv[2:]
    terminal, other = pty.openpty()
    shown = []
    stdin = other if way == "stdin" else subprocess.DEVNULL
    stdout = other if way == "rows" else subprocess.PIPE
    child = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=other)
    os.close(other)
    reader = threading.Thread(target=drain, args=(terminal, shown, way == "rows"))
    reader.start()
    if way == "stdin":
        # What is typed is not shown, so the order of the output does not depend on time.
        mode = termios.tcgetattr(terminal)
        mode[3] &= ~termios.ECHO
        termios.tcsetattr(terminal, termios.TCSANOW, mode)
        os.write(terminal, b"#ts\tdur\tname\n1\t2\tx\n\x04")
    if way == "slow":
        wait_for_start(child.stdout)
    if child.stdout:
        while child.stdout.read(1 << 16):
            pass
    status = child.wait()
    reader.join()
    text = b"".join(shown).decode(errors="replace").replace("\r\n", "\n")
    if way == "rows":
        text = "".join(re.findall(r"[^\n]*\x1b[^\n]*\n?", text))
    text = re.sub(r"\d+( of \d+)? MB", "N MB", text)
    text = re.sub(r"((?:\r\x1b\[K[^\r\n]*)MB/s)+", r"\1", text)
    text = re.sub(r"[\x00-\x09\x0b-\x1f\x7f]", lambda m: f"\\x{ord(m[0]):02x}", text)
    sys.stdout.write(text)
    print(f"status {status}")


main()
