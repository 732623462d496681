"""Predictions in files: those of evaluation, for data as it comes, and what can go wrong."""

import csv
import gzip
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.load.load import load_data
from engine.data.read.fit import fit_image
from engine.data.source import image_walk
from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.query.ask import ask, write_predictions
from engine.query.predicting.request import (
    PredictFile,
    PredictionProgress,
    PredictionReport,
)
from engine.query.results.request import Examine, Predict, PredictBoxes, PredictMasks
from engine.runs.folder import RunFolder
from engine.spec.transform import TransformSpec
from tests.exported_kinds import KINDS, proposed
from tests.given_data import given_of
from tests.tiny_run import train

CELLS = {"sepal length (cm)": 6.1, "sepal width (cm)": 2.8, "petal length (cm)": 4.7}
FLOWER = {**CELLS, "petal width (cm)": 1.2}


@pytest.fixture(scope="module")
def run_of(tmp_path_factory) -> Callable[[str], RunFolder]:
    """Return what trains on a kind of data, once."""
    made: dict[str, RunFolder] = {}

    def of(name: str) -> RunFolder:
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            (folder / "data").mkdir()
            made[name] = RunFolder.create(
                folder / "project", *proposed(KINDS[name], folder / "data")
            )
            train(made[name])
        return made[name]

    return of


def predict(run: RunFolder, output: Path, **choices: object) -> PredictionReport:
    values = {"checkpoint": "last", **choices}
    return write_predictions(PredictFile(run_folder=str(run.path), output=str(output), **values))


