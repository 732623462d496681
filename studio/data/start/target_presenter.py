"""Presenter of what is predicted, at its question in the dialog for a new project."""

from engine.spec.data import DataInfo, FieldInfo
from engine.spec.defaults import has_labels
from engine.spec.proposal import Proposal
from studio.i18n import filled, listed, translate

_SHOWN_CLASSES = 4


def together_text() -> str:
    """Return how several columns are predicted at a time."""
    return translate(
        "DataProject",
        "To predict several numbers together, or several labels of which each is a column of yes "
        "and no, mark them “to predict” under “What is each input?”.",
    )


def target_text(proposal: Proposal) -> str:
    """Return what is predicted, in words."""
    source, target = proposal.spec.data.source, target_field(proposal.info)
    if target is None:
        return translate("DataProject", "nothing: there are no labels")
    if target.kind == "sequence":
        return filled(
            translate("DataProject", "a sequence of {count} different {count|token|tokens}"),
            count=len(target.classes),
        )
    if target.classes:
        rest = ("…",) if len(target.classes) > _SHOWN_CLASSES else ()
        names = listed((*target.classes[:_SHOWN_CLASSES], *rest))
        said = translate("DataProject", "one of {count} {count|class|classes}: {names}")
        if target.kind == "box_classes":
            said = translate("DataProject", "boxes of {count} {count|class|classes}: {names}")
        elif target.kind == "mask":
            said = translate(
                "DataProject", "each pixel one of {count} {count|class|classes}: {names}"
            )
        return filled(said, count=len(target.classes), names=names)
    if has_labels(proposal.info):
        shown = target.columns[: 2 * _SHOWN_CLASSES]
        return filled(
            translate("DataProject", "{count} {count|label|labels}, each yes or no: {names}"),
            count=len(target.columns),
            names=listed((*shown, "…") if len(target.columns) > len(shown) else shown),
        )
    names = source.params.get("targets") if source.type == "series" else listed(target.columns)
    return translate("DataProject", "numbers: {names}").format(names=names or target.name)


def target_field(info: DataInfo) -> FieldInfo | None:
    """Return the field to predict: one with classes before others."""
    targets = [field for field in info.fields if field.role == "target"]
    return next((field for field in targets if field.classes), targets[0] if targets else None)
