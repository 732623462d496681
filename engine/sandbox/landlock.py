"""Landlock: the files that a process may still reach, and no TCP, by the kernel's own rules.

The rules hold for the thread that sets them and for what it starts, and cannot be taken back. From
ABI 8 on they hold for all threads of the process.
"""

import contextlib
import ctypes
import errno
import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path

from engine.sandbox import kernel

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
_VERSION = 1
_PATH_BENEATH = 1
_ALL_THREADS = 1 << 3  # LANDLOCK_RESTRICT_SELF_TSYNC
_ALL_THREADS_SINCE = 8
_PATIENCE_S = 5.0  # a thread that was joined may still be on its way out

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_REFER, _TRUNCATE = 1 << 13, 1 << 14

_READ = _READ_FILE | _READ_DIR
_WRITE = (
    _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
)
_OF_FILES = _WRITE_FILE | _READ_FILE | _TRUNCATE
_HANDLED = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_HANDLED_FROM_5 = (1 << 16) - 1
_TCP = 3  # bind and connect
_SCOPES = 3  # signals, and sockets without a file


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def abi() -> int:
    """Return the version of Landlock's interface; 0 where the kernel has none, or has it off."""
    if not kernel.is_linux():
        return 0
    try:
        return kernel.call(_CREATE, None, 0, _VERSION)
    except OSError:
        return 0


def require_alone(version: int) -> None:
    """Raise :class:`OSError` unless the rules of this version will hold for all of the process:
    threads that were there before would keep their rights, and who takes over the process has
    them, too. Those that are ending are waited for.
    """
    end = time.monotonic() + _PATIENCE_S
    while version < _ALL_THREADS_SINCE and len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208
        if time.monotonic() > end:
            raise OSError(errno.EBUSY, "a process with several threads cannot be confined here")
        time.sleep(0.001)


def restrict(read: Iterable[Path], write: Iterable[Path], version: int) -> None:
    """Leave this thread nothing but files below some paths to read, and below others to write too;
    no TCP where ``version`` (:func:`abi`) knows it, and signals to nobody outside.

    Raises :class:`OSError`.
    """
    handled = _HANDLED.get(version, _HANDLED_FROM_5)
    ruleset = _Ruleset(handled, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    rules = kernel.call(_CREATE, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    try:
        for path in read:
            _allow(rules, path, _READ & handled)
        for path in write:
            _allow(rules, path, _WRITE & handled)
        _enforce(rules, version)
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, rights: int) -> None:
    """Add a rule for what lies at a path and below it; where nothing lies there is none."""
    flags: int = getattr(os, "O_PATH", 0) | os.O_CLOEXEC
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        opened = os.open(path, flags)
        try:
            if not stat.S_ISDIR(os.fstat(opened).st_mode):
                rights &= _OF_FILES
            rule = _PathBeneath(rights, opened)
            kernel.call(_ADD, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
        finally:
            os.close(opened)


def _enforce(rules: int, version: int) -> None:
    if version >= _ALL_THREADS_SINCE:
        kernel.call(_RESTRICT, rules, _ALL_THREADS)
    else:
        kernel.call(_RESTRICT, rules, 0)
