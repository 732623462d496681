"""Fields of settings that name columns of the data: the columns are offered with their kinds, so
that none has to be typed.
"""

from collections.abc import Mapping
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


def with_columns(view: FieldView, data: DataInfo | None) -> FieldView:
    """Return the field of a setting with the columns that it can name; as it is where it names
    none, and where they are not known.
    """
    if data is None or view.name not in COLUMN_SETTINGS:
        return view
    is_of_file = view.name.startswith("data.source.")
    columns = data.file_columns if is_of_file else data.columns
    takes_several = COLUMN_SETTINGS[view.name]
    is_listed = 0 < len(columns) <= _MOST
    if takes_several and any("," in column.name for column in columns):
        is_listed = False  # names that stand in quotes
    if not is_listed:
        return view
    offered = tuple((column.name, _title(column)) for column in columns)
    if takes_several:
        example = translate("Columns", "automatic") if view.name in _FOUND else ""
        return replace(view, kind="several", choices=offered, nothing="", example=example)
    nobody = (("", translate("Columns", "none")),)
    return replace(view, kind="choice", choices=(*nobody, *offered))


def _title(column: DataColumn) -> str:
    kind = kind_titles().get(column.kind, column.kind)
    return translate("Columns", "{column} ({kind})").format(column=column.name, kind=kind)
