"""Weights of samples: which recipes have them, and which losses can take them."""

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.spec.run import DataSpec

WEIGHT_FIELD = "sample_weight"
"""The name of the field by which losses are weighed."""

_SOURCES = ("table", "image_folder", "sound_folder")

_UNEVEN = ("CTCLoss",)
"""Losses whose mean does not count each sample alike."""


def has_weights(data: DataSpec) -> bool:
    """Return whether a column of the data says how much each sample counts."""
    is_able = data.source.type in _SOURCES
    return is_able and bool(str(data.source.params.get("weight") or "").strip())


def can_weigh(loss: str) -> bool:
    """Return whether a loss, by its name in recipes, tells what each sample costs."""
    entry = catalog().entry(EntryGroup.LOSS, loss)
    return entry is not None and entry.param("reduction") is not None and loss not in _UNEVEN
