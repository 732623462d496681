"""Names of the numbers that a sample has in a field, where the source knows them."""

import math
from collections.abc import Iterable

from msgspec.structs import replace

from engine.data.source.source import Source
from engine.spec.data import FieldInfo


def named_field(source: Source, info: FieldInfo) -> FieldInfo:
    """Return a field with the names of its numbers where the source knows them: of a time series
    the column and the row, 0 for the last one before the prediction.
    """
    names = () if info.columns else source.value_names(info.name)
    size = math.prod(info.shape)
    if not names or size <= 0 or size % len(names):
        return info
    rows = size // len(names)
    if info.role == "input":
        steps = (f"{at - rows + 1:d}".replace("-", "−") for at in range(rows))
        names = tuple(f"{name} [{step}]" for step in steps for name in names)
    return replace(info, columns=names) if len(names) == size else info


def target_names(source: Source, infos: Iterable[FieldInfo]) -> dict[str, tuple[str, ...]]:
    """Return the names of the numbers of the targets among some fields, where the source knows more
    of them than the fields.
    """
    targets = [info for info in infos if info.role == "target" and not info.columns]
    named = {info.name: named_field(source, info).columns for info in targets}
    return {name: columns for name, columns in named.items() if columns}
