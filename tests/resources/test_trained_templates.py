"""What templates do once they are trained, beside the figure of their card."""

from pathlib import Path

import msgspec
import pytest

from engine.project.project import read_template
from engine.query.ask import ask
from engine.query.generation.request import Generate, Sampling
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.runs.teacher import create_run
from tests.tiny_run import train

NAMES = Path(__file__).parents[2] / "resources" / "texts" / "names.txt"


def trained_run(name: str, folder: Path) -> RunFolder:
    """Return a run of a template that is finished."""
    document = read_template(name)
    run = create_run(folder, document.graph, document.spec)
    state = train(run, patience_s=3000)
    assert state.status is RunStatus.FINISHED, state.problem
    return run


@pytest.mark.nightly  # 1,000 steps
@pytest.mark.timeout(3600)
@pytest.mark.row("P19")
def test_that_the_model_of_names_makes_up_new_ones(tmp_path):
    run = trained_run("names-gru", tmp_path)
    sampling = Sampling(temperature=0.8, top_k=12, seed=0, tokens=800)
    question = Generate(
        run_folder=str(run.path), texts={"text": "Ma"}, sampling=sampling, seconds=600.0
    )
    step = ask(question)
    assert ask(question).text == step.text
    assert ask(msgspec.structs.replace(question, texts={"text": "Jo"})).text != step.text
    whole = (step.before + step.text).splitlines()[:-1]  # the last one may not be at its end
    assert whole[0].startswith("Ma")
    assert len(whole) > 80
    assert sum(name.isalpha() and name == name.title() for name in whole) > 0.95 * len(whole)
    known = set(NAMES.read_text(encoding="utf-8").splitlines())
    assert 0.05 < sum(name in known for name in whole) / len(whole) < 0.6, "learned, not by heart"
