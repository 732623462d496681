"""The check of a project's data from the command line."""

import pytest

from tests.engine.data.health.planted import photos


@pytest.fixture
def pictures(tmp_path, run):
    """Return a project about pictures, and their folder."""
    folder = photos(tmp_path / "pictures")
    assert run("new", tmp_path / "project", "--data", folder).code == 0
    return tmp_path / "project", folder


@pytest.mark.row("N31")
def test_that_findings_are_listed_with_samples_and_errors_end_with_one(pictures, run):
    project, folder = pictures
    fine = run("data", project, "--health")
    assert fine.code == 0
    assert "passed: " in fine.out
    assert "near_duplicates" in fine.out
    (folder / "cats/broken.png").write_bytes(b"no picture")
    done = run("data", project, "--health")
    assert done.code == 1
    assert "error D210" in done.out
    assert "cats/broken.png" in done.out


def test_that_the_document_has_indices_and_repairs_but_no_pictures(pictures, run):
    project, folder = pictures
    (folder / "cats/copy.png").write_bytes((folder / "cats/000.png").read_bytes())
    told = run("data", project, "--health", "--json").json()
    found = [each for result in told["checks"] for each in result.get("findings", [])]
    (copy,) = [each for each in found if each["problem"]["code"] in ("D200", "D201")]
    texts = {sample["text"] for sample in copy["samples"]}
    assert texts == {"cats/000.png", "cats/copy.png"}
    assert copy["surplus"]
    assert all("pixels" not in sample for sample in copy["samples"])
