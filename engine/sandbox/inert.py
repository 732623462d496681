"""Objects of a pickle as inert data, and the rows in which one process tells another of them.

Nothing here is looked up, called, hashed or compared: a tuple that is nested deeply enough ends
the process when it is hashed. Objects that hold others are told apart by identity, also across the
rows: what a pickle shares is one object on the other side.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple, cast

import msgspec

_MOST_STEPS = 20_000_000
_MOST_CELLS = 5_000_000  # each of them takes an operation of a pickle, which has no more
_DEEPEST = 100
_LONGEST_NUMBER = 1024  # bytes
_WORD_BITS = 63  # longer numbers have no place in a message


class PickleError(ValueError):
    """A pickle that is not read; the message tells why."""


class DamagedPickleError(PickleError):
    """It is cut off, or no pickle."""


class ForeignPickleError(PickleError):
    """It holds what is no plain value and no description of one."""


class ExcessivePickleError(PickleError):
    """It would take more time or memory than a file of weights has reason to."""


class Named(NamedTuple):
    """What a pickle names: a class, a function, a constant."""

    module: str
    name: str

    def path(self) -> str:
        """Return the dotted name."""
        return f"{self.module}.{self.name}"


class Pairs:
    """A dictionary, as the pairs that were put into it, in their order."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: list[tuple[object, object]] = []


class Made:
    """An object that a pickle would make: by calling ``maker`` with ``arguments``, or of it as a
    class (``is_new``). ``state`` is put into it then, and ``items`` by their keys.
    """

    __slots__ = ("arguments", "is_new", "items", "maker", "state")

    def __init__(self, maker: Named, arguments: tuple[object, ...], *, is_new: bool) -> None:
        self.maker = maker
        self.arguments = arguments
        self.is_new = is_new
        self.state: object = None
        self.items: list[tuple[object, object]] = []


class Kept:
    """What lies outside of the pickle, by the key that it has there."""

    __slots__ = ("key",)

    def __init__(self, key: object) -> None:
        self.key = key


_HOLDING = (tuple, list, Pairs, Made, Kept)
_PLAIN = frozenset({int, float, str, bool, type(None)})
_WHOLE = frozenset({int})


