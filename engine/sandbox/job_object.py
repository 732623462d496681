"""Limits on memory, time and processes on Windows, by a job object that holds this process.

Windows has no means to forbid a process that has started files or the network without another
account, so that stays open there.
"""

import ctypes
import os
from functools import cache
from typing import Any

_EXTENDED_LIMITS = 9
_PROCESS_TIME, _ACTIVE_PROCESS, _PROCESS_MEMORY = 0x2, 0x8, 0x100
_DIE_ON_EXCEPTION = 0x400
_TICKS = 10_000_000  # of 100 ns in a second


class _Basic(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _Extended(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _Basic),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


@cache
def _kernel() -> Any:
    library: Any = getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009 - Windows only
    library.CreateJobObjectW.restype = ctypes.c_void_p
    library.CreateJobObjectW.argtypes = (ctypes.c_void_p, ctypes.c_wchar_p)
    library.SetInformationJobObject.argtypes = (
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_uint32,
    )
    library.AssignProcessToJobObject.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    library.GetCurrentProcess.restype = ctypes.c_void_p
    return library


def restrict(*, memory: int, seconds: int) -> None:
    """Put this process into a job that it cannot leave: no other process, so much memory in all,
    so many seconds of the processor from now on. Raises :class:`OSError`.
    """
    import psutil

    library = _kernel()
    limits = _Extended()
    basic = limits.BasicLimitInformation
    basic.LimitFlags = _PROCESS_TIME | _ACTIVE_PROCESS | _PROCESS_MEMORY | _DIE_ON_EXCEPTION
    basic.PerProcessUserTimeLimit = int((os.times().user + seconds) * _TICKS)
    basic.ActiveProcessLimit = 1
    limits.ProcessMemoryLimit = psutil.Process().memory_info().vms + memory
    job = _require(library.CreateJobObjectW(None, None))
    size = ctypes.sizeof(limits)
    _require(library.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), size))
    _require(library.AssignProcessToJobObject(job, library.GetCurrentProcess()))


def _require(given: Any) -> Any:
    """Return what a function of Windows gave, unless it is nothing."""
    if not given:
        reason: int = getattr(ctypes, "get_last_error")()  # noqa: B009 - Windows only
        raise OSError(0, f"Windows error {reason}")
    return given
