"""Where a chosen column is not there, the columns of the table as it is are told with it."""

import pytest

from engine.graph.model import Graph
from engine.query.model.answer import check
from engine.query.model.request import Check
from engine.spec.run import Choice, DataSpec, RunSpec

TABLE = "day,area,cost\n" + "".join(f"2024-01-{1 + i:02},{i},{i * 2}\n" for i in range(28))


@pytest.mark.parametrize(
    ("kind", "params", "field"),
    [
        ("table", {"target": "price"}, "target"),
        ("series", {"targets": "price", "time": "day"}, "targets"),
        ("series", {"targets": "cost", "time": "date"}, "time"),
    ],
)
def test_that_the_columns_of_a_changed_table_are_told(tmp_path, kind, params, field):
    path = tmp_path / "houses.csv"
    path.write_text(TABLE)
    source = Choice(type=kind, params={"path": str(path), **params})
    report = check(Check(graph=Graph(), spec=RunSpec(data=DataSpec(source=source))))
    assert report.data is None
    assert f"data.source.{field}" in [problem.field for problem in report.problems]
    assert sorted(column.name for column in report.file_columns) == ["area", "cost", "day"]
    assert [c.name for c in report.file_columns if c.kind == "number"] == ["area", "cost"]


def test_that_no_columns_are_told_of_a_file_that_cannot_be_read(tmp_path):
    source = Choice(type="table", params={"path": str(tmp_path / "gone.csv"), "target": "price"})
    report = check(Check(graph=Graph(), spec=RunSpec(data=DataSpec(source=source))))
    assert report.data is None
    assert not report.file_columns
