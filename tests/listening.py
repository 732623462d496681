"""Which ports programs listen at, looked at again and again while something else goes on."""

import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Self

import psutil

_PAUSE_S = 0.2  # a look takes some hundredths of a second of a core


class Listener(NamedTuple):
    """A socket that takes what others send: where, and in which program."""

    address: str
    port: int
    program: str

    @property
    def is_open(self) -> bool:
        """Return whether other machines reach it."""
        return not ipaddress.ip_address(self.address.partition("%")[0]).is_loopback


class Watch:
    """Looks at the sockets of this process and of all that it started, or that have a word in their
    command line, from ``with`` on to its end.
    """

    def __init__(self, word: str = "") -> None:
        self._word = word
        self.seen: set[Listener] = set()
        self.programs: set[str] = set()
        self.looks = 0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch")
        self._problem: Exception | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()
        if self._problem is not None:
            raise self._problem

    def until(self, claim: Callable[["Watch"], object], within_s: float = 240) -> None:
        """Wait until something was seen."""
        deadline = time.monotonic() + within_s
        while not claim(self):
            assert time.monotonic() < deadline, self.seen
            time.sleep(_PAUSE_S)

    @property
    def open(self) -> set[Listener]:
        """Return those that other machines reach."""
        return {listener for listener in self.seen if listener.is_open}

    def _run(self) -> None:
        try:
            while not self._ends.is_set():
                for process in _family(self._word):
                    found, name = listeners(process)
                    self.seen |= found
                    self.programs.add(name)
                self.looks += 1
                self._ends.wait(_PAUSE_S)
        except Exception as error:
            self._problem = error  # raised where the watch ends


def _family(word: str) -> Iterator[psutil.Process]:
    this = psutil.Process()
    yield this
    yield from this.children(recursive=True)
    if not word:
        return
    for process in psutil.process_iter():
        try:
            if any(word in part for part in process.cmdline()):
                yield process
        except psutil.Error:
            continue  # ended, or of another user


def listeners(process: psutil.Process) -> tuple[set[Listener], str]:
    """Return the sockets of a process that take connections or datagrams, and its program; those
    of one that has just ended are none.
    """
    try:
        name = _program(process.cmdline())
        links = process.net_connections("inet")
    except psutil.Error:
        return set(), ""
    return {
        Listener(str(link.laddr[0]), int(link.laddr[1]), name)
        for link in links
        if link.laddr and (link.status == psutil.CONN_LISTEN or _takes_datagrams(link))
    }, name


def _takes_datagrams(link: object) -> bool:
    return getattr(link, "type", None) == socket.SOCK_DGRAM and not getattr(link, "raddr", ())


def _program(words: list[str]) -> str:
    """Return the first module of a command line, or its program."""
    if "-m" in words:
        return words[words.index("-m") + 1]
    return Path(words[0]).name if words else ""
