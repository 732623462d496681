"""Test-time augmentation: rules for the views of each sample."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic
from engine.spec.data import PIXEL_KINDS, ROW_KINDS, DataInfo
from engine.spec.run import RunSpec
from engine.spec.transform_outline import enabled_transforms

FIELD = "test_time.views"
MOST_VIEWS = {"flips": 4, "crops": 6}
"""How many views there are of the kinds that draw nothing, the sample itself included."""
OVER_VIEWS = "{part}_views"
"""What the part is called in the names of what is measured over the views (``test_views.loss``)."""
VIEW_GAINS = ("R598", "R599")
"""What tells how good the means are, beside the sample alone."""
_KIND = "test_time.kind"


def check_views(spec: RunSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield R594 for more views than there are, R595 where the training draws nothing, R596 for
    predictions that lie in their view, R597 where there is no picture.
    """
    if not spec.test_time.is_on:
        return
    kind, views = spec.test_time.kind, spec.test_time.views
    most = MOST_VIEWS.get(kind, views)
    if views > most:
        yield Diagnostic.of("R594", field=FIELD, most=most, kind=kind)
    training, others = (
        [step for _, step in enabled_transforms(spec.data.transforms, is_training=flag)]
        for flag in (True, False)
    )
    if kind == "training" and training == others:
        yield Diagnostic.of("R595", field=FIELD)
    if info is None:
        return
    targets = [field for field in info.fields if field.role == "target"]
    lying = (*ROW_KINDS, "mask", "box_masks", "points", "sequence")
    if any(field.kind in lying for field in targets) or _has_boxes(info):
        yield Diagnostic.of("R596", field=FIELD)
    if kind != "training" and not any(
        field.role == "input" and field.kind in PIXEL_KINDS for field in info.fields
    ):
        yield Diagnostic.of("R597", field=_KIND, kind=kind)


def _has_boxes(info: DataInfo) -> bool:
    return any(field.kind in ROW_KINDS for field in info.fields)
