"""The whole computation as a file of ONNX."""

import importlib.util

import pytest
import torch

from engine.diagnostics import DiagnosticError
from engine.export import formats
from engine.export.onnx_file import write_onnx
from engine.export.write import export_run
from tests.engine.export.test_program import job_of, words
from tests.tiny_run import chain, node


@pytest.mark.real
@pytest.mark.row("S305", "S306")
def test_that_onnx_runtime_computes_the_same_for_any_batch_size_and_length(tmp_path, plain_python):
    made = job_of(words(node("Linear", "head", out_features=2)))
    written = write_onnx(made, tmp_path / "m.onnx")
    assert written.difference < 1e-5
    assert (written.batches, [notice.code for notice in written.notices]) == (3, ["X041", "X047"])
    torch.save(made.module(torch.ones(7, 9, dtype=torch.int64)), tmp_path / "wanted.pt")
    code = (
        "import numpy, onnxruntime, torch\n"
        "session = onnxruntime.InferenceSession('m.onnx')\n"
        "found, = session.run(['out'], {'tokens': numpy.ones((7, 9), numpy.int64)})\n"
        "print(torch.allclose(torch.from_numpy(found), torch.load('wanted.pt'), atol=1e-5))\n"
        "print(session.get_inputs()[0].shape)\n"
    )
    assert plain_python.output(code, folder=tmp_path).split("\n")[:2] == [
        "True",
        "['batch', 'tokens_1']",
    ]
    assert plain_python.output(written.snippet, folder=tmp_path).startswith("[array(")


def test_that_an_operator_that_onnx_lacks_is_named_with_its_node(tmp_path):
    graph = chain(
        node("Input", "x", shape=(3, 8, 8)),
        node("Conv2d", "conv", out_channels=4, kernel_size=3),
        node("AdaptiveMaxPool2d", "odd", output_size=(4, 4)),
        node("Output", "out"),
    )
    with pytest.raises(DiagnosticError) as error:
        write_onnx(job_of(graph), tmp_path / "m.onnx")
    problem = error.value.problems[0]
    assert (problem.code, problem.node) == ("X044", "odd")
    assert problem.params == {"node": "odd", "operator": "aten.adaptive_max_pool2d"}
    assert not list(tmp_path.iterdir())


def test_that_missing_packages_are_named_before_anything_is_loaded(trained, tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(formats, "find_spec", lambda name: None if name == "onnx" else found(name))
    with pytest.raises(DiagnosticError) as error:
        export_run(trained.folder.path, "onnx", tmp_path / "m.onnx", "best", tell=pytest.fail)
    problem = error.value.problems[0]
    assert (problem.code, problem.params["packages"]) == ("X043", "onnx")
    assert (problem.params["extra"], problem.params["needs"]) == ("onnx", "onnx")
