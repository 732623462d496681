"""Seccomp filter: system calls that reading a file never needs are refused (EPERM).

The filter holds for all threads of the process and cannot be taken back. It knows calls by their
number, so there is one for each architecture; elsewhere there is none.
"""

import ctypes
import errno
import os
import platform
import sys

from engine.sandbox import kernel
from engine.sandbox.system_call import Machine

_SECCOMP = {Machine.X86_64: 317, Machine.AARCH64: 277}
_SET_MODE_FILTER = 1
_ACTION_AVAILABLE = 2
_ALL_THREADS = 1  # SECCOMP_FILTER_FLAG_TSYNC

_KILL = 0x80000000
_ERRNO = 0x00050000
_ALLOW = 0x7FFF0000
_X32 = 0x40000000  # another numbering of the same calls

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_EQUAL, _AT_LEAST, _ANY_BIT = 0x15, 0x35, 0x45

_REFUSED = (
    # other processes, and becoming another one
    *("fork", "vfork", "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev"),
    *("process_madvise", "kcmp", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "tkill"),
    *("rt_sigqueueinfo", "rt_tgsigqueueinfo", "setpriority", "ioprio_set", "unshare", "setns"),
    *("personality", "modify_ldt", "userfaultfd", "migrate_pages", "move_pages"),
    *("perf_event_open", "setpgid", "setsid"),
    # the network
    *("socket", "connect", "bind", "listen", "accept", "accept4"),
    # the kernel
    *("bpf", "keyctl", "add_key", "request_key", "io_uring_setup", "io_uring_enter"),
    *("io_uring_register", "mount", "umount2", "mount_setattr", "move_mount", "fsopen"),
    *("fsconfig", "fsmount", "fspick", "open_tree", "open_tree_attr", "pivot_root", "chroot"),
    *("swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load", "init_module"),
    *("finit_module", "delete_module", "iopl", "ioperm", "settimeofday", "clock_settime"),
    *("clock_adjtime", "adjtimex", "sethostname", "setdomainname", "acct", "quotactl"),
    *("quotactl_fd", "syslog", "vhangup", "name_to_handle_at", "open_by_handle_at"),
    *("fanotify_init", "fanotify_mark"),
    # who the process is
    *("setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups"),
    *("setfsuid", "setfsgid", "capset", "setrlimit"),
    # memory that no limit counts
    *("memfd_create", "memfd_secret", "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv"),
    *("msgctl", "semget", "semop", "semtimedop", "semctl", "mq_open", "mq_unlink"),
    # what Landlock does not guard: whose a file is and what it is called elsewhere
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("link", "linkat", "symlink", "symlinkat", "mknod", "mknodat", "setxattr", "lsetxattr"),
    *("fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "setxattrat"),
    *("removexattrat", "file_setattr", "utime", "utimes", "futimesat", "utimensat"),
)
_WRITING = (
    *("creat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat"),
    *("rmdir", "truncate"),
)
_OPEN_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_NEW_THREAD = 0x10000  # CLONE_THREAD
_SHARED_ANONYMOUS = (0x2F, 0x21)  # MAP_TYPE and MAP_ANONYMOUS, MAP_SHARED without a file
_GROWS_DOWN = 0x100
# Marks of files (immutable), keys put into the terminal, and its consoles.
_IOCTLS = (0x40086602, 0x401C5820, 0x5412, 0x541C)
# Whose process a signal goes to when a file is ready, and which: leases and folders send some too.
_FCNTLS = (8, 10, 15, 1024, 1026)
_PRCTLS = (28, 35, 47, 0x59616D61)  # securebits, addresses, capabilities, who may look inside


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("jt", ctypes.c_uint8),
        ("jf", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("len", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction)))


_Code = tuple[int, int, int, int]


def machine() -> Machine | None:
    """Return the architecture of this process where its calls are known, else nothing."""
    if not kernel.is_linux() or sys.byteorder != "little":
        return None
    name = platform.machine().lower()
    return {
        "x86_64": Machine.X86_64,
        "amd64": Machine.X86_64,
        "aarch64": Machine.AARCH64,
        "arm64": Machine.AARCH64,
    }.get(name)


def is_available() -> bool:
    """Return whether the kernel takes filters that refuse calls."""
    found = machine()
    if found is None:
        return False
    action = ctypes.c_uint32(_ERRNO)
    try:
        kernel.call(_SECCOMP[found], _ACTION_AVAILABLE, 0, ctypes.byref(action))
    except OSError:
        return False
    return True


