"""The filter of system calls on architectures other than this one, carried out by hand."""

import pytest

from engine.sandbox.seccomp import program
from engine.sandbox.system_call import Machine

KILLED, REFUSED, ALLOWED = 0x80000000, 0x00050001, 0x7FFF0000
UNKNOWN_CALL = 0x00050026  # ENOSYS
OWN = 4711


def judged(machine: Machine, call: int, *arguments: int, mark: int = 0, writes: bool = False):
    """Return what the kernel would make of a call."""
    data = {0: call, 4: mark or machine.mark}
    for index, value in enumerate((*arguments, *(6 - len(arguments)) * [0])):
        data[16 + 8 * index], data[20 + 8 * index] = value & 0xFFFFFFFF, value >> 32
    codes = program(machine, OWN, writes=writes)
    held = at = 0
    while True:
        code, if_true, if_false, value = codes[at]
        at += 1
        if code == 0x20:
            held = data[value]
        elif code == 0x54:
            held &= value
        elif code == 0x06:
            return value
        else:
            is_true = {0x15: held == value, 0x35: held >= value, 0x45: held & value != 0}[code]
            at += if_true if is_true else if_false


@pytest.mark.parametrize("machine", Machine)
def test_that_the_calls_of_another_architecture_end_the_process(machine):
    assert judged(machine, 1, mark=0x40000003) == KILLED


def test_that_the_second_numbering_of_x86_64_is_refused():
    assert judged(Machine.X86_64, 0x40000000 + 41) == REFUSED


@pytest.mark.parametrize("machine", Machine)
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("socket", (2, 1, 0), REFUSED),
        ("execve", (1, 1, 1), REFUSED),
        ("fchmodat", (1, 1, 1), REFUSED),
        ("clone", (17,), REFUSED),  # a process that tells its end by SIGCHLD
        ("clone", (0x3D0F00,), ALLOWED),  # a thread, as glibc makes it
        ("clone3", (1, 88), UNKNOWN_CALL),
        ("openat2", (1, 1, 1), UNKNOWN_CALL),
        ("kill", (OWN, 6), ALLOWED),
        ("kill", (OWN + 1, 6), REFUSED),
        ("kill", (0xFFFFFFFF, 9), REFUSED),  # everybody
        ("kill", (0, 9), REFUSED),  # the group
        ("tgkill", (OWN, 9, 6), ALLOWED),
        ("tgkill", (OWN + 1, 9, 6), REFUSED),
        ("sched_setaffinity", (0, 8, 1), ALLOWED),
        ("sched_setaffinity", (OWN + 1, 8, 1), REFUSED),
        ("openat", (1, 1, 0o2000000), ALLOWED),  # to read
        ("openat", (1, 1, 0o2), REFUSED),
        ("openat", (1, 1, 0o100), REFUSED),
        ("prlimit64", (0, 2, 0, 1), ALLOWED),
        ("prlimit64", (0, 2, 1 << 40, 0), REFUSED),
        ("prlimit64", (0, 2, 1, 0), REFUSED),
        ("ioctl", (1, 0x5413, 1), ALLOWED),  # the size of a terminal
        ("ioctl", (1, 0x5412, 1), REFUSED),
        ("prctl", (15, 1), ALLOWED),  # the name of a thread
        ("prctl", (35, 1), REFUSED),
        ("mmap", (0, 4096, 3, 0x22), ALLOWED),
        ("mmap", (0, 4096, 3, 0x21), REFUSED),
        ("mmap", (0, 4096, 3, 0x01), ALLOWED),  # a file that is read
        ("mmap", (0, 4096, 3, 0x122), REFUSED),
        ("unlinkat", (1, 1, 0), REFUSED),
    ],
)
def test_that_a_call_is_judged_by_what_it_is_given(machine, name, arguments, expected):
    number = machine.number(name)
    assert number is not None
    assert judged(machine, number, *arguments) == expected


@pytest.mark.parametrize("machine", Machine)
def test_that_with_a_folder_to_write_to_files_are_made_and_removed_but_not_marked(machine):
    for name, arguments, expected in [
        ("openat", (1, 1, 0o102), ALLOWED),
        ("unlinkat", (1, 1, 0), ALLOWED),
        ("mkdirat", (1, 1, 0), ALLOWED),
        ("fchmodat", (1, 1, 0), REFUSED),
        ("linkat", (1, 1, 1), REFUSED),
    ]:
        number = machine.number(name)
        assert number is not None
        assert judged(machine, number, *arguments, writes=True) == expected


@pytest.mark.parametrize("machine", Machine)
def test_that_what_reading_needs_stays_allowed(machine):
    needed = {Machine.X86_64: (0, 1, 3, 5, 8, 9, 11, 12, 202, 231), Machine.AARCH64: (63, 64, 57)}
    for number in needed[machine]:
        assert judged(machine, number, 0) == ALLOWED
