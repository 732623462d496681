"""What does not fit between the loss terms, the outputs of the model and the fields of the data."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, PortContent, PortSpec
from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis, TensorType
from engine.graph.model import Graph
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.model_rule import shape_text
from engine.spec.output import ModelOutput, model_outputs
from engine.spec.run import LossTerm, RunSpec

_CLASS_NUMBERS = (PortContent.CLASS_INDEX, PortContent.CLASS_INDEX_OR_PROBABILITIES)
_SCORES = (PortContent.LOGITS, PortContent.LOG_PROBABILITIES)
_LIKE_INPUT = (PortContent.SAME_AS_INPUT, PortContent.BINARY_SAME)
_PASSING = ("Identity", "Flatten", "Dropout", "flatten", "reshape", "view", "squeeze", "unsqueeze")
_WIDTH = "out_features"
_SOFTMAX = ("Softmax", "Softmax2d", "softmax")
_LOG_SOFTMAX = ("LogSoftmax", "log_softmax", "AdaptiveLogSoftmaxWithLoss")
_SIGMOID = ("Sigmoid", "sigmoid")

Params = dict[str, str | int | float]


@dataclass(frozen=True, kw_only=True)
class _Bound:
    """What stands at a port of a loss: an output of the model or a field of the data."""

    type: TensorType | None
    output: ModelOutput | None = None
    field: FieldInfo | None = None


@dataclass(frozen=True, kw_only=True)
class _Term:
    """A loss term with what its ports are bound to."""

    name: str
    loss: str
    graph: Graph
    bound: dict[str, _Bound]


def check_losses(
    spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo | None
) -> Iterator[Diagnostic]:
    """Yield the findings about the loss terms."""
    if not spec.losses:
        yield Diagnostic(code="R030", field="losses.0.loss")
    outputs = model_outputs(graph, analysis)
    for index, term in enumerate(spec.losses):
        entry = catalog().entry(EntryGroup.LOSS, term.loss.type)
        if entry is None:
            continue
        name = f"losses.{index}"
        wrong = [*_check_bindings(name, term, entry.inputs, outputs, info)]
        yield from wrong
        if wrong:
            continue
        bound = {port: _bound(text, outputs, info) for port, text in term.inputs.items()}
        checked = _Term(name=name, loss=term.loss.type, graph=graph, bound=bound)
        yield from _check_activation(checked, entry.inputs)
        first = checked.bound.get(entry.inputs[0].name)
        if first is not None and first.type is not None and entry.inputs[0].content in _SCORES:
            yield from _check_class_weights(name, term, first.type)
        for port in entry.inputs[1:]:
            other = checked.bound.get(port.name)
            if first is not None and other is not None:
                yield from _check_pair(checked, first, port, other)


def _check_bindings(
    name: str,
    term: LossTerm,
    ports: tuple[PortSpec, ...],
    outputs: dict[str, ModelOutput],
    info: DataInfo | None,
) -> Iterator[Diagnostic]:
    for port in ports:
        bound = term.inputs.get(port.name, "")
        field = f"{name}.inputs.{port.name}"
        params: Params = {"loss": term.loss.type, "port": port.name, "bound": bound[:60]}
        side, _, key = bound.partition(".")
        if not bound:
            if port.required:
                yield Diagnostic(code="R031", field=field, params=params)
        elif side == "model":
            if key not in outputs:
                known = ", ".join(item.binding for item in outputs.values()) or "—"
                params["known"] = known
                yield Diagnostic(code="R032", field=field, params=params)
        elif side != "data":
            yield Diagnostic(code="R007", field=field, params={"value": bound[:60]})
        elif info is not None and info.field(key) is None:
            params["known"] = ", ".join(f"data.{item.name}" for item in info.fields)
            yield Diagnostic(code="R033", field=field, params=params)


def _bound(text: str, outputs: dict[str, ModelOutput], info: DataInfo | None) -> _Bound:
    side, _, key = text.partition(".")
    if side == "model":
        output = outputs.get(key)
        return _Bound(type=None if output is None else output.type, output=output)
    field = None if info is None else info.field(key)
    if field is None:
        return _Bound(type=None)
    return _Bound(type=TensorType(shape=("N", *field.shape), dtype=field.dtype), field=field)


def _check_pair(term: _Term, first: _Bound, port: PortSpec, other: _Bound) -> Iterator[Diagnostic]:
    """Compare the first input of a loss with another one."""
    given, wanted = other.type, first.type
    if given is None or wanted is None:
        return
    field = f"{term.name}.inputs.{port.name}"
    params: Params = {
        "loss": term.loss,
        "port": port.name,
        "input": _name(first),
        "input_shape": shape_text(wanted.shape),
        "target": _name(other),
        "target_shape": shape_text(given.shape),
        "dtype": given.dtype,
        "layer": _layer(term.graph, _node(first)),
    }
    is_float = given.dtype.startswith(("float", "bfloat"))
    if port.content in _CLASS_NUMBERS:
        may_be_scores = port.content == PortContent.CLASS_INDEX_OR_PROBABILITIES
        if is_float and not (may_be_scores and given.shape == wanted.shape):
            yield Diagnostic(code="R034", field=field, node=_node(first), params=params)
        elif not is_float:
            yield from _check_classes(field, params, term, first, other)
    elif port.content in _LIKE_INPUT:
        if not is_float:
            yield Diagnostic(code="R037", field=field, node=_node(first), params=params)
        elif given.shape != wanted.shape:
            yield Diagnostic(code="R038", field=field, node=_node(first), params=params)


def _check_classes(
    field: str, params: Params, term: _Term, first: _Bound, other: _Bound
) -> Iterator[Diagnostic]:
    assert first.type is not None
    assert other.type is not None
    scores, labels = first.type.shape, other.type.shape
    if len(scores) < 2 or (scores[0], *scores[2:]) != labels:
        yield Diagnostic(code="R039", field=field, node=_node(first), params=params)
        return
    classes = 0 if other.field is None else len(other.field.classes)
    width = scores[1]
    if not classes or not isinstance(width, int) or width == classes:
        return
    node = _node(first)
    if node is not None:
        node, field = _deciding_param(term.graph, _last_acting(term.graph, node), field)
    few = width < classes
    yield Diagnostic(
        code="R035" if few else "R036",
        severity=Severity.ERROR if few else Severity.WARNING,
        field=field,
        node=node,
        params={**params, "classes": classes, "outputs": width, "layer": _layer(term.graph, node)},
    )


def _check_class_weights(name: str, term: LossTerm, scores: TensorType) -> Iterator[Diagnostic]:
    weights = term.loss.params.get("weight")
    width = scores.shape[1] if len(scores.shape) > 1 else None
    if weights is None or not isinstance(width, int):
        return
    count = len(weights) if isinstance(weights, tuple) else 1
    if count != width:
        params: Params = {"loss": term.loss.type, "weights": count, "outputs": width}
        yield Diagnostic(code="R046", field=f"{name}.loss.weight", params=params)


def _check_activation(term: _Term, ports: tuple[PortSpec, ...]) -> Iterator[Diagnostic]:
    """Look at the last layer before an output: losses differ in whether they want raw scores."""
    for port in ports:
        bound = term.bound.get(port.name)
        if bound is None or bound.output is None or bound.output.source is None:
            continue
        node = _last_acting(term.graph, bound.output.source)
        code = _activation_code(port.content, term.graph.nodes[node].type)
        if code:
            last = term.graph.nodes[node]
            params: Params = {
                "loss": term.loss,
                "name": last.name,
                "type": last.type,
                "output": bound.output.name,
            }
            field = f"{term.name}.loss"
            severity = Severity.WARNING
            yield Diagnostic(code=code, severity=severity, node=node, field=field, params=params)


def _activation_code(content: PortContent | None, last: str) -> str:
    if content == PortContent.LOGITS and last in _SOFTMAX:
        return "R042"
    if content == PortContent.LOG_PROBABILITIES and last not in _LOG_SOFTMAX:
        return "R043"
    if content == PortContent.BINARY_LOGITS and last in _SIGMOID:
        return "R044"
    if content == PortContent.PROBABILITIES and last not in (*_SIGMOID, *_SOFTMAX):
        return "R045"
    return ""


def _deciding_param(graph: Graph, node_id: str, field: str) -> tuple[str, str]:
    """Return the node with its parameter for the number of outputs, or with the field given."""
    entry = catalog().node(graph.nodes[node_id].type)
    has_width = entry is not None and entry.param(_WIDTH) is not None
    return node_id, _WIDTH if has_width else field


def _last_acting(graph: Graph, node_id: str) -> str:
    """Return the node itself, or the one before it while it only passes values on."""
    feeding = {edge.target: edge.source for edge in graph.edges}
    seen: set[str] = set()
    while graph.nodes[node_id].type in _PASSING and node_id in feeding and node_id not in seen:
        seen.add(node_id)
        node_id = feeding[node_id]
    return node_id


def _node(bound: _Bound) -> str | None:
    """Return the node that feeds an output: that is where the number of outputs is decided."""
    return None if bound.output is None else bound.output.source or bound.output.id


def _layer(graph: Graph, node: str | None) -> str:
    """Return the name of a node for a sentence."""
    return "—" if node is None or node not in graph.nodes else graph.nodes[node].name


def _name(bound: _Bound) -> str:
    if bound.output is not None:
        return bound.output.name
    return "" if bound.field is None else bound.field.name
