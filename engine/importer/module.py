"""Import of any ``nn.Module`` as an editable graph: its modules become blocks, its layers nodes,
and the weights fit as they are.
"""

import ast
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from msgspec.structs import replace
from torch import Tensor, nn
from torch.autograd import Variable

from engine.custom.trust import set_trust
from engine.diagnostics import DiagnosticError
from engine.graph.code import MODEL_FILE
from engine.graph.model import Graph
from engine.importer.detector import (
    detected,
    detector,
    is_detector,
    keeping_everything,
    taking_truth,
    with_truth,
    without_thresholds,
)
from engine.importer.hierarchy import graph_of
from engine.importer.record import record
from engine.importer.symbolic_trace import follow
from engine.importer.trace import Trace, kept_modes
from engine.model.module import to_module
from engine.model.source import to_source

_SHOWN = 8


class Followed(NamedTuple):
    """A module as a graph. A model that was recorded holds for the sizes of the example only; a
    detector is followed as it is in evaluation.
    """

    graph: Graph
    is_recorded: bool
    is_detector: bool = False


def from_module(module: nn.Module, example_inputs: Sequence[Tensor] | Tensor) -> Graph:
    """Return a module as a graph whose generated class has the same ``state_dict`` keys.

    ``example_inputs`` are tensors for ``forward`` in its order, the first axis of each the batch;
    only shapes and dtypes count. The module itself stays as it is and computes nothing. Follow with
    :func:`require_same_results` where its code is unknown: ``x += 1`` is followed as ``x = x + 1``.

    Raises :class:`DiagnosticError` with everything that has no counterpart on the canvas and where
    it is (I0xx); nothing is left out in silence.
    """
    examples = [example_inputs] if isinstance(example_inputs, Tensor) else list(example_inputs)
    return follow_module(module, examples).graph


def follow_module(module: nn.Module, examples: list[Tensor]) -> Followed:
    """Return what :func:`from_module` does, and how it was found out."""
    followed = detector(module)
    trace, is_recorded = _operations(followed or module, with_truth(examples, followed))
    graph = taking_truth(graph_of(trace), followed)
    set_trust(graph.code, trusted=True)  # it was written here, and calls what the module calls
    with torch.device("meta"):
        built = to_module(graph)
    require_same_keys(built, module)
    graph = with_tied_weights(graph, module)
    return Followed(graph, is_recorded, is_detector=followed is not None)


def _operations(module: nn.Module, examples: list[Tensor]) -> tuple[Trace, bool]:
    """Return what a module does: read where that can be, else recorded with the sizes given."""
    with without_variables():
        try:
            return follow(module, examples), False
        except DiagnosticError as error:
            try:
                return record(module, examples), True
            except DiagnosticError:
                raise error from None


def require_same_results(
    graph: Graph,
    module: nn.Module,
    example_inputs: Sequence[Tensor],
    modes: Sequence[str] = ("evaluation", "training"),
) -> None:
    """Compute the examples with a module and with the graph that was made of it, to the last bit.

    In evaluation and, with the same random numbers, in training; the module is left as it was. A
    detector gives losses in training, so it is compared in evaluation alone; there all that it may
    find counts, however unlikely.

    Raises :class:`DiagnosticError`: I009 where the results differ, I010 where the module fails.
    """
    buffers = {name: value.clone() for name, value in module.named_buffers()}
    if is_detector(module):
        graph, modes = without_thresholds(graph), ("evaluation",)
    built = to_module(graph)
    built.load_state_dict(module.state_dict())
    try:
        with kept_modes(module), keeping_everything(module):
            for mode in modes:
                module.train(mode == "training")
                built.train(mode == "training")
                expected = _results(module, example_inputs)
                actual = _results(built, with_truth(example_inputs, detector(module)))
                found = actual[: len(expected)] if is_detector(module) else actual
                _require_equal(expected, found, mode)  # its graph gives more, for the losses
    finally:
        with torch.no_grad():
            for name, value in module.named_buffers():
                value.copy_(buffers[name])


