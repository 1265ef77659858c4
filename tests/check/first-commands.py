"""first-commands.py TABLE FOLDER: runs the first command that a person tries on each file of FOLDER.

TABLE is tests/data/first-commands.tsv: format, files, command, status, text. Each file must belong
to one line. Status 0 must come with rows, any other without rows, and with a message that contains
the text of the line, which cannot be empty: no file is empty, partial or refused without advice.
Prints what is wrong, and a count.
"""
import glob
import os
import subprocess
import sys


def check(command, file, status, text):
    """What is wrong with the answer of the command to the file."""
    ran = subprocess.run([*command.split(), '-H', file], capture_output=True)
    message = ran.stderr.decode(errors='replace')
    if ran.returncode != status:
        yield f'status {ran.returncode}, not {status}: {message}'
    if bool(ran.stdout) != (status == 0):
        yield 'no rows' if status == 0 else 'rows'
    if text not in message:
        yield f'the message lacks {text!r}: {message}'
    if status != 0 and not text:
        yield 'the table names no advice'


def main():
    table, folder = sys.argv[1:]
    known = {}
    wrong = 0
    for line in open(table):
        if line.startswith('#'):
            continue
        name, files, command, status, text = line.rstrip('\n').split('\t')
        for pattern in files.split() if files != '-' else []:
            found = glob.glob(os.path.join(folder, pattern))
            if not found:
                print(f'{name}: no file {pattern}')
                wrong += 1
            for file in found:
                known.setdefault(file, []).append((name, command, int(status), text))
    for place, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(place, name)
            lines = known.pop(file, [])
            if name != 'LIST.tsv' and len(lines) != 1:
                print(f'{file}: {len(lines)} lines of the table')
                wrong += 1
            for _, command, status, text in lines:
                for what in check(command, file, status, text):
                    print(f'{command} {file}: {what}')
                    wrong += 1
    print('wrong:', wrong)


main()
