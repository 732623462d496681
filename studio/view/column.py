"""Fields of settings that name columns of the data: the columns are offered with their kinds, so
that none has to be typed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.spec.data import DataColumn, DataInfo
from studio.i18n import translate
from widgets.forms.view_model import FieldView

COLUMN_SETTINGS: Mapping[str, bool] = {
    "data.source.target": True,
    "data.source.inputs": True,
    "data.source.ignored": True,
    "data.source.group": False,
    "data.source.weight": False,
    "data.source.features": True,
    "data.source.targets": True,
    "data.source.time": False,
    "data.split.column": False,
    "data.sampler_column": False,
}
"""The settings that name columns, and whether they name several."""

_FOUND = ("data.source.target", "data.source.inputs", "data.source.features", "data.source.targets")
"""Those for which something is taken where nothing is chosen."""

_NUMBERS = ("data.source.features", "data.source.targets")
"""Those that name columns of numbers."""

_MOST = 500  # columns in a list; of more a name is typed


def kind_titles() -> Mapping[str, str]:
    """Return what kinds of columns are called."""
    return {
        "number": translate("Columns", "number"),
        "category": translate("Columns", "category"),
        "tags": translate("Columns", "tags"),
        "binary": translate("Columns", "yes or no"),
        "date": translate("Columns", "date"),
        "text": translate("Columns", "text"),
        "textfile": translate("Columns", "text files"),
        "image": translate("Columns", "pictures"),
        "mask": translate("Columns", "masks"),
        "array": translate("Columns", "arrays"),
        "sound": translate("Columns", "sounds"),
        "video": translate("Columns", "videos"),
        "id": translate("Columns", "name of the row"),
        "empty": translate("Columns", "empty"),
        "class": translate("Columns", "class"),
        "scalar": translate("Columns", "number"),
    }


def with_columns(
    view: FieldView, data: DataInfo | None, now: Sequence[DataColumn] = ()
) -> FieldView:
    """Return the field of a setting with the columns that it can name; as it is where it names
    none, and where they are not known. ``now`` are those of the table as it is, where what was
    chosen of it is not there: what it lacks is marked.
    """
    if view.name not in COLUMN_SETTINGS or (data is None and not now):
        return view
    columns = now or _known(view.name, data)
    if view.name in _NUMBERS:
        columns = [column for column in columns if column.kind == "number"]
    takes_several = COLUMN_SETTINGS[view.name]
    is_listed = 0 < len(columns) <= _MOST
    if takes_several and any("," in column.name for column in columns):
        is_listed = False  # names that stand in quotes
    if not is_listed:
        return view
    offered = tuple((column.name, _title(column)) for column in columns)
    if now:
        offered += _lacking(view, [column.name for column in columns])
    if takes_several:
        example = translate("Columns", "automatic") if view.name in _FOUND else ""
        return replace(view, kind="several", choices=offered, nothing="", example=example)
    nobody = (("", translate("Columns", "none")),)
    return replace(view, kind="choice", choices=(*nobody, *offered))


def _known(name: str, data: DataInfo | None) -> Sequence[DataColumn]:
    """Return the columns of the data that a setting can name."""
    if data is None:
        return ()
    return data.file_columns if name.startswith("data.source.") else data.columns


def _lacking(view: FieldView, names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the columns that are chosen and that the table lacks, told as such."""
    written = view.text.split(",") if COLUMN_SETTINGS[view.name] else [view.text]
    known = {name.lower() for name in names}
    text = translate("Columns", "{column} (no longer in the table)")
    return tuple(
        (name, text.format(column=name))
        for name in map(str.strip, written)
        if name and name.lower() not in known
    )


def _title(column: DataColumn) -> str:
    kind = kind_titles().get(column.kind, column.kind)
    return translate("Columns", "{column} ({kind})").format(column=column.name, kind=kind)