def _results(module: nn.Module, inputs: Sequence[Tensor]) -> list[Tensor]:
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        try:
            result = module(*[value.clone() for value in inputs])
        except Exception as error:  # the forward of a stranger raises what it likes
            raise DiagnosticError.of(
                "I010", detail=str(error), model=type(module).__name__, place="forward"
            ) from error
    if isinstance(result, dict):
        return list(result.values())
    if isinstance(result, list) and result and isinstance(result[0], dict):
        return detected(result, module)
    return list(result) if isinstance(result, list | tuple) else [result]


def _require_equal(expected: list[Tensor], actual: list[Tensor], mode: str) -> None:
    for ours, theirs in zip(actual, expected, strict=True):
        if not torch.equal(ours.nan_to_num(), theirs.nan_to_num()):
            difference = float((ours.double() - theirs.double()).abs().max())
            raise DiagnosticError.of("I009", mode=mode, difference=difference)


def require_same_keys(built: nn.Module, module: nn.Module) -> None:
    """Raise :class:`DiagnosticError` where weights would be lost (I005) or others (I015)."""
    ours, theirs = _weights(built), _weights(module)
    lost = [name for name in theirs if name not in ours]
    changed = [name for name, kind in ours.items() if theirs.get(name) != kind]
    for code, names in (("I005", lost), ("I015", changed)):
        if names:
            more = f" (+{len(names) - _SHOWN})" if len(names) > _SHOWN else ""
            raise DiagnosticError.of(code, names=", ".join(names[:_SHOWN]) + more, count=len(names))


def _weights(module: nn.Module) -> dict[str, tuple[object, ...]]:
    return {name: (tuple(value.shape), value.dtype) for name, value in module.state_dict().items()}


@contextmanager
def without_variables() -> Generator[None]:
    """Let ``Variable(x)`` give back ``x`` itself, whatever stands for a tensor while a model is
    followed. In today's PyTorch it is detached, so that nothing before it would be trained.
    """

    def unwrapped(_kind: type, data: Any, *_given: Any, **_named: Any) -> Any:
        return data

    kind: Any = Variable
    kind.__new__ = unwrapped
    try:
        yield
    finally:
        del kind.__new__


def with_tied_weights(graph: Graph, module: nn.Module) -> Graph:
    """Return a graph that has the weights of a module, each once: those that the module has under
    several names are tied in the text of the model. A graph without such ones stays as it is.
    """
    lines = [f"        self{_reached(one)} = self{_reached(other)}" for one, other in _tied(module)]
    if not lines:
        return graph
    source = to_source(graph).splitlines()
    end = _end_of_making("\n".join(source))
    text = "\n".join([*source[:end], *lines, *source[end:]]) + "\n"
    tied = replace(graph, code={**graph.code, MODEL_FILE: text})
    set_trust(tied.code, trusted=True)  # it was written here
    return tied if _count(tied) == _count_of(module) else graph


def _tied(module: nn.Module) -> Iterator[tuple[str, str]]:
    """Yield each further name of a weight with its first one; one inside a module is set."""
    first: dict[nn.Parameter, str] = {}
    for name, weight in module.named_parameters(remove_duplicate=False):
        other = first.setdefault(weight, name)
        if other != name:
            yield (name, other) if "." in name else (other, name)


def _reached(name: str) -> str:
    return "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in name.split("."))


def _end_of_making(source: str) -> int:
    """Return the number of the last line of the ``__init__`` of the model, which comes last."""
    model = [one for one in ast.parse(source).body if isinstance(one, ast.ClassDef)][-1]
    made = next(one for one in model.body if isinstance(one, ast.FunctionDef))
    return made.end_lineno or made.lineno


def _count(graph: Graph) -> int:
    with torch.device("meta"):
        return _count_of(to_module(graph))


def _count_of(module: nn.Module) -> int:
    return sum(weight.numel() for weight in module.parameters())
