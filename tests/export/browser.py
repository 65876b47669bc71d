# SPDX-License-Identifier: GPL-2.0-or-later
"""Chromium without a screen, driven over its debugging pipe: two descriptors, messages of JSON, each ended by 0."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

TIMEOUT_S = 600  # ends what hangs; a busy machine is slow


def find():
    """The browser's program; None: there is none."""
    return shutil.which("chromium") or shutil.which("chromium-headless-shell")


class Browser:
    """with Browser(folder) as b: b.open(path); folder: where the browser keeps its profile."""

    def __init__(self, folder, width=1280, height=900):
        to_read, self.to = os.pipe()
        self.back, from_write = os.pipe()
        # the browser reads commands from descriptor 3 and writes answers to 4; both ends are moved out of the way first
        script = f'exec 3<&{to_read} 4>&{from_write}; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", find(), "--headless", "--no-sandbox", "--remote-debugging-pipe",
             "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
             f"--user-data-dir={os.path.abspath(folder)}", f"--window-size={width},{height}", "about:blank"],
            pass_fds=(to_read, from_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.number = 0
        self.buffer = b""
        self.events = []
        self.session = None
        self.ready_ms = 0  # of the last page: from the beginning of its loading, by the clock on the wall
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.send("Performance.enable", timeDomain="threadTicks")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)

    def _message(self, until):
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            part = os.read(self.back, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, **params):
        """The result of a command; events that come meanwhile are kept in `events`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        until = time.monotonic() + TIMEOUT_S
        while True:
            got = self._message(until)
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']['message']}")
                return got["result"]
            if "method" in got:
                self.events.append(got)

    def run(self, expression):
        """The value of an expression in the page, as JSON has it; promises are waited for."""
        got = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            what = got["exceptionDetails"]
            raise RuntimeError(what.get("exception", {}).get("description") or what["text"])
        return got["result"].get("value")

    def busy(self):
        """Processor time of the page's main thread, in ms: other programs do not count."""
        metrics = self.send("Performance.getMetrics")["metrics"]
        return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    def open(self, path):
        """Loads a page of ours and waits until it is ready; processor time of its main thread until then, in ms."""
        before = self.busy()
        self.events.clear()
        self.send("Page.navigate", url=f"file://{os.path.abspath(path)}")
        until = time.monotonic() + TIMEOUT_S
        while time.monotonic() < until:
            ready = self.run("document.documentElement?.dataset.readyMs || ''")
            if ready:
                # a frame later, what was drawn is to be seen
                self.run("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")
                after = self.busy()
                self.ready_ms = int(ready)
                return after - before if after >= before else after
            time.sleep(0.02)
        raise RuntimeError(f"{path} is not ready")

    def frames(self):
        """Waits until what was changed is drawn."""
        self.run("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(f, 30))))")

    def complaints(self):
        """Errors and warnings that the page caused so far."""
        self.run("0")
        texts = []
        for event in self.events:
            params = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                what = params["exceptionDetails"]
                texts.append(what.get("exception", {}).get("description") or what["text"])
            elif event["method"] == "Log.entryAdded":
                texts.append(params["entry"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                texts.append(" ".join(str(a.get("value")) for a in params["args"]))
        return texts

    def requests(self):
        """URLs that were asked for, besides the page itself and data that it contains."""
        self.run("0")
        urls = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [u for u in urls if not u.startswith(("data:", "blob:"))][1:]

    def key(self, key):
        """Presses and releases a key, by its name in DOM events."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.frames()

    def drag(self, x0, x1, y):
        for kind, x in (("mouseMoved", x0), ("mousePressed", x0), ("mouseMoved", (x0 + x1) / 2), ("mouseMoved", x1),
                        ("mouseReleased", x1)):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if x == x0 and kind == "mouseMoved"
                      else "left", buttons=0 if kind == "mouseReleased" else 1, clickCount=1)
        self.frames()

    def media(self, scheme="light", kind=""):
        """Light or dark; kind: "print", "" for the screen."""
        self.send("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.frames()

    def screenshot(self, path, clip=None):
        """A PNG of what is to be seen, or of a part of the page: x, y, width, height."""
        options = {"format": "png"}
        if clip:
            options["clip"] = dict(zip(("x", "y", "width", "height"), clip), scale=1)
            options["captureBeyondViewport"] = True
        data = base64.b64decode(self.send("Page.captureScreenshot", **options)["data"])
        with open(path, "wb") as handle:
            handle.write(data)

    def pdf(self, path):
        data = base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])
        with open(path, "wb") as handle:
            handle.write(data)
