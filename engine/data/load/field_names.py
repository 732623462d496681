"""What the numbers of a field stand for: weights that were learnt for one column, class or word are
of no use for another.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from engine.diagnostics import Diagnostic, shortened
from engine.spec.data import FieldInfo

_SHOWN = 8


class FieldNames(msgspec.Struct, frozen=True, kw_only=True):
    """The names of a field, in the order of their numbers, as :class:`FieldInfo` has them."""

    columns: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    vocabularies: tuple[tuple[str, ...], ...] = ()


def field_names(infos: Sequence[FieldInfo]) -> dict[str, FieldNames]:
    """Return the names of all fields that have some."""
    found = {
        info.name: FieldNames(
            columns=info.columns,
            classes=info.classes,
            words=info.words,
            vocabularies=info.vocabularies,
        )
        for info in infos
    }
    return {name: names for name, names in found.items() if names != FieldNames()}


def changed_names(
    before: Mapping[str, FieldNames], now: Mapping[str, FieldNames]
) -> Iterator[Diagnostic]:
    """Yield what is wrong for a run that learnt the fields ``before``: D523 for other columns, D524
    for a class, a word or a category that has another number. What is new, or called by a name
    that was not there, is no fault.
    """
    for name, names in now.items():
        known = before.get(name)
        if known is None:
            continue
        if known.columns != names.columns:
            yield Diagnostic.of(
                "D523",
                field="data.source.path",
                name=name,
                before=shortened(known.columns, _SHOWN),
                now=shortened(names.columns, _SHOWN),
            )
            return
        moved = next(filter(None, map(_moved, _lists(known), _lists(names))), None)
        if moved is not None:
            yield Diagnostic.of("D524", field="data.source.path", name=name, value=moved[:100])
            return


def _lists(names: FieldNames) -> tuple[tuple[str, ...], ...]:
    return (names.classes, names.words, *names.vocabularies)


def _moved(before: Sequence[str], now: Sequence[str]) -> str | None:
    """Return a name that has another number than before."""
    numbers = {name: number for number, name in enumerate(before)}
    return next((name for at, name in enumerate(now) if numbers.get(name, at) != at), None)