def nodes(value: object) -> Iterator[object]:
    """Yield a value and all that it holds; what holds others once."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if _is_holding(item):
            if id(item) in seen:
                continue
            seen.add(id(item))
            waiting.extend(_held(item))
        yield item


class RowOf(msgspec.Struct, frozen=True, array_like=True, tag="row"):
    """Stands for what an earlier row tells."""

    row: int


class Long(msgspec.Struct, frozen=True, array_like=True, tag="long"):
    """A whole number of any size, its bytes from the lowest on."""

    digits: bytes


class Name(msgspec.Struct, frozen=True, array_like=True, tag="name"):
    """A :class:`Named`."""

    module: str
    name: str


class Data(msgspec.Struct, frozen=True, array_like=True, tag="bytes"):
    """Bytes: a message cannot tell them from text where either may stand."""

    content: bytes


Cell = None | bool | int | float | str | Data | RowOf | Long | Name


class TupleRow(msgspec.Struct, frozen=True, array_like=True, tag="tuple"):
    """A tuple."""

    cells: tuple[Cell, ...]


class ListRow(msgspec.Struct, frozen=True, array_like=True, tag="list"):
    """A list."""

    cells: tuple[Cell, ...]


class PairsRow(msgspec.Struct, frozen=True, array_like=True, tag="pairs"):
    """A :class:`Pairs`: keys and values in turn."""

    cells: tuple[Cell, ...]


class MadeRow(msgspec.Struct, frozen=True, array_like=True, tag="made"):
    """A :class:`Made`: its items are keys and values in turn."""

    maker: Name
    arguments: Cell
    is_new: bool
    state: Cell
    cells: tuple[Cell, ...]


class KeptRow(msgspec.Struct, frozen=True, array_like=True, tag="kept"):
    """A :class:`Kept`."""

    key: Cell


Row = TupleRow | ListRow | PairsRow | MadeRow | KeptRow


class Table(msgspec.Struct, frozen=True, array_like=True):
    """An object: rows that stand for those of its parts that hold others, each after all that it
    holds, and what it is itself.
    """

    rows: tuple[Row, ...]
    root: Cell


def to_table(value: object) -> Table:
    """Return an object as rows, in time that grows with what it holds, shared parts once.

    Raises :class:`ExcessivePickleError` where it holds itself.
    """
    rows: list[Row] = []
    placed: dict[int, int] = {}
    entered: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting[-1]
        if id(item) in placed or not _is_holding(item):
            waiting.pop()
            continue
        held = _held(item)
        left = (
            [one for one in held if _is_holding(one) and id(one) not in placed]
            if not are_plain(held)
            else []
        )
        if left:
            if id(item) in entered:  # once more, before it is finished
                raise ExcessivePickleError("an object that holds itself")
            entered.add(id(item))
            waiting.extend(left)
            continue
        waiting.pop()
        placed[id(item)] = len(rows)
        rows.append(_row(item, placed))
    return Table(tuple(rows), _cell(value, placed))


def from_table(table: Table) -> object:
    """Return the object that rows tell of. It is nested a hundred levels at most, and walking
    through it, what is shared as often as it occurs, takes no more than twenty million steps.

    Raises :class:`PickleError`.
    """
    made: list[object] = []
    steps: list[int] = []
    levels: list[int] = []
    if sum(len(_cells(row)) for row in table.rows) > _MOST_CELLS:
        raise ExcessivePickleError("too many values")
    for row in table.rows:
        cells = _cells(row)
        inner = [] if are_plain(cells) else [cell.row for cell in cells if isinstance(cell, RowOf)]
        if not all(0 <= one < len(made) for one in inner):
            raise DamagedPickleError("a row that is not there yet")
        steps.append(1 + len(cells) + sum(steps[one] for one in inner))
        levels.append(1 + max((levels[one] for one in inner), default=0))
        if steps[-1] > _MOST_STEPS or levels[-1] > _DEEPEST:
            raise ExcessivePickleError(f"{steps[-1]} steps, {levels[-1]} levels")
        made.append(_object(row, made))
    return _value(table.root, made)


def are_plain(values: Collection[object]) -> bool:
    """Return whether values are numbers, texts and the like, which hold no others: most lists of a
    checkpoint are long and of such values, as the states of random numbers.
    """
    return _PLAIN.issuperset(map(type, values))


def _words(values: list[object]) -> tuple[int, ...]:
    """Return values that are all whole numbers of a row, else none."""
    if not values or not _WHOLE.issuperset(map(type, values)):
        return ()
    numbers = cast("tuple[int, ...]", tuple(values))
    longest = max(min(numbers).bit_length(), max(numbers).bit_length())
    return numbers if longest <= _WORD_BITS else ()


def _is_holding(value: object) -> bool:
    return isinstance(value, _HOLDING) and not isinstance(value, Named)


def _held(value: object) -> list[object]:
    """Return what an object holds."""
    if isinstance(value, tuple | list):
        return list(value)
    if isinstance(value, Pairs):
        return _flat(value.items)
    if isinstance(value, Made):
        return [value.arguments, value.state, *_flat(value.items)]
    return [value.key] if isinstance(value, Kept) else []


def _flat(items: list[tuple[object, object]]) -> list[object]:
    return [part for pair in items for part in pair]


def _row(item: object, placed: dict[int, int]) -> Row:
    if isinstance(item, Made):
        return MadeRow(
            Name(*item.maker),
            _cell(item.arguments, placed),
            item.is_new,
            _cell(item.state, placed),
            tuple(_cell(one, placed) for one in _flat(item.items)),
        )
    held = _held(item)
    cells = _words(held) or tuple(_cell(one, placed) for one in held)
    if isinstance(item, Kept):
        return KeptRow(cells[0])
    if isinstance(item, Pairs):
        return PairsRow(cells)
    return ListRow(cells) if isinstance(item, list) else TupleRow(cells)


def _cell(value: object, placed: dict[int, int]) -> Cell:
    if isinstance(value, Named):
        return Name(*value)
    if _is_holding(value):
        return RowOf(placed[id(value)])
    if type(value) is int and value.bit_length() > _WORD_BITS:
        return Long(value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True))
    if isinstance(value, bytes):
        return Data(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ForeignPickleError(type(value).__name__)


def _cells(row: Row) -> tuple[Cell, ...]:
    """Return what a row holds."""
    if isinstance(row, MadeRow):
        return (row.arguments, row.state, *row.cells)
    return (row.key,) if isinstance(row, KeptRow) else row.cells


def _object(row: Row, made: list[object]) -> object:
    if isinstance(row, MadeRow):
        arguments = _value(row.arguments, made)
        if type(arguments) is not tuple:
            raise DamagedPickleError("a call without arguments")
        called = Made(Named(row.maker.module, row.maker.name), arguments, is_new=row.is_new)
        called.state = _value(row.state, made)
        called.items = _paired(row.cells, made)
        return called
    if isinstance(row, KeptRow):
        return Kept(_value(row.key, made))
    if isinstance(row, PairsRow):
        pairs = Pairs()
        pairs.items = _paired(row.cells, made)
        return pairs
    plain = are_plain(row.cells)
    values = list(row.cells) if plain else [_value(cell, made) for cell in row.cells]
    return values if isinstance(row, ListRow) else tuple(values)


def _paired(cells: tuple[Cell, ...], made: list[object]) -> list[tuple[object, object]]:
    if len(cells) % 2:
        raise DamagedPickleError("a key without a value")
    values = [_value(cell, made) for cell in cells]
    return list(zip(values[::2], values[1::2], strict=True))


def _value(cell: Cell, made: list[object]) -> object:
    if isinstance(cell, RowOf):
        if not 0 <= cell.row < len(made):
            raise DamagedPickleError("a row that is not there yet")
        return made[cell.row]
    if isinstance(cell, Name):
        return Named(cell.module, cell.name)
    if isinstance(cell, Data):
        return cell.content
    if isinstance(cell, Long):
        if len(cell.digits) > _LONGEST_NUMBER:
            raise ExcessivePickleError(f"a number of {len(cell.digits)} bytes")
        return int.from_bytes(cell.digits, "little", signed=True)
    return cell
