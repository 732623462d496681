"""Where values leave the graph in a forward pass: by ``detach``, ``data`` or under ``no_grad``.

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

from engine.inspect.origin import Origin, frame_origin
from engine.inspect.places import Places
from engine.runs.record.autograd_graph import CutPart

_DETACHING = (Tensor.detach, Tensor.detach_, torch.detach, Tensor.data.__get__)  # pyright: ignore[reportAttributeAccessIssue]

_FILE = __file__
_ENGINE = str(Path(__file__).parents[1])


class _Key(NamedTuple):
    """What tells a cut from others: calls of one line are one."""

    kind: str
    origin: Origin


class Cuts(TorchFunctionMode):
    """Finds the cuts of a forward pass of a model that runs inside."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self._names = {id(part): name for name, part in model.named_modules()}
        self._leaves = {id(value): name for name, value in model.named_parameters()}
        self._file = type(model).forward.__code__.co_filename
        self._sources: dict[_Key, list[Node | str]] = {}
        self._readers: dict[_Key, list[Node]] = {}
        self._after: Any = WeakIdKeyDictionary()  # by tensor, of which cuts it comes

    @override
    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        given = list(_tensors((*args, *(kwargs or {}).values())))
        for tensor in _tensors((result,)):
            self._note(func, given, tensor)
        return result

    def _note(self, func: Any, given: list[Tensor], result: Tensor) -> None:
        if not (result.is_floating_point() or result.is_complex()):
            return
        before = self._before(given)
        if result.grad_fn is not None:
            for key in before:
                self._readers[key].append(result.grad_fn)
            return
        sources = [each for each in given if each.requires_grad and each is not result]
        if sources and not result.requires_grad and (kind := _kind(func)):
            frame = inspect.currentframe()
            origin = frame_origin(frame, self._names, self._file)
            if origin is not None and not _is_aside(frame):
                key = _Key(kind, origin)
                self._readers.setdefault(key, [])
                self._sources.setdefault(key, []).extend(map(self._source, sources))
                before.add(key)
        if before and not result.requires_grad:
            self._after[result] = before

    def _before(self, given: list[Tensor]) -> set[_Key]:
        """Return the cuts that what goes into a call comes of. What has a Function by now was
        changed in place, or came out of a Function written in Python, whose own call is not seen:
        that Function is who read.
        """
        found: set[_Key] = set()
        for tensor in given:
            if tensor.grad_fn is None:
                found.update(self._after.get(tensor, ()))
            else:
                for key in self._after.pop(tensor, ()):
                    self._readers[key].append(tensor.grad_fn)
        return found

    def _source(self, tensor: Tensor) -> Node | str:
        """Return the Function that made a tensor; of a leaf the name of the parameter."""
        return tensor.grad_fn or self._leaves.get(id(tensor), "")

    def parts(self, functions: Mapping[Node, int], places: Places | None) -> tuple[CutPart, ...]:
        """Return the cuts next to Functions that were captured, given by their numbers."""
        leaves: dict[Node | str, int] = {}
        for function, number in functions.items():
            variable: Tensor | None = getattr(function, "variable", None)
            if variable is not None and id(variable) in self._leaves:
                leaves[self._leaves[id(variable)]] = number
        known: Mapping[Node | str, int] = {**functions, **leaves}
        found = (
            _part(
                key, places, _ids(_nearest(sources, known), known), _ids(self._readers[key], known)
            )
            for key, sources in self._sources.items()
        )
        return tuple(part for part in found if part.sources or part.readers)


def _part(
    key: _Key, places: Places | None, sources: tuple[str, ...], readers: tuple[str, ...]
) -> CutPart:
    file, line = places.line(key.origin) if places else ("", key.origin.line)
    return CutPart(
        kind=key.kind,
        layer=key.origin.module,
        line=line,
        file=file,
        place=places.place(key.origin) if places else "",
        sources=sources,
        readers=readers,
    )


def _kind(func: Any) -> str:
    """Return why what a function gave has no gradient; empty where no value was taken out."""
    if func in _DETACHING:
        return "detach"
    name = getattr(func, "__name__", "")
    is_new = name.endswith("_like") or name.startswith("new_")
    return "" if torch.is_grad_enabled() or is_new else "no_grad"


def _is_aside(frame: FrameType | None) -> bool:
    """Return whether a call is none of the model's: a Function written in Python computes without
    gradients in its ``forward``, which is no method; and others that watch look at values, too.
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


def _nearest(sources: Iterable[Node | str], known: Container[Node | str]) -> Iterator[Node | str]:
    """Return the Functions that were captured, else those nearest behind that were: what lies
    between is only of what was taken out.
    """
    waiting = list(sources)
    seen = set(waiting)
    for source in waiting:  # grows while it is read
        if source in known or isinstance(source, str):
            yield source
            continue
        following = {each for each, _ in source.next_functions if each is not None} - seen
        seen |= following
        waiting += following


def _ids(ends: Iterable[Node | str], known: Mapping[Node | str, int]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(known[end]) for end in ends if end in known))


def _tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    """Return the tensors among values, also in tuples and lists."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, tuple | list):
            yield from _tensors(value)