def restrict(*, writes: bool) -> None:
    """Refuse this process, from now on, what reading does not need; without ``writes`` it opens no
    file to write and changes no folder either. Raises :class:`OSError`.
    """
    found = machine()
    assert found is not None, "is_available() says so"
    codes = program(found, os.getpid(), writes=writes)
    instructions = (_Instruction * len(codes))(*codes)
    given = _Program(len(codes), instructions)
    kernel.call(_SECCOMP[found], _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(given))


def program(machine: Machine, process: int, *, writes: bool) -> list[_Code]:
    """Return the filter for an architecture, as instructions of the kernel's packet filter."""
    codes: list[_Code] = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, machine.mark),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
    ]
    if machine is Machine.X86_64:
        codes += [(_AT_LEAST, 0, 1, _X32), _refuse()]
    for name in _REFUSED if writes else (*_REFUSED, *_WRITING):
        codes += _when(machine, name, [_refuse()])
    for name, judged in _judged(process, writes=writes):
        codes += _when(machine, name, judged)
    return [*codes, (_RETURN, 0, 0, _ALLOW)]


def _judged(process: int, *, writes: bool) -> list[tuple[str, list[_Code]]]:
    """Return the calls that depend on what they are given, and how each is judged."""
    itself = _only(0, (process,))
    own_thread = _only(0, (0, process))
    found = [
        ("clone", [_load(0), (_ANY_BIT, 1, 0, _NEW_THREAD), _refuse(), _allow()]),
        ("clone3", [_refuse(errno.ENOSYS)]),  # its flags cannot be seen; glibc takes clone then
        ("kill", itself),
        ("tgkill", itself),
        ("sched_setaffinity", own_thread),
        ("sched_setscheduler", own_thread),
        ("sched_setparam", own_thread),
        ("sched_setattr", own_thread),
        ("fcntl", _none_of(1, _FCNTLS)),
        ("ioctl", _none_of(1, _IOCTLS)),
        ("prctl", _none_of(0, _PRCTLS)),
        ("prlimit64", _zero(2)),  # asking is allowed, setting is not
        ("mmap", _mapping()),
        ("openat2", [_refuse(errno.ENOSYS)]),  # its flags cannot be seen; openat does it
    ]
    if not writes:
        found += [("open", _no_bit(1, _OPEN_TO_WRITE)), ("openat", _no_bit(2, _OPEN_TO_WRITE))]
    return found


def _when(machine: Machine, name: str, judged: list[_Code]) -> list[_Code]:
    number = machine.number(name)
    return [] if number is None else [(_EQUAL, 0, len(judged), number), *judged]


def _only(argument: int, values: tuple[int, ...]) -> list[_Code]:
    """Return the judgement that allows some values of an argument."""
    return [
        _load(argument),
        *((_EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)),
        _refuse(),
        _allow(),
    ]


def _none_of(argument: int, values: tuple[int, ...]) -> list[_Code]:
    """Return the judgement that refuses some values of an argument."""
    return [
        _load(argument),
        *((_EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)),
        _allow(),
        _refuse(),
    ]


def _no_bit(argument: int, bits: int) -> list[_Code]:
    return [_load(argument), (_ANY_BIT, 0, 1, bits), _refuse(), _allow()]


def _zero(argument: int) -> list[_Code]:
    """Return the judgement that allows nothing but a null pointer."""
    lower, upper = _load(argument), (_LOAD, 0, 0, 20 + 8 * argument)
    return [lower, (_EQUAL, 0, 2, 0), upper, (_EQUAL, 1, 0, 0), _refuse(), _allow()]


def _mapping() -> list[_Code]:
    mask, value = _SHARED_ANONYMOUS
    return [
        _load(3),
        (_ANY_BIT, 2, 0, _GROWS_DOWN),
        (_AND, 0, 0, mask),
        (_EQUAL, 0, 1, value),
        _refuse(),
        _allow(),
    ]


def _load(argument: int) -> _Code:
    """Return the instruction that looks at the lower half of an argument, where flags stand."""
    return (_LOAD, 0, 0, 16 + 8 * argument)


def _refuse(reason: int = errno.EPERM) -> _Code:
    return (_RETURN, 0, 0, _ERRNO | reason)


def _allow() -> _Code:
    return (_RETURN, 0, 0, _ALLOW)
