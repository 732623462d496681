"""Taking over a run from the station, without a connection between them."""

import pytest

from engine.files import sha256
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.journal import RunJournal
from engine.runs.state import RunStatus
from engine.runtime.remote.mirror import Mirror
from engine.runtime.remote.station import Station
from tests.tiny_run import curves, make_run, train


@pytest.fixture
def there(tmp_path):
    run = make_run(tmp_path / "there")
    train(run)
    return run


def take_over(mirror, station):
    is_over = False
    while not is_over:
        is_over = mirror.look(station.answer)
    while mirror.fetch_checkpoint(station.answer):
        continue


@pytest.mark.row("P33")
def test_that_a_run_that_goes_on_there_is_taken_over_anew(there, tmp_path):
    document = there.document
    here = RunFolder.create(tmp_path / "here", document.graph, document.spec)
    journal, station = RunJournal(here.path), Station(there.project, there.id)
    mirror = Mirror(here, journal)
    take_over(mirror, station)
    assert mirror.end.reason == "finished"
    assert curves(here) == curves(there)
    train(
        there,
        resume=there.checkpoints.joinpath(read_state(there).checkpoints[0].file).name,
        epochs=5,
    )
    take_over(mirror, station)
    journal.end(mirror.end, 0)
    journal.close()
    station.close()
    state = read_state(here)
    assert curves(here) == curves(there)
    assert (state.status, state.epoch) == (RunStatus.FINISHED, 5)
    assert state.checkpoints == read_state(there).checkpoints
    for saved in state.checkpoints:
        assert sha256(here.checkpoints / saved.file) == saved.sha256


def test_that_a_station_gives_no_file_of_another_place(there):
    from engine.diagnostics import DiagnosticError
    from engine.runtime.remote.protocol import GetPiece, PutFile

    station = Station(there.project, there.id)
    for request in (GetPiece(path="../../x"), PutFile(path="/x", content=b"")):
        with pytest.raises(DiagnosticError):
            station.answer(request)
