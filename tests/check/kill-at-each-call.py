#!/usr/bin/env python3
"""Kills a program at each of its system calls: kill-at-each-call.py FOLDER COMMAND...

FOLDER is what the command changes. For N = 1, 2, ... it is put back as it was, and the
command is run and killed (SIGKILL) on its way into its Nth system call, until one run comes
to its end. What that one leaves is new, what was there at first old: behind each kill every
file must be the one or the other, whole, and a run behind that must make all of it new.
Says what is not so; prints how many moments there were, and of what kind.
"""
import ctypes
import os
import shutil
import signal
import subprocess
import sys

PTRACE_TRACEME, PTRACE_SYSCALL, PTRACE_SETOPTIONS, PTRACE_O_EXITKILL = 0, 24, 0x4200, 0x100000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, pid, data=0):
    if libc.ptrace(request, pid, None, data) == -1:
        sys.exit(f"no ptrace: {os.strerror(ctypes.get_errno())}")


def run(command, stops):
    """Runs it up to so many entries into system calls. Whether it came to its end before."""
    pid = os.fork()
    if pid == 0:
        with open(os.devnull, "w") as null:
            os.dup2(null.fileno(), 1)
            os.dup2(null.fileno(), 2)
        ptrace(PTRACE_TRACEME, 0)
        os.execvp(command[0], command)
    os.waitpid(pid, 0)
    ptrace(PTRACE_SETOPTIONS, pid, PTRACE_O_EXITKILL)
    pending = 0
    for _ in range(2 * stops - 1):  # into a call, and out of it
        ptrace(PTRACE_SYSCALL, pid, pending)
        status = os.waitpid(pid, 0)[1]
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            return True
        pending = os.WSTOPSIG(status) if os.WSTOPSIG(status) != signal.SIGTRAP else 0
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return False


def paths(folder):
    """Of all files, those in inner folders too."""
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


def content(folder):
    """Paths and bytes, but for what a later run removes; what hides cannot be taken for a file."""
    found = {}
    for path in paths(folder):
        if not os.path.basename(path).startswith("."):
            with open(os.path.join(folder, path), "rb") as file:
                found[path] = (file.read(), os.fstat(file.fileno()).st_mode)
    return found


def put_back(kept, folder):
    shutil.rmtree(folder)
    shutil.copytree(kept, folder)


def main():
    folder, command = sys.argv[1], sys.argv[2:]
    kept = folder + ".kept"
    shutil.copytree(folder, kept)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    old, new = content(kept), content(folder)
    changed = [name for name in new if new[name] != old.get(name)]
    moments = {"before": 0, "between": 0, "behind": 0}
    stops, ended = 0, False
    while not ended:
        stops += 1
        put_back(kept, folder)
        ended = run(command, stops)
        now = content(folder)
        for name in set(old) | set(new) | set(now):
            if now.get(name) not in (old.get(name), new.get(name)):
                sys.exit(f"call {stops}: {name} is neither as it was nor as it will be")
        done = sum(now.get(name) == new[name] for name in changed)
        moments["before" if done == 0 else "behind" if done == len(changed) else "between"] += 1
        # Costly: not behind each kill, and always where something may lie about.
        if paths(folder) != set(now) or stops % 10 == 0:
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            if content(folder) != new or paths(folder) != set(new):
                sys.exit(f"call {stops}: the next run does not make it good")
    print(f"{len(changed)} files changed;", ", ".join(f"{kind}: {'some' if n else 'none'}" for kind, n in moments.items()))
    shutil.rmtree(kept)


main()
