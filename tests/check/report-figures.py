"""report-figures.py HTML TEXT FIGURES - compares a page of kreport with its text and with figures.kev as TSV.

The figures of the page, in their order, must be those of the sentences of the text, and the values those of the
row of figures. No other number may stand in a sentence. Prints what is not so, and the number of figures.
"""
import html
import re
import sys

page, text, figures = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
names, values = (line.split("\t") for line in figures.split("\n")[:2])
row = dict(zip(names, values))

sentences = re.findall(r'<p class="answer">(.*?)</p>|<li data-rule="[^"]*">(.*)', page)
shown = []
for sentence in map("".join, sentences):
    for name, value, content in re.findall(r'<data data-figure="(\w+)" value="([^"]*)">(.*?)</data>', sentence):
        shown.append(html.unescape(re.sub("<.*?>", "", content)))
        if html.unescape(value) != row[name]:
            print(f"{name} is {value}, not {row[name]}")
    rest = re.sub(r"<data .*?</data>", "", sentence).replace("5 µs", "").replace("None of the 12 rules", "")
    if re.search("[0-9]", rest):
        print(f"another number: {rest}")

# The text without commands and tables, its lines joined.
lines, command = [], False
for line in text.split("\n"):
    command = command and lines[-1:] != [] or bool(re.match(r" *\$ ", line))
    if not command:
        lines.append(line)
    command = command and line.endswith("|")
flat = " ".join(" ".join(lines).split())
place = 0
for figure in shown:
    found = flat.find(" ".join(figure.split()), place)
    if found < 0:
        print(f"not in the text, or in another order: {figure}")
    else:
        place = found
print(f"{len(shown)} figures")
