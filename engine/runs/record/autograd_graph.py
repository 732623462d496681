"""Autograd graph as plain values, for files of a run and for the window."""

import math
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

import msgspec


class TensorMeta(msgspec.Struct, frozen=True):
    """Shape and type of the elements of a tensor that is not at hand."""

    shape: tuple[int, ...]
    dtype: str
    device: str = "cpu"


class Reading(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was read of a tensor: its Euclidean norm (NaN where PyTorch has none for its layout),
    and the numbers themselves, row by row, where they are few.
    """

    norm: float
    values: tuple[float, ...] = ()


class SavedValue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a Function keeps for its backward: a tensor, or a number or text.

    ``version`` counts the in-place changes of the tensor up to now, ``expected`` those up to when
    it was saved: where they differ, PyTorch refuses to go back through here. ``storage`` is the
    same number for tensors of one graph that share memory. ``size`` is that of this memory, in
    bytes. ``is_packed`` tells that a hook for saved tensors keeps something else in the place of
    the tensor, described here (``text``: of which class it is), and gives the tensor back later.
    """

    name: str
    tensor: TensorMeta | None = None
    text: str = ""
    version: int = 0
    expected: int = 0
    storage: int = 0
    size: int = 0
    is_packed: bool = False

    @property
    def is_changed(self) -> bool:
        """Whether the tensor was changed in place after it had been saved."""
        return self.version != self.expected


class AutogradNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A Function of the backward pass, or a leaf where gradients are accumulated.

    ``name`` is PyTorch's (``ConvolutionBackward0``, ``AccumulateGrad``), ``operator`` the one of
    ATen that it is the backward of (``aten::convolution``), where there is one; ``layer`` the
    module that made it, as in ``named_modules`` (empty: the model itself, or unknown). ``line`` is
    the line of the model's source that was running (0: that was not watched); where ``file`` is
    given, the line there, in the user's own code. ``place`` is the path of the node of the canvas:
    for a leaf these are those of a Function that reads it. ``parameter`` is the full name of a
    leaf's parameter. ``outputs`` are what the forward operation gave, so what the gradients look
    like that arrive here; ``values`` are those numbers themselves, where they were watched; a
    leaf's are the parameter's. ``sequence`` grows in the order of making; -1 for leaves.
    ``metadata`` is what was written into the Function's ``metadata``. ``is_freed`` tells that its
    saved tensors are gone: a backward pass went through here. ``constants`` is how many of its
    inputs have no gradient (``None`` among PyTorch's ``next_functions``).
    """

    id: str
    name: str
    operator: str = ""
    layer: str = ""
    line: int = 0
    file: str = ""
    place: str = ""
    parameter: str = ""
    outputs: tuple[TensorMeta, ...] = ()
    saved: tuple[SavedValue, ...] = ()
    values: tuple[Reading, ...] = ()
    sequence: int = -1
    metadata: dict[str, str] = {}
    is_freed: bool = False
    constants: int = 0

    @property
    def is_changed(self) -> bool:
        """Whether a saved tensor was changed in place: backward fails here."""
        return any(value.is_changed for value in self.saved)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first output; empty for a scalar."""
        return self.outputs[0].shape if self.outputs else ()


AutogradEdge = tuple[str, str, int]
"""From a Function to the one that its gradient goes to next, and which output of the forward
operation there it is the gradient of.
"""


class BackwardCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a Function by autograd's engine.

    ``start_s`` is seconds since the backward pass began, ``took_s`` how long the Function itself
    took (on a GPU: to be queued). ``arrived`` are the gradients of the outputs of the forward
    operation, ``left`` those handed to the next Functions; None where there was none.
    """

    id: str
    start_s: float
    took_s: float
    arrived: tuple[Reading | None, ...] = ()
    left: tuple[Reading | None, ...] = ()

    @property
    def norm(self) -> float:
        """The norm of all that arrived."""
        return math.hypot(*(each.norm for each in self.arrived if each is not None))


class CutPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the model that took values out of the graph: by ``kind`` ``detach`` (or ``data``)
    or ``no_grad``.

    ``layer``, ``line``, ``file`` and ``place`` are as of a node. ``sources`` are the Functions and
    leaves whose values went in, ``readers`` the Functions that read what came of them.
    """

    kind: str
    layer: str = ""
    line: int = 0
    file: str = ""
    place: str = ""
    sources: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()


class AutogradGraph(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Functions and edges, from the roots (the loss) to the leaves, each Function once.

    ``is_freed`` tells that backward has run and the saved tensors are gone. ``calls`` are the calls
    of that backward pass in the engine's order, ``cuts`` where values left the graph in the forward
    pass, where these were watched. ``unreached`` are the names of the model's parameters that no
    leaf is of; None where the model was not at hand.
    """

    nodes: tuple[AutogradNode, ...]
    edges: tuple[AutogradEdge, ...]
    roots: tuple[str, ...]
    is_freed: bool = False
    calls: tuple[BackwardCall, ...] = ()
    cuts: tuple[CutPart, ...] = ()
    unreached: tuple[str, ...] | None = None


def saved_size(nodes: Iterable[AutogradNode]) -> int:
    """Return the bytes that Functions keep for backward: memory that several share counts once."""
    sizes: dict[int, int] = {}
    for value in (value for node in nodes for value in node.saved if value.tensor is not None):
        sizes[value.storage] = max(value.size, sizes.get(value.storage, 0))
    return sum(sizes.values())


def require_sound(graph: AutogradGraph) -> None:
    """Raise ``ValueError`` for a graph that names a Function twice or one that is not there, or
    that goes round: it is not autograd's.
    """
    ids = {node.id for node in graph.nodes}
    if len(ids) != len(graph.nodes):
        raise ValueError("a Function stands there twice")
    named = {*graph.roots, *(call.id for call in graph.calls)}
    named.update(*((source, target) for source, target, _ in graph.edges))
    named.update(*((*cut.sources, *cut.readers) for cut in graph.cuts))
    if not named <= ids:
        raise ValueError(f"{min(named - ids)[:100]!r} is no Function of it")
    after: dict[str, list[str]] = {}
    for source, target, _ in graph.edges:
        after.setdefault(source, []).append(target)
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        raise ValueError("it goes round") from error
