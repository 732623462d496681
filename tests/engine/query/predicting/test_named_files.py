"""Predictions of the very table of a run, whose files are found where its paths do not say."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PIL import Image

from engine.diagnostics import DiagnosticError
from engine.query.ask import write_predictions
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.query.predicting.request import PredictFile, PredictionReport
from engine.runs.folder import RunFolder
from engine.spec.proposal import Proposal
from engine.spec.run import LoaderSpec
from tests.tiny_run import train

ROWS = 24


def picture(file: Path, at: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (6, 6), (at * 9, 250 * (at % 2), 90)).save(file)


def table(file: Path, cells: list[str], folds: bool = False) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [(cell, *((at % 3,) if folds else ()), "ab"[at % 2]) for at, cell in enumerate(cells)]
    with file.open("w", newline="", encoding="utf-8") as stream:
        head = ("file", *(("fold",) if folds else ()), "label")
        csv.writer(stream).writerows([head, *rows])
    return file


def foreign(folder: Path) -> Path:
    for at in range(ROWS):
        picture(folder / "train" / f"{at}.png", at)
    return table(folder / "t.csv", [f"/kaggle/input/set/train/{at}.png" for at in range(ROWS)])


def without_endings(folder: Path) -> Path:
    for at in range(ROWS):
        picture(folder / "pictures" / f"p{at}.png", at)
    return table(folder / "meta" / "t.csv", [f"p{at}" for at in range(ROWS)])


def below(folder: Path) -> Path:
    for at in range(ROWS):
        picture(folder / "pictures" / f"day{at % 2}" / f"{at}.png", at)
    return table(folder / "t.csv", [f"{at}.png" for at in range(ROWS)])


def by_fold(folder: Path) -> Path:
    for at in range(ROWS):
        picture(folder / "audio" / f"fold{at % 3}" / f"{at // 3}.png", at)
    return table(
        folder / "metadata" / "t.csv", [f"{at // 3}.png" for at in range(ROWS)], folds=True
    )


def trained(folder: Path, proposal: Proposal) -> RunFolder:
    assert proposal.graph is not None
    data = replace(proposal.spec.data, loader=LoaderSpec(), batch_size=8)
    run = RunFolder.create(folder, proposal.graph, replace(proposal.spec, data=data, epochs=1))
    train(run)
    return run


def rows_of(file: Path) -> dict[str, dict[str, object]]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return {
        str(row["sample"]): {k: v for k, v in row.items() if k.startswith("probability")}
        for row in rows
    }


def predict(run: RunFolder, output: Path, **choices: object) -> PredictionReport:
    request = PredictFile(run_folder=str(run.path), output=str(output), checkpoint="last")
    return write_predictions(replace(request, **choices))


@pytest.mark.parametrize(
    ("make", "code"),
    [(foreign, "D696"), (without_endings, ""), (below, "D697"), (by_fold, "D697")],
)
def test_that_the_table_of_a_run_is_predicted_as_its_parts_are(
    tmp_path: Path, make: Callable[[Path], Path], code: str
) -> None:
    file = make(tmp_path / "data")
    proposal = propose_data(ProposeData(path=str(file), target="label"))
    assert "image" in {info.kind for info in proposal.info.fields}
    run = trained(tmp_path / "project", proposal)
    report = predict(run, tmp_path / "table.jsonl", data=str(file))
    assert report.samples == ROWS
    assert [each.code for each in report.notices] == ([code] if code else [])
    whole = rows_of(tmp_path / "table.jsonl")
    for part in ("train", "validation", "test"):
        predict(run, tmp_path / f"{part}.jsonl", part=part)
        of_part = rows_of(tmp_path / f"{part}.jsonl")
        assert of_part
        for name, chances in of_part.items():
            assert whole[name] == pytest.approx(chances, abs=1e-5)  # in other batches


def test_that_a_file_that_is_nowhere_is_told(tmp_path: Path) -> None:
    file = below(tmp_path / "data")
    proposal = propose_data(ProposeData(path=str(file), target="label"))
    run = trained(tmp_path / "project", proposal)
    lost = table(tmp_path / "data" / "new.csv", ["/kaggle/0.png", "../0.png", "gone.png"])
    with pytest.raises(DiagnosticError) as caught:
        predict(run, tmp_path / "o.jsonl", data=str(lost))
    problem = caught.value.problems[0]
    assert (problem.code, problem.params["value"]) == ("P058", "/kaggle/0.png")


def test_that_a_run_whose_data_is_gone_predicts_own_files_and_tells_what_it_cannot(
    tmp_path: Path,
) -> None:
    file = below(tmp_path / "data")
    proposal = propose_data(ProposeData(path=str(file), target="label"))
    run = trained(tmp_path / "project", proposal)
    away = tmp_path / "elsewhere"
    (tmp_path / "data").rename(away)
    report = predict(run, tmp_path / "o.jsonl", data=str(away / file.name))
    assert report.samples == ROWS
    assert [each.code for each in report.notices] == ["D728", "D697"]
    with pytest.raises(DiagnosticError) as of_part:
        predict(run, tmp_path / "p.jsonl", part="test")
    (run.artefacts / "source.msgpack").unlink()  # as of a run of an earlier version
    with pytest.raises(DiagnosticError) as of_own:
        predict(run, tmp_path / "p.jsonl", data=str(away / file.name))
    told = [[each.code for each in caught.value.problems] for caught in (of_part, of_own)]
    assert told == [["D020", "D713"], ["D020", "D727"]]
