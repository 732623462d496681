"""Tables of strangers, read as the source of data does."""

import gzip
from pathlib import Path

from tests.fuzz.reader import Reader
from tests.table_files import database, workbook

ROWS = (
    ("name", "age", "town", "day", "class"),
    ("Lee, Ann", 31, "Köln", "2024-03-01", "a"),
    ('O"Hara', 2.5, None, "2024-03-02", "b"),
    ("Bo", 7, "北京", "2024-03-04", "a"),
)


def _texts(folder: Path) -> list[bytes]:
    lines = ["name;age;town;day;class", '"Lee, Ann";31,5;Köln;01.03.2024;a', "B;;Ulm;02.03.2024;b"]
    text = "\r\n".join([*lines * 9])
    comma = "id,x,y,when\n" + "".join(
        f"{i},{i / 7},{i % 3},2024-01-{i % 28 + 1:02}\n" for i in range(60)
    )
    objects = '{"a": 1, "b": "x", "c": [1, {"d": null}]}\n{"a": 2.5, "e": true}\n' * 9
    return [
        text.encode(),
        text.encode("cp1252"),
        text.encode("utf-16"),
        "姓名,年龄\n张三,25\n李四,31\n".encode("gb18030"),
        comma.encode(),
        gzip.compress(comma.encode(), mtime=0),
        objects.encode(),
    ]


def _databases(folder: Path) -> list[bytes]:
    columns = "name TEXT, age REAL, town TEXT, day TEXT, class TEXT"
    path = database(folder / "made.db", {"people": (columns, ROWS[1:]), "b": ("n", [[1], [2]])})
    return [path.read_bytes()]


def _workbooks(folder: Path) -> list[bytes]:
    return [workbook({"People": ROWS, "More": [["x", "y"], [1, True], [2, False]]})]


def _parquets(folder: Path) -> list[bytes]:
    import pyarrow as pa
    from pyarrow import feather, parquet

    names, rows = ROWS[0], ROWS[1:]
    made = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    parquet.write_table(made, folder / "t.parquet")
    feather.write_feather(made, folder / "t.feather")
    return [(folder / f"t.{kind}").read_bytes() for kind in ("parquet", "feather")]


def _table(path: Path) -> object:
    """Read first rows, all rows, and every column as what it is proposed to be."""
    from engine.data.read.table import read_head, read_table
    from engine.data.source.table_plan import plan_table

    head = read_head(path)
    table = read_table(path)
    plan_table(path, table, {"target": head.target})
    return [column.cell(table.rows - 1) for column in table.columns[:100]]


TABLE_READERS = (
    Reader("table", "table.csv", _texts, _table),
    Reader("database", "table.db", _databases, _table),
    Reader("workbook", "table.xlsx", _workbooks, _table),
    Reader("parquet", "table.parquet", _parquets, _table),
)
