"""plot-names.py FOLDER - draws pictures with hostile names by kplot, in the empty FOLDER.

Names contain each byte from 1 to 255 and each variable that gnuplot knows, as a macro after a quote,
and commands. The folder has such a name, too. Each name must be in the SVG as it was, made plain, and
no command may run. Prints the names that are not so.
"""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

ESCAPES = {b"\t": b"\\t", b"\n": b"\\n", b"\r": b"\\r", b"\\": b"\\\\"}
HOSTILE = b"x'; system \"touch EVIL\"; print '`touch EVIL`"
COMMANDS = ["'`touch EVIL`", "`touch EVIL`", "'\n! touch EVIL\n", "\"'.system('touch EVIL').'", "'.\"`touch EVIL`\".'",
            "''`touch EVIL`''", "'''`touch EVIL`'''", "\\'`touch EVIL`", "\"\\'`touch EVIL`", "'#`touch EVIL`",
            "' ;system 'touch EVIL' #", "'{`touch EVIL`", "\"$(touch EVIL)", "\\047`touch EVIL`", "'\\", "%s%%d", "{/Times x}",
            "\ufffd\ufffe\uffff<&>"]
STREAM = b"""##source\tdir/SOURCE
##damaged\tDAMAGE
##process\t1\tPROCESS
##thread\t1\t1\tTHREAD
#NAME1\tts\tdur\tpid\ttid\tNAME2
OP1\t1\t2\t1\t1\t3
OP2\t3\t4\t1\t2\t5
"""
KINDS = [
    (["bars", "-k", "NAME1", "-y", "NAME2"], ["NAME1", "NAME2", "OP1", "OP2", "SOURCE", "DAMAGE"]),
    (["bars", "-k", "NAME1", "-y", "NAME2,dur"], ["NAME1", "NAME2", "OP1", "OP2", "SOURCE", "DAMAGE"]),
    (["flame", "-k", "NAME1", "-y", "NAME2"], ["NAME1", "NAME2", "OP1", "OP2", "SOURCE", "DAMAGE"]),
    (["hist", "-k", "NAME1", "-y", "NAME2"], ["NAME2", "OP1", "OP2", "SOURCE", "DAMAGE"]),
    (["hist", "-x", "NAME2"], ["NAME2", "SOURCE", "DAMAGE"]),
    (["timeline", "-k", "NAME1"], ["OP1", "OP2", "SOURCE", "DAMAGE", "THREAD", "PROCESS"]),
    (["timeline", "-k", "pid", "-y", "NAME1"], ["OP1", "OP2", "SOURCE", "DAMAGE"]),
    (["xy", "-k", "NAME1", "-x", "NAME2"], ["OP1", "OP2", "NAME2", "SOURCE", "DAMAGE"]),
    (["xy", "-k", "NAME1", "-y", "NAME2,dur"], ["OP1", "OP2", "NAME2", "SOURCE", "DAMAGE"]),
    (["hist", "--title", "TITLE"], ["TITLE", "DAMAGE"]),
]


def escape(text):
    return re.sub(rb"[\t\n\r\\]", lambda m: ESCAPES[m[0]], text)


def plain(text):
    """As people see it: control characters, what XML forbids and bytes that are not UTF-8 as \\xHH."""
    shown = ""
    for character in text.decode("utf-8", "surrogateescape"):
        if "\udc80" <= character <= "\udcff":
            shown += f"\\x{ord(character) - 0xdc00:02x}"
        elif character < " " or "\x7f" <= character < "\xa0" or character in "\ufffe\uffff":
            shown += "".join(f"\\x{byte:02x}" for byte in character.encode())
        else:
            shown += character
    return shown


def texts_of(arguments, stream):
    """The texts of an SVG, its name hostile as well."""
    path = b"./" + HOSTILE.replace(b"/", b" ") + b".svg"
    run = subprocess.run(["kplot", *arguments, "-o", path], input=stream, stderr=subprocess.PIPE)
    damaged = b"\n##damaged" in stream
    if run.returncode != damaged or bool(run.stderr) != damaged:
        print(arguments, run.returncode, run.stderr)
        return []
    with open(path, "rb") as file:
        root = xml.etree.ElementTree.fromstring(file.read())
    os.unlink(path)
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


def variables():
    """The names of gnuplot's variables, of which a macro may take each."""
    script = b"set terminal svg\nset output '/dev/null'\nplot x\nshow variables all\n"
    run = subprocess.run(["gnuplot", "-d"], input=script, stderr=subprocess.PIPE, check=True)
    found = re.findall(r"^\t(\w+) = ", run.stderr.decode(errors="replace"), re.M)
    assert "GPVAL_PWD" in found and "GPVAL_TERMOPTIONS" in found, found
    return found + [f"ARG{number}" for number in range(10)]


def check_bars(names):
    """Bars have these names, several in one of at most 50 characters."""
    joined = [b"x"]
    for name in names:
        if len(plain(joined[-1] + name)) > 50:
            joined.append(b"x")
        joined[-1] += name
    for at in range(0, len(joined), 40):
        some = joined[at:at + 40]
        stream = b"#name\ttotal\n" + b"".join(escape(name) + b"\t1\n" for name in some)
        texts = texts_of(["bars"], stream)
        for name in some:
            if plain(name) not in texts:
                print("not in the picture:", plain(name))


def check_places(hostile):
    """Each place of a name in each kind of picture."""
    stream = re.sub(rb"[A-Z]+\d?(?=[\t\n])", lambda m: escape(m[0] + hostile), STREAM)
    for arguments, places in KINDS:
        words = [re.sub(rb"[A-Z]+\d?", lambda m: m[0] + hostile, word.encode()) for word in arguments]
        texts = "\n".join(texts_of(words, stream))
        for place in places:
            if place + plain(hostile) not in texts:
                print(arguments, place, plain(hostile), texts)


os.mkdir(os.path.join(sys.argv[1].encode(), HOSTILE))
os.chdir(os.path.join(sys.argv[1].encode(), HOSTILE))
check_bars([b"'" + bytes([byte]) + b"@GPVAL_PWD'" for byte in range(1, 256)] +
           [f"{quotes}@{name}'".encode() for name in variables() for quotes in ("'", "\"'")] +
           [command.encode() for command in COMMANDS])
for hostile in (b"'@GPVAL_PWD", b"'`touch EVIL`"):
    check_places(hostile)
left = os.listdir(b".")
print(*left if left else ["all names are as they were"])
