#!/usr/bin/env python3
"""Makes calls of programs fail, one at a time: faults.py [-e N] [RUN...]

Runs each line of faults.runs, or those that contain a text RUN, once to count its calls of
malloc, read, close and so on, and once more for each of them, in which faults.c makes it fail.
-e N: only for every Nth allocation and every (N / 10)th other call. After a failed call, the program
must

- end with status 1 or 2 and a message, or write the same bytes with the same status as without;
- leave each file of out as it was or as it would be, unless a report is one of less (status 1),
  and no temporary file;
- write the same bytes if the call was interrupted (EINTR) or handled one byte only;
- not end with status 0 if the call says that what was written is lost (fsync, close).

Prints what is not so, with the FAULT that shows it, and "N passed, N failed". BUILD names the
build (default: build/release).
"""
import argparse
import concurrent.futures
import errno
import fcntl
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/release"))
LIBRARY = os.path.join(BUILD, "check/faults.so")
SHORT = 0
HARMLESS = {errno.EINTR, SHORT}
ALLOCATIONS = {"malloc", "calloc", "realloc"}
LOSING = {"fsync", "close-written"}
ERRORS = {
    "calloc": [errno.ENOMEM],
    "close": [errno.EIO],
    "close-written": [errno.EIO],
    "fchmod": [errno.EPERM],
    "fchown": [errno.EPERM],
    "fdopendir": [errno.ENOMEM],
    "flock": [errno.ENOLCK, errno.EINTR],
    "fstat": [errno.EIO],
    "fsync": [errno.EIO],
    "getrandom": [errno.ENOSYS, errno.EINTR],
    "lseek": [errno.EIO],
    "malloc": [errno.ENOMEM],
    "mkdir": [errno.EACCES],
    "mkstemp": [errno.ENOSPC],
    "mmap": [errno.ENODEV],
    "open": [errno.EMFILE],
    "pipe": [errno.EMFILE],
    "poll": [errno.ENOMEM, errno.EINTR],
    "pread": [errno.EIO, errno.EINTR, SHORT],
    "read": [errno.EIO, errno.EINTR, SHORT],
    "readdir": [errno.EIO],
    "realloc": [errno.ENOMEM],
    "realpath": [errno.EACCES],
    "rename": [errno.EACCES],
    "spawn": [errno.EAGAIN, errno.ENOENT],
    "thread": [errno.EAGAIN],
    "wait": [errno.ECHILD, errno.EINTR],
    "write": [errno.ENOSPC, errno.EINTR, SHORT],
}


def read_runs(path):
    """The shell script and the runs of a file."""
    script, runs = "", []
    with open(path) as file:
        for line in file:
            if line.startswith("$ "):
                script += line[2:]
            elif line.strip() and not line.startswith("#"):
                runs.append(line.strip())
    return script, runs


