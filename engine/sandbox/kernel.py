"""System calls of the Linux kernel that Python has no functions for."""

import ctypes
import os
import sys
from functools import cache

_NO_NEW_PRIVS = 38  # PR_SET_NO_NEW_PRIVS


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def is_linux() -> bool:
    """Return whether this is Linux with addresses of 64 bits, of which alone the numbers of the
    calls are known here.
    """
    return sys.platform == "linux" and sys.maxsize > 1 << 32


def call(number: int, *arguments: object) -> int:
    """Make a system call and return what it gives. Raises :class:`OSError`.

    Whole numbers go in as they are; all else has to be of :mod:`ctypes`.
    """
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    syscall = _libc().syscall
    syscall.restype = ctypes.c_long
    found = syscall(ctypes.c_long(number), *given)
    if found < 0:
        reason = ctypes.get_errno()
        raise OSError(reason, os.strerror(reason))
    return found


def give_up_privileges() -> None:
    """Let no program that this process may start have more rights than it has itself: what the
    kernel asks for before an ordinary user may confine himself. Raises :class:`OSError`.
    """
    zero = ctypes.c_ulong(0)
    if _libc().prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero) != 0:
        reason = ctypes.get_errno()
        raise OSError(reason, os.strerror(reason))
