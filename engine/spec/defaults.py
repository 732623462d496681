"""Defaults: a specification to start with, loss terms that follow the outputs of the model, and
inputs that take the fields of the data.
"""

from collections.abc import Mapping

import msgspec

from engine.catalog.spec import EntryGroup, PortContent, PortSpec
from engine.graph.analysis import Analysis
from engine.graph.code import code_loss
from engine.graph.edit.edits import Batch, Edit, SetParam, apply
from engine.graph.model import Graph
from engine.graph.query import INPUT
from engine.spec.choice import chosen_entry, initial_choice
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.judged import follow_outputs
from engine.spec.output import LOSS_PREFIX, MODEL_OUTPUT, ModelOutput, model_outputs
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LossTerm, RunSpec
from engine.spec.target_scale import loss_weight, scaled_loss

_CLASSES = (PortContent.CLASS_INDEX, PortContent.CLASS_INDEX_OR_PROBABILITIES)
_NUMBERS = (PortContent.SAME_AS_INPUT, PortContent.BINARY_SAME)
CLASS_IOU = "class_iou"
"""The metric of masks that gives a curve for each class."""

CLASS_METRICS = {CLASS_IOU: "iou", **{f"class_{n}": n for n in ("precision", "recall", "f1")}}
"""The metrics that give a curve for each class, and what that measures."""
NUMBER_METRICS = {f"number_{n}": n for n in ("mae", "rmse", "r2")}
"""The metrics that give a curve for each of several numbers, and what that measures."""

BLEU = "bleu"
"""Of texts that a model writes of its own."""

TOP_METRICS = {"top_3": 3, "top_5": 5}
"""Among how many classes with the highest scores the true one has to be, by metric."""

MASK_PREFIX = "mask_"
"""What the metrics of boxes begin with where they are of the masks of these."""

_FEW_CLASSES = 5  # have a curve each without being asked for
_FEW_NUMBERS = 8  # as well
_AUTO_METRICS: dict[str, tuple[str, ...]] = {
    "classification": ("accuracy",),
    "binary": ("accuracy",),
    "segmentation": ("accuracy", "iou", "dice"),
    "detection": ("map", "map_50"),
    "instances": ("map", "map_50", "mask_map", "mask_map_50"),
    "regression": ("mae", "r2"),
}


def default_spec(
    info: DataInfo, graph: Graph, analysis: Analysis | None = None, data: DataSpec | None = None
) -> RunSpec:
    """Return a specification that fits data and model: loss by the task, Adam, accuracy or error;
    where boxes are found, the checkpoint of the highest mAP is the best.

    ``analysis`` tells how wide the output is; ``data`` is kept where it is given.
    """
    chosen = DataSpec(source=Choice(type=info.source)) if data is None else data
    validation = info.part("validation")
    finds_boxes = has_boxes(info) and validation is not None and validation.samples > 0
    best = CheckpointSpec(monitor="validation.map", mode="max") if finds_boxes else CheckpointSpec()
    return RunSpec(
        data=chosen,
        losses=default_losses(info, graph, analysis),
        optimizer=initial_choice(EntryGroup.OPTIMIZER, "Adam"),
        checkpoint=best,
    )


def default_losses(
    info: DataInfo, graph: Graph, analysis: Analysis | None = None
) -> tuple[LossTerm, ...]:
    """Return the loss for the task: cross entropy for classes (binary cross entropy where the model
    has one output number), the mean squared error for numbers, weighted where these are very large
    or small; padding of a text costs nothing. No loss for a model without output.
    """
    outputs = model_outputs(graph, analysis)
    output = next(iter(outputs.values()), None)
    if output is None:
        return ()
    if has_boxes(info):
        return _box_losses(info, graph, outputs)
    key = _loss_key(info, output)
    target = _target(info, key)
    if target is None:
        return ()
    inputs = {"input": output.binding, "target": f"data.{target.name}"}
    if scaled := scaled_loss(graph, info.target_scales if key == "MSELoss" else ()):
        return (LossTerm(loss=scaled, inputs=inputs),)
    loss = Choice(type=key, params={"ignore_index": target.padding} if target.words else {})
    weight = loss_weight(info.target_scale) if key == "MSELoss" else 1.0
    return (LossTerm(loss=loss, inputs=inputs, weight=weight),)


def has_boxes(info: DataInfo) -> bool:
    """Return whether boxes are to be found in the data."""
    return any(field.kind == "boxes" for field in info.fields if field.role == "target")


