"""An exported project trains, evaluates and predicts as its run did, and passes its own tests."""

import ast
import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from engine.api import evaluate, export, predict_file
from engine.runs.folder import RunFolder
from engine.runs.record.store import RunStore
from tests.exported_kinds import trained_once

CODE = """
import importlib
import io
import json
import os
import sys
from contextlib import redirect_stdout

import pytest


def called(function, *arguments):
    told = io.StringIO()
    with redirect_stdout(told):
        function(*arguments)
    return told.getvalue()


for name, folder, data in json.loads(sys.argv[1]):
    os.environ["DATA"] = data
    os.environ.pop("PYTEST_ADDOPTS", None)
    sys.path.insert(0, folder)
    os.chdir(folder)
    train, evaluate, predict = (
        importlib.import_module(f"{name}.{each}") for each in ("train", "evaluate", "predict")
    )
    losses = importlib.import_module(f"tests.test_{name}").LOSSES
    found = {
        "tests": called(pytest.main, ["-p", "no:cacheprovider", "-p", "no:randomly", "tests"]),
        "losses": losses,
        "train": called(train.main, ["--data", data]),
        "evaluate": called(evaluate.main, ["--data", data]),
        "predict": called(predict.main, [data]) if os.path.exists(data) else "",
    }
    notebook = f"{folder}.ipynb"
    if os.path.exists(notebook):
        os.chdir(os.path.dirname(folder))
        with open(notebook) as stream:
            cells = json.load(stream)["cells"]
        code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        text = "\\n".join("".join(each) for each in code)
        text = text.replace("YOURS = []", f"YOURS = [{data!r}]")
        found["cells"] = called(exec, text.replace('DATA = "PATH"', f"DATA = {data!r}"), {})
    print("FOUND" + json.dumps(found))
    del sys.modules["tests"], sys.path[0]
assert not any(name == "engine" or name.startswith("engine.") for name in sys.modules)
"""
IN_CELLS = "table_of_classes"
"""The run that is also exported as a notebook."""

NAMES = ("pictures", "table_of_classes", "table", "labels", "built_in")
"""Kinds of data of which each is read in a way of its own."""


def unpacked(run: RunFolder, folder: Path, name: str) -> Path:
    """Return the folder of the project that is exported of a run."""
    report = export(run.path, "project", folder / f"{name}.zip", checkpoint="last")
    assert report.largest_difference == 0
    assert report.samples > 0
    with zipfile.ZipFile(folder / f"{name}.zip") as archive:
        archive.extractall(folder)
    return folder / name


def values_of(told: str, part: str) -> dict[str, float]:
    """Return what a command says of an epoch or a part."""
    (line,) = re.findall(rf"^{part}: (\{{.*\}})$", told, re.MULTILINE)
    return ast.literal_eval(line)


@pytest.mark.real
@pytest.mark.usefixtures("unconfined")
@pytest.mark.row("S308", "S370", "P27")
@pytest.mark.timeout(900)
def test_that_a_project_does_what_its_run_did(tmp_path, tmp_path_factory, plain_python):
    runs = {name: trained_once(tmp_path_factory, name) for name in NAMES}
    data = {
        name: str(run.document.spec.data.source.params.get("path", ""))
        for name, run in runs.items()
    }
    export(runs[IN_CELLS].path, "notebook", tmp_path / f"{IN_CELLS}.ipynb", checkpoint="last")
    asked = [(name, str(unpacked(run, tmp_path, name)), data[name]) for name, run in runs.items()]
    told = plain_python.output(CODE, json.dumps(asked), folder=tmp_path)
    answers = [json.loads(line[5:]) for line in told.splitlines() if line.startswith("FOUND")]
    for (name, run), found in zip(runs.items(), answers, strict=True):
        assert "2 passed" in found["tests"], (name, found["tests"])
        with RunStore.open(run.path) as store:
            losses = store.scalars("train.loss").values.tolist()
        assert found["losses"] == losses[: len(found["losses"])], name
        expected = evaluate(run.path, "last", "test").metrics["test.loss"]
        for command in ("train", "evaluate"):
            assert values_of(found[command], "test")["loss"] == expected, (name, command)
        if name == IN_CELLS:
            assert values_of(found["cells"], "test")["loss"] == expected
            assert values_of(found["train"], "epoch 1") == values_of(found["cells"], "epoch 1")
            assert found["cells"].count("'prediction': ") == found["predict"].count("\n") - 1 > 0
        if found["predict"]:
            require_predictions(run, found["predict"], tmp_path / f"{name}.csv")


@pytest.mark.real
@pytest.mark.usefixtures("unconfined")
@pytest.mark.row("S308")
@pytest.mark.timeout(900)
def test_that_masks_boxes_and_texts_are_told_in_words(tmp_path, tmp_path_factory, plain_python):
    found: dict[str, list[dict[str, str]]] = {}
    for name in ("masks", "boxes", "language_model"):
        run = trained_once(tmp_path_factory, name)
        folder = unpacked(run, tmp_path, name)
        path = Path(str(run.document.spec.data.source.params["path"]))
        given = path if path.is_file() else next(iter(sorted(path.rglob("*.png"))))
        code = f"from {name}.predict import main\nmain([{str(given)!r}])\n"
        told = plain_python.output(f"import sys\nsys.path.insert(0, '.')\n{code}", folder=folder)
        found[name] = list(csv.DictReader(io.StringIO(told)))
    (mask,) = found["masks"]
    with Image.open(tmp_path / "masks" / mask.pop("mask")) as picture:
        assert picture.mode == "P"
    mask.pop("sample")
    assert sum(map(float, mask.values())) == pytest.approx(1)
    for box in found["boxes"]:
        assert list(box)[1:] == ["prediction", "score", "left", "top", "right", "bottom"]
        assert not box["prediction"].isdigit()
    assert {len(row["prediction"]) for row in found["language_model"]} == {16}


def require_predictions(run: RunFolder, told: str, output: Path) -> None:
    """Compare what the project says of each sample with what Trellis does."""
    path = Path(str(run.document.spec.data.source.params["path"]))
    predict_file(run.path, path, output, checkpoint="last")
    expected = list(csv.DictReader(io.StringIO(output.read_text(encoding="utf-8-sig"))))
    found = list(csv.DictReader(io.StringIO(told)))
    assert len(found) == len(expected) > 0
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.pop("sample")
        for column, value in ours.items():
            if column == "prediction" and len(ours) > 1:
                assert value == theirs[column]
            else:
                assert float(value) == pytest.approx(float(theirs[column]), abs=1e-5), column
