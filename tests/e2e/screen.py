"""A virtual screen with a window manager, and a program on it driven by mouse and keys."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]


class Screen:
    """Xvfb and a window manager of our own; both end with the screen."""

    def __init__(self, size: str = "1600x1000") -> None:
        read, write = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as stream:
            self.display = f":{stream.readline().strip()}"
        self.environment = {**os.environ, "DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb"}
        self._manager = subprocess.Popen(
            ["openbox"],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(0.5)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self._manager, self._server):
            process.terminate()
            process.wait(10)

    @staticmethod
    def is_possible() -> bool:
        """Return whether this machine has what a virtual screen needs."""
        return all(shutil.which(name) for name in ("Xvfb", "xdotool", "openbox"))


class Program:
    """The studio in a process of its own, seen and driven only through the screen."""

    def __init__(self, screen: Screen, *arguments: str) -> None:
        self._screen = screen
        self.log = (Path(os.environ.get("TMPDIR", "/tmp")) / f"e2e-{os.getpid()}.log").open("w+b")
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("launch.py")), *arguments],
            cwd=ROOT,
            env=screen.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )

    def ask(self, **question: str) -> dict | None:
        """Return the answer of the program about where a thing is; None where it is not there."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.log.seek(0)
            raise AssertionError(f"the program ended: {self.log.read().decode()[-4000:]}")
        found = json.loads(line)
        assert not (found and "error" in found), found
        return found

    def wait_for(self, timeout_s: float = 20, /, *, until=None, **question: str) -> dict:
        """Ask until the thing is there (and visible, and as the condition wants it)."""
        deadline = time.monotonic() + timeout_s
        found = None
        while time.monotonic() < deadline:
            found = self.ask(**question)
            if found and found.get("visible", True) and (until is None or until(found)):
                return found
            time.sleep(0.05)
        raise AssertionError(f"{question} not as expected after {timeout_s} s: {found}")

    def widget(self, name: str, timeout_s: float = 20, until=None) -> dict:
        """Wait for a visible widget by its object name."""
        return self.wait_for(timeout_s, until=until, ask="widget", name=name)

    def click(self, place: dict | str, button: int = 1, repeat: int = 1) -> None:
        """Press and release the mouse in the middle of a thing."""
        place = (
            self.widget(place, until=lambda w: w["enabled"]) if isinstance(place, str) else place
        )
        x, y = _middle(place)
        self._mouse("mousemove", x, y)
        time.sleep(0.05)
        self._do("click", "--repeat", str(repeat), "--delay", "60", str(button))
        time.sleep(0.15)

    def drag(self, start: dict, end: dict) -> None:
        """Press at one place, move there in steps as a hand does, and release."""
        (x0, y0), (x1, y1) = _middle(start), _middle(end)
        self._mouse("mousemove", x0, y0)
        time.sleep(0.05)
        self._do("mousedown", "1")
        for part in range(1, 11):
            self._mouse("mousemove", x0 + (x1 - x0) * part // 10, y0 + (y1 - y0) * part // 10)
            time.sleep(0.02)
        time.sleep(0.1)
        self._do("mouseup", "1")
        time.sleep(0.2)

    def key(self, *keys: str) -> None:
        """Press keys, each with its modifiers, such as ``ctrl+k``."""
        self._do("key", "--delay", "40", *keys)
        time.sleep(0.1)

    def type(self, text: str) -> None:
        """Type a text."""
        self._do("type", "--delay", "25", text)
        time.sleep(0.1)

    def replace_text(self, name: str, text: str) -> None:
        """Click into a field, replace what stands there and press Enter."""
        self.click(name)
        self.key("ctrl+a")
        self.type(text)
        self.key("Return")

    def screenshot(self, path: Path) -> None:
        """Save what the screen shows."""
        subprocess.run(
            ["import", "-window", "root", str(path)], env=self._screen.environment, check=True
        )

    def end(self, timeout_s: float = 20) -> int:
        """Wait for the program's own end; end it where it does not."""
        try:
            code = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.log.close()
        return code

    def _mouse(self, what: str, x: int, y: int) -> None:
        self._do(what, str(x), str(y))

    def _do(self, *arguments: str) -> None:
        subprocess.run(["xdotool", *arguments], env=self._screen.environment, check=True)


def _middle(place: dict) -> tuple[int, int]:
    return place["x"] + place["w"] // 2, place["y"] + place["h"] // 2
