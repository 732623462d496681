"""Abstract values: what an expression of a text stands for while it is read: never a tensor,
nothing runs.

Plain Python values (numbers, texts, tuples, lists, dictionaries) stand for themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from engine.catalog.spec import Entry, Value


class UnreadError(Exception):
    """A part of the text that nodes cannot stand for.

    ``code`` and ``params`` are those of the diagnostic, ``syntax`` is where it stands.
    """

    def __init__(self, syntax: cst.CSTNode, code: str, **params: str | float) -> None:
        super().__init__(code)
        self.syntax = syntax
        self.code = code
        self.params = params
        self.inside = ""  # the class of the text that it is in, if that is not the model's


@dataclass(eq=False, kw_only=True)
class Made:
    """A node that the text says.

    ``wires`` is what arrives at its ports. ``attribute`` is where its module stands (``conv1``,
    ``layers.0``), empty for an operator; ``variable`` what its result is called, where only it is
    called that. ``copies`` are the parameters of each copy of a repeated one; ``inside`` what a
    block holds, once for each copy. ``statement`` is its place in ``forward``; ``part`` the
    function that it is made from, where the text does not call one. ``recompute``: ``checkpoint``
    calls it.
    """

    type: str
    params: dict[str, Value]
    wires: "dict[str, Ref]" = field(default_factory=dict[str, "Ref"])
    attribute: str = ""
    variable: str = ""
    shares: "Made | None" = None
    tied: bool = False
    copies: tuple[dict[str, Value], ...] = ()
    repeat: int = 1
    inside: "tuple[Level, ...]" = ()
    statement: int = -1
    syntax: cst.CSTNode | None = None
    part: "Part | None" = None
    recompute: bool = False


@dataclass(eq=False, kw_only=True)
class Part:
    """A function made of a piece of the text that no node of the catalogue stands for (a layer
    where it differs in training); the node is made from it. ``word`` is what it gives in the text,
    ``imports`` are statements.
    """

    definition: cst.FunctionDef | cst.ClassDef
    word: str
    imports: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ref:
    """A tensor: what comes out of a port of a node."""

    made: Made
    port: str


@dataclass(eq=False, kw_only=True)
class Record:
    """A statement of ``forward`` with what the names stood for before and after it."""

    statement: cst.BaseStatement
    nodes: list[Made]
    before: dict[str, Any]
    after: dict[str, Any]


@dataclass(eq=False, kw_only=True)
class Level:
    """The inside of a class or of an ``nn.Sequential`` as the text says it.

    ``source`` is the name of the class, empty for ``nn.Sequential``; ``inputs`` are the arguments
    of ``forward``. ``idle`` are layers that are made but never called. ``records`` are the
    statements of ``forward``; ``definition`` is the class. ``dicts`` are what ``nn.ModuleDict``
    holds, by the attribute and the key; ``attributes`` are those of the class.
    """

    source: str
    inputs: list[Made] = field(default_factory=list[Made])
    nodes: list[Made] = field(default_factory=list[Made])
    outputs: list[Ref] = field(default_factory=list[Ref])
    idle: list[Made] = field(default_factory=list[Made])
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    records: list[Record] = field(default_factory=list[Record])
    definition: cst.ClassDef | None = None
    dicts: dict[str, dict[str, Made]] = field(default_factory=dict[str, dict[str, Made]])
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Given(int):
    """A number that a class got as an argument."""


@dataclass(frozen=True)
class Size:
    """The length of an axis of a tensor."""

    tensor: Ref
    axis: int


@dataclass(frozen=True)
class Shape:
    """The shape of a tensor."""

    tensor: Ref


@dataclass(frozen=True)
class Tail:
    """The shape of a tensor without its first axis."""

    tensor: Ref


@dataclass(frozen=True)
class Named:
    """Several values that can be asked for by name too: ``x.max(1).values``."""

    values: tuple[Any, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Fields:
    """An object of a ``dataclass`` that the text defines."""

    values: dict[str, Any]


@dataclass(frozen=True)
class Dtype:
    """A type of elements by its name."""

    name: str


@dataclass(frozen=True)
class Library:
    """Something of PyTorch or Python's library by its full name: ``torch.nn.Conv2d``."""

    path: str


@dataclass(frozen=True)
class Custom:
    """Something of the user's own files."""

    entry: Entry


@dataclass(frozen=True)
class Function:
    """A function or class that the text defines; ``owner`` is what it is a method of, ``names``
    what it can read around it.
    """

    definition: cst.FunctionDef | cst.ClassDef
    owner: Any = None
    names: Mapping[str, Any] = field(default_factory=dict[str, Any], compare=False)


@dataclass(frozen=True)
class Method:
    """A method of a tensor or of a list."""

    owner: Any
    name: str


@dataclass(eq=False)
class Built:
    """A call that gives a module, or a tensor that is no result of ``forward``. ``entry`` is what
    it makes where that is of the user's own files.
    """

    path: str
    arguments: Sequence[Any]
    keywords: Mapping[str, Any]
    syntax: cst.CSTNode
    entry: Entry | None = None


@dataclass(eq=False)
class Use:
    """A module of a class that the text defines."""

    level: Level


@dataclass(eq=False)
class Member:
    """What stands under an attribute of the class: a module, or a tensor."""

    attribute: str
    content: Any
    syntax: cst.CSTNode
    first: Made | None = None


@dataclass(eq=False)
class Modules:
    """The modules of an ``nn.ModuleList`` or ``nn.ModuleDict`` by their names."""

    items: dict[str, Any]
    attribute: str = ""

    def iterated(self) -> list[Any]:
        """Return what a loop gets: the names in an ``nn.ModuleDict``, else the modules."""
        is_list = all(key.isdigit() for key in self.items)
        return list(self.items.values()) if is_list else list(self.items)


@dataclass(frozen=True, eq=False)
class Later:
    """What a statement gives that is no tensor but follows from tensors: a size, a list. Whatever
    needs it computes it again. ``before`` are the names in force before the statement.
    """

    statement: cst.BaseStatement
    before: Mapping[str, Any]
    holds_tensors: bool = False


@dataclass(frozen=True, eq=False)
class Opaque:
    """What an expression gives that only running it tells: mostly a module of another package.
    ``evaluator`` has the names in force there; ``error`` is why it could not be read.
    """

    expression: cst.BaseExpression
    evaluator: Any
    error: UnreadError


class Unknown:
    """What nothing is known about; reading goes on as long as no node needs it."""

    def __init__(self, error: UnreadError) -> None:
        self.error = error


def has_tensor(value: Any) -> bool:
    """Return whether a value is a tensor or holds one, or may do so."""
    if isinstance(value, list | tuple):
        return any(map(has_tensor, value))
    return isinstance(value, Ref | Size | Shape | Tail | Later | Opaque)
