"""Transforms of the data as plain values: what is done to a sample, or to a batch, before the model
gets it, and in which parts of the data.
"""

from typing import Literal

import msgspec

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Need, Value

_CODE = "code."


class TransformSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One transform of a sample: an entry of the catalogue (group ``transform``), or a function or
    class of the user's own code (``code.FILE.NAME``).

    ``params`` hold only what differs from the defaults. ``field`` is the image that is transformed;
    empty: all images of a sample together, and with them masks and boxes. With ``parts`` on "auto"
    a transform that draws random numbers is applied in training only, every other one in all parts;
    of own code that is not known without reading it, so that it is said when it is chosen.

    A list of transforms is an outline: one of a ``level`` above 0 is in the container (such as
    RandomApply) of the level before that comes last before it
    (:mod:`engine.spec.transform_outline`). The container says then in which parts it is applied.
    """

    type: str
    params: dict[str, Value] = {}
    field: str = ""
    enabled: bool = True
    parts: Literal["auto", "train", "evaluation", "all"] = "auto"
    level: int = 0


class BatchTransformSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One transform of a batch (group ``batch_transform``), in training only."""

    type: str
    params: dict[str, Value] = {}
    enabled: bool = True


def is_custom(key: str) -> bool:
    """Return whether the type of a transform is one of the user's own code (``code.FILE.NAME``)."""
    return key.startswith(_CODE)


def is_random(transform: TransformSpec) -> bool:
    """Return whether a transform draws random numbers."""
    return has_transform_need(transform, Need.RANDOM_NUMBERS)


def has_transform_need(transform: TransformSpec, need: Need) -> bool:
    """Return whether a transform has a need; one that is not in the catalogue has none."""
    entry = catalog().entry(EntryGroup.TRANSFORM, transform.type)
    return entry is not None and need in entry.needs


def holds_steps(key: str) -> bool:
    """Return whether transforms of a type hold others."""
    entry = catalog().entry(EntryGroup.TRANSFORM, key)
    return entry is not None and Need.STEPS in entry.needs


def is_in_evaluation(transform: TransformSpec) -> bool:
    """Return whether a transform is applied to validation and test data too."""
    if transform.parts == "auto":
        return not is_random(transform)
    return transform.parts in ("all", "evaluation")


def is_in_training(transform: TransformSpec) -> bool:
    """Return whether a transform is applied to training data."""
    return transform.parts != "evaluation"
