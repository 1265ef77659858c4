"""htmlcheck.py [--tsv] - checks a page or a part of one on standard input, as for kview --html.

All elements are closed in their order, no attribute or id is repeated, and nothing runs, moves or is
fetched: no script, no handler, no link but #id, no image, no url(...). No control character and no
mark of direction is written. Prints the faults; with --tsv the tables instead, each as data-column
and cells. As a module it has faults(text, allowed), where allowed limits the elements, and read(text, page), where
page is a Page, whose method link decides which links are right.
"""
import re
import sys
from html.parser import HTMLParser

VOID = {"br", "col", "hr", "meta", "wbr"}
FORBIDDEN = {"applet", "audio", "base", "button", "embed", "form", "frame", "iframe", "image", "img", "input",
             "link", "object", "portal", "script", "source", "template", "track", "video"}
LINKS = {"action", "background", "cite", "data", "formaction", "href", "ping", "poster", "src", "srcset", "xlink:href"}
UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")
# An & in text begins a reference, and a < a tag, so the parser hands over neither.
REFERENCE = re.compile("&(?!(amp|lt|gt|quot|#39|nbsp);)")


class Page(HTMLParser):
    def __init__(self, allowed=()):
        super().__init__(convert_charrefs=False)
        self.allowed = allowed
        self.faults, self.open, self.ids = [], [], set()
        self.tables = []
        self.cell = None

    def fault(self, what):
        self.faults.append(f"line {self.getpos()[0]}: {what}")

    def begin(self, tag, attributes, raw):
        names = [name for name, _ in attributes]
        if tag in FORBIDDEN or self.allowed and tag not in self.allowed:
            self.fault(f"an element <{tag}>")
        if len(set(names)) != len(names):
            self.fault(f"<{tag}> has an attribute twice")
        if re.search("=[^\"'>]*[<`]", re.sub("\"[^\"]*\"|'[^']*'", "", raw)):
            self.fault(f"<{tag}> has a value without quotes")
        for name, value in attributes:
            value = value or ""
            if name.startswith("on") or name == "srcdoc" or name == "http-equiv" and value.lower() == "refresh":
                self.fault(f"<{tag}> has {name}")
            if name in LINKS and not (tag == "svg" or name == "data"):
                self.link(tag, value)
            if re.search(r"url\((?!['\"]?#)", value, re.I):
                self.fault(f"<{tag} {name}> loads {value!r}")
            if name == "id":
                if value in self.ids:
                    self.fault(f"the id {value!r} is there twice")
                self.ids.add(value)
        if tag == "table":
            self.tables.append([])
        if tag == "tr" and self.tables:
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.cell = dict(attributes).get("data-column", "") if tag == "th" else ""

    def link(self, tag, value):
        if not value.startswith("#"):
            self.fault(f"<{tag}> links to {value!r}")

    def handle_starttag(self, tag, attrs):
        self.begin(tag, attrs, self.get_starttag_text())
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.begin(tag, attrs, self.get_starttag_text())
        if tag not in VOID and "svg" not in self.open:
            self.fault(f"<{tag}/> closes itself")

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.fault(f"</{tag}> closes <{self.open[-1] if self.open else ''}>")
        if tag in self.open:
            while self.open.pop() != tag:
                pass
        if tag in ("td", "th") and self.tables and self.tables[-1]:
            self.tables[-1][-1].append(self.cell)
            self.cell = None

    def text(self, text):
        if self.cell is not None and "thead" not in self.open:
            self.cell += text

    def handle_data(self, data):
        if "<" in data or "&" in data:
            self.fault(f"markup in text: {data[:40]!r}")
        if self.open and self.open[-1] == "style" and re.search(r"url\(|@import", data, re.I):
            self.fault("a style that loads something")
        self.text(data)

    def handle_entityref(self, name):
        self.text({"amp": "&", "lt": "<", "gt": ">", "quot": '"'}.get(name, ""))

    def handle_charref(self, name):
        self.text("'" if name == "39" else "")

    def handle_comment(self, data):
        if self.allowed:
            self.fault("a comment")

    def handle_decl(self, decl):
        if decl.lower() != "doctype html":
            self.fault(f"a declaration: {decl[:40]!r}")

    def handle_pi(self, data):
        self.fault(f"an instruction: {data[:40]!r}")

    def unknown_decl(self, data):
        self.fault(f"a section: {data[:40]!r}")


def read(text, page):
    page.feed(text)
    page.close()
    for tag in page.open:
        page.fault(f"<{tag}> is not closed")
    if UNSAFE.search(text):
        page.fault(f"{UNSAFE.search(text)[0]!r} is written")
    # In a style sheet a & is no reference.
    loose = REFERENCE.search(re.sub("<style>.*?</style>", "", text, flags=re.S))
    if loose:
        page.fault(f"an & that begins no reference: {text[loose.start():loose.start() + 20]!r}")
    return page


def faults(text, allowed=()):
    """The faults, texts; none if all is right. allowed: the only elements, if there are any."""
    return read(text, Page(set(allowed))).faults


def main():
    page = read(sys.stdin.buffer.read().decode(), Page())
    for fault in page.faults:
        print(fault)
    if sys.argv[1:] == ["--tsv"]:
        for row in (row for table in page.tables for row in table):
            print("\t".join(row))
    sys.exit(bool(page.faults))


if __name__ == "__main__":
    main()
