"""Rules for loss terms beside the outputs of the model and the fields of the data."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import e, log

from engine.catalog.spec import EntryGroup, PortContent, PortSpec
from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis, TensorType
from engine.graph.block import entry_of
from engine.graph.model import Graph
from engine.spec.choice import chosen_entry
from engine.spec.data import IGNORED, DataInfo, FieldInfo
from engine.spec.model_rule import shape_text
from engine.spec.output import ModelOutput, model_outputs
from engine.spec.run import LossTerm, RunSpec
from engine.spec.sample_weight import can_weigh

_CLASS_NUMBERS = (PortContent.CLASS_INDEX, PortContent.CLASS_INDEX_OR_PROBABILITIES)
_SCORES = (PortContent.LOGITS, PortContent.LOG_PROBABILITIES)
_LIKE_INPUT = (PortContent.SAME_AS_INPUT, PortContent.BINARY_SAME)
_POSITIVE = ("Softplus", "ReLU", "Sigmoid", "sigmoid", "exp", "abs", "Softmax", "softmax", "relu")
_ODD_NUMBERS = {PortContent.BINARY_SAME: "R070", PortContent.SIGN: "R071"}
"""What numbers of any size are not good for."""
_SEQUENCE_AXES = 3  # time x N x classes
_PASSING = ("Identity", "Flatten", "Dropout", "flatten", "reshape", "view", "squeeze", "unsqueeze")
_WIDTH = "out_features"
_SOFTMAX = ("Softmax", "Softmax2d", "softmax")
_LOG_SOFTMAX = ("LogSoftmax", "log_softmax", "AdaptiveLogSoftmaxWithLoss")
_SIGMOID = ("Sigmoid", "sigmoid")

Params = dict[str, str | int | float]


def weighs_classes(spec: RunSpec) -> bool:
    """Return whether a loss makes up for rare classes by weights."""
    return any(term.loss.params.get("weight") for term in spec.losses)


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
    task: str = ""


def check_losses(
    spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo | None
) -> Iterator[Diagnostic]:
    """Yield the findings about the loss terms."""
    if not spec.losses:
        yield Diagnostic(code="R030", field="losses.0.loss")
    outputs = model_outputs(graph, analysis)
    for index, term in enumerate(spec.losses):
        entry = chosen_entry(EntryGroup.LOSS, term.loss, graph.code)
        if entry is None:
            continue
        name = f"losses.{index}"
        wrong = [*_check_bindings(name, term, entry.inputs, outputs, info)]
        yield from wrong
        if wrong:
            continue
        bound = {port: _bound(text, outputs, info) for port, text in term.inputs.items()}
        checked = _Term(
            name=name,
            loss=term.loss.type,
            graph=graph,
            bound=bound,
            task="" if info is None else info.task,
        )
        yield from _check_weight(name, term, info)
        yield from _check_activation(checked, entry.inputs)
        first = checked.bound.get(entry.inputs[0].name)
        if first is not None and first.type is not None and entry.inputs[0].content in _SCORES:
            yield from _check_class_weights(name, term, first.type)
        for port in entry.inputs[1:]:
            other = checked.bound.get(port.name)
            if first is not None and other is not None:
                yield from _check_pair(checked, first, entry.inputs[0].content, port, other)
            yield from _check_ignored(name, term, other)


def _check_weight(name: str, term: LossTerm, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield a loss that the weights of the samples cannot be put into."""
    field = "" if info is None else info.weight
    if field and f"data.{field}" not in term.inputs.values() and not can_weigh(term.loss.type):
        params: Params = {"loss": term.loss.type, "weight": field}
        yield Diagnostic(code="R524", field=f"{name}.loss", params=params)


def _check_ignored(name: str, term: LossTerm, target: _Bound | None) -> Iterator[Diagnostic]:
    """Yield a loss that does not leave out the pixels of a mask that have no class."""
    ignored = term.loss.params.get("ignore_index", IGNORED)
    is_mask = target is not None and target.field is not None and target.field.kind == "mask"
    if is_mask and ignored != IGNORED:
        yield Diagnostic(
            code="R049",
            severity=Severity.WARNING,
            field=f"{name}.loss.ignore_index",
            params={"loss": term.loss.type, "ignored": str(ignored), "mask": IGNORED},
        )


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
            elif outputs[key].is_absent:
                yield Diagnostic(code="R048", field=field, params=params)
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


