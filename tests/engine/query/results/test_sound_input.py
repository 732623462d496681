"""A sound of the user through a trained model, read as those of the data are."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.query.results.answer import describe_model, predict, take_file
from engine.query.results.request import DescribeModel, Predict, TakeFile
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.run import LoaderSpec
from tests.sound_files import sound_folder, tone, write
from tests.tiny_run import train


@pytest.mark.row("P19")
def test_that_a_file_is_heard_as_the_samples_are_and_one_that_is_none_is_told(
    tmp_path: Path,
) -> None:
    folder = sound_folder(tmp_path / "s", 4)
    proposal = propose_data(ProposeData(path=str(folder)))
    assert proposal.graph is not None
    data = replace(proposal.spec.data, loader=LoaderSpec())
    spec = replace(proposal.spec, data=data, epochs=1, device="cpu", threads=1)
    run = RunFolder.create(tmp_path / "p", proposal.graph, spec)
    assert train(run).status is RunStatus.FINISHED

    def hear(path: Path, field: str = "sound") -> tuple[float, ...]:
        asked = TakeFile(run_folder=str(run.path), checkpoint="last", field=field, path=str(path))
        return take_file(asked).values

    (field,) = describe_model(asked_of(run)).fields
    assert field.example in [hear(path) for path in folder.rglob("*.*")]
    own = write(tmp_path / "own.wav", tone(700, 3, rate=44_100), 44_100)
    values = {"sound": hear(own)}
    answer = predict(Predict(run_folder=str(run.path), checkpoint="last", values=values))
    assert len(answer.values) == 3
    assert sum(answer.values) == pytest.approx(1, abs=1e-4)
    (tmp_path / "text.wav").write_text("no sound")
    for path, name, code in ((tmp_path / "text.wav", "sound", "D361"), (own, "label", "D368")):
        with pytest.raises(DiagnosticError) as caught:
            hear(path, name)
        assert caught.value.problems[0].code == code


def asked_of(run: RunFolder) -> DescribeModel:
    return DescribeModel(run_folder=str(run.path), checkpoint="last")
