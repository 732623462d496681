"""Propagation of signals from node to node; results are kept for nodes that an edit left alone."""

import threading
import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cache
from math import prod
from typing import NamedTuple

import msgspec
import torch
from torch import nn

from engine.catalog.code.target import is_custom
from engine.catalog.spec import Entry, EntryGroup, PortSpec, Value
from engine.custom.trust import is_trusted
from engine.diagnostics import Diagnostic
from engine.graph.block import entry_of
from engine.graph.check import missing_inputs, param_problems
from engine.graph.code import CODE_PREFIX, code_digest
from engine.graph.memory import Memory
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import INPUT, OUTPUT, incoming_by_node, order
from engine.shape.custom_node import CustomNode, run_custom_node
from engine.shape.execute import (
    Signal,
    build_module,
    build_tensor,
    input_signal,
    resolve,
    run,
    shown,
)
from engine.shape.node_result import NodeResult
from engine.shape.rule import find_doubts, find_fault, find_unsized
from engine.shape.tensor import is_learned, tensor_fault
from engine.syntax.call import complete_params, unresolved

_CACHE_SIZE = 20_000


class _Found(NamedTuple):
    """What was found of a node when the graph was looked through last."""

    node: Node
    arriving: dict[str, Signal | None]
    outcome: NodeResult

    def holds(self, node: Node, arriving: Mapping[str, Signal | None]) -> bool:
        """Return whether it is so again: the very same parameters and signals. The user's own code
        may have changed.
        """
        return (
            self.node.params is node.params
            and self.node.type == node.type
            and self.arriving.keys() == arriving.keys()
            and not node.type.startswith(CODE_PREFIX)
            and all(self.arriving[port] is signal for port, signal in arriving.items())
        )


def _with_signals_of(before: _Found | None, outcome: NodeResult) -> NodeResult:
    """Return an outcome; where the same comes out as before, by the signals of before, by which
    the nodes below see that nothing has changed for them.
    """
    if before is None or before.outcome.outputs != outcome.outputs:
        return outcome
    return msgspec.structs.replace(outcome, outputs=before.outcome.outputs)


class Propagator:
    """Runs nodes on the meta device and remembers by type, parameters and what arrives.

    ``floating`` is the dtype of the model's data and weights: float32, or float64 of a run in
    double precision. Safe to be called from several threads; they take turns. Warnings of PyTorch
    are not shown.
    """

    def __init__(self, floating: torch.dtype = torch.float32) -> None:
        self._floating = floating
        self._cache: OrderedDict[object, NodeResult] = OrderedDict()
        self._before: dict[str, _Found] = {}
        self._lock = threading.Lock()
        self.runs = 0

    def outcomes(self, graph: Graph) -> dict[str, NodeResult]:
        """Return the outcome of every node that can be looked at, in the order of computation.

        The graph is a flat one (``engine.graph.expand``): uses of blocks are unknown here.
        """
        with self._lock, warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            return self._outcomes(graph)

    def _outcomes(self, graph: Graph) -> dict[str, NodeResult]:
        edges = incoming_by_node(graph)
        signals: dict[tuple[str, str], Signal] = {}
        found: dict[str, _Found] = {}
        for node_id in order(graph):
            node = graph.nodes[node_id]
            arriving = {
                edge.target_port: signals.get((edge.source, edge.source_port))
                for edge in edges[node_id]
            }
            before = self._before.get(node_id)
            if before is None or not before.holds(node, arriving):
                outcome = self._look(node, arriving, edges[node_id], graph)
                if outcome is None:
                    continue
                before = _Found(node, arriving, _with_signals_of(before, outcome))
            found[node_id] = before
            for port, signal in before.outcome.outputs.items():
                signals[node_id, port] = signal
        self._before = found
        return {node_id: each.outcome for node_id, each in found.items()}

    def _look(
        self,
        node: Node,
        arriving: Mapping[str, Signal | None],
        edges: Sequence[Edge],
        graph: Graph,
    ) -> NodeResult | None:
        """Return the outcome of a node; None of one that cannot be looked at."""
        entry = entry_of(graph, node)
        if entry is None or param_problems(node, entry):
            return None
        known = {port: signal for port, signal in arriving.items() if signal is not None}
        is_known = len(known) == len(arriving) and not missing_inputs(node, entry, edges)
        if is_custom(entry.target):
            return self._own(node, entry, known, graph, is_known=is_known)
        return self._outcome(node, entry, known, is_known=is_known)

    def _own(
        self,
        node: Node,
        entry: Entry,
        signals: Mapping[str, Signal],
        graph: Graph,
        *,
        is_known: bool,
    ) -> NodeResult:
        """Return the outcome of the user's own code; it holds for the text and for the trust."""
        state = (code_digest(graph.code), is_trusted(graph.code))
        key = (node.type, _written(node), tuple(signals.items()), is_known, state)
        outcome = self._cache.get(key)
        if outcome is None:
            resolved = resolve(entry, complete_params(entry, node.params, {}), signals)
            values = complete_params(entry, node.params, resolved)
            fault = _not_inferred(entry, values, signals) if is_known else None
            outputs = entry.output_ports(node.params)
            own = CustomNode(entry, values, graph.code, outputs, self._floating)
            outcome = run_custom_node(own, resolved, signals if is_known else None)
            if fault is not None and not outcome.findings:
                outcome = msgspec.structs.replace(outcome, findings=(fault,))
            self.runs += 1
            self._cache[key] = outcome
        return outcome

    def _outcome(
        self, node: Node, entry: Entry, signals: Mapping[str, Signal], *, is_known: bool
    ) -> NodeResult:
        key = (node.type, _written(node), tuple(signals.items()), is_known)
        outcome = self._cache.get(key)
        if outcome is None:
            outcome = _Trial(node, entry, signals, self._floating).outcome(is_known=is_known)
            self.runs += 1
            self._cache[key] = outcome
            if len(self._cache) > _CACHE_SIZE:
                self._cache.popitem(last=False)
        else:
            self._cache.move_to_end(key)
        return outcome