def rows_of(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def predicted(file: Path) -> list[list[object]]:
    """Return what is predicted in a file, without names and targets."""
    starts = ("prediction", "probability")
    return [[v for k, v in row.items() if k.startswith(starts)] for row in rows_of(file)]


def code_of(problem: Diagnostic) -> str:
    return problem.code


def codes(error: pytest.ExceptionInfo[DiagnosticError]) -> list[str]:
    return [problem.code for problem in error.value.problems]


def write_table(file: Path, *rows: dict[str, object]) -> Path:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return file


@pytest.mark.row("S213")
@pytest.mark.parametrize(
    "name", ["table_one_hot", "pictures", "arrays_of_pictures", "words", "texts_of_a_table"]
)
def test_that_data_as_it_comes_is_predicted_as_in_evaluation(run_of, tmp_path, name):
    run = run_of(name)
    predict(run, tmp_path / "part.jsonl", part="test")
    question = Examine(run_folder=str(run.path), checkpoint="last", split="test", seconds=60)
    results = ask(question).report
    rows = rows_of(tmp_path / "part.jsonl")
    if results.classes:
        assert [row["prediction"] for row in rows] == [
            results.classes[int(number)] for number in results.predictions
        ]
        highest = [max(row[f"probability_{name}"] for name in results.classes) for row in rows]
        assert np.float32(highest).tolist() == list(results.chances)
    else:
        assert np.float32([row["prediction"] for row in rows]).tolist() == list(results.predictions)
    data = load_data(run.document.spec.data)
    (tmp_path / "given").mkdir()
    field = next(info.name for info in data.info.fields if info.role == "input")
    places = data.indices["test"].tolist()
    given = given_of(data.source, places, field, tmp_path / "given", KINDS[name].raw)
    report = predict(run, tmp_path / "given.jsonl", data=str(given))
    assert report.samples == len(places)
    assert predicted(tmp_path / "given.jsonl") == predicted(tmp_path / "part.jsonl")
    home = run.project.parent / "data"
    home.rename(home.with_name("away"))
    try:
        away = predict(run, tmp_path / "away.jsonl", data=str(given))
    finally:
        home.with_name("away").rename(home)
    assert [each.code for each in away.notices] == ["D728", *map(code_of, report.notices)]
    assert rows_of(tmp_path / "away.jsonl") == rows_of(tmp_path / "given.jsonl")


def test_that_texts_without_a_word_are_named_with_what_is_predicted(run_of, tmp_path):
    for name, text in (("a", "very good"), ("b", ""), ("c", " \n"), ("d", "bad")):
        (tmp_path / f"{name}.txt").write_text(text)
    report = predict(run_of("words"), tmp_path / "o.jsonl", data=str(tmp_path))
    told = [(each.code, each.params) for each in report.notices]
    assert told == [("D729", {"count": 2, "names": "c.txt, b.txt"})]
    assert report.samples == 4


def test_that_each_format_holds_the_same_numbers(run, tmp_path):
    for ending in ("csv", "jsonl", "npz", "npy", "parquet"):
        predict(run, tmp_path / f"o.{ending}", part="validation")
    rows = rows_of(tmp_path / "o.jsonl")
    names = [name for name in rows[0] if name.startswith("probability_")]
    chances = np.float32([[row[name] for name in names] for row in rows])
    assert np.array_equal(np.load(tmp_path / "o.npy"), chances)
    packed = np.load(tmp_path / "o.npz")
    assert np.array_equal(packed["probability"], chances)
    assert packed["prediction"].tolist() == [row["prediction"] for row in rows]
    with (tmp_path / "o.csv").open(newline="", encoding="utf-8-sig") as stream:
        read = list(csv.DictReader(stream))
    assert [list(row) for row in read] == [list(row) for row in rows]
    assert np.array_equal(np.float32([[row[name] for name in names] for row in read]), chances)
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(tmp_path / "o.parquet").to_pydict()
    assert np.array_equal(np.float32([table[name] for name in names]).T, chances)


def test_that_a_table_is_read_by_the_names_of_its_columns_and_keeps_its_targets(run, tmp_path):
    other = {"note": "x", **dict(reversed(FLOWER.items())), "label": "=evil()"}
    table = write_table(tmp_path / "t.csv", other, {**other, "label": "virginica"})
    report = predict(run, tmp_path / "o.csv", data=str(table))
    with (tmp_path / "o.csv").open(newline="", encoding="utf-8-sig") as stream:
        first, second = csv.DictReader(stream)
    assert (first["sample"], first["label"], second["label"]) == ("2", "'=evil()", "virginica")
    assert first["prediction"] == second["prediction"]
    assert report.rows[1][-1] == "virginica"


def test_that_no_more_than_a_batch_of_rows_is_read_ahead(run, tmp_path):
    table = write_table(tmp_path / "t.csv", *[FLOWER] * 7, {**FLOWER, "petal width (cm)": "x"})
    told: list[int] = []
    request = PredictFile(
        run_folder=str(run.path), data=str(table), output=str(tmp_path / "o.csv"), batch_size=3
    )
    with pytest.raises(DiagnosticError) as caught:
        write_predictions(request, lambda progress: told.append(progress.done))
    assert codes(caught) == ["D530", "P065"]
    assert caught.value.problems[0].params["row"] == 9
    assert told == [3, 6]
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_that_rows_that_cannot_be_read_are_left_out_where_that_is_wanted(run, tmp_path):
    wrong, empty = {**FLOWER, "petal width (cm)": "x"}, {**FLOWER, "petal width (cm)": ""}
    table = write_table(tmp_path / "t.csv", FLOWER, wrong, empty, FLOWER)
    report = predict(run, tmp_path / "o.jsonl", data=str(table), on_damaged="skip")
    assert [row["sample"] for row in rows_of(tmp_path / "o.jsonl")] == ["2", "5"]
    assert (report.samples, report.skipped) == (2, 2)
    assert [problem.code for problem in report.skips] == ["D530", "D531"]


def test_that_a_table_written_in_another_way_is_told_instead_of_leaving_all_rows_out(run, tmp_path):
    wrong = {**FLOWER, "petal width (cm)": "1,5 cm"}
    table = write_table(tmp_path / "t.csv", FLOWER, wrong, wrong, wrong, wrong)
    with pytest.raises(DiagnosticError) as caught:
        predict(run, tmp_path / "o.csv", data=str(table))
    assert codes(caught) == ["D530", "D609"]
    told = " ".join(sentence(problem) for problem in caught.value.problems)
    assert "--on-damaged" not in told
    assert "delimiter" in told
    assert "number" not in sentence(caught.value.problems[0], "zh_CN")
    report = predict(run, tmp_path / "o.csv", data=str(table), on_damaged="skip")
    assert (report.samples, [problem.code for problem in report.notices]) == (1, ["D609"])


def test_that_the_way_out_is_told_once_where_few_rows_cannot_be_read(run, tmp_path):
    wrong = {**FLOWER, "petal width (cm)": "x"}
    table = write_table(tmp_path / "t.csv", FLOWER, wrong, FLOWER, FLOWER)
    with pytest.raises(DiagnosticError) as caught:
        predict(run, tmp_path / "o.csv", data=str(table))
    told = " ".join(sentence(problem) for problem in caught.value.problems)
    assert told.count("--on-damaged skip") == 1


def test_that_a_category_that_was_never_trained_on_is_told(run_of, tmp_path):
    run = run_of("table_one_hot")
    row = {"age": "41", "height": "1,7", "since": "01.02.2024", "color": "pink", "member": "no"}
    table = write_table(tmp_path / "t.csv", row, {**row, "color": "red"})
    report = predict(run, tmp_path / "o.csv", data=str(table))
    (notice,) = report.notices
    assert (notice.code, notice.params["column"], notice.params["value"]) == (
        "P059",
        "color",
        "pink",
    )
    assert notice.params["count"] == 1


def test_that_damaged_pictures_stop_or_are_named_and_left_out(run_of, tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    Image.new("RGB", (30, 20), "red").save(tmp_path / "in" / "deep" / "a.png")
    (tmp_path / "in" / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    request = {"data": str(tmp_path / "in")}
    with pytest.raises(DiagnosticError) as caught:
        predict(run_of("pictures"), tmp_path / "o.csv", **request)
    assert codes(caught) == ["D052", "P065"]  # and the way out
    report = predict(run_of("pictures"), tmp_path / "o.csv", on_damaged="skip", **request)
    assert [row[0] for row in report.rows] == ["deep/a.png"]
    assert report.skips[0].params["file"] == str(tmp_path / "in" / "b.png")


def test_that_pictures_stand_for_those_that_are_stored_as_numbers(run_of, tmp_path):
    run = run_of("built_in_pictures")
    data = load_data(run.document.spec.data)
    places = data.indices["test"][:8].tolist()
    pixels = data.source.read(places)["image"]
    for number, picture in enumerate(pixels.squeeze(1).numpy()):
        image = Image.fromarray((picture / pixels.max().item() * 255).astype(np.uint8))
        image.save(tmp_path / f"{number}.png")
    predict(run, tmp_path / "part.jsonl", part="test")
    predict(run, tmp_path / "given.jsonl", data=str(tmp_path))
    part, given = (
        np.array([row[1:] for row in predicted(tmp_path / f"{name}.jsonl")[:8]])
        for name in ("part", "given")
    )
    assert np.allclose(part, given, atol=0.01)


def arrays(run: RunFolder, folder: Path, values: np.ndarray) -> PredictionReport:
    np.save(folder / "x.npy", values)
    return predict(run, folder / "o.csv", data=str(folder / "x.npy"))


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda run, folder: predict(run, folder / "o.txt", part="test"), "P050"),
        (lambda run, folder: predict(run, folder, part="test"), "P050"),
        (lambda run, folder: predict(run, folder / "o.csv"), "P063"),
        (lambda run, folder: predict(run, folder / "o.csv", data=str(folder / "none")), "D020"),
        (lambda run, folder: predict(run, folder / "o.csv", data=str(folder)), "P057"),
        (
            lambda run, folder: predict(
                run, folder / "o.csv", data=str(write_table(folder / "t.csv", CELLS))
            ),
            "P053",
        ),
        (lambda run, folder: arrays(run, folder, np.zeros((3, 5), np.float32)), "P055"),
        (lambda run, folder: arrays(run, folder, np.zeros((0, 4), np.float32)), "P064"),
        (
            lambda run, folder: predict(run, folder / "no" / "o.csv", part="test"),
            "P004",
        ),
    ],
)
def test_that_what_cannot_be_done_is_told_and_nothing_is_left(run, tmp_path, make, code):
    with pytest.raises(DiagnosticError) as caught:
        make(run, tmp_path)
    assert codes(caught) == [code]
    assert {path.name for path in tmp_path.iterdir()} <= {"t.csv", "x.npy"}


