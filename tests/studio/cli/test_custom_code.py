"""Custom code from the command line: what ends its process does not end the command."""

import json

import pytest

CODE = """
import os
from pathlib import Path

import torch
from torch import nn

WISH = Path(%r)


def wish():
    return WISH.read_text() if WISH.exists() else ""


def leaving(features):
    os._exit(5)


def talking(features):
    print("talking")
    if wish() == "transform":
        os._exit(0)
    return features


class Layer(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if wish() == "forward" and type(x) is torch.Tensor and x.device.type == "cpu":
            os._exit(0)
        return x + 0
"""


@pytest.fixture(name="own")
def _own(project):
    (project / "code").mkdir()
    (project / "code" / "own.py").write_text(CODE % str(project / "wish"))
    return project


def put_before_logits(project, kind: str) -> None:
    """Put a layer of the code before the output of the model."""
    file = project / "project.json"
    document = json.loads(file.read_text())
    graph = document["graph"]
    graph["nodes"].append({"id": "layer", "name": "layer", "type": f"code.own.{kind}"})
    kept = [edge for edge in graph["edges"] if not edge.endswith("-> logits.input")]
    graph["edges"] = [*kept, "classifier.output -> layer.x", "layer.output -> logits.input"]
    file.write_text(json.dumps(document))


@pytest.mark.real
@pytest.mark.timeout(240)
@pytest.mark.fault("F13")
def test_that_code_that_ends_its_process_is_told_before_a_run_and_starts_none(run, own):
    words = ("train", own, "--trust", "--json", "--epochs", "1", "--set")
    done = run(*words, "data.transforms.0=own.leaving")
    assert (done.code, done.out) == (1, "")
    assert "“leaving” ended the process" in done.err
    assert "(“own.py”, line 15)" in done.err
    assert run("runs", own, "--json").json()["runs"] == []


@pytest.mark.real
@pytest.mark.timeout(480)
@pytest.mark.fault("F13")
def test_that_code_spoils_no_output_and_takes_no_command_with_it_after_a_run(run, own):
    put_before_logits(own, "Layer")
    setting = "data.transforms.0=own.talking"
    trained = run("train", own, "--trust", "--json", "--epochs", "1", "--set", setting)
    assert trained.json()["state"] == "finished"  # print() is no output of the command
    evaluate = ("evaluate", own, "--run", "latest", "--json")
    predict = ("predict", own, "--run", "latest", "--part", "test", "--json")

    for words in (evaluate, predict):
        refused = run(*words)
        assert (refused.code, refused.out) == (1, "")
        assert "--trust" in refused.err

    evaluated = run(*evaluate, "--trust")
    assert evaluated.json()["split"] == "test"
    assert "talking" in evaluated.err
    predicted = run(*predict, "--trust")
    lines = [json.loads(line) for line in predicted.out.splitlines()]
    assert len(lines) == evaluated.json()["samples"]
    assert "talking" in predicted.err

    ends = (
        (predict, "transform", "“talking” ended the process"),
        (evaluate, "forward", "exit code 0, in “Layer.forward”"),
    )
    for words, wish, told in ends:
        (own / "wish").write_text(wish)
        ended = run(*words, "--trust")
        assert (ended.code, ended.out) == (1, "")
        assert told in ended.err
        assert "“own.py”, line" in ended.err
