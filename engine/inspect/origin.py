"""Origin of a Function of the autograd graph: the module and the lines of source that made it.

PyTorch calls ``torch.autograd.graph.node_creation_hook`` for every Function as it is made; the
frames of Python at that moment tell the rest. Costs nothing outside :func:`watched`.
"""

import inspect
import traceback
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from torch import nn
from torch.autograd.graph import Node, node_creation_hook

_KEY = "trellis.origin"
_FORWARD = "forward"


class Origin(NamedTuple):
    """Module and lines that made a Function.

    ``module`` is the innermost module that was running, as in ``named_modules``. ``steps`` lead
    there, the outermost first: modules of the watched model's own file with the line of their
    ``forward`` that was running. ``inner`` is the innermost line of that file: of a function that a
    ``forward`` calls, where it is in one.
    """

    module: str
    steps: tuple[tuple[str, int], ...] = ()
    inner: int = 0

    @property
    def line(self) -> int:
        """The line of the file that was running: where a module of PyTorch made the Function, the
        line that calls it. 0 where no line of the file was running.
        """
        return self.inner if self.steps else 0


@contextmanager
def watched(module: nn.Module) -> Generator[None]:
    """Note its origin at each Function that is made inside; for one forward pass.

    Only for the thread that computes. Lines are those of the file that defines the class of the
    module.
    """
    names = {id(part): name for name, part in module.named_modules()}
    file = type(module).forward.__code__.co_filename

    def note(function: Node) -> None:
        origin = frame_origin(inspect.currentframe(), names, file)
        if origin is not None:
            _metadata(function)[_KEY] = origin

    with node_creation_hook(note):
        yield


def origin_of(function: Node) -> Origin | None:
    """Return the origin of a Function that was made inside :func:`watched`."""
    return _metadata(function).get(_KEY)


def _metadata(function: Any) -> dict[str, Origin]:
    return function.metadata  # annotated as a method


def frame_origin(frame: FrameType | None, names: dict[int, str], file: str) -> Origin | None:
    """Return the origin of what a frame makes: ``names`` are those of the model's modules by
    identity, ``file`` is the one that defines its classes. None where none of its modules runs.
    """
    frames: list[tuple[FrameType, int]] = []
    while frame is not None:
        code = frame.f_code  # checked first: f_lineno is slow
        if code.co_name == _FORWARD or code.co_filename == file:
            frames.append((frame, frame.f_lineno))
        frame = frame.f_back
    return _origin(reversed(frames), names, file)


def error_origin(error: BaseException, module: nn.Module) -> Origin | None:
    """Return where in a model an error was raised; None where none of its modules ran."""
    names = {id(part): name for name, part in module.named_modules()}
    frames = traceback.walk_tb(error.__traceback__)
    return _origin(frames, names, type(module).forward.__code__.co_filename)


def _origin(
    frames: Iterable[tuple[FrameType, int]], names: dict[int, str], file: str
) -> Origin | None:
    """Return the origin that frames, the outermost first, and their lines tell."""
    module: str | None = None
    steps: list[tuple[str, int]] = []
    inner = 0
    for frame, line in frames:
        code = frame.f_code
        inner = line if code.co_filename == file else inner
        if code.co_name != _FORWARD or code.co_varnames[:1] != ("self",):
            continue
        running: Any = frame.f_locals.get("self")
        name = names.get(id(running))
        if name is not None:
            module = name
            if code.co_filename == file:
                steps.append((name, line))
    return None if module is None else Origin(module, tuple(steps), inner)
