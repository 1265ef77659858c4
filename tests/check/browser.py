"""browser.py FILE.html [FOLDER] - looks at a page in headless Chromium, in light and dark, at 1280 and 390 pixels.

Prints each console message, each request other than for the page, and each element that is wider
than the screen; tables and pictures may be, in an element that scrolls. Light must be light, and
dark dark. The page must print as PDF, and on paper nothing may be cut off. Screenshots and the PDF go to
FOLDER, if it is named. The last line is "the page is as it should be", or the number of faults, with
status 1. Without Chromium it prints so, with status 0. It talks to the browser by the DevTools protocol.
"""
import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

WAIT = 60  # seconds, for each answer of the browser
SIZES = [(1280, 900), (390, 844)]
PAPER = (718, 1046)  # A4 without margins of 1 cm, in pixels of 1/96 inch

# An element is too wide if it ends beyond the screen and nothing around it scrolls or cuts it.
MEASURE = """(() => {
  const width = document.documentElement.clientWidth, faults = [];
  if (document.documentElement.scrollWidth > width)
    faults.push(`the page is ${document.documentElement.scrollWidth} pixels wide`);
  for (const element of document.body.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.right <= width + 1 && box.left >= -1) continue;
    let inside = false;
    for (let at = element; at && at !== document.body; at = at.parentElement)
      inside ||= ["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX) &&
                 at.getBoundingClientRect().right <= width + 1;
    const scrolled = element.closest("table, svg, pre");
    if (!inside || !scrolled && !element.querySelector("table, svg, pre"))
      faults.push(`<${element.tagName.toLowerCase()}> ends at ${Math.round(box.right)}: ` +
                  (element.textContent || "").trim().slice(0, 40));
  }
  return faults.slice(0, 20);
})()"""
# Paper does not scroll.
CUT_OFF = """(() => [...document.querySelectorAll("body *")].filter(element =>
    getComputedStyle(element).overflowX !== "visible" && element.clientWidth &&
    element.scrollWidth > element.clientWidth + 1).map(element =>
    `${element.scrollWidth - element.clientWidth} pixels of <${element.tagName.toLowerCase()}> are cut off: ` +
    (element.textContent || "").trim().slice(0, 40)).slice(0, 20))()"""
BACKGROUND = """(() => {
  for (const element of [document.body, document.documentElement]) {
    const parts = getComputedStyle(element).backgroundColor.match(/[0-9.]+/g).map(Number);
    if (parts.length < 4 || parts[3] > 0) return (parts[0] + parts[1] + parts[2]) / 3;
  }
  return 255;
})()"""


class Browser:
    """A page of a browser: the client of a WebSocket."""

    def __init__(self, url):
        host, path = url.removeprefix("ws://").split("/", 1)
        name, port = host.rsplit(":", 1)
        self.socket = socket.create_connection((name, int(port)), timeout=WAIT)
        self.socket.sendall((f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: a2V2dG9vbHMga2V2dG9vbA==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.read(1)
        self.number = 0
        self.events = []

    def read(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise OSError("the browser closed the connection")
            data += more
        return data

    def receive(self):
        text = b""
        while True:
            first, size = self.read(2)
            size = {126: lambda: struct.unpack(">H", self.read(2))[0],
                    127: lambda: struct.unpack(">Q", self.read(8))[0]}.get(size, lambda: size)()
            data = self.read(size)
            if first & 15 in (0, 1):
                text += data
                if first & 128:
                    return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        data = json.dumps({"id": self.number, "method": method, "params": params}).encode()
        size = bytes([128 | len(data)]) if len(data) < 126 else struct.pack(">BH", 128 | 126, len(data))
        self.socket.sendall(b"\x81" + size + bytes(4) + data)  # the mask is 0
        while (answer := self.receive()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise OSError(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    def evaluate(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def load(self, url):
        """Loads the page. What it said and asked for meanwhile is in the events."""
        self.events = []
        self.call("Page.navigate", url=url)
        end = time.monotonic() + WAIT
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            if time.monotonic() > end:
                raise OSError("the page was not loaded in time")
            self.events.append(self.receive())
        self.call("Runtime.evaluate", expression="new Promise(done => setTimeout(done, 100))", awaitPromise=True)


def fault_of_event(event, url):
    """What an event reports of the page; None if nothing is wrong."""
    params = event["params"]
    if event["method"] == "Runtime.consoleAPICalled":
        return "console: " + " ".join(str(arg.get("value", arg.get("description"))) for arg in params["args"])
    if event["method"] == "Runtime.exceptionThrown":
        return "exception: " + params["exceptionDetails"]["text"]
    if event["method"] == "Log.entryAdded":
        return "console: " + params["entry"]["text"]
    if event["method"] == "Network.requestWillBeSent" and params["request"]["url"].split("#")[0] != url:
        return "request: " + params["request"]["url"][:200]
    return None


def faults_of_view(browser, url, size, scheme, folder):
    width, height = size
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.load(url)
    for fault in filter(None, (fault_of_event(event, url) for event in browser.events)):
        yield fault
    yield from browser.evaluate(MEASURE)
    light = browser.evaluate(BACKGROUND)
    if (light > 127) != (scheme == "light"):
        yield f"the background has a lightness of {light:.0f} of 255"
    if folder:
        picture = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        pathlib.Path(folder, f"{width}-{scheme}.png").write_bytes(base64.b64decode(picture))


def look(browser, url, folder):
    """Yields the faults of the page."""
    for domain in "Page", "Runtime", "Log", "Network":
        browser.call(domain + ".enable")
    for size in SIZES:
        for scheme in "light", "dark":
            for fault in faults_of_view(browser, url, size, scheme, folder):
                yield f"{size[0]} pixels, {scheme}: {fault}"
    browser.call("Emulation.setDeviceMetricsOverride", width=PAPER[0], height=PAPER[1], deviceScaleFactor=1, mobile=False)
    browser.call("Emulation.setEmulatedMedia", media="print", features=[])
    browser.load(url)
    for fault in browser.evaluate(MEASURE) + browser.evaluate(CUT_OFF):
        yield f"print: {fault}"
    pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    if folder:
        pathlib.Path(folder, "print.pdf").write_bytes(pdf)
    if not pdf.startswith(b"%PDF-"):
        yield "the page cannot be printed"


def start(program, profile):
    """The process of the browser, and the address of its page."""
    # Its sandbox needs what containers and root lack; the page has no script.
    process = subprocess.Popen([program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                                "--disable-dev-shm-usage", "--remote-debugging-port=0", f"--user-data-dir={profile}",
                                "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    port = pathlib.Path(profile, "DevToolsActivePort")
    end = time.monotonic() + WAIT
    while process.poll() is None and time.monotonic() < end:
        try:
            number = port.read_text().split()[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{number}/json/list", timeout=WAIT) as answer:
                pages = [page for page in json.load(answer) if page["type"] == "page"]
            return process, pages[0]["webSocketDebuggerUrl"]
        except (OSError, IndexError):
            time.sleep(0.05)
    process.kill()
    process.wait()
    raise OSError("the browser does not start")


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        print("skipped: no chromium")
        return 0
    url = pathlib.Path(sys.argv[1]).resolve().as_uri()
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    if folder:
        os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process, address = start(program, profile)
        try:
            faults = list(look(Browser(address), url, folder))
        finally:
            process.kill()
            process.wait()
    for fault in faults:
        print(fault)
    print(f"faults: {len(faults)}" if faults else "the page is as it should be")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
