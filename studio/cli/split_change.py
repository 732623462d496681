"""Another kind of split from the command line does not go by the column of the one before."""

from collections.abc import Collection

from msgspec.structs import replace

from engine.spec.run import RunSpec

_BY_COLUMN = ("stratified", "group", "column", "time")
"""The kinds of splits that go by a column, each for something else."""


def without_old_column(before: RunSpec, after: RunSpec, named: Collection[str]) -> RunSpec:
    """Return a specification after some changes; where these choose another kind of split, and
    ``named`` (the settings that they set) has no column for it, it has none.
    """
    old, new = before.data.split, after.data.split
    is_other = "data.split.kind" in named and new.kind != old.kind
    if not is_other or "data.split.column" in named or old.kind not in _BY_COLUMN:
        return after
    return replace(after, data=replace(after.data, split=replace(new, column="")))
