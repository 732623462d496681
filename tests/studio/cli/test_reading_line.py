"""How far the reading of data is, on a terminal."""

import io

import pytest
from typing_extensions import override

from engine.query.ask import ask_telling
from engine.query.data.request import ProposeData
from engine.query.predicting.request import PredictionProgress
from engine.runs.record.state import RunState
from engine.spec.progress import FileProgress
from studio.cli import progress
from studio.cli.progress import PredictionLine, ReadingLine, line
from studio.inspect.predict.presenter import present_progress


class Terminal(io.StringIO):
    @override
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(progress, "_INTERVAL_S", 0.0)


def test_that_files_and_rows_are_counted_on_a_terminal_and_leave_nothing_there():
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        line = ReadingLine(stream)
        line.show(FileProgress(path="a", done=100_000, unit="files"))
        line.show(FileProgress(path="a", done=2_000, unit="rows"))
        line.show(FileProgress(path="a", done=3, unit="characters"))
        line.close()
    assert "100,000 files looked at" in terminal.getvalue()
    assert "2,000 rows read" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert file.getvalue() == ""


def test_that_what_is_predicted_is_told_after_what_was_found():
    terminal = Terminal()
    line = PredictionLine(terminal)
    for told in (
        PredictionProgress(done=0, total=0, found=2_048),
        PredictionProgress(done=32, total=2_100),
    ):
        line.show(told)
    shown = terminal.getvalue()
    assert shown.index("2,048 files looked at") < shown.index("32 of 2,100 samples")
    text, done, whole = present_progress(PredictionProgress(done=0, total=0, found=2_048))
    assert ("2,048" in text, done, whole) == (True, 0, 0)


def test_that_a_proposal_tells_of_the_files_that_it_reads(tmp_path):
    for number in range(40):
        folder = tmp_path / "data" / "ab"[number % 2]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.txt").write_text(f"this is text {number}")
    told: list[FileProgress] = []
    assert ask_telling(ProposeData(path=str(tmp_path / "data")), told.append).info.samples == 40
    assert {each.unit for each in told} >= {"files"}


def test_that_a_line_names_a_few_of_many_measures():
    state = RunState(
        epoch=1,
        epochs=2,
        step=4,
        steps_per_epoch=4,
        metrics={f"validation.f1.{at}": 0.5 for at in range(200)},
    )
    assert "validation.f1.0 " in line(state)
    assert "validation.f1.199" not in line(state)
    assert "more" in line(state)
