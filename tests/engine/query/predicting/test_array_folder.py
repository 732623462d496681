"""Predictions for idx files, folders of arrays and published sets that are stored as arrays."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.query.ask import write_predictions
from engine.query.predicting.request import PredictFile
from engine.runs.folder import RunFolder
from tests.exported_kinds import KINDS, Kind, idx_row, proposed
from tests.tiny_run import train
from tests.user_data import idx

PICTURES = np.stack([idx_row(number) for number in range(9)])


def trained(folder: Path, kind: Kind) -> RunFolder:
    (folder / "data").mkdir()
    run = RunFolder.create(folder / "project", *proposed(kind, folder / "data"))
    train(run)
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a run of pictures (8 x 8) of an idx file."""
    return trained(tmp_path_factory.mktemp("idx"), KINDS["idx"])


def rows_of(run: RunFolder, data: Path) -> dict[str, list[object]]:
    """Return what is predicted for some data, by the names of the samples."""
    output = run.path / "o.jsonl"
    write_predictions(
        PredictFile(
            run_folder=str(run.path),
            checkpoint="last",
            data=str(data),
            output=str(output),
            overwrite=True,
        )
    )
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    return {row.pop("sample"): [_rounded(each) for each in row.values()] for row in rows}


def _rounded(value: object) -> object:
    """Return a value as far as it does not depend on who else is in its batch."""
    return round(value, 5) if isinstance(value, float) else value


def refused(run: RunFolder, data: Path) -> str:
    with pytest.raises(DiagnosticError) as caught:
        rows_of(run, data)
    return caught.value.problems[0].code


def expected(run: RunFolder, folder: Path, start: str = "") -> dict[str, list[object]]:
    """Return what is predicted for the pictures as they lie in an npy file."""
    np.save(folder / "plain.npy", PICTURES)
    found = rows_of(run, folder / "plain.npy")
    (folder / "plain.npy").unlink()
    return {f"{start}{name}": row for name, row in found.items()}


@pytest.mark.parametrize(
    "name",
    ["t10k-images-idx3-ubyte", "t10k-images-idx3-ubyte.gz", "some.idx", "some.idx.gz"],
)
def test_that_an_idx_file_and_the_folder_of_one_are_predicted(run, tmp_path, name):
    folder = tmp_path / "set"
    folder.mkdir()
    content = idx(PICTURES)
    (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    (folder / "t10k-labels-idx1-ubyte").write_bytes(idx(np.zeros(9, np.uint8)))
    assert rows_of(run, folder / name) == expected(run, tmp_path)
    assert refused(run, folder / "t10k-labels-idx1-ubyte") == "P055"
    if "images" in name:
        assert rows_of(run, folder) == expected(run, tmp_path)


def test_that_a_folder_of_mnist_is_predicted_with_all_its_pictures_and_no_labels(run, tmp_path):
    raw = tmp_path / "root" / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for part in ("train", "t10k"):
        (raw / f"{part}-images-idx3-ubyte").write_bytes(idx(PICTURES))
        (raw / f"{part}-images-idx3-ubyte.gz").write_bytes(b"not read, as it is there unpacked")
    both = [expected(run, tmp_path, f"{part}-images/") for part in ("t10k", "train")]
    assert rows_of(run, tmp_path / "root") == both[0] | both[1]
    assert rows_of(run, raw) == both[0] | both[1]


def test_that_the_input_of_a_folder_of_npy_files_is_found_by_its_name(run, tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    np.save(folder / "y.npy", np.zeros(9, np.int64))
    np.save(folder / "x.npy", PICTURES)
    assert rows_of(run, folder) == expected(run, tmp_path)
    (folder / "x.npy").rename(folder / "what.npy")
    assert refused(run, folder) == "P054"


def test_that_a_folder_of_pictures_is_still_read_by_a_model_of_arrays(run, tmp_path):
    with pytest.raises(DiagnosticError) as caught:
        rows_of(run, tmp_path)
    (problem,) = caught.value.problems
    assert problem.code == "P052"
    assert {".png", "*.idx", ".npy"} <= {*str(problem.params["kinds"]).split(", ")}
    from PIL import Image

    Image.fromarray(PICTURES[0]).save(tmp_path / "a.png")
    assert [*rows_of(run, tmp_path)] == ["a.png"]


def semeion(folder: Path) -> Path:
    """Write a set of torchvision that is a table of numbers: 256 pixels and a class of 10."""
    chance = np.random.default_rng(1)
    labels = np.eye(10, dtype=int)[np.arange(60) % 10]
    rows = np.concatenate([chance.integers(0, 2, (60, 256)), labels], axis=1)
    np.savetxt(folder / "semeion.data", rows, fmt="%d")
    return folder


def test_that_a_published_set_is_predicted_as_in_evaluation(run, tmp_path):
    own = trained(tmp_path, Kind(make=semeion))
    found = rows_of(own, tmp_path / "data")
    output = tmp_path / "part.jsonl"
    write_predictions(
        PredictFile(run_folder=str(own.path), checkpoint="last", part="test", output=str(output))
    )
    part = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [*found] == [str(number) for number in range(60)]
    places = load_data(own.document.spec.data).indices["test"].tolist()
    for place, row in zip(places, part, strict=True):
        kept = [value for name, value in row.items() if name.startswith(("prediction", "prob"))]
        assert np.allclose(np.float32(found[str(place)][1:]), np.float32(kept[1:]), atol=1e-5)
    assert refused(run, tmp_path / "data") == "P055"  # pictures of another size