def has_labels(info: DataInfo) -> bool:
    """Return whether a sample has any number of labels: a yes or no for each of several."""
    targets = [field for field in info.fields if field.role == "target"]
    is_vector = len(targets) == 1 and targets[0].kind == "vector" and len(targets[0].columns) > 1
    return info.task == "binary" and is_vector


def usual_metrics(info: DataInfo) -> tuple[str, ...]:
    """Return the metrics that are proposed for data: of several labels, most of which a sample has
    not, F1 too.
    """
    return ("auto", "f1") if has_labels(info) else ("auto",)


def auto_metrics(task: str, classes: int = 0, numbers: int = 0) -> tuple[str, ...]:
    """Return the keys of the metrics that "auto" stands for; ``classes`` and ``numbers`` are how
    many there are to predict (0: not known).
    """
    each = (CLASS_IOU,) if task == "segmentation" and 0 < classes <= _FEW_CLASSES else ()
    if task == "regression" and 1 < numbers <= _FEW_NUMBERS:
        each = ("number_mae", "number_r2")
    return (*_AUTO_METRICS.get(task, ()), *each)


def bind_losses(spec: RunSpec, old: Graph, new: Graph, info: DataInfo | None = None) -> RunSpec:
    """Return the specification with its loss terms following the outputs of an edited model.

    A renamed output is renamed in the terms; what refers to an output that is gone goes to the
    first one there is. The first output of a model brings the default loss where ``info`` is known.
    """
    outputs = model_outputs(new)
    if not outputs:
        return spec
    if not spec.losses:
        if info is None or model_outputs(old):
            return spec
        return msgspec.structs.replace(spec, losses=default_losses(info, new))
    renamed = {
        f"model.{node.name}": f"model.{new.nodes[node.id].name}"
        for node in old.nodes.values()
        if node.id in new.nodes
    }
    known = {output.binding for output in outputs.values()}
    first = next(iter(outputs.values())).binding

    def follow(bound: str) -> str:
        now = renamed.get(bound, bound)
        return first if now.startswith("model.") and now not in known else now

    losses = tuple(
        msgspec.structs.replace(
            term, inputs={port: follow(bound) for port, bound in term.inputs.items()}
        )
        for term in spec.losses
    )
    spec = msgspec.structs.replace(spec, losses=losses)
    return follow_outputs(
        spec,
        {old.removeprefix("model."): now.removeprefix("model.") for old, now in renamed.items()},
    )


def fit_targets(spec: RunSpec, info: DataInfo, graph: Graph) -> RunSpec:
    """Return the specification with its loss terms taking targets of the kind that they want:
    class numbers or decimal numbers, where the data has both. What nothing is bound to takes the
    target or the output of its name, else the first output of the model and the first target. Other
    bindings stay.
    """
    outputs = model_outputs(graph)
    output = next((output.binding for output in outputs.values()), "")
    target = next((f"data.{field.name}" for field in info.fields if field.role == "target"), "")
    terms: list[LossTerm] = []
    for term in spec.losses:
        entry = chosen_entry(EntryGroup.LOSS, term.loss, graph.code)
        ports = entry.inputs if entry else ()
        inputs = {**term.inputs}
        named = {port.name: _namesake(port.name, outputs, info) for port in ports}
        inputs |= {name: bound for name, bound in named.items() if bound and not inputs.get(name)}
        for port, usual in zip(ports, (output, target), strict=False):
            if usual and not inputs.get(port.name):
                inputs[port.name] = usual
        for port in ports[1:]:
            fitting = _fitting_target(port, inputs.get(port.name, ""), info)
            if fitting:
                inputs[port.name] = fitting
        terms.append(msgspec.structs.replace(term, inputs=inputs))
    return msgspec.structs.replace(spec, losses=tuple(terms))


def fit_lost_targets(
    spec: RunSpec, before: DataInfo, info: DataInfo, graph: Graph
) -> tuple[RunSpec, dict[str, str]]:
    """Return the specification with its loss terms taking targets that the data has in place of
    those that it has not, by what a loss wants, and what was put in place of each. A single usual
    loss for the data ``before`` that none of them suits becomes the usual one for these.
    """
    changed: dict[str, str] = {}
    terms: list[LossTerm] = []
    for term in spec.losses:
        entry = chosen_entry(EntryGroup.LOSS, term.loss, graph.code)
        inputs = {**term.inputs}
        for port in entry.inputs if entry else ():
            bound = inputs.get(port.name, "")
            side, _, name = bound.partition(".")
            if side != "data" or info.field(name) is not None:
                continue
            found = _suitable_target(port, info)
            if found is None and len(spec.losses) == 1:
                old = [each.loss.type for each in default_losses(before, graph)]
                new = default_losses(info, graph)
                if old == [term.loss.type] and new:
                    loss = msgspec.structs.replace(spec, losses=new)
                    return loss, {term.loss.type: new[0].loss.type}
            if found is not None:
                inputs[port.name] = changed[bound] = f"data.{found.name}"
        terms.append(msgspec.structs.replace(term, inputs=inputs))
    return (msgspec.structs.replace(spec, losses=tuple(terms)) if changed else spec), changed