def test_that_a_file_is_only_replaced_when_asked_for_and_only_by_a_whole_one(run, tmp_path):
    output = tmp_path / "o.csv"
    output.write_text("mine")
    with pytest.raises(DiagnosticError) as caught:
        predict(run, output, part="test")
    assert codes(caught) == ["P051"]

    def interrupt(_progress: object) -> None:
        raise KeyboardInterrupt

    request = PredictFile(run_folder=str(run.path), part="test", output=str(output), overwrite=True)
    with pytest.raises(KeyboardInterrupt):
        write_predictions(request, interrupt)
    assert output.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["o.csv"]
    write_predictions(request)
    assert output.read_text(encoding="utf-8-sig").startswith("sample,prediction,")


def test_that_a_missing_pyarrow_is_told(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DiagnosticError) as caught:
        predict(run, tmp_path / "o.parquet", part="test")
    assert codes(caught) == ["P062"]
    assert not [*tmp_path.iterdir()]


def test_that_masks_are_pictures_beside_the_file(run_of, tmp_path):
    run = run_of("masks")
    report = predict(run, tmp_path / "o.csv", part="test", checkpoint="last")
    masks = PredictMasks(
        run_folder=str(run.path), checkpoint="last", split="test", numbers=(0, 1, 2)
    )
    rows = [dict(zip(report.columns, row, strict=True)) for row in report.rows]
    for row, sample in zip(rows, ask(masks).samples, strict=False):
        with Image.open(tmp_path / row["mask"]) as picture:
            written = np.asarray(picture).astype(np.int16)
        assert (written.shape, row["pixels"]) == ((20, 24), "picture")
        shown = np.frombuffer(sample.prediction, np.int16).reshape(16, 16)
        inner = shown[1:14]  # the rows of the picture, which was padded to a square
        assert (inner >= 0).all()
        rows, columns = np.arange(20) * 2 + 1, np.arange(24) * 2 + 1
        assert (written == inner[rows * 13 // 40][:, columns * 16 // 48]).all()
        share = float(np.mean(written == 0))
        assert float(next(v for k, v in row.items() if k.startswith("share_"))) == np.float32(share)
    assert report.folder == str(tmp_path / "o_masks")
    with pytest.raises(DiagnosticError) as caught:
        predict(run, tmp_path / "o.npz", part="test")
    assert codes(caught) == ["P051"]
    with pytest.raises(DiagnosticError) as caught:
        write_predictions(PredictFile(run_folder=str(run.path), part="test", checkpoint="last"))
    assert codes(caught) == ["P061"]
    assert {path.name for path in tmp_path.iterdir()} == {"o.csv", "o_masks"}


def test_that_the_masks_of_the_data_itself_are_not_predicted(run_of, tmp_path):
    run = run_of("masks")
    own = str(run.document.spec.data.source.params["path"])
    predict(run, tmp_path / "own.jsonl", data=own)
    named = sorted(str(row["sample"]) for row in rows_of(tmp_path / "own.jsonl"))
    assert named == sorted(f"images/{number}.png" for number in range(12))
    alone = predict(run, tmp_path / "alone.jsonl", data=f"{own}/masks")
    assert alone.samples == 12  # where nothing else is there
    other = tmp_path / "other"
    other.mkdir()
    for name in ("a.png", "a_mask.png", "b.png"):
        shutil.copy(f"{own}/images/0.png", other / name)
    predict(run, tmp_path / "other.jsonl", data=str(other))
    assert [row["sample"] for row in rows_of(tmp_path / "other.jsonl")] == ["a.png", "b.png"]


def test_that_boxes_are_rows_with_class_score_and_corners(run_of, tmp_path):
    run = run_of("boxes")
    predict(run, tmp_path / "o.jsonl", part="test")
    samples = ask(
        PredictBoxes(run_folder=str(run.path), checkpoint="last", split="test", numbers=(0, 1, 2))
    ).samples
    names = load_data(run.document.spec.data).source.sample_names([each.index for each in samples])
    rows = rows_of(tmp_path / "o.jsonl")
    assert any(sample.found for sample in samples)
    for name, sample in zip(names, samples, strict=True):
        own = [row for row in rows if row["sample"] == name]
        assert np.float32([row["score"] for row in own]).tolist() == [b.score for b in sample.found]
        size = np.array([own[0][f"picture_{side}"] for side in ("width", "height")] * 2)
        corners = [[row[side] for side in ("left", "top", "right", "bottom")] for row in own]
        shares = [box.corners for box in sample.found]
        assert np.allclose(np.array(corners) / size, shares)
    with pytest.raises(DiagnosticError) as caught:
        predict(run, tmp_path / "o.npy", part="test")
    assert codes(caught) == ["P060"]


@pytest.mark.parametrize(("name", "side"), [("boxes", 48), ("objects", 32)])
def test_that_boxes_and_shapes_are_in_pixels_of_the_pictures(run_of, tmp_path, name, side):
    run = run_of(name)
    values = np.random.default_rng(4).integers(0, 255, (60, 100, 3), np.uint8)
    (tmp_path / "large").mkdir()
    (tmp_path / "small").mkdir()
    Image.fromarray(values).save(tmp_path / "large" / "a.png")
    small = fit_image(torch.from_numpy(values).permute(2, 0, 1), side, side, "stretch")
    Image.fromarray(small.permute(1, 2, 0).numpy()).save(tmp_path / "small" / "a.png")
    for size in ("large", "small"):
        predict(run, tmp_path / f"{size}.jsonl", data=str(tmp_path / size))
    large, small = (rows_of(tmp_path / f"{size}.jsonl") for size in ("large", "small"))
    assert large
    assert {(row["picture_width"], row["picture_height"]) for row in large} == {(100, 60)}
    assert {row["pixels"] for row in large} == {"picture"}
    for one, other in zip(large, small, strict=True):
        assert one["score"] == other["score"]
        for share, sides in ((100 / side, ("left", "right")), (60 / side, ("top", "bottom"))):
            assert np.allclose([one[s] for s in sides], [share * other[s] for s in sides])
        if name == "objects":
            masks = [
                np.asarray(Image.open(tmp_path / each["mask"])) == each["mask_value"]
                for each in (one, other)
            ]
            assert masks[0].shape == (60, 100)
            down, right = ((np.arange(n) * 2 + 1) * side // (2 * n) for n in (60, 100))
            assert (masks[0] == masks[1][np.ix_(down, right)]).all()


def trained_with(run: RunFolder, project: Path, **changes: object) -> RunFolder:
    """Return a run like another one, trained with changes of its data."""
    graph, spec = run.document.graph, run.document.spec
    made = RunFolder.create(project, graph, replace(spec, data=replace(spec.data, **changes)))
    train(made)
    return made


def test_that_a_mask_tells_what_a_crop_cuts_away(run_of, tmp_path):
    source = run_of("masks").document.spec.data.source
    source = replace(source, params={**source.params, "fit": "crop"})
    run = trained_with(run_of("masks"), tmp_path / "project", source=source)
    (tmp_path / "in").mkdir()
    Image.new("RGB", (60, 30), "gray").save(tmp_path / "in" / "a.png")
    report = predict(run, tmp_path / "o.csv", data=str(tmp_path / "in"))
    (row,) = (dict(zip(report.columns, row, strict=True)) for row in report.rows)
    written = np.asarray(Image.open(tmp_path / row["mask"]))
    assert written.shape == (30, 60)
    assert (written[:, :15] == 255).all()
    assert (written[:, 45:] == 255).all()
    assert written[:, 15:45].max() < 255
    shares = [float(value) for name, value in row.items() if name.startswith("share_")]
    assert sum(shares) == pytest.approx(1)


def test_that_boxes_keep_the_pixels_of_the_model_where_a_transform_draws(run_of, tmp_path):
    rotation = TransformSpec(type="RandomRotation", params={"degrees": 5.0}, parts="all")
    drawing = trained_with(run_of("boxes"), tmp_path / "project", transforms=(rotation,))
    report = predict(drawing, tmp_path / "o.jsonl", part="test")
    (notice,) = report.notices
    assert (notice.code, notice.params["name"]) == ("P066", "RandomRotation")
    rows = rows_of(tmp_path / "o.jsonl")
    assert {(row["pixels"], row["picture_width"]) for row in rows} == {("model", 48)}


def test_that_a_model_of_language_goes_on_with_each_line(run_of, tmp_path):
    run = run_of("language_model")
    (tmp_path / "t.txt").write_text("The quick\n\nbrown fox\n", encoding="utf-8")
    report = predict(run, tmp_path / "o.csv", data=str(tmp_path / "t.txt"))
    one = Predict(
        run_folder=str(run.path), checkpoint="last", values={}, texts={"text": "brown fox"}
    )
    field = next(
        info.name for info in load_data(run.document.spec.data).info.fields if info.role == "input"
    )
    answer = ask(replace(one, texts={field: "brown fox"}))
    assert report.rows[1] == ("3", answer.continued)
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress((tmp_path / "t.txt").read_bytes()))
    packed = predict(run, tmp_path / "p.csv", data=str(tmp_path / "t.txt.gz"))
    assert packed.rows == report.rows


def test_that_a_folder_of_very_many_files_is_told_while_it_is_looked_through(
    run_of, tmp_path, monkeypatch
):
    monkeypatch.setattr(image_walk, "_EVERY", 4)
    (tmp_path / "in").mkdir()
    for at in range(10):
        Image.new("RGB", (8, 8)).save(tmp_path / "in" / f"{at}.png")
    request = PredictFile(
        run_folder=str(run_of("pictures").path),
        checkpoint="last",
        data=str(tmp_path / "in"),
        output=str(tmp_path / "o.csv"),
    )
    told: list[PredictionProgress] = []
    assert write_predictions(request, told.append).samples == 10
    found = [each.found for each in told if each.found]
    assert found[:2] == [4, 8]
    assert found == sorted(found)
    assert not any(each.done for each in told[: len(found)])
