"""Columns that are named in settings and are none are told, with those there are."""

import pytest
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.spec.run import Choice, DataSpec, SplitSpec

IRIS = DataSpec(source=Choice(type="iris"))


@pytest.mark.parametrize(
    ("setting", "spec"),
    [
        ("data.sampler_column", replace(IRIS, sampler_column="banana")),
        ("data.split.column", replace(IRIS, split=SplitSpec(kind="random", column="banana"))),
    ],
)
def test_that_a_column_is_told_that_is_not_there(setting, spec):
    (problem,) = load_data(spec).doubts
    assert (problem.code, problem.field) == ("D703", setting)
    assert problem.params["column"] == "banana"
    assert "label" in str(problem.params["names"])


def test_that_a_column_that_is_there_is_not(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["a,b", *(f"{at},{at * 2}" for at in range(40))]))
    source = Choice(type="table", params={"path": str(file), "target": "b"})
    split = SplitSpec(kind="random", column="a")
    assert not load_data(DataSpec(source=source, split=split, sampler_column="a")).doubts
