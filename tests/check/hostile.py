"""hostile.py FOLDER [reports] - runs the programs of PATH over hostile text, in the empty FOLDER.

Names, types, columns, metadata, file names and options have control and bidirectional characters,
bytes that are not UTF-8, and markup. No such character may reach standard error, a ##damaged line,
a report, Markdown, HTML or JSON. In Markdown all hostile text must be code. HTML has no element but
those of a table and its lines. JSON must be valid, and UTF-8.
Prints the runs that are not so. With "reports", only kreport runs, whose files must be written.
"""
import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys

import htmlcheck

CONTROLS = b"\x1b[31m\x07\x7f\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xff\xc3"
NAME = b"-" + CONTROLS + b"|<b>EVIL`[EVIL](x) EVIL@EVIL.de\n# EVIL"
TEXT = (CONTROLS + b"|<b>EVIL</b>[EVIL](http://EVIL.de)`EVIL``![EVIL](x)*EVIL* www.EVIL.de EVIL@EVIL.de"
        b" &lt;EVIL #1 $EVIL$ \"'EVIL\\n# EVIL\\n\\n- EVIL\\r=EVIL")
UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
CODE = re.compile("(?<!`)(`+)(?!`)(.*?[^`])\\1(?!`)")
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
HTML = "table thead tbody tr th td div p".split()
PAGE = [*HTML, *("html head meta title style body main nav a section h1 h2 h3 ul li details summary pre data code figure "
               "svg g desc defs symbol path text tspan polygon rect circle line polyline use clippath").split()]
TILES = "--M=8 --K=8 --N=8 --row=1 --col=1 --warmup=0 --iterations=1".split()

# Program, arguments (%s is hostile), inputs, and the columns that are hostile there.
STREAMS = [
    ("aiepair", [*TILES, "--hwid=%s"], ["aie.kev"], ["source"]),
    ("dbreport", [], ["merged.kev"], ["operator", "csv", "signature"]),
    ("hcomdedup", ["-v"], ["hcom.kev"], ["type", "name"]),
    ("kmatch", [], ["align-a.kev", "align-b.kev"], ["name", "op", "step"]),
    ("kbusy", ["-v", "-k", "step,%s"], ["busy.kev"], ["source", "name", "pid", "step"]),
    ("kbusy", ["--label=name"], ["busy.kev"], ["name", "op", "pid"]),
    ("kbusy", ["--gaps", "-k", "tid"], ["busy.kev"], ["name", "tid"]),
    ("kcheck", [], ["check.kev"], ["name", "cat", "tid"]),
    ("kclass", ["-v"], ["kernels.kev"], ["type", "name"]),
    ("kcoll", ["-v", "--rank-column=pid"], ["coll0.kev", "coll1.kev"], ["name", "Collective name", "Process Group Name", "dtype"]),
    ("kcoll", ["--by-rank", "--rank-column=pid"], ["coll0.kev"], ["Process Group Name", "Seq", "Process Group Ranks"]),
    ("kcompare", ["-v", "-k", "name,%s"], ["kernels.kev", "kernels.kev"], ["type", "name"]),
    ("kcompare", ["--by=pid,%s", "--fail-over=0%"], ["kernels.kev", "align-b.kev"], ["name", "pid"]),
    ("kcontext", ["-v"], ["steps.kev"], ["source"]),
    ("kfusion", [], ["align-a.kev", "align-b.kev"], ["name", "op"]),
    ("kfusion", ["--opportunities", "--min-group=1"], ["align-a.kev", "align-b.kev"], ["name", "op", "pid"]),
    ("kgroup", ["-k", "name,%s"], ["kernels.kev"], ["type", "name"]),
    ("kjoin", ["-v", "-k", "name,%s"], ["kernels.kev", "kernels.kev"], ["type", "name"]),
    ("kselect", ["-w", "dur > 0 && name ~ \"[a-z]\"", "-a", "x=lower(name),{%s}=1/0"], ["kernels.kev"], ["type", "name"]),
    ("kselect", ["-t+1,", "-c", "name,{%s"], ["kernels.kev"], ["type", "name"]),
    ("klaunch", ["-v", "--stream"], ["launch.kev"], ["source", "name", "tid", "stream"]),
    ("kcpu", ["-v", "--stacks"], ["host.kev"], ["name", "tid"]),
    ("kcpu", ["--idle", "--ignore=%s"], ["host.kev"], ["name", "tid", "pid"]),
    ("kpath", ["-v", "-k", "%s", "--ignore=%s"], ["host.kev"], ["name", "tid", "pid"]),
    ("kpath", [], ["host.kev"], ["name", "tid", "pid"]),
    ("kmem", ["-v", "--blocks"], ["memory.kev"], ["source", "name", "tid", "cpu_op"]),
    ("kmem", [], ["memory.kev"], ["pid", "cpu_op"]),
    ("kroof", ["-v", "--device=%s"], ["roof.kev"], ["source", "name", "cpu_op", "Input Dims", "Input type"]),
    ("kroof", ["-k", "cpu_op,dtype"], ["roof.kev"], ["name", "cpu_op", "Input type"]),
    ("ksort", ["-k", "name,%s"], ["kernels.kev"], ["type", "name"]),
    ("kplot", ["timeline", "--script"], ["kernels.kev"], ["type", "name"]),
    ("kplot", ["flame", "--script", "-k", "type"], ["kernels.kev"], ["type", "name"]),
    ("kview", ["-n", "3"], ["kernels.kev"], ["type", "name"]),
    ("opagg", [], ["opagg.kev"], ["type", "name", "Input Shapes"]),
    ("opdiff", ["-k", "type,%s"], ["predicted.kev", "measured.kev"], ["type", "name"]),
    ("opdiff", ["--name=%s"], ["predicted.kev", "measured.kev"], ["type", "name"]),
    ("opmap", ["-y", "/dev/null"], ["ops.kev"], ["type", "name", "sub_kernel_durations"]),
    ("ratio", ["-S", "MEASURED,%s"], ["predicted.kev", "measured.kev"], ["type", "name"]),
    ("kdiff", ["-K"], ["diff-a.kev", "diff-b.kev"], ["name", "op", "cpu_op", "python_stack"]),
    ("tsv2trace", [], ["kernels.kev"], ["type", "name", "pid"]),
    ("tsv2trace", ["--arrows", "--counter=stream"], ["launch.kev"], ["name", "tid", "correlation"]),
]
# What these write without an option; others write a stream.
ALWAYS = {"dbreport": "-M", "kview": "-r", "op-comparison": "-r", "tsv2trace": "-j"}


