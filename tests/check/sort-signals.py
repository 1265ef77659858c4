"""sort-signals.py FOLDER COMMAND... - signals to a program that runs sort(1), in an empty FOLDER.

A stand-in for sort has a temporary file with a name, which it removes when it is told to end, and it
does not end by itself. Each signal must end the program by that signal, and the stand-in and its file
must be gone then, also if the stand-in was stopped. An ignored signal stays ignored.
"""
import os
import signal
import subprocess
import sys
import time

STAND_IN = """#!/bin/sh
trap 'sleep 0.1; rm "$0.file"; exit 2' TERM
echo $$ >"$0.new" && mv "$0.new" "$0.file"
while :; do sleep 0.05; done
"""


def run(folder, command, number, before=None, stop=False):
    path = os.path.join(folder, "sort")
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=before,
                               env=dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}"))
    program.stdin.write(b"#ts\tname\n" + b"".join(b"%d\tgemm\n" % i for i in range(3000)))
    program.stdin.flush()
    while not os.path.exists(path + ".file"):
        time.sleep(0.01)
    with open(path + ".file") as file:
        process = int(file.read())
    if stop:
        os.kill(process, signal.SIGSTOP)
    program.send_signal(number)
    if before:
        time.sleep(0.1)
        print("ignored" if program.poll() is None and os.path.exists(path + ".file") else "not ignored")
        program.send_signal(signal.SIGTERM)
    status = program.wait()
    left = "its file is left" if os.path.exists(path + ".file") else "no file"
    try:
        os.kill(process, signal.SIGKILL)
        left += ", sort runs"
    except ProcessLookupError:
        pass
    print(signal.Signals(number).name, signal.Signals(-status).name if status < 0 else status, left)
    if os.path.exists(path + ".file"):
        os.unlink(path + ".file")


folder = sys.argv[1]
with open(os.path.join(folder, "sort"), "w") as file:
    file.write(STAND_IN)
os.chmod(os.path.join(folder, "sort"), 0o755)
for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM:
    run(folder, sys.argv[2:], number)
run(folder, sys.argv[2:], signal.SIGTERM, stop=True)
run(folder, sys.argv[2:], signal.SIGHUP, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
