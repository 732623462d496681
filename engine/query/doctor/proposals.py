"""Proposals against what the doctor found, best first: changes that can be undone like any other.

Nothing here knows whether a remedy helps; ``engine.query.doctor.repair`` tries each.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.block import SEPARATOR, block_at, entry_of, level
from engine.graph.edit.edits import Batch, Edit, EditBlock, RemoveNodes, apply
from engine.graph.error import GraphError
from engine.graph.model import Graph, Initial, Node
from engine.graph.node_state.initialization import SetInitial, initial_text, weights_of
from engine.graph.query import dependents, incoming, outgoing
from engine.graph.repair.case import (
    Case,
    RepairProposal,
    insert,
    remove,
    set_param,
    use_type,
    words,
)
from engine.spec.data import DataInfo
from engine.spec.fields import get_value
from engine.spec.run import RunSpec

UNTRIED = ("clip.kind",)
"""Settings whose effect cannot be measured: the gradients are measured before they are cut."""

_USUAL_STEP = 1e-3  # of the size of the weights
_USUAL_RATES = (1e-3, 1e-2, 1e-1, 1e-4)
_SATURATING = ("Sigmoid", "Tanh", "Hardsigmoid", "Hardtanh", "Softsign", "LogSigmoid")
_AXES = ("dim", "start_dim", "axis")
_BREAKING = ("sqrt", "rsqrt", "log", "reciprocal", "pow")
"""Operations whose value or derivative is not finite at 0."""
_LITTLE = 1e-8
_WEIGHTED = ("CrossEntropyLoss", "NLLLoss")

Found = Iterator[RepairProposal | None]


@dataclass(frozen=True, kw_only=True)
class _Patient:
    """A finding with what it is about; ``graph`` is the level that the node is at, ``node`` None
    for a finding about all of the model.
    """

    problem: Diagnostic
    graph: Graph
    node: Node | None
    spec: RunSpec
    info: DataInfo | None

    def case(self, node: Node) -> Case | None:
        """Return another node of the level as the case of a problem."""
        entry = entry_of(self.graph, node)
        if entry is None:
            return None
        return Case(problem=self.problem, graph=self.graph, node=node, entry=entry, arriving={})


def doctor_proposals(
    problem: Diagnostic, graph: Graph, spec: RunSpec, info: DataInfo | None = None
) -> tuple[RepairProposal, ...]:
    """Return what might mend a finding of the doctor. Every edit can be applied; none is there
    twice.
    """
    *path, node_id = (problem.node or "").split(SEPARATOR)
    inside = level(graph, tuple(path))
    if inside is None:
        return ()
    block = block_at(graph, tuple(path))
    node = inside.nodes.get(node_id)
    patient = _Patient(problem=problem, graph=inside, node=node, spec=spec, info=info)
    repairs: list[RepairProposal] = []
    for fix in _REMEDIES.get(problem.code, _none)(patient):
        whole = fix
        if fix is not None and fix.edit is not None and block:
            edit = EditBlock(block=block, edit=fix.edit)
            whole = RepairProposal(words=fix.words, edit=edit, settings=fix.settings)
        if whole is not None and whole not in repairs and _can_be_made(whole, graph):
            repairs.append(whole)
    return tuple(repairs)


def _can_be_made(fix: RepairProposal, graph: Graph) -> bool:
    try:
        return fix.edit is None or apply(fix.edit, graph) != graph
    except GraphError:
        return False


def _none(_patient: _Patient) -> Found:
    yield from ()


def _dead_units(patient: _Patient) -> Found:
    """H001: let the layer before begin as usual, or take an activation that is never flat."""
    if patient.node is None:
        return
    yield _usual_beginning(_before(patient.graph, patient.node))
    case = patient.case(patient.node)
    if case is not None:
        yield use_type(case, "LeakyReLU", tuple(patient.node.params))
        yield use_type(case, "GELU", tuple(patient.node.params))


def _vanishing(patient: _Patient) -> Found:
    """H002: activations that are flat on both sides, and weights that begin too small."""
    yield _usual_beginning(list(patient.graph.nodes.values()))
    flat = [node for node in patient.graph.nodes.values() if node.type in _SATURATING]
    cases = [patient.case(node) for node in flat if not _is_last(patient.graph, node)]
    fixes = [use_type(case, "ReLU", tuple(case.node.params)) for case in cases if case is not None]
    edits = tuple(fix.edit for fix in fixes if fix is not None and fix.edit is not None)
    if edits:
        kinds = ", ".join(sorted({node.type for node in flat}))
        said = words("F040", type="ReLU", old=kinds)
        yield RepairProposal(words=said, edit=Batch(edits=edits))
        kaiming = _kaiming(patient.graph)
        if kaiming is not None:
            said = words("F041", type="ReLU", old=kinds, initial="kaiming_normal_")
            yield RepairProposal(words=said, edit=Batch(edits=(*edits, kaiming)))
    yield _beginning_of_all(patient)


def _exploding(patient: _Patient) -> Found:
    """H003, H013: weights that begin too large, data that is not normalised; clipping, which makes
    nothing finite, for H003 alone, and a little more than 0 before an operation for H013.
    """
    if patient.problem.code == "H013":
        yield from _off_zero(patient)
    yield _usual_beginning(list(patient.graph.nodes.values()))
    yield _normalised(patient.spec)
    if patient.problem.code == "H003" and patient.spec.clip.kind == "none":
        settings: dict[str, Value] = {"clip.kind": "norm", "clip.limit": 1.0}
        yield RepairProposal(words=words("F042", value=1.0), settings=settings)


def _step_size(patient: _Patient) -> Found:
    """H004, H005: the learning rate at which a step is as large as usual, and usual rates."""
    share = float(patient.problem.params.get("share", 0) or 0)
    rate = _rate(patient)
    if rate is None:
        return
    wanted = (rate * _USUAL_STEP / share,) if share > 0 else ()
    for other in (*wanted, *_USUAL_RATES):
        if other != rate:
            yield _with_rate(patient, other)


def _unused(patient: _Patient) -> Found:
    """H006: what cuts the gradient off goes, or else what nobody reads."""
    graph, node = patient.graph, patient.node
    if node is None:
        return
    after = dependents(graph, (node.id,)) - {node.id}
    for other in after:
        case = patient.case(graph.nodes[other])
        if case is not None and case.node.type == "detach":
            yield remove(case)
    read = {bound for term in patient.spec.losses for bound in term.inputs.values()}
    ends = [graph.nodes[other] for other in after if not outgoing(graph, other)]
    if any(f"model.{end.name}" in read or end.type == "BlockOutput" for end in ends):
        return
    code = "F043" if after else "F005"
    edit = RemoveNodes(ids=(node.id, *sorted(after)))
    yield RepairProposal(words=words(code, name=node.name), edit=edit)


def _sure_beginning(patient: _Patient) -> Found:
    """H007, H012: the last layer begins as usual, or all of them, or smaller; the data is
    normalised. For H012 a little more than 0 before an operation.
    """
    if patient.problem.code == "H012":
        yield from _off_zero(patient)
    last = _last_layers(patient.graph)
    yield _usual_beginning(last)
    yield _usual_beginning(list(patient.graph.nodes.values()))
    yield _normalised(patient.spec)
    for node in last:
        small = Initial(type="normal_", params={"std": 0.01})
        edit = SetInitial(ids=(node.id,), weight="weight", initial=small)
        said = words("F044", name=node.name, initial=initial_text(small))
        yield RepairProposal(words=said, edit=edit)


def _off_zero(patient: _Patient) -> Found:
    """Add a small number before an operation that 0 breaks."""
    for node in patient.graph.nodes.values():
        case = patient.case(node) if node.type in _BREAKING else None
        if case is not None:
            yield insert(case, "add", {"other": _LITTLE})


def _not_learning(patient: _Patient) -> Found:
    """H008, H014: another learning rate, the optimizer that suits most models, normalised data."""
    rate = _rate(patient)
    for other in _USUAL_RATES if rate is not None else ():
        if other != rate:
            yield _with_rate(patient, other)
    optimizer = _rate_field(patient).removesuffix(".lr")
    for other in _USUAL_RATES[:2] if get_value(patient.spec, optimizer) != "Adam" else ():
        settings: dict[str, Value] = {optimizer: "Adam", f"{optimizer}.lr": other}
        yield RepairProposal(words=words("F045", optimizer="Adam", value=other), settings=settings)
    yield _normalised(patient.spec)


def _equal_samples(_patient: _Patient) -> Found:
    """H009: samples that are equal are dealt out to one part."""
    yield RepairProposal(words=words("F051"), settings={"data.split.group_equal": True})


def _rare_classes(patient: _Patient) -> Found:
    """H010: weights of the classes: samples by classes and samples of the class; or a sampler that
    draws every class as often.
    """
    part = patient.info.part("train") if patient.info is not None else None
    counts = part.class_counts if part is not None else ()
    if not counts or not all(counts):
        return
    even = sum(counts) / len(counts)
    weights = tuple(round(even / count, 4) for count in counts)
    for index, term in enumerate(patient.spec.losses):
        if term.loss.type in _WEIGHTED and not term.loss.params.get("weight"):
            yield RepairProposal(
                words=words("F046"), settings={f"losses.{index}.loss.weight": weights}
            )
    data = patient.spec.data
    if data.sampler == "uniform":
        settings: dict[str, Value] = {} if data.shuffle else {"data.shuffle": True}
        settings |= {"data.sampler": "balanced"}
        if data.sampler_column:  # to balance the classes
            settings |= {"data.sampler_column": ""}
        yield RepairProposal(words=words("F052"), settings=settings)


def _mixed_samples(patient: _Patient) -> Found:
    """H011: axes that may be that of the batch, and layers that take time first."""
    for node in patient.graph.nodes.values():
        case = patient.case(node)
        if case is None:
            continue
        for name in _AXES:
            if case.entry.param(name) is not None and case.value(name) == 0:
                yield set_param(case, name, 1)
                yield set_param(case, name, -1)
        if case.entry.param("batch_first") is not None and case.value("batch_first") is False:
            yield set_param(case, "batch_first", value=True)
        if case.value("track_running_stats") is False:
            yield set_param(case, "track_running_stats", value=True)


_REMEDIES: dict[str, Callable[[_Patient], Found]] = {
    "H001": _dead_units,
    "H002": _vanishing,
    **dict.fromkeys(("H003", "H013"), _exploding),
    **dict.fromkeys(("H004", "H005"), _step_size),
    "H006": _unused,
    **dict.fromkeys(("H007", "H012"), _sure_beginning),
    **dict.fromkeys(("H008", "H014"), _not_learning),
    "H009": _equal_samples,
    "H010": _rare_classes,
    "H011": _mixed_samples,
}


def _rate_field(patient: _Patient) -> str:
    """Return the learning rate that a finding is about: that of its phase."""
    return patient.problem.field or "optimizer.lr"


def _rate(patient: _Patient) -> float | None:
    try:
        value = get_value(patient.spec, _rate_field(patient))
    except DiagnosticError:
        return None  # an optimizer without one
    return float(value) if isinstance(value, int | float) and value > 0 else None


def _with_rate(patient: _Patient, rate: float) -> RepairProposal:
    value = float(f"{rate:.0e}")
    settings: dict[str, Value] = {_rate_field(patient): value}
    return RepairProposal(words=words("F047", value=f"{value:g}"), settings=settings)


def _normalised(spec: RunSpec) -> RepairProposal | None:
    if spec.data.normalization != "none":
        return None
    return RepairProposal(words=words("F048"), settings={"data.normalization": "standard"})


def _usual_beginning(nodes: list[Node]) -> RepairProposal | None:
    """Let layers begin as PyTorch has it, where something else was chosen."""
    chosen = [(node, name) for node in nodes for name in node.init]
    edits: tuple[Edit, ...] = tuple(
        SetInitial(ids=(node.id,), weight=name) for node, name in chosen
    )
    names = ", ".join(dict.fromkeys(node.name for node, _ in chosen))
    return (
        RepairProposal(words=words("F049", name=names), edit=Batch(edits=edits)) if edits else None
    )


def _kaiming(graph: Graph) -> SetInitial | None:
    ids = tuple(
        node.id
        for node in graph.nodes.values()
        if any(weight.name == "weight" and weight.rank > 1 for weight in weights_of(graph, node))
    )
    initial = Initial(type="kaiming_normal_", params={"nonlinearity": "relu"})
    return SetInitial(ids=ids, weight="weight", initial=initial) if ids else None


def _beginning_of_all(patient: _Patient) -> RepairProposal | None:
    edit = _kaiming(patient.graph)
    return (
        None
        if edit is None
        else RepairProposal(words=words("F050", initial="kaiming_normal_"), edit=edit)
    )


def _before(graph: Graph, node: Node) -> list[Node]:
    return [graph.nodes[edge.source] for edge in incoming(graph, node.id)]


def _is_last(graph: Graph, node: Node) -> bool:
    """Return whether a node feeds an output: what it makes is what the loss wants."""
    return any(
        graph.nodes[edge.target].type.endswith("Output") for edge in outgoing(graph, node.id)
    )


def _last_layers(graph: Graph) -> list[Node]:
    """Return for each output the last layer before it that has weights."""
    layers: dict[str, Node] = {}
    for end in graph.nodes.values():
        node = end if end.type.endswith("Output") else None
        seen: set[str] = set()
        while node is not None and node.id not in seen:
            seen.add(node.id)
            if any(weight.name == "weight" for weight in weights_of(graph, node)):
                layers[node.id] = node
                break
            node = next(iter(_before(graph, node)), None)
    return list(layers.values())
