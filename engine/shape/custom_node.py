"""Node of custom code: which tensors come out, without harm to anybody.

It runs without values first (on the meta device). Code that looks at values cannot do that; then it
runs with random numbers of the sizes that arrive, as long as they are not too many.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cache
from math import prod
from typing import Any, NamedTuple

import torch
from msgspec.structs import replace
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from engine.catalog.code.target import target_symbol
from engine.catalog.spec import Entry, EntryGroup, PortSpec, Value
from engine.custom import watchdog
from engine.custom.module import (
    SourceLines,
    custom_source,
    custom_traceback,
    error_line,
    load_custom_object,
)
from engine.custom.trust import is_trusted
from engine.diagnostics import Diagnostic
from engine.graph.code import code_digest
from engine.shape.execute import (
    BATCHES,
    Signal,
    arguments_of,
    module_in_floating,
    picked,
    shown,
    signal_of,
    value_at,
)
from engine.shape.node_result import NodeResult
from engine.syntax.call import call_arguments, constructor_arguments, unresolved

LOAD_S = 20.0
RUN_S = 8.0
_MOST_NUMBERS = 8_000_000  # of all that arrives, where it runs with values
_SEED = 0

Code = Mapping[str, str]
Tensors = Mapping[str, Tensor]


class CustomNode(NamedTuple):
    """What is run: its description, the values of its parameters, the code, its outputs, and the
    dtype of the model's weights.
    """

    entry: Entry
    values: Mapping[str, Value]
    code: Code
    outputs: tuple[PortSpec, ...]
    floating: torch.dtype = torch.float32

    @property
    def name(self) -> str:
        """What it is called in verdicts: the definition with its very text, then what is given."""
        file, _ = target_symbol(self.entry.target)
        digest = code_digest({"": custom_source(self.code, file)[0]})[:16]
        given = repr(sorted(self.values.items()))
        return f"{self.entry.key}@{digest}{watchdog.SEPARATOR}{given}"


def run_custom_node(
    node: CustomNode, resolved: dict[str, int], signals: Mapping[str, Signal] | None
) -> NodeResult:
    """Return what a node does; ``signals`` is None while not all of it is known to arrive.

    Never raises: what the code raises is told at its line (U012 to U014, U017), code that does not
    come to an end or takes the process down at its file (U015, U016), code that nobody has trusted
    at the node (U011).
    """
    if not is_trusted(node.code):
        return NodeResult(resolved=resolved, findings=(Diagnostic(code="U011"),))
    if unresolved(node.entry, node.values):
        return NodeResult(resolved=resolved)
    key = node.name + (repr(sorted(signals.items())) if signals else "")
    found = watchdog.verdict(key)
    if found is not None:
        return NodeResult(resolved=resolved, findings=(stopped(node, found, RUN_S),))
    _get_ready()
    try:
        with watchdog.watched(key, LOAD_S), _unchanged():
            made, places = load_custom_object(node.code, node.entry.target)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - anything is told to the user
        return NodeResult(resolved=resolved, findings=(_raised("U012", node, error, {}),))
    with watchdog.watched(key, RUN_S), _unchanged():
        return _Attempt(node, made, places, resolved).outcome(signals)


@cache
def _get_ready() -> None:
    """Pay for what PyTorch loads at its first operations without values: it is no fault of the
    code that runs next.
    """
    with torch.device("meta"), torch.no_grad():
        flat = nn.Conv2d(1, 1, 1)(torch.empty(1, 1, 2, 2)).flatten(1)
        torch.mm(flat, torch.empty(4, 2))
        torch.cat([torch.empty(1), torch.zeros(1)]).softmax(0).sum()


class _Attempt:
    """Runs a node without values, then with values where that is of use."""

    def __init__(
        self, node: CustomNode, made: Any, places: SourceLines, resolved: dict[str, int]
    ) -> None:
        self._node = node
        self._made = made
        self._places = places
        self._resolved = resolved

    def outcome(self, signals: Mapping[str, Signal] | None) -> NodeResult:
        """Return what the node does."""
        found = self._on("meta", signals)
        arriving = (signals or {}).values()
        numbers = sum(prod(signal.shapes[-1]) for signal in arriving)
        if not found.findings or numbers > _MOST_NUMBERS:
            return found
        found = self._on("cpu", signals)
        if found.findings and not all(signal.dtype.is_floating_point for signal in arriving):
            other = self._on("cpu", signals, whole=1)  # lengths of sequences are never 0
            return found if other.findings else other
        return found

    def _on(self, device: str, signals: Mapping[str, Signal] | None, whole: int = 0) -> NodeResult:
        """Run on a device; ``whole`` is what stands in tensors of whole numbers."""
        with torch.device(device) if device == "meta" else nullcontext():
            try:
                module = self._module()
            except (Exception, SystemExit) as error:  # noqa: BLE001 - anything is told to the user
                return self._failed("U013", error)
            outcome = NodeResult(
                resolved=self._resolved,
                parameters=sum(p.numel() for p in module.parameters()) if module else 0,
                buffers=sum(b.numel() for b in module.buffers()) if module else 0,
                names=_names(module) if module else (),
            )
            if signals is None:
                return outcome
            try:
                outputs = self._outputs(module, signals, device, whole)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - anything is told to the user
                return self._failed("U014", error, outcome, signals)
        return self._checked(outcome, outputs)

    def _module(self) -> nn.Module | None:
        if self._node.entry.group is not EntryGroup.LAYER:
            return None
        arguments = constructor_arguments(self._node.entry, self._node.values)
        positional, keywords = arguments_of(arguments, {})
        module = self._made(*positional, **keywords)
        if not isinstance(module, nn.Module):
            raise TypeError(f"{type(module).__name__} is no nn.Module")
        if any(is_lazy(tensor) for tensor in (*module.parameters(), *module.buffers())):
            raise TypeError("lazy modules have no weights before their first batch: give the sizes")
        return module_in_floating(module, self._node.floating)

    def _outputs(
        self, module: nn.Module | None, signals: Mapping[str, Signal], device: str, whole: int
    ) -> list[Any]:
        found: list[Any] = []
        for index in range(len(BATCHES)):
            tensors = {port: _tensor(s, index, device, whole) for port, s in signals.items()}
            arguments = call_arguments(self._node.entry, self._node.values, tensors)
            positional, keywords = arguments_of(arguments, tensors)
            called = self._made if module is None else module
            found.append(called(*positional, **keywords))
        return found

    def _checked(self, outcome: NodeResult, outputs: list[Any]) -> NodeResult:
        """Return the outcome with the types of what came out, or told that it is no tensor."""
        signals: dict[str, Signal] = {}
        absent: list[str] = []
        for port in self._node.outputs:
            try:
                if port.path and all(value_at(one, port) is None for one in outputs):
                    absent.append(port.name)  # ``return logits, None``: it may be of no use
                    continue
                first, second = (picked(value, port) for value in outputs)
            except (TypeError, IndexError, KeyError):
                first = second = None
            if first is None or second is None:
                finding = self._placed("U017", TypeError(), found=type(outputs[0]).__name__)
                return replace(outcome, findings=(finding,))
            signals[port.name] = signal_of(first, second)
        return replace(outcome, outputs=signals, absent=tuple(absent))

    def _failed(
        self,
        code: str,
        error: BaseException,
        outcome: NodeResult | None = None,
        signals: Mapping[str, Signal] | None = None,
    ) -> NodeResult:
        finding = _raised(code, self._node, error, self._places)
        if signals:
            arriving = "; ".join(f"{port}: {shown(s)}" for port, s in signals.items())
            finding = replace(finding, detail=f"{finding.detail}\n\n{arriving}")
        return replace(outcome or NodeResult(resolved=self._resolved), findings=(finding,))

    def _placed(self, code: str, error: BaseException, **more: str) -> Diagnostic:
        place = error_line(error, self._node.code, self._node.entry.target, self._places)
        params: dict[str, str | int | float] = {"file": place[0], "line": place[1], **more}
        return Diagnostic(code=code, params=params)


def _names(module: nn.Module) -> tuple[str, ...]:
    """Return the names of the modules and parameters in a module."""
    found = {name for name, _ in (*module.named_modules(), *module.named_parameters())}
    return tuple(sorted(found - {""}))


def _raised(code: str, node: CustomNode, error: BaseException, places: SourceLines) -> Diagnostic:
    if not places:
        places = custom_source(node.code, target_symbol(node.entry.target)[0])[1]
    file, line = error_line(error, node.code, node.entry.target, places)
    reason = (str(error).strip() or type(error).__name__).splitlines()[0][:300]
    params: dict[str, str | int | float] = {
        "error": type(error).__name__,
        "reason": reason,
        "file": file,
        "line": line,
    }
    return Diagnostic(code=code, params=params, detail=custom_traceback(error, places))


def stopped(
    node: CustomNode, found: watchdog.Verdict, seconds: float, name: str = ""
) -> Diagnostic:
    """Return the finding that code is not run again: it hung (U015) or crashed (U016) before."""
    params: dict[str, str | int | float] = {"file": target_symbol(node.entry.target)[0]}
    params |= {"name": name} if name else {}
    if found is watchdog.Verdict.CRASHED:
        return Diagnostic(code="U016", params=params)
    return Diagnostic(code="U015", params={**params, "seconds": f"{seconds:g}"})


def _tensor(signal: Signal, index: int, device: str, whole: int) -> Tensor:
    shape = signal.shapes[index]
    if device == "meta":
        if signal.strides is None:
            return torch.empty(shape, dtype=signal.dtype, device=device)
        return torch.empty_strided(shape, signal.strides[index], dtype=signal.dtype, device=device)
    if not signal.dtype.is_floating_point:
        return torch.full(shape, whole, dtype=signal.dtype)
    generator = torch.Generator().manual_seed(_SEED)
    return torch.randn(shape, generator=generator).to(signal.dtype)


@contextmanager
def _unchanged() -> Generator[None]:
    """Keep the random numbers of this process as they are, whatever the code draws."""
    with torch.random.fork_rng(devices=[]):
        yield
