"""What a model is told to answer with."""

import pytest
from msgspec.structs import replace

from engine.project.project import read_template
from engine.query.ask import ask
from engine.query.results.request import DescribeModel
from engine.runs.folder import RunFolder
from engine.runs.process.launch import Launch
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S, read_state


@pytest.mark.parametrize(
    ("template", "told", "answers"),
    [
        ("gan-moons", ("real", True), ()),
        ("iris-mlp", ("", False), ()),
        ("sin-regression", ("", False), ("target",)),
    ],
)
def test_that_an_output_that_nothing_is_compared_with_is_named(template, told, answers, tmp_path):
    drawn = read_template(template)
    spec = replace(drawn.spec, epochs=1)
    run = RunFolder.create(tmp_path, drawn.graph, spec, "First")
    assert run_in_thread(Launch(folder=str(run.path))).join(PATIENCE_S)
    assert read_state(run).problem is None
    inputs = ask(DescribeModel(run_folder=str(run.path)))
    assert (inputs.output, inputs.is_loss) == told
    assert inputs.answers == answers
