"""A real browser without a screen, told by its own protocol over a pipe what to do."""

import itertools
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.tiny_run import PATIENCE_S

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), "")
"""Where a browser is; empty where there is none."""

_ARGUMENTS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-background-networking", "--remote-debugging-pipe"),
    *("--lang=en-US", "about:blank"),
)


class Browser:
    """One page of a browser whose profile lies in a folder."""

    def __init__(self, folder: Path) -> None:
        its_input, self._to = os.pipe()
        self._from, its_output = os.pipe()

        def place() -> None:
            os.dup2(its_input, 3, inheritable=True)
            os.dup2(its_output, 4, inheritable=True)

        # The ends are moved out of the way of 3 and 4 first.
        its_input, its_output = (_moved(each) for each in (its_input, its_output))
        self._process = subprocess.Popen(
            (PROGRAM, f"--user-data-dir={folder}", *_ARGUMENTS),
            preexec_fn=place,  # noqa: PLW1509  # nothing but two calls of the system
            close_fds=True,
            pass_fds=(3, 4, its_input, its_output),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(its_input)
        os.close(its_output)
        self._numbers = itertools.count(1)
        self._rest = b""
        self._session = ""
        targets = self._ask("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        found = self._ask("Target.attachToTarget", targetId=page, flatten=True)
        self._session = found["sessionId"]

    def open(self, url: str) -> None:
        """Go to an address."""
        self._ask("Page.navigate", url=url)

    def value(self, script: str) -> Any:
        """Return what a script gives in the page."""
        found = self._ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, script: str) -> Any:
        """Return what a script gives once that is something."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if found := self.value(script):
                return found
            time.sleep(0.05)
        raise AssertionError(f"{script}: {self.value('document.body.innerText')}")

    def picture(self, file: Path, width: int, height: int) -> None:
        """Save what is to be seen."""
        import base64

        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **size)
        file.write_bytes(base64.b64decode(self._ask("Page.captureScreenshot")["data"]))

    def give_files(self, selector: str, *files: Path) -> None:
        """Choose files in a field of the page."""
        root = self._ask("DOM.getDocument")["root"]["nodeId"]
        node = self._ask("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self._ask("DOM.setFileInputFiles", nodeId=node, files=[str(each) for each in files])

    def close(self) -> None:
        """End it."""
        os.close(self._to)
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        os.close(self._from)

    def _ask(self, method: str, **params: object) -> Any:
        number = next(self._numbers)
        asked: dict[str, object] = {"id": number, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._to, json.dumps(asked).encode() + b"\0")
        while True:
            answer = json.loads(self._next())
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self) -> bytes:
        while b"\0" not in self._rest:
            piece = os.read(self._from, 1 << 16)
            assert piece, "the browser has ended"
            self._rest += piece
        found, _, self._rest = self._rest.partition(b"\0")
        return found


def _moved(number: int) -> int:
    """Return a copy of a descriptor beyond those that the browser takes."""
    import fcntl

    found = fcntl.fcntl(number, fcntl.F_DUPFD, 20)
    os.close(number)
    return found
