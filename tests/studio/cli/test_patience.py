"""What a command says while custom code is at work."""

from dataclasses import dataclass

from engine.query.predicting.request import PredictFile
from studio.cli.patience import Patience


@dataclass
class Worker:
    running: str = ""
    has_run_code: bool = False


def test_that_it_is_said_what_is_being_done_and_nothing_while_a_process_starts(capsys):
    worker, now = Worker(), [0.0]
    patience = Patience(worker, PredictFile(run_folder="runs/a"), lambda: now[0])

    def said_at(seconds: float) -> str:
        now[0] = seconds
        patience.look()
        return capsys.readouterr().err

    assert said_at(90) == ""  # it starts
    worker.has_run_code = True
    assert said_at(119) == ""
    first = said_at(121)
    assert "predicting after 31 s" in first
    assert "the project's own code" in first
    assert said_at(150) == ""
    worker.running = "aug.brighter"
    assert "“aug.brighter”" in said_at(182)
