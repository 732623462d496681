"""Kinds of columns as a run reads them: which ones are proposed for a table that nobody has said
anything of is another matter in another version of the program, and with more rows.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from engine.data.load.field_names import FieldNames
from engine.data.source.source import Source
from engine.spec.run import Choice
from engine.spec.table import names_text

_NUMBERS = ("number", "binary", "date")


def as_kept(
    choice: Choice, source: Source, kinds: Mapping[str, str], names: Mapping[str, FieldNames]
) -> Choice | None:
    """Return the choice of a table with the ``kinds`` by which a run has read its columns, where
    they would be read otherwise now; None where they are not, and for other data. Of a run that has
    not kept any, they are those that its fields (``names``) say.
    """
    now = source.column_kinds
    kept = kinds or dict(_said(choice, now, names))
    changed = {name: kept[name] for name in now if kept.get(name, now[name]) != now[name]}
    if not changed:
        return None
    chosen = str(choice.params.get("kinds") or "").strip().rstrip(",")
    listed = names_text(f"{name}={kind}" for name, kind in changed.items())
    together = f"{chosen}, {listed}" if chosen else listed
    return replace(choice, params={**choice.params, "kinds": together})


def _said(
    choice: Choice, now: Mapping[str, str], names: Mapping[str, FieldNames]
) -> Iterator[tuple[str, str]]:
    """Yield the kinds that the names of fields say: a column of categories was one, one of numbers
    was none. Those of one-hot columns are not those of the table and say nothing.
    """
    numbers, categories = (
        names.get(field, FieldNames()).columns for field in ("features", "categories")
    )
    if choice.params.get("categories") == "one_hot" or not {*numbers, *categories} <= now.keys():
        return
    for name, kind in now.items():
        if name in categories:
            yield name, "category"
        elif name in numbers and kind not in _NUMBERS:
            yield name, "number"
