"""Projects on files of the idx format, and the labels that lie beside the pictures."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from engine.data.source.registry import forget_sources
from engine.diagnostics import DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData


def idx(path: Path, values: np.ndarray) -> Path:
    head = bytes((0, 0, 8, values.ndim)) + b"".join(
        size.to_bytes(4, "big") for size in values.shape
    )
    content = head + values.astype(np.uint8).tobytes()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize(
    ("pictures", "labels"),
    [
        ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
        ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
        ("emnist-letters-test-images-idx3-ubyte", "emnist-letters-test-labels-idx1-ubyte.gz"),
        ("t10k-images.idx3-ubyte", "t10k-labels.idx1-ubyte"),
        ("some-images.idx", "some-labels.idx"),
        ("some.idx", "some-labels.idx"),
        ("some.idx.gz", "some-labels.idx.gz"),
    ],
)
def test_that_labels_in_an_idx_file_beside_the_pictures_are_found(tmp_path, pictures, labels):
    other = idx(tmp_path / "valid-labels-idx1-ubyte", np.arange(40) % 7)
    beside = idx(tmp_path / labels, np.arange(40) % 3)
    images = idx(tmp_path / pictures, np.arange(40 * 64).reshape(40, 8, 8) % 256)
    proposal = propose_data(ProposeData(path=str(images)))
    assert proposal.spec.data.source.params["target_path"] == str(beside)
    assert proposal.graph is not None
    target = proposal.info.target
    assert target is not None
    assert target.classes == ("0", "1", "2")
    with pytest.raises(DiagnosticError) as caught:
        propose_data(ProposeData(path=str(beside)))
    problem = caught.value.problems[0]
    assert (problem.code, problem.params["inputs"]) == ("D508", pictures)
    with pytest.raises(DiagnosticError) as caught:
        propose_data(ProposeData(path=str(other)))
    assert caught.value.problems[0].code == "D509"


@pytest.mark.parametrize("name", ["some.idx", "train-images.idx.gz", "some-images-idx3-ubyte"])
def test_that_the_name_told_for_the_labels_of_a_lone_idx_file_is_the_one_that_is_found(
    tmp_path, name
):
    images = idx(tmp_path / name, np.arange(40 * 64).reshape(40, 8, 8) % 256)
    proposal = propose_data(ProposeData(path=str(images)))
    assert proposal.graph is None
    assert [field.shape for field in proposal.info.fields] == [(1, 8, 8)]
    told = next(problem for problem in proposal.info.problems if problem.code == "D575")
    forget_sources()
    idx(tmp_path / str(told.params["labels"]), np.arange(40) % 3)
    proposal = propose_data(ProposeData(path=str(images)))
    assert proposal.graph is not None
    assert "D575" not in {problem.code for problem in proposal.info.problems}


def test_that_the_name_of_the_labels_is_told_of_their_folder_too(tmp_path):
    idx(tmp_path / "train-images-idx3-ubyte", np.arange(40 * 64).reshape(40, 8, 8) % 256)
    info = propose_data(ProposeData(path=str(tmp_path))).info
    told = next(problem for problem in info.problems if problem.code == "D575")
    assert told.params == {"name": "train-images-idx3-ubyte", "labels": "train-labels-idx1-ubyte"}


@pytest.mark.parametrize("names", [("train-images", "train-labels"), ("some", "some-labels")])
@pytest.mark.parametrize("ending", [".idx", ".idx.gz"])
def test_that_a_folder_of_idx_files_of_any_name_is_a_source(tmp_path, names, ending):
    idx(tmp_path / f"{names[0]}{ending}", np.arange(40 * 64).reshape(40, 8, 8) % 256)
    idx(tmp_path / f"{names[1]}{ending}", np.arange(40) % 3)
    proposal = propose_data(ProposeData(path=str(tmp_path)))
    assert proposal.graph is not None
    target = proposal.info.target
    assert target is not None
    assert target.classes == ("0", "1", "2")
