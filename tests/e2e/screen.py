"""A virtual screen with a window manager, and a program on it driven by mouse and keys."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]
NEEDED = ("Xvfb", "xdotool", "openbox", "xprop")
PATIENCE_S = 60.0
LOADING_S = 300.0  # a process loads PyTorch, perhaps while others do
_POLL_S = 0.04
_TRIES = 3

Place = dict[str, object]


def missing_tools() -> list[str]:
    """Return which of the programs that a virtual screen needs this machine lacks."""
    return [name for name in NEEDED if shutil.which(name) is None]


class Screen:
    """Xvfb and a window manager of our own; both end with the screen."""

    def __init__(self, home: Path, size: str = "1600x1000") -> None:
        read, write = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as stream:
            self.display = f":{stream.readline().strip()}"
        self.environment = {
            **os.environ,
            "DISPLAY": self.display,
            "QT_QPA_PLATFORM": "xcb",
            "HOME": str(home),
            "LANG": "C.UTF-8",
        }
        self.environment.pop("WAYLAND_DISPLAY", None)
        self._manager = self._managed()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self._manager, self._server):
            end(process)

    def _managed(self) -> subprocess.Popen[bytes]:
        """Return the window manager once it is there; one that comes up deaf is started again."""
        for _ in range(_TRIES):
            manager = subprocess.Popen(
                ["openbox"],
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            with suppress(AssertionError):
                wait_until(self._is_managed, "the window manager")
                return manager
            end(manager)
        end(self._server)
        raise AssertionError("no window manager came")

    def _is_managed(self) -> bool:
        asked = subprocess.run(
            ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return "window id" in asked.stdout

    def screenshot(self, path: Path) -> None:
        """Save what is to be seen, where ImageMagick is there."""
        if shutil.which("import") is not None:
            command = ["import", "-window", "root", str(path)]
            subprocess.run(command, env=self.environment, check=False)


class Program:
    """The studio in a process of its own, seen and driven only through the screen; it counts what
    hands do.
    """

    def __init__(self, screen: Screen, log: Path, *arguments: str, folder: Path = ROOT) -> None:
        self.screen = screen
        self.clicks = 0
        self.keys = 0
        self._log = log
        with log.open("wb") as stream:
            self.process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("launch.py")), *arguments],
                cwd=folder,
                env=screen.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stream,
                text=True,
            )
        self.widget("mainWindow", timeout_s=3 * PATIENCE_S)
        self._wait_for_keys()

    def ask(self, **question: str) -> Place | None:
        """Return the answer of the program about where a thing is; None where it is not there."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the program ended: {self.said()[-4000:]}")
        found = json.loads(line)
        assert not (found and "error" in found), found
        return found

    def wait_for(
        self,
        until: Callable[[Place], object] | None = None,
        timeout_s: float = PATIENCE_S,
        **question: str,
    ) -> Place:
        """Ask until the thing is there (and visible, and as the condition wants it); the answer
        keeps the question, so that the place can be read again.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            found = self.ask(**question)
            if found and found.get("visible", True) and (until is None or until(found)):
                return found | {"question": question}
            if time.monotonic() > deadline:
                raise AssertionError(f"{question} not as expected after {timeout_s} s: {found}")
            time.sleep(_POLL_S)

    def widget(
        self,
        name: str,
        until: Callable[[Place], object] | None = None,
        timeout_s: float = PATIENCE_S,
    ) -> Place:
        """Wait for a visible widget by its object name."""
        return self.wait_for(until, timeout_s, ask="widget", name=name)

    def row(self, view: str, text: str, timeout_s: float = PATIENCE_S) -> Place:
        """Wait for a row of a list, table or tree that holds a text."""
        return self.wait_for(None, timeout_s, ask="row", name=view, text=text)

    def node(
        self,
        name: str,
        until: Callable[[Place], object] | None = None,
        timeout_s: float = PATIENCE_S,
        view: str = "canvas",
    ) -> Place:
        """Wait for a node by the name that it shows, on the canvas or in another view."""
        return self.wait_for(until, timeout_s, ask="node", name=name, view=view)

    def is_shown(self, name: str) -> bool:
        """Return whether a widget is to be seen now."""
        found = self.ask(ask="widget", name=name)
        return bool(found and found["visible"])

    def wait_until_gone(self, name: str, timeout_s: float = PATIENCE_S) -> None:
        """Wait until a widget is not to be seen any more."""
        wait_until(lambda: not self.is_shown(name), f"the end of {name}", timeout_s)

    def click(self, what: Place | str, button: int = 1, repeat: int = 1) -> None:
        """Press and release the mouse in the middle of a thing; a widget must be enabled."""
        self._point_at(what)
        self._do("click", "--repeat", repeat, "--delay", 20, button)
        self.clicks += repeat

    def drag(self, start: Place, end: Place) -> None:
        """Press at one place, move there in steps as a hand does, and release.

        After each step the program is waited for: of moves that come together Qt tells only the
        last one, and a press with one move and a release is no drag.
        """
        x0, y0 = self._point_at(start)
        x1, y1 = _middle(self._now(end))
        self._do("mousedown", 1)
        self.wait_for(lambda hands: hands["is_pressed"], ask="hands")
        for part in range(1, 11):
            self._move(x0 + (x1 - x0) * part // 10, y0 + (y1 - y0) * part // 10)
        # The drop needs a last move over its place: only then the target has said yes.
        self._move(x1, y1 + 1)
        self._move(x1, y1)
        self._do("mouseup", 1)
        self.wait_for(lambda hands: not hands["is_pressed"], ask="hands")

    def _point_at(self, what: Place | str) -> tuple[int, int]:
        """Move the mouse over a thing until the thing is where the mouse is: what lies above it
        may come or go, or a list be filled, while the mouse moves.
        """
        place = self._now(what)
        while True:
            point = _middle(place)
            self._move(*point)
            place = self._now(what)
            if _is_amid(point, place):
                return point

    def _now(self, what: Place | str) -> Place:
        """Return where a thing is now, as far as the program can be asked for it."""
        if isinstance(what, str):
            return self.widget(what, lambda w: w["enabled"])
        question = what.get("question")
        return self.wait_for(**question) if isinstance(question, dict) else what

    def _move(self, x: int, y: int) -> None:
        """Move the mouse and let the program see it."""
        self._do("mousemove", x, y)
        for _ in range(2):
            time.sleep(_POLL_S)
            self.ask(ask="hands")

    def turn_wheel(self, over: Place, steps: int) -> None:
        """Turn the wheel over a thing: down for positive steps."""
        button = 5 if steps > 0 else 4
        point = self._point_at(over)
        self._do("click", "--repeat", abs(steps), button)
        self._move(*point)

    def scroll_to(self, name: str, area: str) -> Place:
        """Turn the wheel over a form until a field of it is to be seen."""
        for direction in (3, -3):
            for _ in range(15):
                if self._stays(name):
                    return self.widget(name)
                self.turn_wheel(self.widget(area), direction)
        raise AssertionError(f"{name} is not in {area}")

    def _stays(self, name: str) -> bool:
        """Return whether a widget is to be seen and lies where it did a moment ago: the rows of a
        form lie elsewhere while it is filled.
        """
        before = self.ask(ask="widget", name=name)
        time.sleep(10 * _POLL_S)
        return bool(before and before["visible"] and before == self.ask(ask="widget", name=name))

    def hold(self, key: str, act: Callable[[], object]) -> None:
        """Do something with a key held down."""
        self._do("keydown", key)
        try:
            act()
        finally:
            self._do("keyup", key)

    def key(self, *keys: str) -> None:
        """Press keys, each with its modifiers, such as ``ctrl+k``."""
        self._wait_for_keys()
        self._do("key", "--delay", 40, *keys)
        self.keys += len(keys)

    def type(self, text: str) -> None:
        """Type a text."""
        self._do("type", "--delay", 15, text)
        self.keys += len(text)

    def fill(self, name: str, text: str) -> None:
        """Click into a field and replace what stands there; return when all of it is there.

        What a list shows after half of a search text lies elsewhere after the whole of it.
        """
        self._focus(name)
        self.key("ctrl+a")
        self.type(text)
        self.widget(name, lambda w: w["text"] == text)

    def _focus(self, name: str) -> None:
        """Click into a field until the keys go there: it may move away under the mouse."""
        for _ in range(_TRIES):
            self.click(name)
            with suppress(AssertionError):
                self.widget(name, lambda w: w["has_focus"], PATIENCE_S / _TRIES)
                return
        raise AssertionError(f"{name} takes no keys")

    def _wait_for_keys(self) -> None:
        """Wait until a window takes keys: before that, and after a dialog, they would be lost."""
        self.wait_for(lambda hands: hands["takes_keys"], ask="hands")

    def choose(self, name: str, text: str) -> None:
        """Open a combo box and click its first entry with a text, again while the list stays: Qt
        takes a click near that which opened the list, and soon after it, for a part of that.
        """
        self.click(name)
        for _ in range(_TRIES):
            self.click(self.row(name, text))
            with suppress(AssertionError):
                wait_until(
                    lambda: self.ask(ask="row", name=name, text=text) is None,
                    f"the end of the list of {name}",
                    PATIENCE_S / _TRIES,
                )
                return
        raise AssertionError(f"{name} keeps its list open")

    def replace_text(self, name: str, text: str) -> None:
        """Fill a field and press Enter."""
        self.fill(name, text)
        self.key("Return")

    def said(self) -> str:
        """Return what the program wrote to its error output."""
        return self._log.read_text(errors="replace")

    def terminate(self, number: int = signal.SIGTERM) -> None:
        """Send a signal to the program alone."""
        self.process.send_signal(number)

    def end(self, timeout_s: float = PATIENCE_S) -> int:
        """Wait for the program's own end and return its exit code; it is killed if it stays."""
        try:
            return self.process.wait(timeout_s)
        finally:
            self.close()

    def close(self) -> None:
        """Kill the program where it still goes on."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()

    def _do(self, *arguments: object) -> None:
        command = ["xdotool", *map(str, arguments)]
        subprocess.run(command, env=self.screen.environment, check=True)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that this module started."""
    process.terminate()
    process.wait(PATIENCE_S)


def wait_until(is_done: Callable[[], object], what: str, timeout_s: float = PATIENCE_S) -> None:
    """Wait for a condition; fail with its name when it does not come."""
    deadline = time.monotonic() + timeout_s
    while not is_done():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come in {timeout_s} s")
        time.sleep(_POLL_S)


def _is_amid(point: tuple[int, int], place: Place) -> bool:
    """Return whether a point lies well inside a place; of a place without a size: on it."""
    return all(
        abs(at - middle) <= place[size] // 4  # type: ignore[operator]
        for at, middle, size in zip(point, _middle(place), "wh", strict=True)
    )


def _middle(place: Place) -> tuple[int, int]:
    return place["x"] + place["w"] // 2, place["y"] + place["h"] // 2  # type: ignore[operator]
