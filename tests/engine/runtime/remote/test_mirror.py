"""Taking over a run from the station, without a connection between them."""

import msgspec
import pytest
from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import CheckpointRemoved, Warned
from engine.files import sha256
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.journal import RunJournal
from engine.runs.record.state import RunStatus
from engine.runtime.remote import protocol
from engine.runtime.remote.link import LinkLostError
from engine.runtime.remote.mirror import Mirror
from engine.runtime.remote.station import Station
from tests.tiny_run import curves, make_run, train


@pytest.fixture
def there(tmp_path):
    run = make_run(tmp_path / "there")
    train(run)
    return run


@pytest.fixture
def station(there):
    made = Station(there.project, there.id)
    yield made
    made.close()


@pytest.fixture
def mirror_of():
    journals = []

    def make(here):
        journals.append(RunJournal(here.path))
        return Mirror(here, journals[-1])

    yield make
    for journal in journals:
        journal.close()


def take_over(mirror, station):
    is_over = False
    while not is_over:
        is_over = mirror.look(station.answer)
    while mirror.fetch_checkpoint(station.answer):
        continue


@pytest.mark.row("P33")
def test_that_a_run_that_goes_on_there_is_taken_over_anew(there, station, tmp_path):
    document = there.document
    here = RunFolder.create(tmp_path / "here", document.graph, document.spec)
    journal = RunJournal(here.path)
    mirror = Mirror(here, journal)
    take_over(mirror, station)
    assert mirror.end.reason == "finished"
    assert curves(here) == curves(there)
    train(
        there,
        resume=there.checkpoints.joinpath(read_state(there).checkpoints[0].file).name,
        length=5,
    )
    take_over(mirror, station)
    journal.end(mirror.end, 0)
    journal.close()
    state = read_state(here)
    assert curves(here) == curves(there)
    assert (state.status, state.epoch) == (RunStatus.FINISHED, 5)
    assert state.checkpoints == read_state(there).checkpoints
    for saved in state.checkpoints:
        assert sha256(here.checkpoints / saved.file) == saved.sha256


def test_that_a_station_gives_no_file_of_another_place(station):
    for request in (protocol.GetPiece(path="../../x"), protocol.PutFile(path="/x", content=b"")):
        with pytest.raises(DiagnosticError):
            station.answer(request)


OUTSIDE = ("../stolen", "/stolen", "", "x\\..\\..\\stolen", "C:stolen")
NOT_ITS_OWN = ("run.json", "RUN.json", "events.db", ".stolen")


@pytest.mark.row("P33")
@pytest.mark.parametrize("name", [*OUTSIDE, *NOT_ITS_OWN])
def test_that_a_machine_writes_only_what_is_its_own_of_the_folder_of_its_run(
    mirror_of, tmp_path, name
):
    here = make_run(tmp_path)

    def lying(request):
        if isinstance(request, protocol.ListFiles):
            return protocol.FileList(files={name: (1, 1)})
        if isinstance(request, protocol.GetPiece):
            return protocol.Piece(content=b"" if request.offset else b"x")
        return protocol.News(is_over=True)

    mirror = mirror_of(here)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(DiagnosticError) as raised:
        mirror.look(lying)
    assert raised.value.problems[0].code == "R417"
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.row("P33")
def test_that_a_machine_removes_no_file_outside_the_folder_of_its_run(mirror_of, tmp_path):
    here = make_run(tmp_path / "here")
    mine = tmp_path / "mine.txt"
    mine.write_text("kept")

    def lying(request):
        if isinstance(request, protocol.ListFiles):
            return protocol.FileList(files={})
        event = CheckpointRemoved(file="../../../../mine.txt")
        return protocol.News(events=((1, event),))

    with pytest.raises(DiagnosticError):
        mirror_of(here).look(lying)
    assert mine.read_text() == "kept"


def test_that_the_record_here_stays_until_that_there_has_come(there):
    journal = RunJournal(there.path)
    mirror = Mirror(there, journal)
    before = read_state(there)
    mirror.look(lambda _: protocol.News())
    journal.append(Warned(time=0.0, problem=Diagnostic(code="R413")))
    journal.close()
    after = read_state(there)
    assert (after.step, after.checkpoints) == (before.step, before.checkpoints)


@pytest.mark.row("P33")
def test_that_a_file_comes_after_a_lost_connection(there, station, mirror_of, tmp_path):
    document = there.document
    here = RunFolder.create(tmp_path / "here", document.graph, document.spec)
    asked = []

    def lost(request):
        if isinstance(request, protocol.GetPiece):
            asked.append(request.path)
            raise LinkLostError
        return station.answer(request)

    mirror = mirror_of(here)
    with pytest.raises(LinkLostError):
        mirror.look(lost)
    take_over(mirror, station)
    assert asked
    assert {name for name in asked if not (here.path / name).is_file()} == set()


CURVE = protocol.CurvePiece(cursor=1, steps=bytes(8), values=bytes(8))
SAMPLE = protocol.SamplePiece(id=1, step=1, keys=(("a", "b"),), numbers=bytes(4), counts=bytes(2))


@pytest.mark.parametrize(
    "answer",
    [
        protocol.Done(),
        protocol.News(curves={"loss": replace(CURVE, steps=b"")}),
        protocol.News(curves={"loss": replace(CURVE, steps=bytes(3))}),
        protocol.News(curves={"loss": replace(CURVE, values=bytes(16))}),
        protocol.News(samples=(replace(SAMPLE, keys=()),)),
        protocol.News(samples=(replace(SAMPLE, keys=(("a", "b"),) * 2),)),
    ],
)
def test_that_an_answer_that_makes_no_sense_is_refused(mirror_of, tmp_path, answer):
    here = make_run(tmp_path)
    with pytest.raises((ValueError, msgspec.MsgspecError)):
        mirror_of(here).look(lambda _: answer)


@pytest.mark.row("P33")
def test_that_the_parts_of_a_checkpoint_come_with_it(there, station, mirror_of, tmp_path):
    saved = read_state(there).checkpoints[-1].file
    part = there.checkpoints.joinpath(saved).with_suffix(".shards") / "0.distcp"
    part.parent.mkdir()
    part.write_bytes(b"weights")
    document = there.document
    here = RunFolder.create(tmp_path / "here", document.graph, document.spec)
    take_over(mirror_of(here), station)
    copied = here.checkpoints.joinpath(saved).with_suffix(".shards") / "0.distcp"
    assert copied.read_bytes() == b"weights"
