"""Requests to the autograd lab and its answers, as plain values: for the window and for
the process that runs the code.
"""

from typing import Generic, TypeVar

import msgspec

from engine.diagnostics import Diagnostic
from engine.runs.record.autograd_graph import AutogradGraph, TensorMeta

Answer = TypeVar("Answer")


class MemoryReport(msgspec.Struct, frozen=True, kw_only=True):
    """A small tensor in its memory.

    ``shape`` and ``values`` are the elements, row by row; ``places`` where each of them lies in the
    storage, whose own elements are ``cells``.
    """

    shape: tuple[int, ...]
    values: tuple[str, ...]
    places: tuple[int, ...]
    cells: tuple[str, ...]


class TensorReport(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor that the code gave a name, as PyTorch describes it.

    ``text`` and ``grad`` are values as PyTorch prints them, ``grad`` empty where there is none.
    ``attributes`` are all that there are, by their names in Python. ``storage`` numbers the pieces
    of memory; tensors with the same number share it. ``function`` is the id of what made it in the
    graph, where it is in it; ``version`` is None where inference_mode made it: nobody counts there.
    ``arrays`` are the NumPy arrays that lie in the same memory.
    """

    name: str
    meta: TensorMeta
    text: str
    grad: str = ""
    grad_fn: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    is_leaf: bool = True
    requires_grad: bool = False
    retains_grad: bool = False
    is_contiguous: bool = True
    version: int | None = 0
    storage: int = 0
    function: str = ""
    memory: MemoryReport | None = None
    arrays: tuple[str, ...] = ()


class LineOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a statement gave: what it printed, or the value of an expression."""

    line: int
    text: str
    is_printed: bool = False


class LineProblem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong at a line (from 1); 0 where it is of no line."""

    line: int
    problem: Diagnostic


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """What went through a Function: the value that forward gave and the gradient that arrived.

    ``order`` is its turn in the backward pass, from 1; 0 where it had none.
    """

    function: str
    value: str = ""
    gradient: str = ""
    order: int = 0


class LabReport(msgspec.Struct, frozen=True, kw_only=True, tag="report"):
    """Everything that there is after a command. ``root`` is the tensor that the graph is of."""

    tensors: tuple[TensorReport, ...] = ()
    outputs: tuple[LineOutput, ...] = ()
    problems: tuple[LineProblem, ...] = ()
    root: str = ""
    graph: AutogradGraph | None = None
    flows: tuple[Flow, ...] = ()
    seconds: float = 0.0


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """One axis of a broadcast, counted from the last: sizes, -1 where a shape has no such axis and
    where the two do not fit.
    """

    left: int
    right: int
    result: int


class BroadcastReport(msgspec.Struct, frozen=True, kw_only=True, tag="broadcast"):
    """Two shapes under each other, the first axis first; with the problem where they do not fit."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    axes: tuple[Axis, ...]
    problem: Diagnostic | None = None


class Operand(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor of an einsum: its name, the letter of each axis and their sizes."""

    name: str
    letters: tuple[str, ...]
    shape: tuple[int, ...]


class EinsumReport(msgspec.Struct, frozen=True, kw_only=True, tag="einsum"):
    """Operands, result and the letters that are summed over; with the problem in its place."""

    operands: tuple[Operand, ...] = ()
    result: Operand | None = None
    summed: tuple[str, ...] = ()
    text: str = ""
    problem: Diagnostic | None = None


class IndexReport(msgspec.Struct, frozen=True, kw_only=True, tag="index"):
    """What an index takes out of a tensor: the elements of both as they are printed, row by row,
    and which of the tensor's (counted row by row) became which of the result's.
    """

    shape: tuple[int, ...] = ()
    values: tuple[str, ...] = ()
    result_shape: tuple[int, ...] = ()
    result_values: tuple[str, ...] = ()
    chosen: tuple[int, ...] = ()
    is_view: bool = False
    problem: Diagnostic | None = None


class LabLine(msgspec.Struct, frozen=True, tag="line"):
    """The statement that begins at a line is run now; 0: a command is begun with."""

    line: int


LabReply = LabReport | BroadcastReport | EinsumReport | IndexReport
LabMessage = LabReply | LabLine


class LabRequest(msgspec.Struct, Generic[Answer], frozen=True, kw_only=True):
    """A request to the lab, by the type of its answer."""


class RunCode(LabRequest[LabReport], frozen=True, kw_only=True, tag="run"):
    """Run code from its beginning, in a namespace of its own.

    ``requires_grad`` is set on leaves as soon as they have the name, ``retain_grad`` called on
    others. ``is_recording`` is False for all of it under ``torch.no_grad``.
    """

    code: str
    requires_grad: dict[str, bool] = {}
    retain_grad: tuple[str, ...] = ()
    is_recording: bool = True


class RunBackward(LabRequest[LabReport], frozen=True, kw_only=True, tag="backward"):
    """Call ``backward`` on a tensor. ``gradient`` is an expression, empty for none;
    ``is_accumulating`` is False to set all gradients to None before.
    """

    root: str
    gradient: str = ""
    retain_graph: bool = False
    is_accumulating: bool = True


class ShowGraph(LabRequest[LabReport], frozen=True, kw_only=True, tag="graph"):
    """Ask for the graph of another tensor."""

    root: str


class AskBroadcast(LabRequest[BroadcastReport], frozen=True, kw_only=True, tag="broadcast"):
    """Ask how two shapes are broadcast: each is a tensor or a tuple, as an expression."""

    left: str
    right: str


class AskEinsum(LabRequest[EinsumReport], frozen=True, kw_only=True, tag="einsum"):
    """Ask what an equation makes of tensors, given as expressions separated by commas."""

    equation: str
    operands: str


class AskIndex(LabRequest[IndexReport], frozen=True, kw_only=True, tag="index"):
    """Ask what an index takes: ``tensor`` and ``index`` are expressions (``a``, ``:2, 1:``)."""

    tensor: str
    index: str


LabCommand = RunCode | RunBackward | ShowGraph | AskBroadcast | AskEinsum | AskIndex