def read(*path):
    with open(os.path.join(DATA, *path), "rb") as file:
        return file.read()


def write(name, text):
    with open(name, "wb") as file:
        file.write(text)
    return name


def poison(stream, columns):
    """The stream with hostile text in these columns, a hostile column, metadata and damage."""
    out, names = [], []
    for line in stream.splitlines():
        fields = line.split(b"\t")
        if line.startswith(b"##"):
            fields[-1] += b"" if fields[0] in (b"##kev", b"##unit") else TEXT
        elif line.startswith(b"#"):
            names = [field.lstrip(b"#").decode() for field in fields]
            fields += [NAME.replace(b"\n", b"\\n")] + [b"correlation"] * ("correlation" not in names)
        else:
            fields = [field + TEXT * (name in columns) for name, field in zip(names, fields)]
            fields += [TEXT] + [b"1"] * ("correlation" not in names)
        out.append(b"\t".join(fields))
    return b"\n".join([*out, b"##damaged\t" + TEXT + b"\t" + TEXT, b"##" + TEXT + b"\t" + TEXT, b""])


def read_json(text):
    """Reads one value, or several on lines of their own."""
    decoder = json.JSONDecoder(parse_constant=int)
    while text:
        text = text[decoder.raw_decode(text)[1]:].lstrip()


def fault_of(done, form):
    """What is wrong with the output of a run, in this form (none: a stream); empty if it is right."""
    damages = b"".join(line for line in done.stdout.splitlines() if line.startswith(b"##damaged\t"))
    try:
        text = (done.stdout if form else damages).decode()
        unsafe = UNSAFE.search(text) or UNSAFE.search(done.stderr.decode())
        if form == "-j":
            read_json(text)
    except ValueError as error:
        return str(error)
    if unsafe:
        return f"{unsafe[0]!r} is written"
    if form == "-M" and "EVIL" in CODE.sub("", text):
        return "hostile text that is not code"
    if form == "--html" and htmlcheck.faults(text, HTML):
        return htmlcheck.faults(text, HTML)[0]
    crashed = not 0 <= done.returncode <= 3 or b"Sanitizer" in done.stderr or b"runtime error" in done.stderr
    return f"status {done.returncode}" if crashed else ""


def run(program, args, form=""):
    """True if the run is as it should be."""
    args = [os.fsencode(arg).replace(b"%s", NAME) for arg in args]
    options = [form] if form and form != ALWAYS.get(program) else []
    done = subprocess.run([program, *options, *args], capture_output=True, check=False)
    fault = fault_of(done, form)
    if form and b"EVIL" not in done.stdout:
        fault = fault or "no hostile text, so nothing is tested"
    if fault:
        print(program, *options, *args, f": {fault}")
    return not fault


