"""What templates do once they are trained, beside the figure of their card."""

from pathlib import Path

import msgspec
import pytest
import torch

from engine.project.project import read_template
from engine.query.ask import ask
from engine.query.generation.request import Generate, Sampling
from engine.query.trained import open_trained
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


@pytest.mark.nightly  # 700 steps
@pytest.mark.timeout(3600)
def test_that_two_tasks_are_learned_at_once(tmp_path):
    run = trained_run("multitask-shapes", tmp_path)
    with open_trained(run, "best").in_use() as training:
        part = training.data.tensors("test")
        scores, position = training.model(part["image"])
    assert (scores.argmax(dim=1) == part["label"]).float().mean() > 0.97
    error, center = (position - part["center"]).square(), part["center"]
    r2 = 1 - error.sum() / (center - center.mean(dim=0)).square().sum()
    assert float(r2) == pytest.approx(0.94, abs=0.03)
    assert 32 * torch.sqrt(error.sum(dim=1)).mean() < 1.5, "pixels; the card says about one"
