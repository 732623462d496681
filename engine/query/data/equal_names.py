"""Files in several folders that have the names which a table has."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.catalog.spec import Value
from engine.data.source.file_column import folder_of_files
from engine.data.source.mixed_table import MixedTableSource
from engine.data.source.source import Source
from engine.diagnostics import Diagnostic, Severity, shortened
from engine.query.data.mixed_proposal import folders_with, is_called_as

_EXAMPLES, _LISTED = 20, 4


def equal_names(
    loaded: Source, params: Mapping[str, Value], said: Mapping[str, Value]
) -> Iterator[Diagnostic]:
    """Yield that the files of a column of a table are those of one of several folders which have
    such files; nothing where the user has ``said`` the folder, or it is called as the table is.
    """
    if not isinstance(loaded, MixedTableSource) or "folder" in said or "folder" not in params:
        return
    table = Path(str(params["path"]))
    for column in loaded.files:
        places = column.places[:_EXAMPLES]
        found = folders_with(folder_of_files(table), places)
        folder = column.root.absolute()
        beside = [each for each in found if each.absolute().parent == folder.parent]
        others = [each for each in beside if each.absolute() != folder]
        if not others or is_called_as(folder, table):
            continue
        yield Diagnostic.of(
            "D701",
            severity=Severity.WARNING,
            field="data.source.folder",
            column=column.column,
            value=places[0],
            folder=folder.name,
            others=shortened([each.name for each in others], _LISTED),
        )
