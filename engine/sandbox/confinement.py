"""Confinement of a process before it reads what strangers made.

A fault in a reader then harms the process and its answer, nothing else. It is the process itself
that calls :func:`confine`, after its imports and before it looks at the first byte; nothing that
runs in it later can take that back.
"""

import site
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.sandbox import job_object, kernel, landlock, limit, seccomp

_PROGRAM = Path(__file__).parents[2]
_OWN = (_PROGRAM / "engine", _PROGRAM / "resources")
_SYSTEM = (
    *("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache"),
    *("/usr/share/zoneinfo", "/etc/localtime", "/proc/self", "/proc/cpuinfo", "/proc/meminfo"),
    *("/sys/devices/system/cpu", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"),
)


class Confinement(msgspec.Struct, frozen=True, kw_only=True):
    """What a confined process is held to on a machine.

    ``writing`` and ``reading``: it reaches no file but those it was given; ``network``: no
    connections; ``processes``: it starts none and signals none; ``memory`` and ``time`` are
    limited. ``landlock`` is the version of the kernel's interface, 0 without one; ``seccomp`` is
    whether system calls are filtered.
    """

    writing: bool
    reading: bool
    network: bool
    processes: bool
    memory: bool
    time: bool = True
    landlock: int = 0
    seccomp: bool = False


def describe() -> Confinement:
    """Return what confining a reader holds on this machine; nothing is confined by it."""
    version, is_filtered = landlock.abi(), seccomp.is_available()
    return Confinement(
        writing=version > 0 or is_filtered,
        reading=version > 0,
        network=is_filtered,
        processes=is_filtered or sys.platform == "win32",
        memory=sys.platform != "darwin",
        landlock=version,
        seccomp=is_filtered,
    )


def confine(
    read: Sequence[Path],
    write: Sequence[Path] = (),
    *,
    memory: int,
    seconds: int,
    file_size: int,
) -> Confinement:
    """Confine this process for good, as far as the machine has the means, and return how far.

    It reads below ``read`` and what Python itself needs, and writes below ``write``; files that
    are open already stay open. It starts no process, signals none, has no network. ``memory``
    (bytes) and ``seconds`` of the processor count from now on; ``file_size`` bytes has the largest
    file that it writes.

    To be called before threads are started: a kernel with a version of Landlock below 8 holds to
    its rules only the thread that calls and those that it starts later; the filter and the limits
    are for all. Raises :class:`OSError` where there are others all the same, and where a means
    that the machine has does not work.
    """
    held = describe()
    if sys.platform == "win32":
        job_object.restrict(memory=memory, seconds=seconds)
        return held
    if held.landlock:
        landlock.require_alone(held.landlock)
    limit.restrict(memory=memory, seconds=seconds, file_size=file_size)
    if held.landlock or held.seccomp:
        kernel.give_up_privileges()
    if held.landlock:
        landlock.restrict([*_needed(), *read], write, held.landlock)
    if held.seccomp:
        seccomp.restrict(writes=bool(write))
    return held


def _needed() -> list[Path]:
    """Return where Python and its packages lie, and what the libraries of the system read."""
    paths = sysconfig.get_paths()
    own = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    own |= {paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"]}
    if site.ENABLE_USER_SITE:
        own.add(site.getusersitepackages())
    return [*_OWN, *map(Path, sorted(own)), *map(Path, _SYSTEM)]
