"""Penguins of three species, whose table ships with the program: numbers beside categories.

K. B. Gorman, T. D. Williams, W. R. Fraser: Ecological Sexual Dimorphism and Environmental
Variability within a Community of Antarctic Penguins, 2014 (Palmer Station LTER), as A. M. Horst,
A. P. Hill and K. B. Gorman put them together in 2020; CC0.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from engine.catalog.spec import Value
from engine.data.read.block import TableBuilder
from engine.data.read.cell import MISSING, Table
from engine.data.read.table import read_table
from engine.data.source.parameter import text_param
from engine.data.source.table import TableSource, table_source
from engine.data.source.table_plan import plan_table
from engine.spec.table import TableOptions

_FILE = Path(__file__).parents[3] / "resources" / "tables" / "penguins.csv"
_NUMBERS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
_CATEGORIES = ("species", "island", "sex")
_KINDS = (
    *(f"{name}=number" for name in _NUMBERS),
    *(f"{name}=category" for name in _CATEGORIES),
)


def load_penguins(params: Mapping[str, Value]) -> TableSource:
    """Return 344 penguins, without those whose target is not known: ``features`` (float32, the
    measurements) and ``categories`` (int64), all but the target, and ``label`` for the species or
    the sex (with ``truth``), ``target`` for the body mass in grams, of shape (1,).
    """
    target = text_param(params, "target")
    inputs = (name for name in (*_NUMBERS, *_CATEGORIES) if name != target)
    chosen = {"target": target, "inputs": ", ".join(inputs), "kinds": ", ".join(_KINDS)}
    table = _table(target)
    return table_source(_FILE, table, plan_table(_FILE, table, {**params, **chosen}))


@cache
def _table(target: str) -> Table:
    """Return the rows of the file in which the target is known."""
    whole = read_table(_FILE, TableOptions())
    rows = list(zip(*(each.cells() for each in whole.columns), strict=True))
    at = whole.names.index(target)
    kept = [number for number, row in enumerate(rows) if row[at] not in MISSING]
    builder = TableBuilder(whole.names)
    builder.add([rows[number] for number in kept], whole.lines[np.array(kept)])
    return builder.table(whole.format)
