import copy
import inspect
import pickle
import traceback
from pathlib import Path

import pytest
import torch

from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.model.module import load_model_file, load_source, node_of_traceback, to_module
from engine.model.source import generate_whole, to_source
from tests.engine.graph.builder import model


def small() -> Graph:
    return model(
        (8,), ("Linear", {"out_features": 5}, "fc1"), ("Linear", {"out_features": 2}, "fc2")
    )


def test_that_the_names_are_the_state_dict_prefixes() -> None:
    assert set(to_module(small()).state_dict()) == {
        "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias",
    }  # fmt: skip


def test_that_a_generated_class_is_like_any_other() -> None:
    module = to_module(small())
    value = torch.rand(3, 8, generator=torch.Generator().manual_seed(0))
    expected = module(value)
    assert inspect.getsource(type(module)) in to_source(small())
    for twin in (pickle.loads(pickle.dumps(module)), copy.deepcopy(module)):
        assert torch.equal(twin(value), expected)
    exported = torch.export.export(module, (value,))
    assert torch.allclose(exported.module()(value), expected)


def test_that_a_traceback_names_the_node() -> None:
    generated = generate_whole(small())
    module = to_module(small())
    with pytest.raises(RuntimeError) as error:
        module(torch.zeros(3, 7))
    assert node_of_traceback(error.value, generated.lines) == "fc1"
    text = "".join(traceback.format_exception(error.value))
    assert "fc1 = self.fc1(x)" in text
    assert node_of_traceback(ValueError("elsewhere"), generated.lines) is None


def test_that_a_model_file_loads_and_names_its_nodes(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    generated = generate_whole(small())
    path.write_text(generated.source, encoding="utf-8")
    module = load_model_file(path)
    assert module(torch.zeros(3, 8)).shape == (3, 2)
    assert type(load_model_file(path)) is type(module)
    with pytest.raises(RuntimeError) as error:
        module(torch.zeros(3, 9))
    assert node_of_traceback(error.value, generated.lines) == "fc1"


def test_that_a_changed_model_file_is_loaded_anew(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(to_source(small()), encoding="utf-8")
    load_model_file(path)
    path.write_text(to_source(model((8,), ("ReLU", {}))), encoding="utf-8")
    assert list(load_model_file(path).parameters()) == []


def test_that_a_file_without_a_model_is_told(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    with pytest.raises(DiagnosticError) as error:
        load_model_file(path)
    assert error.value.problems[0].code == "P037"
    path.write_text("import torch\n", encoding="utf-8")
    with pytest.raises(DiagnosticError) as error:
        load_model_file(path)
    assert error.value.problems[0].code == "S030"


def test_that_a_graph_that_cannot_be_written_is_no_module() -> None:
    with pytest.raises(DiagnosticError):
        to_module(Graph())


def test_that_the_same_source_is_the_same_class() -> None:
    source = analyse(small()).source
    assert load_source(source) is load_source(source)
