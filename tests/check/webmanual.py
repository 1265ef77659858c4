"""webmanual.py FOLDER - checks the web manual of scripts/webmanual, as HTML and as headless Chromium shows it.

htmlcheck.py finds no fault in a page, titles differ, every link leads to a page and an id that exist, and
each page has a link to it. In Chromium no page says or asks for anything, or is too wide at 390 pixels;
the index is looked at in the dark and at 1280 pixels, too. The last line is "the manual is as it
should be", without Chromium after "skipped: no chromium"; or the number of faults, with status 1. Pages
whose HTML has faults are not shown.
"""
import pathlib
import re
import shutil
import sys
import tempfile

import browser
import htmlcheck


class Page(htmlcheck.Page):
    """A page of the manual. Its links are collected, and looked at when all ids are known."""

    def __init__(self):
        super().__init__()
        self.links, self.title = [], ""

    def link(self, tag, value):
        if tag == "a":
            self.links.append(value)
        else:
            super().link(tag, value)

    def handle_data(self, data):
        super().handle_data(data)
        if self.open and self.open[-1] == "title":
            self.title += data


def read(path):
    # mandoc writes characters beyond ASCII as references.
    text = re.sub("&#x([0-9A-F]+);", lambda match: chr(int(match[1], 16)), path.read_text())
    return htmlcheck.read(text, Page())


def faults_of_links(name, pages):
    for link in pages[name].links:
        file, _, place = link.partition("#")
        if link.startswith("https://"):
            continue
        target = pages.get(file or name)
        if target is None or place and place not in target.ids:
            yield f"{name}: a dead link: {link}"


def faults_of_pages(pages):
    titles = {}
    for name, page in pages.items():
        yield from (f"{name}: {fault}" for fault in page.faults)
        yield from faults_of_links(name, pages)
        if not page.title or titles.setdefault(page.title, name) != name:
            yield f"{name}: the title is {page.title!r}"
    for name in set(pages) - {link.split("#")[0] for page in pages.values() for link in page.links} - {"index.html"}:
        yield f"no page links to {name}"


def faults_in_browser(program, index, pages):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # One load takes less time than forty; all pages have one style.
        together = pathlib.Path(folder, "pages.html")
        bodies = [text.partition("<body>")[2].partition("</body>")[0] for text in pages]
        together.write_text(pages[0].partition("<body>")[0] + "<body>" + "".join(bodies) + "</body></html>")
        process, address = browser.start(program, folder)
        try:
            page = browser.Browser(address)
            for domain in "Page", "Runtime", "Log", "Network":
                page.call(domain + ".enable")
            views = [(index, size, scheme) for size in browser.SIZES for scheme in ("light", "dark")]
            for path, size, scheme in [*views, (together, browser.SIZES[1], "light")]:
                for fault in browser.faults_of_view(page, path.as_uri(), size, scheme, None):
                    yield f"{path.name}: {size[0]} pixels, {scheme}: {fault}"
        finally:
            process.kill()
            process.wait()


def main():
    files = sorted(pathlib.Path(sys.argv[1]).resolve().glob("*.html"))
    faults = list(faults_of_pages({path.name: read(path) for path in files}))
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program and not faults:
        pages = [path.read_text() for path in files if re.search("[.][157][.]html$", path.name)]
        faults += faults_in_browser(program, files[0].with_name("index.html"), pages)
    elif not program:
        print("skipped: no chromium")
    for fault in faults:
        print(fault)
    print(f"faults: {len(faults)}" if faults else "the manual is as it should be")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
