"""A video of the user through a trained model, read as those of the data are."""

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
from tests.tiny_run import train
from tests.video_files import moving, video_folder, write

pytestmark = [
    pytest.mark.real,
    pytest.mark.usefixtures("unconfined"),  # a file is tried in a process that loads PyTorch
]


@pytest.mark.row("P19")
def test_that_a_file_is_seen_as_the_samples_are_and_one_that_is_none_is_told(
    tmp_path: Path,
) -> None:
    folder = video_folder(tmp_path / "v", 4)
    proposal = propose_data(ProposeData(path=str(folder)))
    assert proposal.graph is not None
    data = replace(proposal.spec.data, loader=LoaderSpec())
    spec = replace(proposal.spec, data=data, epochs=1, device="cpu", threads=1)
    run = RunFolder.create(tmp_path / "p", proposal.graph, spec)
    assert train(run).status is RunStatus.FINISHED

    def watch(path: Path, field: str = "video") -> tuple[float, ...]:
        asked = TakeFile(run_folder=str(run.path), checkpoint="last", field=field, path=str(path))
        return take_file(asked).values

    (field,) = describe_model(DescribeModel(run_folder=str(run.path), checkpoint="last")).fields
    name = field.text or ""
    assert field.example == watch(folder / name)
    own = write(tmp_path / "own.webm", moving((1, 0), 40, 64, 96))
    answer = predict(
        Predict(run_folder=str(run.path), checkpoint="last", values={"video": watch(own)})
    )
    assert sum(answer.values) == pytest.approx(1, abs=1e-4)
    (tmp_path / "text.mp4").write_text("no video")
    for path, chosen, code in ((tmp_path / "text.mp4", "video", "D391"), (own, "label", "D368")):
        with pytest.raises(DiagnosticError) as caught:
            watch(path, chosen)
        assert caught.value.problems[0].code == code