def _check_pair(
    term: _Term, first: _Bound, leading: PortContent | None, port: PortSpec, other: _Bound
) -> Iterator[Diagnostic]:
    """Compare the first input of a loss (``leading`` is what it is) with another one."""
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
    code = ""
    if port.content in _CLASS_NUMBERS:
        may_be_scores = port.content == PortContent.CLASS_INDEX_OR_PROBABILITIES
        if is_float and not (may_be_scores and given.shape == wanted.shape):
            code = "R034"
        elif is_float and wanted.shape[1:2] == (1,):  # a softmax of one score is 1
            code = "R545"
        elif not is_float:
            yield from _check_classes(field, params, term, first, other)
    elif port.content in _LIKE_INPUT:
        code = _unlike(given, wanted) if is_float else "R037"
        params["classes"] = 0 if other.field is None else len(other.field.classes)
    elif port.content == PortContent.EMBEDDING:
        code = _unlike(given, wanted)
    elif port.content == PortContent.SIGN:
        code = _sign_code(term, leading, other, given, wanted)
    elif port.content == PortContent.CLASS_INDICES:
        code = _class_indices_code(leading, given, wanted, is_float=is_float)
    odd = _ODD_NUMBERS.get(port.content) if port.content and term.task == "regression" else None
    if odd and not code:
        yield Diagnostic(code=odd, severity=Severity.WARNING, field=field, params=params)
    if code:
        yield from _pair_problem(code, field, params, term, first, given)


def _unlike(given: TensorType, wanted: TensorType) -> str:
    return "" if given.shape == wanted.shape else "R038"


def _class_indices_code(
    leading: PortContent | None, given: TensorType, wanted: TensorType, *, is_float: bool
) -> str:
    """Return what is wrong with several class numbers for each sample."""
    if leading == PortContent.LOG_PROBABILITIES:
        return "" if len(wanted.shape) == _SEQUENCE_AXES else "R072"
    return "R034" if is_float else _unlike(given, wanted)


def _sign_code(
    term: _Term,
    leading: PortContent | None,
    other: _Bound,
    given: TensorType,
    wanted: TensorType,
) -> str:
    """Return what is wrong with a target of 1 and -1, one for each number or each sample."""
    is_truth = term.task == "binary" and (other.field is None or other.field.lowest != -1)
    if given.dtype.startswith("int") or is_truth:  # class numbers, or 0 and 1
        return "R071"
    if leading == PortContent.EMBEDDING:
        return "" if len(given.shape) == 1 else "R073"
    return _unlike(given, wanted)


def _pair_problem(  # noqa: PLR0917 - what the sentence is made of
    code: str, field: str, params: Params, term: _Term, first: _Bound, given: TensorType
) -> Iterator[Diagnostic]:
    """Yield the finding; where only the number of outputs differs, at the layer that sets it."""
    node = _node(first)
    wanted = first.type
    if code == "R038" and node is not None and wanted is not None:
        size = given.shape[-1] if given.shape else None
        if given.shape[:-1] == wanted.shape[:-1] and isinstance(size, int):
            node, field = _deciding_param(term.graph, _last_acting(term.graph, node), field)
            params = {**params, "size": size, "layer": _layer(term.graph, node)}
    yield Diagnostic(code=code, field=field, node=node, params=params)


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
        best = _best_of_probabilities(term, bound) if code == "R042" else {}
        if code == "R042" and not best:
            code = "R078"
        if code:
            last = term.graph.nodes[node]
            params: Params = {
                "loss": term.loss,
                "name": last.name,
                "type": last.type,
                "output": bound.output.name,
                **best,
            }
            field = f"{term.name}.loss"
            severity = Severity.WARNING
            yield Diagnostic(code=code, severity=severity, node=node, field=field, params=params)


def _best_of_probabilities(term: _Term, scores: _Bound) -> Params:
    """Return the number of classes and the least cross-entropy of scores between 0 and 1, which is
    that of a one for the right class and zeros: -log(e / (e + classes - 1)).
    """
    shape = () if scores.type is None else scores.type.shape
    classes = shape[1] if len(shape) > 1 else None
    if term.loss != "CrossEntropyLoss" or not isinstance(classes, int) or classes < 2:
        return {}
    return {"classes": classes, "best": f"{log(e + classes - 1) - 1:.4f}"}


def _activation_code(content: PortContent | None, last: str) -> str:
    if content == PortContent.LOGITS and last in _SOFTMAX:
        return "R042"
    if content == PortContent.LOG_PROBABILITIES and last not in _LOG_SOFTMAX:
        return "R043"
    if content == PortContent.BINARY_LOGITS and last in _SIGMOID:
        return "R044"
    if content == PortContent.PROBABILITIES and last not in (*_SIGMOID, *_SOFTMAX):
        return "R045"
    if content == PortContent.POSITIVE and last not in _POSITIVE:
        return "R074"
    return ""


def _deciding_param(graph: Graph, node_id: str, field: str) -> tuple[str, str]:
    """Return the node with its parameter for the number of outputs, or with the field given."""
    entry = entry_of(graph, graph.nodes[node_id])
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