def shared(floating: torch.dtype = torch.float32) -> Propagator:
    """Return the one of a dtype that all of this process may use: a model that was just imported is
    known to who looks at it next.
    """
    return _shared(floating)


_shared = cache(Propagator)


def _written(node: Node) -> str:
    return _texts.recall((node.params,), lambda: repr(sorted(node.params.items())))


_texts = Memory[str](50_000)


class _Trial(NamedTuple):
    """One node with what arrives at it, in a model of a dtype."""

    node: Node
    entry: Entry
    signals: Mapping[str, Signal]
    floating: torch.dtype

    def outcome(self, *, is_known: bool) -> NodeResult:
        """Return what comes out; without ``is_known`` only what the node holds by itself."""
        node, entry = self.node, self.entry
        if node.type == INPUT:
            dtype = entry.value(node.params, "dtype")
            signal = input_signal(node.params.get("shape"), dtype, self.floating)
            return NodeResult(outputs={"output": signal} if signal is not None else {})
        if node.type == OUTPUT:
            return NodeResult(outputs=dict(self.signals))
        blank = complete_params(entry, node.params, {})
        if entry.group is EntryGroup.TENSOR:
            return self._tensor(blank)
        resolved = resolve(entry, blank, self.signals)
        values = complete_params(entry, node.params, resolved)
        if not is_known:
            return self._attempt(values, resolved, None)
        fault = find_fault(entry, values, self.signals, self.floating)
        fault = fault or _not_inferred(entry, values, self.signals)
        if fault is None:
            return self._attempt(values, resolved, self.signals)
        counted = self._attempt(values, resolved, None)
        return msgspec.structs.replace(counted, findings=(fault,))

    def _tensor(self, values: Mapping[str, Value]) -> NodeResult:
        fault = tensor_fault(values)
        if fault is not None:
            return NodeResult(findings=(fault,))
        try:
            signal = build_tensor(values, self.floating)
        except Exception as error:  # noqa: BLE001 - whatever PyTorch says is told to the user
            return NodeResult(findings=(_refusal("S029", error),))
        size = prod(signal.shape)
        is_weight = is_learned(self.entry)
        return NodeResult(
            outputs={"output": signal},
            parameters=size if is_weight else 0,
            buffers=0 if is_weight else size,
        )

    def _attempt(
        self,
        values: Mapping[str, Value],
        resolved: dict[str, int],
        signals: Mapping[str, Signal] | None,
    ) -> NodeResult:
        module: nn.Module | None = None
        entry = self.entry
        if unresolved(entry, values):
            return NodeResult(resolved=resolved)
        if entry.group is EntryGroup.LAYER:
            try:
                module = build_module(entry, values, self.floating)
            except Exception as error:  # noqa: BLE001 - whatever PyTorch says is told to the user
                return NodeResult(resolved=resolved, findings=(_refusal("S029", error),))
        outcome = NodeResult(
            parameters=sum(p.numel() for p in module.parameters()) if module else 0,
            buffers=sum(b.numel() for b in module.buffers()) if module else 0,
            resolved=resolved,
        )
        if signals is None:
            return outcome
        hint = find_unsized(entry)
        if hint is not None:
            return msgspec.structs.replace(outcome, findings=(hint,))
        outputs: tuple[PortSpec, ...] = entry.output_ports(self.node.params)
        try:
            results = run(entry, values, module, signals, outputs)
        except Exception as error:  # noqa: BLE001 - whatever PyTorch says is told to the user
            shapes = "; ".join(shown(signal) for signal in signals.values())
            is_view = entry.key == "view" and "view size is not compatible" in str(error)
            finding = _refusal("S040" if is_view else "S001", error, shapes=shapes)
            return msgspec.structs.replace(outcome, findings=(finding,))
        doubts = find_doubts(entry, values, signals)
        return msgspec.structs.replace(outcome, outputs=results, findings=doubts)


def _not_inferred(
    entry: Entry, values: Mapping[str, Value], signals: Mapping[str, Signal]
) -> Diagnostic | None:
    """Find an "auto" that stays open though all inputs are known: its axis is the batch."""
    for spec in unresolved(entry, values):
        signal = signals.get(spec.auto_port or entry.inputs[0].name)
        shape = "" if signal is None else shown(signal)
        return Diagnostic(code="S019", field=spec.name, params={"shape": shape})
    return None


def _refusal(code: str, error: Exception, **params: str) -> Diagnostic:
    detail = str(error).strip() or type(error).__name__
    reason = detail.splitlines()[0][:300]
    return Diagnostic(code=code, params={"reason": reason, **params}, detail=detail)


def placed(finding: Diagnostic, node: Node, path: str) -> Diagnostic:
    """Return a finding with the path and the name of its node."""
    return Diagnostic(
        code=finding.code,
        severity=finding.severity,
        node=path,
        field=finding.field,
        params={
            "name": node.name,
            "type": node.type,
            "field": finding.field or "",
            **finding.params,
        },
        detail=finding.detail,
    )
