"""Loader of tables: the file is read, and its columns by the user's choices."""

import threading
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from engine.catalog.spec import Value
from engine.data.read.cell import Table
from engine.data.read.table import read_table
from engine.data.read.table_cache import cached_table
from engine.data.source.mixed_table import MixedTableSource, mixed_source
from engine.data.source.parameter import found_param
from engine.data.source.table import TableSource, table_source
from engine.data.source.table_plan import plan_table
from engine.data.source.version import FileVersion, file_version
from engine.diagnostics import DiagnosticError
from engine.spec.table import TableOptions

_HEADERS: Mapping[str, Literal["yes", "no"]] = {"yes": "yes", "no": "no"}
_DECIMALS: Mapping[str, Literal[".", ","]] = {"point": ".", "comma": ","}

_reading = threading.Lock()
"""Held while a table is read: whoever wants the same meanwhile waits for it."""


def load_table(params: Mapping[str, Value]) -> TableSource | MixedTableSource:
    """Return the rows of a table: ``features`` (float32, of shape (columns,)), ``categories``
    (int64, of shape (columns,)), each where there are such columns, and ``label`` or ``target``.
    Columns of files and of texts are fields of their own (:class:`MixedTableSource`).

    Raises ``DiagnosticError`` (D020 to D049, D132, D133, D315 to D318, D572): what is wrong with
    the file or with the choice of columns, and in which row.
    """
    path, table = open_table(params)
    plan = plan_table(path, table, params)
    if plan.files or plan.texts:
        return mixed_source(path, table, plan, params)
    return table_source(path, table, plan)


def open_table(params: Mapping[str, Value]) -> tuple[Path, Table]:
    """Return the path of the file that is chosen, and its table.

    Raises ``DiagnosticError`` (D020 to D042, D048): what is wrong with the file.
    """
    text = str(params.get("path") or "")
    if not text.strip():
        raise DiagnosticError.of("D048", field="data.source.path")
    path = Path(text)
    with _reading:
        return path, kept_table(path, table_options(params), file_version(text))


def table_options(params: Mapping[str, Value]) -> TableOptions:
    """Return what the parameters of the source decide about the file."""
    return TableOptions(
        encoding=found_param(params, "encoding"),
        delimiter=found_param(params, "delimiter"),
        header=_HEADERS.get(str(params.get("header")), "auto"),
        sheet=str(params.get("sheet") or ""),
        decimal=_DECIMALS.get(str(params.get("decimal")), ""),
        skip=_whole(params.get("skip_rows")),
        keeps_totals=params.get("keep_totals") is True,
    )


@lru_cache(maxsize=1)
def kept_table(path: Path, options: TableOptions, version: FileVersion) -> Table:
    """Return a table; the last one is kept, so that another choice of columns reads no file."""
    return cached_table(path, options, version, lambda: read_table(path, options))


def _whole(value: Value | None) -> int:
    return value if isinstance(value, int) else -1
