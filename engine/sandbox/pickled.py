"""Pickled objects as inert data: what a pickle names is never looked up, nothing is called.

PyTorch keeps what its files hold besides numbers as a pickle. Here it becomes plain values and
descriptions (:class:`~engine.sandbox.inert.Made`), in time and memory that its length bounds.
"""

import struct
from collections.abc import Callable

from engine.sandbox.inert import (
    DamagedPickleError,
    ExcessivePickleError,
    ForeignPickleError,
    Kept,
    Made,
    Named,
    Pairs,
)

MOST_OPERATIONS = 5_000_000
"""More than a model of a hundred thousand tensors takes."""

_LONGEST_NAME = 500


def read_pickle(data: bytes, old_encoding: str = "utf-8") -> object:
    """Return what a pickle holds; it may share its parts, hold itself, and be nested deeply.
    ``old_encoding`` is that of the texts of Python 2, ``latin-1`` where they are bytes.

    Raises :class:`~engine.sandbox.inert.PickleError`.
    """
    try:
        return _Machine(data, old_encoding).run()
    except (IndexError, KeyError, struct.error, UnicodeDecodeError) as error:
        raise DamagedPickleError(f"{type(error).__name__}: {error}") from error


class _Machine:
    """Carries out the operations of a pickle that make data."""

    def __init__(self, data: bytes, old_encoding: str) -> None:
        self._data = data
        self._old_encoding = old_encoding
        self._at = 0
        self._stack: list[object] = []
        self._below: list[list[object]] = []  # what lies under each mark
        self._memo: dict[int, object] = {}

    def run(self) -> object:
        """Return what the pickle holds."""
        for _ in range(MOST_OPERATIONS):
            code = self._data[self._at]
            self._at += 1
            if code == _STOP:
                return self._stack.pop()
            operation = _OPERATIONS.get(code)
            if operation is None:
                raise ForeignPickleError(f"operation {bytes((code,))!r}")
            operation(self)
        raise ExcessivePickleError("too many operations")

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        end = self._at + count
        if end > len(self._data):
            raise DamagedPickleError("cut off")
        found = self._data[self._at : end]
        self._at = end
        return found

    def number(self, count: int) -> int:
        """Return the number that the next bytes are."""
        return int.from_bytes(self.take(count), "little")

    def push(self, value: object) -> None:
        """Put a value on the stack."""
        self._stack.append(value)

    def pop_marked(self) -> list[object]:
        """Take all down to the last mark off the stack."""
        found = self._stack
        self._stack = self._below.pop()
        return found

    def mark(self) -> None:
        """Set a mark."""
        self._below.append(self._stack)
        self._stack = []

    def keep(self, index: int) -> None:
        """Remember what lies on top."""
        self._memo[index] = self._stack[-1]

    def keep_next(self) -> None:
        """Remember what lies on top, under the next free number."""
        self.keep(len(self._memo))

    def recall(self, index: int) -> None:
        """Put on the stack what is remembered."""
        self.push(self._memo[index])

    def tuple_of(self, count: int) -> None:
        """Make a tuple of what lies on top."""
        if count > len(self._stack):
            raise DamagedPickleError("nothing to make a tuple of")
        self._stack[-count:] = [tuple(self._stack[-count:])]

    def append(self, values: list[object]) -> None:
        """Put values at the end of the list on top."""
        target = self._stack[-1]
        if not isinstance(target, list):
            raise ForeignPickleError("appending to what is no list")
        target.extend(values)

    def set_items(self, values: list[object]) -> None:
        """Put keys and values into what lies on top."""
        target = self._stack[-1]
        if len(values) % 2:
            raise DamagedPickleError("a key without a value")
        if not isinstance(target, Pairs | Made):
            raise ForeignPickleError("items of what is no dictionary")
        target.items.extend(zip(values[::2], values[1::2], strict=True))

    def name_lines(self) -> None:
        """Put on the stack what the next two lines name."""
        parts: list[str] = []
        for _ in range(2):
            end = self._data.find(b"\n", self._at, self._at + _LONGEST_NAME)
            if end < 0:
                raise DamagedPickleError("a name without an end")
            parts.append(self.take(end + 1 - self._at)[:-1].decode())
        self.push(Named(*parts))

    def name_stacked(self) -> None:
        """Put on the stack what the two words on top name."""
        name, module = self._stack.pop(), self._stack.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise ForeignPickleError("a name that is no word")
        if max(len(name), len(module)) > _LONGEST_NAME:
            raise ExcessivePickleError("a long name")
        self.push(Named(module, name))

    def make(self, *, is_new: bool) -> None:
        """Describe the object that would be made of what lies on top."""
        arguments, maker = self._stack.pop(), self._stack.pop()
        if not isinstance(maker, Named) or type(arguments) is not tuple:
            raise ForeignPickleError("a call of what has no name")
        self.push(Made(maker, arguments, is_new=is_new))

    def build(self) -> None:
        """Note the state of the object below."""
        state = self._stack.pop()
        target = self._stack[-1]
        if not isinstance(target, Made) or target.state is not None:
            raise ForeignPickleError("a state of what has none")
        target.state = state

    def fetch(self) -> None:
        """Describe what lies outside, by the key on top."""
        self._stack[-1] = Kept(self._stack[-1])

    def pop(self) -> object:
        """Take one value off the stack."""
        return self._stack.pop()

    def text(self, count: int) -> None:
        """Put the text that the next bytes are on the stack."""
        self.push(self.take(count).decode())

    def old_text(self, count: int) -> None:
        """Put the text of Python 2 that the next bytes are on the stack."""
        self.push(self.take(count).decode(self._old_encoding))

    def whole(self, count: int) -> None:
        """Put the whole number that the next bytes are on the stack."""
        self.push(int.from_bytes(self.take(count), "little", signed=True))

    def real(self) -> None:
        """Put the next number on the stack."""
        self.push(struct.unpack(">d", self.take(8))[0])

    def pairs(self) -> None:
        """Put a dictionary of all down to the last mark on the stack."""
        values = self.pop_marked()
        self.push(Pairs())
        self.set_items(values)


