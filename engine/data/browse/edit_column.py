"""Columns that say how the user edited samples."""

from collections.abc import Iterator, Mapping

import numpy as np

from engine.data.browse.column import BrowseColumn, CategoryColumn, Numbers, TextColumn
from engine.spec.browse import EDIT, EDIT_KINDS, TAGS, SampleColumn
from engine.spec.data_edits import NO_EDIT, SampleEdit


def edit_columns(edits: Mapping[int, SampleEdit], samples: int) -> tuple[BrowseColumn, ...]:
    """Return the columns of edits, by the index of the sample, among so many samples."""

    def kinds() -> tuple[tuple[str, ...], Numbers]:
        codes = np.full(samples, -1, np.int8)
        for at, edit in edits.items():
            codes[at] = _kind(edit)
        return EDIT_KINDS, codes

    def tags(at: int) -> str:
        return ", ".join(edits.get(at, NO_EDIT).tags)

    def every() -> Iterator[str]:
        return map(tags, range(samples))

    kind = CategoryColumn(info=SampleColumn(key=EDIT, kind="edit"), load=kinds)
    if not any(edit.tags for edit in edits.values()):
        return (kind,)
    info = SampleColumn(key=TAGS, kind="text")
    return kind, TextColumn(info=info, text=tags, every=every, samples=samples)


def _kind(edit: SampleEdit) -> int:
    truths = (edit.excluded, edit.label, edit.part, edit.tags)
    return next(number for number, truth in enumerate(truths) if truth)
