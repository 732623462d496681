"""Cuts of the autograd graph in a forward pass: by ``detach``, ``data`` or under ``no_grad``.

``TorchFunctionMode`` sees every call of PyTorch's functions with what goes in and what comes out;
what came out of such a call is followed until a Function of the graph reads it. No number is
changed.
"""

import inspect
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.graph import Node
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary
from typing_extensions import override

from engine.inspect.node_path import NodePaths
from engine.inspect.origin import Origin, frame_origin
from engine.runs.record.autograd_graph import CutPart

_DETACHING = (Tensor.detach, Tensor.detach_, torch.detach, Tensor.data.__get__)  # pyright: ignore[reportAttributeAccessIssue]

_FILE = __file__
_ENGINE = str(Path(__file__).parents[1])


class _Key(NamedTuple):
    """Identity of a cut: calls of one line are one."""

    kind: str
    origin: Origin


class Cuts(TorchFunctionMode):
    """Context in which the cuts of a forward pass of a model are found."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self._names = {id(part): name for name, part in model.named_modules()}
        self._leaves = {id(value): name for name, value in model.named_parameters()}
        self._file = type(model).forward.__code__.co_filename
        self._sources: dict[_Key, list[Node | str]] = {}
        self._readers: dict[_Key, list[Node]] = {}
        self._cuts_of: Any = WeakIdKeyDictionary()  # by tensor, the cuts that it comes from

    @override
    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        given = list(_tensors((*args, *(kwargs or {}).values())))
        for tensor in _tensors((result,)):
            self._record(func, given, tensor)
        return result

    def _record(self, func: Any, given: list[Tensor], result: Tensor) -> None:
        if not (result.is_floating_point() or result.is_complex()):
            return
        cuts = self._cuts_before(given)
        if result.grad_fn is not None:
            for key in cuts:
                self._readers[key].append(result.grad_fn)
            return
        sources = [each for each in given if each.requires_grad and each is not result]
        if sources and not result.requires_grad and (kind := _kind(func)):
            frame = inspect.currentframe()
            origin = frame_origin(frame, self._names, self._file)
            if origin is not None and not _is_outside_model(frame):
                key = _Key(kind, origin)
                self._readers.setdefault(key, [])
                self._sources.setdefault(key, []).extend(map(self._source, sources))
                cuts.add(key)
        if cuts and not result.requires_grad:
            self._cuts_of[result] = cuts

    def _cuts_before(self, given: list[Tensor]) -> set[_Key]:
        """Return the cuts that the arguments of a call come from. An argument that has a Function
        by now was changed in place, or came out of a Function written in Python, whose own call
        is not seen: that Function is the reader.
        """
        cuts: set[_Key] = set()
        for tensor in given:
            if tensor.grad_fn is None:
                cuts.update(self._cuts_of.get(tensor, ()))
            else:
                for key in self._cuts_of.pop(tensor, ()):
                    self._readers[key].append(tensor.grad_fn)
        return cuts

    def _source(self, tensor: Tensor) -> Node | str:
        """Return the Function that made a tensor; of a leaf the name of the parameter."""
        return tensor.grad_fn or self._leaves.get(id(tensor), "")

    def parts(
        self, functions: Mapping[Node, int], node_paths: NodePaths | None
    ) -> tuple[CutPart, ...]:
        """Return the cuts next to Functions that were captured, given by their numbers."""
        leaves: dict[Node | str, int] = {}
        for function, number in functions.items():
            variable: Tensor | None = getattr(function, "variable", None)
            if variable is not None and id(variable) in self._leaves:
                leaves[self._leaves[id(variable)]] = number
        numbers: Mapping[Node | str, int] = {**functions, **leaves}
        parts = (
            _part(
                key,
                node_paths,
                _ids(_nearest(sources, numbers), numbers),
                _ids(self._readers[key], numbers),
            )
            for key, sources in self._sources.items()
        )
        return tuple(part for part in parts if part.sources or part.readers)


def _part(
    key: _Key, node_paths: NodePaths | None, sources: tuple[str, ...], readers: tuple[str, ...]
) -> CutPart:
    file, line = node_paths.line(key.origin) if node_paths else ("", key.origin.line)
    return CutPart(
        kind=key.kind,
        layer=key.origin.module,
        line=line,
        file=file,
        place=node_paths.path(key.origin) if node_paths else "",
        sources=sources,
        readers=readers,
    )


def _kind(func: Any) -> str:
    """Return why the result of a function has no gradient; empty where that is no cut."""
    if func in _DETACHING:
        return "detach"
    name = getattr(func, "__name__", "")
    is_new = name.endswith("_like") or name.startswith("new_")
    return "" if torch.is_grad_enabled() or is_new else "no_grad"


def _is_outside_model(frame: FrameType | None) -> bool:
    """Return whether a call is not the model's own: a Function written in Python computes without
    gradients in its ``forward``, which is no method; and other observers call PyTorch, too.
    """
    is_in_model = False
    while frame is not None:
        code = frame.f_code
        if code.co_name == "forward" and code.co_varnames[:1] != ("self",):
            return True
        is_in_model = is_in_model or code.co_name == "forward"
        if not is_in_model and code.co_filename.startswith(_ENGINE) and code.co_filename != _FILE:
            return True
        frame = frame.f_back
    return False


def _nearest(
    sources: Iterable[Node | str], captured: Container[Node | str]
) -> Iterator[Node | str]:
    """Yield the sources that were captured, and of others the nearest captured ones behind: the
    Functions between belong only to the part that was cut off.
    """
    queue = list(sources)
    seen = set(queue)
    for source in queue:  # grows while it is iterated
        if source in captured or isinstance(source, str):
            yield source
            continue
        following = {each for each, _ in source.next_functions if each is not None} - seen
        seen |= following
        queue += following


def _ids(ends: Iterable[Node | str], numbers: Mapping[Node | str, int]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(numbers[end]) for end in ends if end in numbers))


def _tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    """Return the tensors among values, also in tuples and lists."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, tuple | list):
            yield from _tensors(value)
