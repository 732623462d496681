"""Pairs of LFW: two faces of the same person or of different ones, as a table of their files."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engine.catalog.spec import Value
from engine.data.read.block import TableBuilder
from engine.data.source.mixed_table import MixedTableSource, mixed_source
from engine.data.source.table_plan import plan_table
from engine.data.source.vision.picture_set import below, damaged, opened
from engine.files import read_file
from engine.spec.table import TableFormat

PAIRS = "LFWPairs"
PAIRS_LIST = "lfw-py/pairs.txt"
"""What tells, in the folder that is chosen, that the list of pairs lies there."""

_COLUMNS = ("first", "second", "label", "fold")
_LABELS = ("different", "same")
_READ_AS: Mapping[str, Value] = {
    "inputs": "first, second",
    "target": "label",
    "group": "fold",
    "kinds": "first=image, second=image, label=binary",
}
_MOST_TEXT = 16 << 20


def pair_source(root: Path, variant: str, params: Mapping[str, Value]) -> MixedTableSource:
    """Return the pairs in a folder: the fields ``first`` and ``second`` (pictures), and ``label``,
    1 for the same person. The column ``fold`` says which of the ten sets of their authors a pair
    is of: no person is in two of these.

    Raises :class:`DiagnosticError`: D580 where they are not there, D254 for a damaged list, and
    what :func:`~engine.data.source.mixed_table.mixed_source` does.
    """
    listed = root / PAIRS_LIST
    dataset = opened(PAIRS, root, {"split": "10fold", "image_set": variant})
    try:
        folds = int(read_file(listed, _MOST_TEXT).split(None, 1)[0])
        count = len(dataset.data)
        if not 0 < folds <= count or count % folds:
            raise ValueError(f"{count} pairs in {folds} sets")
        rows = [
            (below(root, first), below(root, second), _LABELS[same], str(at * folds // count + 1))
            for at, ((first, second), same) in enumerate(
                zip(dataset.data, dataset.targets, strict=True)
            )
        ]
    except (ValueError, LookupError) as error:
        raise damaged(PAIRS, root, error) from error
    built = TableBuilder(_COLUMNS)
    built.add(rows, np.arange(1, count + 1))
    table = built.table(TableFormat(kind="csv"))
    plan = plan_table(listed, table, _READ_AS)
    return mixed_source(listed, table, plan, {**params, "folder": str(root)})
