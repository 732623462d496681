"""Losses that fit the target of the data, and those that compare outputs with one another."""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, PortContent, Value
from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.spec.data import DataInfo, FieldInfo, Task
from engine.spec.loss_rule import check_losses
from engine.spec.output import model_outputs
from engine.spec.run import Choice, LossTerm, RunSpec

_CLASS_LOSSES = ("CrossEntropyLoss", "NLLLoss", "MultiMarginLoss")
_SHARE_LOSSES = ("BCEWithLogitsLoss", "BCELoss", "MultiLabelSoftMarginLoss")
BY_TARGET: dict[Task, tuple[str, ...]] = {
    "classification": (*_CLASS_LOSSES, *_SHARE_LOSSES, "KLDivLoss"),
    "binary": (*_SHARE_LOSSES, *_CLASS_LOSSES, "SoftMarginLoss"),
    "regression": (
        *("MSELoss", "L1Loss", "HuberLoss", "SmoothL1Loss", "GaussianNLLLoss", "PoissonNLLLoss"),
    ),
}
"""Losses that compare an output with a target, by what is predicted, the usual ones first."""
BY_OUTPUTS = (
    *("MarginRankingLoss", "HingeEmbeddingLoss", "CosineEmbeddingLoss", "TripletMarginLoss"),
)
"""Losses for rankings and for embeddings of what belongs together."""
_TARGETS = ("target", "targets")
_CLASSES = (PortContent.CLASS_INDEX, PortContent.CLASS_INDEX_OR_PROBABILITIES)
_OF_TARGET = ("R034", "R037", "R070", "R071", "R072", "R073", "R545")
"""Findings that no change of the model mends: the target is of another kind."""


@dataclass(frozen=True, kw_only=True)
class LossAdvice:
    """A loss term that can be chosen. ``missing`` is how many outputs the model lacks for it,
    ``fits`` tells whether the target is what it compares with, and ``problem`` is what it still
    wants of the model.
    """

    term: LossTerm
    missing: int = 0
    fits: bool = True
    problem: Diagnostic | None = None


def advised_losses(
    spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo
) -> tuple[LossAdvice, ...]:
    """Return the losses that fit the target of the data, first those that the model is ready for,
    then all that compare outputs with one another.
    """
    found = (_advice(key, spec, graph, analysis, info) for key in BY_TARGET[info.task])
    fitting = [advice for advice in found if advice is not None and advice.fits]
    fitting.sort(key=lambda advice: bool(advice.missing) or advice.problem is not None)
    others = (_advice(key, spec, graph, analysis, info) for key in BY_OUTPUTS)
    return (*fitting, *(advice for advice in others if advice is not None))


def target_of(info: DataInfo) -> FieldInfo | None:
    """Return the field that is to be predicted; None where the data has none."""
    return next((field for field in info.fields if field.role == "target"), None)


def _advice(
    key: str, spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo
) -> LossAdvice | None:
    """Return what there is to say about a loss; None where the data has nothing it compares with,
    or the model no output.
    """
    entry = catalog().entry(EntryGroup.LOSS, key)
    outputs = [output.binding for output in model_outputs(graph, analysis).values()]
    if entry is None or not outputs:
        return None
    inputs = dict(_bound(entry, outputs, info))
    wanting = [port.name for port in entry.inputs if port.required and port.name not in inputs]
    if any(name in _TARGETS for name in wanting):
        return None
    term = LossTerm(loss=Choice(type=key, params=_params(entry, inputs, info)), inputs=inputs)
    if wanting:
        return LossAdvice(term=term, missing=len(wanting))
    rule = check_losses(replace(spec, losses=(term,)), graph, analysis, info)
    problems = [problem for problem in rule if problem.code not in {"R524", "R046"}]
    is_other = any(problem.code in _OF_TARGET for problem in problems)
    return LossAdvice(term=term, fits=not is_other, problem=next(iter(problems), None))


def _bound(entry: Entry, outputs: list[str], info: DataInfo) -> Iterator[tuple[str, str]]:
    """Yield what each port of a loss is bound to, as far as there is something."""
    left = iter(outputs)
    for port in entry.inputs:
        if port.name not in _TARGETS:
            bound = next(left, "")
        else:
            field = _target(info, wants_classes=port.content in _CLASSES)
            bound = "" if field is None else f"data.{field.name}"
        if bound:
            yield port.name, bound


def _target(info: DataInfo, *, wants_classes: bool) -> FieldInfo | None:
    """Return the target of the kind that is wanted, else the first one."""
    targets = [field for field in info.fields if field.role == "target"]
    alike = (field for field in targets if field.dtype.startswith("int") == wants_classes)
    return next(alike, None) or target_of(info)


def _params(entry: Entry, inputs: dict[str, str], info: DataInfo) -> dict[str, Value]:
    """Return the settings with which the padding of a text costs nothing."""
    target = info.field(inputs.get("target", "").removeprefix("data."))
    is_padded = target is not None and bool(target.words)
    if target is None or not is_padded or entry.param("ignore_index") is None:
        return {}
    return {"ignore_index": target.padding}