def streams():
    for number, (program, args, inputs, columns) in enumerate(STREAMS):
        usage = subprocess.run([program, "-h"], capture_output=True, text=True, check=True).stdout
        names = [b"%d.%d" % (number, i) + NAME for i in range(len(inputs))]
        for name, path in zip(names, inputs):
            write(name, poison(read("cases", path), columns))
        for form in [ALWAYS.get(program, ""), *re.findall(r"^ +(-[rjM](?=, --)|--html\b)", usage, re.M)]:
            yield run(program, [*args, *names], form)
        cut = write(b"cut" + NAME, poison(read("cases", inputs[0]), columns)[:-40])
        for name in cut, b"missing" + NAME, write(b"none" + NAME, TEXT):
            yield run(program, [*args, name, *names[1:]])
        for option in [f"--{name}=" for name in re.findall(r"--([\w-]+)=", usage)] + ["--", "-"]:
            yield run(program, [*args, os.fsencode(option) + NAME, *names])


def databases():
    """Databases whose texts, tables and columns are hostile, whole and cut."""
    hostile = TEXT.decode("latin-1")
    for sql, updates in [("nsys.sql", ["StringIds.value", "TARGET_INFO_GPU.name", "NVTX_EVENTS.text", "PROCESSES.name"]),
                         ("rocpd.sql", ["rocpd_string_A.string", "rocpd_info_agent_A.product_name"]),
                         ("msprof.sql", ["STRING_IDS.value", "NPU_INFO.name"]), ("", [])]:
        connection = sqlite3.connect("made", isolation_level=None)
        connection.executescript("PRAGMA page_size = 512;" + (read("cases", sql).decode() if sql else ""))
        for table, column in (update.split(".") for update in updates):
            connection.execute(f"UPDATE {table} SET {column} = cast({column} || ?1 || rowid AS TEXT)", [hostile])
        name = hostile.replace('"', "").replace("\0", "")
        connection.execute(f'CREATE TABLE "{name}" ("{name}")')
        if sql == "nsys.sql":
            connection.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET RENAME start TO begin")
        connection.close()
        with open("made", "rb") as file:
            yield file.read()
        os.unlink("made")


def others():
    """Inputs that are no streams."""
    trace = read("examples", "tc.json").replace(b'"name": "', b'"name": "\xe2\x80\xae\xff|<b>EVIL\\u001b')
    rocprof = subprocess.run(["python3", os.path.join(os.path.dirname(__file__), "make-rocprof.py")],
                             capture_output=True, check=True).stdout
    for name in (b"gemm", b"MI300X", b"ProfilerStep", b"hipLaunch", b"python3"):
        rocprof = rocprof.replace(name, b"\xe2\x80\xae\xff|<b>EVIL\\u001b")
    table = read("examples", "fwd.csv").replace(b"MatMul", b"MatMul" + TEXT.replace(b'"', b""))
    for program, text, *args in [
            ("trace2tsv", trace), ("trace2tsv", trace[:-99]), ("trace2tsv", trace, "-P", "%s"),
            ("trace2tsv", rocprof), ("trace2tsv", rocprof[:-99], "-g", "-v"),
            ("trace2tsv", rocprof, "-P", "%s"), ("trace2tsv", rocprof.replace(b'"id":', b'"id":7,"id":'), "-g"),
            ("trace2tsv", TEXT), ("csv2tsv", table), ("csv2tsv", table[:-9]),
            ("csv2tsv", table, "-m", "type=%s"), ("csv2tsv", TEXT), ("opmap", b"- " + TEXT, "-y"),
            ("opmap", b"a: [" + TEXT, "-y"), ("kclass", TEXT, "--rules"),
            ("kcheck", poison(read("cases", "check.kev"), ["name", "pid"]), "--clip", "-v"),
            ("dbreport", b'{"failed": ["' + TEXT + b'"]}', "--status")]:
        yield run(program, [*args, write(b"in" + NAME, text)])
    for number, database in enumerate(databases()):
        for text in database, database[:-700]:
            for args in [], ["--tables"], ["-f", "-v", "--rank=%s"], ["--strict"]:
                yield run("sqlite2tsv", [*args, write(b"%d" % number + NAME, text)])
    space = read("examples", "tpu.xplane.pb")
    for old in b"/device:TPU:1", b"XLA Modules", b"fusion.3", b"profile_stop_time":
        space = space.replace(old, (b"/device:" if old[:1] == b"/" else b"") + (b"\xe2\x80\xae\xff|<b>EVIL\x1b[31m`" * 2)[:len(old) - 8 * (old[:1] == b"/")])
    for text in space, space[:-40], space[:900], TEXT:
        for args in [], ["-A", "-f", "-v"], ["--strict"]:
            yield run("xplane2tsv", [*args, write(b"x" + NAME, text)])
    os.mkdir(b"db" + NAME)
    write(b"db" + NAME + b"/a" + NAME + b".csv", TEXT)
    write(b"db" + NAME + b"/b" + NAME + b".csv", b"OP State,Input Shapes\n" + TEXT)
    new = write(b"new" + NAME, poison(read("cases", "new.kev"), ["OP Type", "Input Shapes"]))
    for args in ["-N"], ["--create"], ["--ops=%s"], ["--prune-ops=%s", "--strict"]:
        yield run("dbmerge", [b"-ddb" + NAME, *args, new])


