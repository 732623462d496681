"""Samples of the files that are not used, by the reason."""

from engine.data.preview import describe
from engine.spec.data_edits import DataEdits, SampleEdit
from engine.spec.data_path import data_key
from engine.spec.run import Choice, DataSpec


def told(data: DataSpec) -> dict[str, int]:
    return {each.reason: each.count for each in describe(data).left_out}


def test_that_rows_without_a_value_and_excluded_samples_are_counted(tmp_path):
    lines = ["size,kind", *(f"{n if n % 5 else ''},{'ab'[n % 2]}" for n in range(50))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    params = {"path": str(tmp_path / "t.csv"), "target": "kind"}
    source = Choice(type="table", params={**params, "missing": "drop"})
    assert told(DataSpec(source=source)) == {"missing": 10}
    edits = DataEdits(
        source=data_key(source), samples={str(line): SampleEdit(excluded=True) for line in (3, 4)}
    )
    assert told(DataSpec(source=source, edits=edits)) == {"missing": 10, "excluded": 2}
    kept = Choice(type="table", params=params)
    assert told(DataSpec(source=kept)) == {}


def test_that_pairs_that_are_too_long_or_begin_otherwise_are_counted(tmp_path):
    short, long, other = "I am here\tda\n", "I am here and there again\tda\n", "who\twer\n"
    (tmp_path / "t.tsv").write_text(short * 6 + long * 3 + other * 2)
    params = {"path": str(tmp_path / "t.tsv"), "task": "pairs", "tokens": "words", "length": 4}
    chosen = Choice(type="text", params={**params, "drop_long": True, "prefixes": "I am"})
    assert told(DataSpec(source=chosen)) == {"filtered": 5}