def content(folder):
    """The files of a folder and those below: path, bytes and mode."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = (file.read(), os.fstat(file.fileno()).st_mode)
    return found


class Place:
    """A folder in which one run takes place at a time."""

    def __init__(self, data):
        self.folder = tempfile.mkdtemp(dir=os.path.dirname(data))
        self.data = os.path.join(self.folder, "data")
        self.temporary = os.path.join(self.folder, "temporary")
        shutil.copytree(data, self.data, symlinks=True)
        os.mkdir(self.temporary)
        self.before = self.outs()

    def path(self, name):
        return os.path.join(self.folder, name)

    def outs(self):
        return content(os.path.join(self.data, "out"))

    def put_back(self):
        out = os.path.join(self.data, "out")
        shutil.rmtree(out)
        shutil.copytree(os.path.join(self.folder, "data/out.kept"), out)


class Run:
    """A line of faults.runs."""

    def __init__(self, line):
        self.line = line
        self.command = [word.replace("ROOT/", ROOT + "/") for word in shlex.split(line)]
        self.stdin, self.piped = os.devnull, False
        if self.command[-1][0] in "<|":
            self.stdin, self.piped = self.command[-1][1:], self.command[-1][0] == "|"
            del self.command[-1]

    def open_stdin(self, place):
        """All of it is in the pipe before the program starts, so that its reads are always the same."""
        file = os.open(os.path.join(place.data, self.stdin), os.O_RDONLY)
        if not self.piped:
            return file
        reading, writing = os.pipe()
        data = os.read(file, 1 << 20)
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, max(len(data), 1 << 16))
        os.write(writing, data)
        os.close(file)
        os.close(writing)
        return reading

    def do(self, place, fault=None):
        """Its status, output, messages, and the files of out."""
        environment = dict(os.environ, LD_PRELOAD=LIBRARY, TMPDIR=place.temporary)
        environment.update({"FAULT": fault} if fault else {"FAULT_COUNTS": place.path("counts")})
        stdin = self.open_stdin(place)
        with open(place.path("stdout"), "wb") as stdout, open(place.path("stderr"), "wb") as stderr:
            try:
                status = subprocess.run(self.command, cwd=place.data, env=environment, stdin=stdin,
                                        stdout=stdout, stderr=stderr, timeout=300).returncode
            except subprocess.TimeoutExpired:
                status = None
        os.close(stdin)
        with open(place.path("stdout"), "rb") as stdout, open(place.path("stderr"), "rb") as stderr:
            return status, stdout.read(), stderr.read(), place.outs()


def faults_of(counts, every):
    """The faults for these counts, or only some of them, see -e."""
    number = 0
    for line in counts:
        name, count = line.split()
        step = every if name in ALLOCATIONS else max(every // 10, 1)
        for call in range(1, int(count) + 1):
            for error in ERRORS[name.lstrip("+")]:
                number += 1
                if number % step == 0:
                    yield name, call, error


def verdict(run, place, good, fault):
    """What is wrong after a fault; empty if nothing is."""
    status, stdout, stderr, outs = run.do(place, "%s %d %d" % fault)
    same = (status, stdout, outs) == (good[0], good[1], good[3])
    wrong = []
    if status is None:
        wrong.append("still running after 20 s")
    elif status < 0:
        wrong.append(f"ended by signal {-status}")
    elif not same and fault[2] in HARMLESS:
        wrong.append(f"status {status}, other bytes")
    elif same and status == 0 and fault[0] in LOSING:
        wrong.append("status 0")
    elif not same and status not in (1, 2):
        wrong.append(f"status {status}, but other bytes")
    elif not same and not stderr.startswith(run.command[0].encode() + b": "):
        wrong.append(f"status {status} without a message")
    for path in sorted(set(outs) | set(place.before)):
        if outs.get(path) not in (place.before.get(path), good[3].get(path)) and status != 1:
            wrong.append(f"{path} is neither as it was nor as it would be")
    left = os.listdir(place.temporary)
    if left:
        wrong.append("it left " + " ".join(left))
        os.unlink(os.path.join(place.temporary, left[0]))
    if outs != place.before:
        place.put_back()
    return [f"{what}: {stderr.decode(errors='replace').strip()}" for what in wrong]


def attack(run, data, every):
    """All faults of a run: how many passed, and what is wrong with the others."""
    place = Place(data)
    good = run.do(place)
    place.put_back()
    if good[0] not in (0, 1, 3) or b"No such file" in good[2]:
        return 0, [f"{run.line}: status {good[0]}: {good[2].decode()}"]
    with open(place.path("counts")) as file:
        counts = file.readlines()
    passed, failed = 0, []
    for fault in faults_of(counts, every):
        wrong = verdict(run, place, good, fault)
        passed += not wrong
        if wrong:
            name, call, error = fault
            what = errno.errorcode.get(error, "one byte only")
            failed.append("FAULT='%s %d %d' (%s) %s:\n\t%s" % (*fault, what, run.line, "\n\t".join(wrong)))
    shutil.rmtree(place.folder)
    return passed, failed


def make_data(data, script):
    shutil.copytree(os.path.join(ROOT, "tests/data"), data)
    subprocess.run(["bash", "-c", "set -e; " + script], cwd=data, check=True, stderr=subprocess.DEVNULL)
    shutil.copytree(os.path.join(data, "out"), os.path.join(data, "out.kept"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-e", "--every", type=int, default=1)
    parser.add_argument("runs", nargs="*")
    options = parser.parse_args()
    if not os.path.exists(LIBRARY):
        sys.exit(f"there is no {LIBRARY}; run make {LIBRARY}")
    script, lines = read_runs(os.path.join(ROOT, "tests/check/faults.runs"))
    runs = [Run(line) for line in lines if not options.runs or any(text in line for text in options.runs)]
    os.environ.update(PATH=f"{BUILD}/bin:bin:{os.environ['PATH']}", LC_ALL="C", TZ="UTC")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        data = os.path.join(folder, "data")
        make_data(data, script)
        for good, bad in pool.map(lambda run: attack(run, data, options.every), runs):
            passed += good
            failed += len(bad)
            for report in bad:
                print(report)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
