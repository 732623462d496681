"""Proposal for a table with a column of tags: several labels in a cell, each to be learned."""

from collections.abc import Mapping

from engine.catalog.spec import Value
from engine.data.read.column_name import TARGETS, whole
from engine.data.read.tag import is_called_tags, tags_in
from engine.spec.table import TableHead, names_text


def tag_column(head: TableHead, target: str) -> str:
    """Return the column of tags that is to be predicted: ``target`` where that is one; where it is
    empty the one that looks like the target, or else one that is called as tags or a target are,
    unless the other is called so. Empty for a table without.
    """
    if target:
        names = [each.name for each in head.columns if each.name.lower() == target.lower()]
        return next((name for name in names if has_tags(head, name)), "")
    if has_tags(head, head.target):
        return head.target
    if whole(head.target) in TARGETS[0]:
        return ""
    named = (each.name for each in reversed(head.columns) if _is_called(each.name))
    return next((name for name in named if has_tags(head, name)), "")


def has_tags(head: TableHead, name: str) -> bool:
    """Return whether a column plainly has tags, by the first rows of a table."""
    at = next((n for n, each in enumerate(head.columns) if each.name == name), None)
    if at is None or head.columns[at].kind in ("number", "date", "empty"):
        return False
    return bool(tags_in(name, [row[at] for row in head.rows]))


def with_tags(settings: Mapping[str, Value], head: TableHead, target: str) -> dict[str, Value]:
    """Return the settings of a table with a column of tags as such, where one is predicted;
    ``target`` is the column that is chosen, if one is.
    """
    name = tag_column(head, target)
    if not name:
        return dict(settings)
    kinds = str(settings.get("kinds") or "")
    tags = names_text([f"{name}=tags"])
    together = {"kinds": f"{kinds}, {tags}" if kinds else tags}
    return {**settings, **together} | ({} if target else {"target": names_text([name])})


def _is_called(name: str) -> bool:
    return is_called_tags(name) or any(whole(name) in names for names in TARGETS)
