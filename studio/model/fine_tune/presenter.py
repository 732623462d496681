"""View of the fine-tuning dialog."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.graph.analysis import Analysis
from engine.graph.edit.head import heads
from engine.graph.model import Graph
from engine.spec.data import DataInfo
from engine.spec.fine_tuning import FineTuning, Part, trained_count
from engine.spec.run import RunSpec
from studio.i18n import filled, translate

_TENTH = 0.1
_RATE = 0.001


@dataclass(frozen=True, kw_only=True)
class FineTuneView:
    """What the dialog shows. ``rows`` are name, parameters, and what becomes of each part."""

    model: str
    weights: str
    rows: Sequence[tuple[str, str, str]]
    frozen: int
    classes: int
    classes_help: str
    head_rate: float
    rate: float
    is_rate_used: bool
    summary: str
    problem: str = ""


def first_choice(
    graph: Graph, spec: RunSpec, data: DataInfo | None, parts: tuple[Part, ...]
) -> FineTuning:
    """Return what is chosen at first: all but the head frozen, as many classes as the data have."""
    sizes = [head.size for head in heads(graph).values()]
    entry = catalog().entry(EntryGroup.OPTIMIZER, spec.optimizer.type)
    value = entry.value(spec.optimizer.params, "lr") if entry is not None else None
    rate = float(value) if isinstance(value, int | float) else _RATE
    known = sum(part.is_frozen for part in parts)
    first_head = next((i for i, part in enumerate(parts) if part.is_head), len(parts))
    return FineTuning(
        frozen=known or first_head,
        classes=class_count(data) or (sizes[0] if sizes else 1),
        head_rate=rate,
        rate=rate * _TENTH,
    )


def class_count(data: DataInfo | None) -> int:
    """Return how many classes the data have; 0 where there are none or it is not known."""
    fields = data.fields if data is not None else ()
    counts = [len(field.classes) for field in fields if field.role == "target"]
    return max(counts, default=0)


def present_fine_tune(  # noqa: PLR0917 - everything that is shown
    graph: Graph,
    spec: RunSpec,
    analysis: Analysis,
    data: DataInfo | None,
    parts: tuple[Part, ...],
    choice: FineTuning,
) -> FineTuneView:
    """Return the view of a choice."""
    trained, total = trained_count(graph, analysis, parts, choice)
    is_alone = all(part.is_head for part in parts[choice.frozen :])
    count = class_count(data)
    return FineTuneView(
        model=filled(
            translate("FineTune", "{count} parameters in {parts} {parts|part|parts}"),
            count=f"{analysis.parameters:,}",
            parts=len(parts),
        ),
        weights=spec.weights
        or translate("FineTune", "Random initialization: there is nothing to fine-tune yet."),
        rows=tuple(
            (part.name, f"{part.parameters:,}" if part.parameters else "", _fate(part, i, choice))
            for i, part in enumerate(parts)
        ),
        frozen=choice.frozen,
        classes=choice.classes,
        classes_help=filled(
            translate("FineTune", "The selected data has {count} {count|class|classes}."),
            count=count,
        )
        if count
        else translate("FineTune", "The number of classes of the new head."),
        head_rate=choice.head_rate,
        rate=choice.rate,
        is_rate_used=not is_alone,
        summary=translate("FineTune", "Trainable: {trained} of {total} parameters.").format(
            trained=f"{trained:,}", total=f"{total:,}"
        ),
        problem=_problem(graph, parts),
    )


def _fate(part: Part, index: int, choice: FineTuning) -> str:
    if part.is_head:
        return translate("FineTune", "new head")
    if index < choice.frozen:
        return translate("FineTune", "frozen")
    return translate("FineTune", "trained")


def _problem(graph: Graph, parts: tuple[Part, ...]) -> str:
    if not parts:
        return translate("FineTune", "The model has no layers with weights yet.")
    if not heads(graph):
        return translate(
            "FineTune", "No layer with weights leads to an output, so there is no head to replace."
        )
    return ""