def _suitable_target(port: PortSpec, info: DataInfo) -> FieldInfo | None:
    """Return the first target of the kind that a port of a loss wants."""
    targets = [field for field in info.fields if field.role == "target"]
    if port.content in _CLASSES or port.content in _NUMBERS:
        wants_classes = port.content in _CLASSES
        targets = [field for field in targets if bool(field.classes) == wants_classes]
    return targets[0] if targets else None


def fit_inputs(graph: Graph, info: DataInfo) -> Graph:
    """Return the graph with its Input nodes taking the input fields of a data source: those that
    name a field of it keep that, also a target, the others take the next that is free.
    """
    fields = [field for field in info.fields if field.role == "input"]
    inputs = [node for node in graph.nodes.values() if node.type == INPUT]
    named = {str(node.params.get("field", "")) for node in inputs}
    free = [field for field in fields if field.name not in named]
    edits: list[Edit] = []
    for node in inputs:
        name = node.params.get("field", "")
        field = info.field(str(name))
        if field is None and free:
            field = free.pop(0)
        if field is None:
            continue
        for param, value in (("field", field.name), ("shape", field.shape), ("dtype", field.dtype)):
            edits.append(SetParam(id=node.id, name=param, value=value))
    return apply(Batch(edits=tuple(edits)), graph) if edits else graph


def _box_losses(
    info: DataInfo, graph: Graph, outputs: Mapping[str, ModelOutput]
) -> tuple[LossTerm, ...]:
    """Return the loss of a detector: beside what makes boxes of its answers stands what compares
    these with the true boxes (``FCOSBoxes``, ``fcos_loss``); a model that computes its losses
    itself has an output for each.
    """
    for output in outputs.values():
        node = graph.nodes.get(output.source or "")
        stem, is_maker, _ = ("" if node is None else node.type).lower().rpartition("boxes")
        entry = code_loss(graph.code, f"{stem.rstrip('_')}_loss") if is_maker else None
        if entry is not None:
            inputs = {port.name: _namesake(port.name, outputs, info) for port in entry.inputs}
            return (LossTerm(loss=Choice(type=entry.key), inputs=inputs),)
    return tuple(
        LossTerm(loss=Choice(type=MODEL_OUTPUT), inputs={"input": output.binding})
        for name, output in outputs.items()
        if name.startswith(LOSS_PREFIX)
    )


def _namesake(port: str, outputs: Mapping[str, ModelOutput], info: DataInfo) -> str:
    """Return the target or else the output of the name of a port; empty where there is neither."""
    field = info.field(port)
    if field is not None and field.role == "target":
        return f"data.{port}"
    return outputs[port].binding if port in outputs else ""


def _fitting_target(port: PortSpec, bound: str, info: DataInfo) -> str:
    """Return what to bind a port to in place of a target of the other kind; empty: stay."""
    side, _, name = bound.partition(".")
    field = info.field(name)
    wants_classes = port.content in _CLASSES
    if side != "data" or field is None or field.role != "target":
        return ""
    if not (wants_classes or port.content in _NUMBERS) or bool(field.classes) == wants_classes:
        return ""
    others = [other for other in info.fields if other.role == "target"]
    found = next((other for other in others if bool(other.classes) == wants_classes), None)
    return f"data.{found.name}" if found else ""


def _loss_key(info: DataInfo, output: ModelOutput) -> str:
    if info.task == "regression":
        return "MSELoss"
    if has_labels(info):
        return "BCEWithLogitsLoss"
    width = output.type.shape[-1] if output.type is not None and output.type.shape else None
    if info.task == "binary" and width == 1:
        return "BCEWithLogitsLoss"
    return "CrossEntropyLoss"


def _target(info: DataInfo, key: str) -> FieldInfo | None:
    targets = [field for field in info.fields if field.role == "target"]
    if key == "BCEWithLogitsLoss":
        targets = [field for field in targets if field.dtype == "float32"] or targets
    return targets[0] if targets else None
