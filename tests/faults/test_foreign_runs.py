"""Runs that somebody sent: what their record names, and links below their folder."""

from pathlib import Path

import msgspec
import pytest

from engine.diagnostics import DiagnosticError
from engine.events import CheckpointSaved, GraphCaptured, ProfileTaken, decode_event, encode_event
from engine.files import FileWriteError
from engine.graph.profile_report import ProfileReport
from engine.project import Project
from engine.runs.record.shard_folder import SUFFIX, remove_orphans
from engine.runs.record.step_files import StepFiles
from studio.cli import main
from tests.tiny_run import make_run

SECRET = b"what nobody else may read"
OUTSIDE = ("/etc/passwd", "../../../../.ssh/id_ed25519", "C:\\x", "\\\\host\\share\\x", "a/../../x")


class Content(msgspec.Struct, frozen=True):
    """What a file of this test holds."""

    number: int


KIND = StepFiles(Content, "kind", ending="one", kept=2, unreadable="A002")


def link(place: Path, target: Path) -> None:
    try:
        place.symlink_to(target, target_is_directory=target.is_dir())
    except OSError:
        pytest.skip("this user may not make links")


@pytest.mark.fault("S08")
@pytest.mark.parametrize("place", OUTSIDE)
def test_that_a_record_names_no_file_outside_of_its_run(place: str) -> None:
    events = (
        GraphCaptured(step=1, file=place, functions=1, edges=0),
        CheckpointSaved(file=place, sha256="", step=1, epoch=0, tags=("last",)),
        ProfileTaken(step=1, report=ProfileReport(steps=1, rows=()), file=place),
    )
    for event in events:
        with pytest.raises(msgspec.ValidationError):
            decode_event(encode_event(event))


def test_that_a_record_names_files_of_its_run() -> None:
    event = GraphCaptured(step=1, file="autograd/000000001.graph", functions=1, edges=0)
    assert decode_event(encode_event(event)) == event


@pytest.mark.fault("S08")
def test_that_a_folder_of_artefacts_that_is_a_link_is_not_written_through(tmp_path) -> None:
    outside, artefacts = tmp_path / "outside", tmp_path / "artefacts"
    outside.mkdir()
    artefacts.mkdir()
    for step in range(5):
        (outside / f"{step:09d}.one").write_bytes(SECRET)
    before = sorted(outside.iterdir())
    link(artefacts / "kind", outside)
    with pytest.raises(FileWriteError) as caught:
        KIND.write(artefacts, 7, Content(7))
    assert caught.value.problems[0].code == "P031"
    assert sorted(outside.iterdir()) == before


@pytest.mark.fault("S08")
@pytest.mark.parametrize("is_folder", [True, False])
def test_that_an_artefact_is_read_through_no_link(tmp_path, *, is_folder: bool) -> None:
    outside, artefacts = tmp_path / "outside", tmp_path / "artefacts"
    outside.mkdir()
    artefacts.mkdir()
    (outside / "000000001.one").write_bytes(msgspec.msgpack.encode(Content(1)))
    if is_folder:
        link(artefacts / "kind", outside)
    else:
        (artefacts / "kind").mkdir()
        link(artefacts / "kind" / "000000001.one", outside / "000000001.one")
    with pytest.raises(DiagnosticError) as caught:
        KIND.read(artefacts / "kind" / "000000001.one")
    assert caught.value.problems[0].code in {"P031", "P033"}


@pytest.mark.fault("S08")
def test_that_parts_of_a_checkpoint_are_not_written_where_a_link_leads(tmp_path) -> None:
    outside, checkpoints = tmp_path / "outside", tmp_path / "checkpoints"
    outside.mkdir()
    checkpoints.mkdir()
    (outside / "mine.txt").write_bytes(SECRET)
    place = checkpoints / f"step-00000009-0003{SUFFIX}"
    link(place, outside)
    remove_orphans(checkpoints)
    assert not place.is_symlink()
    assert (outside / "mine.txt").read_bytes() == SECRET


@pytest.mark.fault("S08")
@pytest.mark.parametrize("created", [1e300, -1e300, 1e12])
def test_that_a_run_of_no_day_hides_no_other(created: float, tmp_path: Path, capsys) -> None:
    project = Project.create(tmp_path / "iris", "iris-mlp").path
    make_run(project)
    damaged = make_run(project).path / "run.json"
    document = msgspec.json.decode(damaged.read_bytes())
    damaged.write_bytes(msgspec.json.encode(document | {"created": created}))
    main(["runs", str(project)])
    told = capsys.readouterr()
    assert "run-0001" in told.out
    assert "run-0002" in told.err
    assert "unexpected" not in told.err


def test_that_an_event_of_no_day_is_none() -> None:
    event = GraphCaptured(step=1, file="", functions=1, edges=0, time=1e300)
    with pytest.raises(msgspec.ValidationError):
        decode_event(encode_event(event))
