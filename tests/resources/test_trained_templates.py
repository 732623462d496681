"""What templates do once they are trained, beside the figure of their card."""

from pathlib import Path

import msgspec
import pytest
import torch
from safetensors.torch import load_file

from engine.graph.edit.edits import apply
from engine.graph.edit.lora import RemoveLora, loras
from engine.model.module import to_module
from engine.project.project import copy_weights, read_template
from engine.query.ask import ask
from engine.query.generation.request import Generate, Sampling
from engine.query.lora.request import MergeLora, WeightsSource
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.runs.teacher import create_run
from tests.tiny_run import read_state, train

NAMES = Path(__file__).parents[2] / "resources" / "texts" / "names.txt"


def trained_run(name: str, folder: Path) -> RunFolder:
    """Return a run of a template that is finished."""
    document = read_template(name)
    copy_weights(name, folder)
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


def perplexity(model: torch.nn.Module, part: dict[str, torch.Tensor]) -> float:
    """Return the perplexity of a model of texts on samples."""
    with torch.no_grad():
        scores = model.eval()(part["text"])
    return float(torch.nn.functional.cross_entropy(scores, part["target"]).exp())


@pytest.mark.nightly  # 960 steps
@pytest.mark.timeout(3600)
@pytest.mark.row("S259")
def test_that_low_rank_pairs_teach_the_gpt_names_and_are_merged(tmp_path):
    run = trained_run("gpt-lora", tmp_path)
    graph, file = run.document.graph, tmp_path / "merged.safetensors"
    source = WeightsSource(run_folder=str(run.path), checkpoint="best")
    request = MergeLora(graph=graph, source=source, modules=tuple(loras(graph)), target=str(file))
    assert ask(request).blocks == len(loras(graph)) == 5
    plain = to_module(apply(RemoveLora(places=tuple(graph.nodes)), graph))
    with open_trained(run, "best").in_use() as training:
        part = training.data.tensors("test")
        reached = perplexity(training.model, part)
    plain.load_state_dict(load_file(tmp_path / run.document.spec.weights))
    assert perplexity(plain, part) > 30, "Shakespeare is no list of names"
    plain.load_state_dict(load_file(file))
    assert perplexity(plain, part) == pytest.approx(reached, rel=1e-3)
    assert reached < 10


@pytest.mark.nightly  # 240 steps, twice
@pytest.mark.timeout(3600)
def test_that_the_trunk_that_comes_with_it_is_what_the_head_learns_by(tmp_path):
    run = trained_run("resnet-finetune", tmp_path)
    document = run.document
    untrained = create_run(
        tmp_path, document.graph, msgspec.structs.replace(document.spec, weights="")
    )
    values = [read_state(run), train(untrained, patience_s=3000)]
    with_it, without = (state.metrics["test.accuracy"] for state in values)
    assert with_it > without + 0.3