_STOP = ord(".")
_BY_CODE: dict[bytes, Callable[[_Machine], object]] = {
    b"\x80": lambda machine: machine.take(1),  # the protocol
    b"\x95": lambda machine: machine.take(8),  # the length of a frame
    b"(": _Machine.mark,
    b"N": lambda machine: machine.push(None),
    b"\x88": lambda machine: machine.push(True),  # noqa: FBT003 - the value
    b"\x89": lambda machine: machine.push(False),  # noqa: FBT003 - the value
    b"K": lambda machine: machine.push(machine.number(1)),
    b"M": lambda machine: machine.push(machine.number(2)),
    b"J": lambda machine: machine.whole(4),
    b"\x8a": lambda machine: machine.whole(machine.number(1)),
    b"G": _Machine.real,
    b"X": lambda machine: machine.text(machine.number(4)),
    b"\x8c": lambda machine: machine.text(machine.number(1)),
    b"U": lambda machine: machine.old_text(machine.number(1)),
    b"T": lambda machine: machine.old_text(machine.number(4)),
    b"C": lambda machine: machine.push(machine.take(machine.number(1))),
    b"B": lambda machine: machine.push(machine.take(machine.number(4))),
    b")": lambda machine: machine.push(()),
    b"\x85": lambda machine: machine.tuple_of(1),
    b"\x86": lambda machine: machine.tuple_of(2),
    b"\x87": lambda machine: machine.tuple_of(3),
    b"t": lambda machine: machine.push(tuple(machine.pop_marked())),
    b"]": lambda machine: machine.push([]),
    b"a": lambda machine: machine.append([machine.pop()]),
    b"e": lambda machine: machine.append(machine.pop_marked()),
    b"}": lambda machine: machine.push(Pairs()),
    b"s": lambda machine: machine.set_items([machine.pop(), machine.pop()][::-1]),
    b"u": lambda machine: machine.set_items(machine.pop_marked()),
    b"d": _Machine.pairs,
    b"q": lambda machine: machine.keep(machine.number(1)),
    b"r": lambda machine: machine.keep(machine.number(4)),
    b"\x94": _Machine.keep_next,
    b"h": lambda machine: machine.recall(machine.number(1)),
    b"j": lambda machine: machine.recall(machine.number(4)),
    b"c": _Machine.name_lines,
    b"\x93": _Machine.name_stacked,
    b"R": lambda machine: machine.make(is_new=False),
    b"\x81": lambda machine: machine.make(is_new=True),
    b"b": _Machine.build,
    b"Q": _Machine.fetch,
}
_OPERATIONS = {ord(code): operation for code, operation in _BY_CODE.items()}