def files():
    """Folders that programs write."""
    tiles = read("cases", "aie.kev").replace(b"tile0,2", b"<b>EVIL`[EVIL](x) EVIL@EVIL.de\xe2\x80\xae\xff")
    gaps = poison(read("cases", "merged.kev"), ["operator", "csv", "signature"])
    scenario = TEXT.replace(b"\\n", b"") + b"\t%s/examples/tc.json\t%s/examples/fwd.csv\n" % ((os.fsencode(DATA),) * 2)
    yield run("aiepair", [*TILES, "-oout/a", write(b"tiles", tiles)])
    yield run("dbreport", ["-oout/b", "-r", write(b"gaps", gaps)], "-r")
    yield run("op-comparison", ["-y", "/dev/null", "-oout/c", write(b"list" + NAME, scenario)], "-r")
    yield run("op-comparison", ["-y", "/dev/null", write(b"lists" + NAME, TEXT + b"\t" + TEXT + b"\n")])
    for folder, _, names in os.walk("out"):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                done = subprocess.CompletedProcess(name, 0, file.read(), b"")
            fault = fault_of(done, {".json": "-j", ".md": "-M"}.get(os.path.splitext(name)[1], ""))
            if fault:
                print(os.fsencode(name), f": {fault}")
            yield not fault


def fault_of_report(done, name):
    """What is wrong with a run of kreport that must write this file."""
    if fault_of(done, ""):
        return fault_of(done, "")
    if done.returncode or not os.path.exists(name):
        return f"status {done.returncode}, or no report: {done.stderr!r}"
    with open(name, "rb") as file:
        report = file.read()
    if b"EVIL" not in report:
        return "no hostile text, so nothing is tested"
    if name.endswith(b".html"):
        return "".join(htmlcheck.faults(report.decode(), PAGE)[:1])
    # Commands are code, too.
    text = re.sub(rb"^(```+)sh\n.*?^\1$", b"", report, flags=re.M | re.S)
    return fault_of(subprocess.CompletedProcess(name, 0, text, b""), "-M" if name.endswith(b".md") else "-r")


def reports():
    """Reports of traces with hostile names, in each form, and options that are refused."""
    evil = json.dumps(TEXT.decode("latin-1"))[1:-1].encode() + b"\xff\xe2\x80\xae @GPVAL_PWD $(touch hacked) <script>"
    trace = gzip.decompress(read("examples", "T.json.gz"))
    place = NAME.replace(b"/", b"") + b"'\"$(touch hacked)"
    old = write(b"old" + place, re.sub(rb'("name": ?")(?!ProfilerStep)', lambda match: match[1] + evil, trace))
    new = write(b"new" + place, trace.replace(b'"name": "', b'"name": "' + evil[::-1].replace(b"\\", b"")
                                              .replace(b'"', b"")))
    for files in [old], [old, new]:
        for form in b".html", b".md", b".txt":
            name = b"out" + place + form
            args = ["-o", name, b"--keep=kept" + place, "--", *files]
            done = subprocess.run(["kreport", *args], capture_output=True, check=False)
            fault = fault_of_report(done, name)
            if fault:
                print("kreport", *args, f": {fault}")
            yield not fault
            if os.path.exists(name):
                os.unlink(name)
    rules = write(b"rules" + place, b"x\tbusy >\t" + TEXT + b"\t" + TEXT + b"\n")
    for args in (["-o", place, old], ["--keep=" + os.fsdecode(old), old], [b"--rules=" + rules, old],
                 [b"--capture=" + rules, old], [b"--width=" + place, old], [b"--" + place, old], [rules],
                 [b"missing" + place], [b"kept" + place]):
        yield run("kreport", args)
    if os.path.exists("hacked"):
        print("kreport: a name was run")
        yield False


os.chdir(sys.argv[1])
results = [*reports()] if sys.argv[2:] == ["reports"] else [*streams(), *others(), *files()]
print("all runs are as they should be" if all(results) else f"not as they should be: {results.count(False)}")
