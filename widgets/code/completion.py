"""Completions of what has been typed: known names and those of the file."""

import builtins
import keyword
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[A-Za-z_]\w*")
_BEFORE = re.compile(r"((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*)?$")
_SELF = re.compile(r"\bself\.([A-Za-z_]\w*)")
_MOST = 200


@dataclass(frozen=True, kw_only=True)
class NameView:
    """A name that can be written, with its owner: ``nn.Linear``; ``note`` is one line about it.
    A name that begins with a dot belongs to any value: ``.reshape``.
    """

    name: str
    note: str = ""


_BUILT_IN = tuple(
    NameView(name=name)
    for name in sorted({*keyword.kwlist, *(each for each in dir(builtins) if each.islower())})
    if not name.startswith("_")
)


def word_before(text: str) -> tuple[str, str]:
    """Return owner (with its dot, or empty) and beginning of the name at the end of a text."""
    match = _BEFORE.search(text)
    assert match is not None  # both parts may be empty
    return match.group(1) or "", match.group(2) or ""


def completions(
    prefix: str, source: str, names: Sequence[NameView], *, is_asked: bool = False
) -> list[NameView]:
    """Return what may stand for the name at the end of ``before``, best first; the names returned
    are without their owner. Names of the file come first, then known ones, then Python's own.
    Where a whole name stands there already, longer ones are offered only when they are asked for.
    """
    owner, start = word_before(prefix)
    if prefix.endswith(" ") or (not owner and not start):
        return _ranked("", [*_local(source, ""), *_roots(names)], is_asked=is_asked)
    if owner == "self.":
        return _ranked(start, _members(source), is_asked=is_asked)
    if owner:
        listed = [_without(each, owner) for each in names if _belongs(each.name, owner)]
        if not listed:
            methods = [_without(each, ".") for each in names if each.name.startswith(".")]
            listed = [*_members(source), *methods]
        return _ranked(start, listed, is_asked=is_asked)
    return _ranked(start, [*_local(source, start), *_roots(names), *_BUILT_IN], is_asked=is_asked)


def _belongs(name: str, owner: str) -> bool:
    return name.startswith(owner) and "." not in name[len(owner) :]


def _without(view: NameView, owner: str) -> NameView:
    return NameView(name=view.name[len(owner) :], note=view.note)


def _roots(names: Iterable[NameView]) -> list[NameView]:
    """Return owners of the known names, and known names without one."""
    roots: dict[str, NameView] = {}
    for each in names:
        root, dot, _ = each.name.partition(".")
        if root:
            roots.setdefault(root, NameView(name=root) if dot else each)
    return list(roots.values())


def _local(source: str, typed: str) -> list[NameView]:
    """Return the names in a source but for the one that is just being typed, if it is new."""
    counts: dict[str, int] = {}
    for word in _WORD.findall(source):
        counts[word] = counts.get(word, 0) + 1
    return [NameView(name=word) for word, count in counts.items() if word != typed or count > 1]


def _members(source: str) -> list[NameView]:
    return [NameView(name=name) for name in dict.fromkeys(_SELF.findall(source))]


def _ranked(start: str, views: Iterable[NameView], *, is_asked: bool) -> list[NameView]:
    """Keep what begins with ``start`` in any case; the same case first, then shorter ones."""
    unique: dict[str, NameView] = {}
    for view in views:
        if view.name.casefold().startswith(start.casefold()):
            previous = unique.get(view.name)
            if previous is None or (view.note and not previous.note):
                unique[view.name] = view
    is_whole = unique.pop(start, None) is not None
    if is_whole and not is_asked:
        return []
    matches = sorted(
        unique.values(),
        key=lambda view: (not view.name.startswith(start), view.name.casefold(), view.name),
    )
    return matches[:_MOST]
