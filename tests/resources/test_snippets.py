"""Files of own code that a new one begins as: each offers what it is for, and runs."""

import ast

import pytest
import torch
from msgspec.structs import replace

from engine.catalog.code.file import read_file
from engine.custom.module import custom_source, error_line, load_custom_code
from engine.custom.trust import set_trust
from engine.data.load.load import load_data
from engine.data.load.part import BatchIndex
from engine.graph.code import code_data
from engine.graph.edit.code_edits import file_name_problem
from engine.graph.model import Node
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.spec.run import Choice, DataSpec
from studio.model.custom_code.snippet import free_file, snippet_text, snippet_titles
from tests.engine.graph.builder import model

LANGUAGES = ("en", "zh_CN")
KINDS = {
    "functions": "nodes",
    "layers": "nodes",
    "weights": "nodes",
    "gradients": "nodes",
    "shapes": "nodes",
    "losses": "losses",
    "masks": "losses",
    "metrics": "metrics",
    "initialisers": "initialisers",
}
DATA = ("datasets", "sequences", "streams")


def loaded(name: str, language: str):
    text = snippet_text(name, language)
    offered = getattr(read_file(f"{name}.py", text), KINDS[name])
    (offer,) = offered
    code = {f"{name}.py": text}
    set_trust(code, trusted=True)
    made = getattr(load_custom_code(code, f"{name}.py").module, offer)
    set_trust(code, trusted=False)
    return made, offered[offer]


@pytest.mark.row("S098")
@pytest.mark.parametrize("language", LANGUAGES)
def test_that_each_snippet_runs_and_computes_what_it_says(language):
    x = torch.tensor([[-1.0, 0.0, 3.0]])
    swish, entry = loaded("functions", language)
    torch.testing.assert_close(swish(x), torch.nn.functional.silu(x))
    assert entry.param("beta").help
    centered, _ = loaded("layers", language)
    assert centered()(x).mean().abs() < 1e-6
    linear, entry = loaded("weights", language)
    assert linear(3)(x).shape == (1, 16)
    assert entry.param("in_features").auto
    exp, _ = loaded("gradients", language)
    assert torch.autograd.gradcheck(exp.apply, (x.double().requires_grad_(),))
    loss, entry = loaded("losses", language)
    torch.testing.assert_close(loss()(x, x + 1), torch.tensor(1.0).cosh().log())
    assert entry.param("scale").default == 1.0
    dice, entry = loaded("masks", language)
    mask = torch.tensor([[1.0, 0.0, 1.0]])
    assert dice()(mask, mask) == 0
    assert dice(smooth=1.0)(mask, 1 - mask) == 0.75
    metric, is_higher_better = loaded("metrics", language)
    confidence = metric()
    for scores, label in (([[0.0, 0.0]], [1]), ([[0.0, 0.0], [50.0, 0.0]], [0, 0])):
        confidence.update(torch.tensor(scores), torch.tensor(label))
    torch.testing.assert_close(confidence.compute(), torch.tensor(2 / 3))
    assert is_higher_better
    fill, entry = loaded("initialisers", language)
    assert 0 < fill(torch.empty(100)).abs().max() <= 0.1
    assert entry.summary


@pytest.mark.row("S297")
@pytest.mark.parametrize(("sizes", "fits"), [((3,), True), ((-1,), True), ((4,), False)])
def test_that_a_shape_assertion_on_a_wire_is_checked_as_the_model_is_drawn(sizes, fits):
    graph = model((5,), ("Linear", {"out_features": 3}, "first"), ("ReLU", {}, "act"))
    code = {"shapes.py": snippet_text("shapes", "en")}
    kind = "code.shapes.expect_shape"
    stop = Node(id="stop", type=kind, name="stop", params={"sizes": sizes})
    graph = replace(graph, code=code, nodes=graph.nodes | {"stop": stop})
    before = next(edge for edge in graph.edges if edge.target == "act")
    around = (
        replace(before, target="stop", target_port="x"),
        replace(before, source="stop", source_port="output"),
    )
    graph = replace(graph, edges=(*(e for e in graph.edges if e != before), *around))
    set_trust(code, trusted=True)
    found = analyse(graph)
    assert [(p.code, p.node) for p in found.problems] == ([] if fits else [("U014", "stop")])
    if fits:
        assert to_module(graph)(torch.zeros(2, 5)).shape == (2, 3)
    else:
        assert "expected (4,), got (3,)" in found.problems[0].detail
    set_trust(code, trusted=False)


def test_that_both_languages_have_the_same_code():
    for name in KINDS:
        english, chinese = (ast.parse(snippet_text(name, each)) for each in LANGUAGES)
        for tree in (english, chinese):
            for part in ast.walk(tree):
                if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
                    part.value = ast.Constant("")
        assert ast.dump(english) == ast.dump(chinese)


def test_that_a_new_file_has_a_free_name_that_can_be_imported():
    for name in snippet_titles():
        assert snippet_text(name, "en")
        assert file_name_problem(free_file(name, ())) is None
    assert free_file("layers", {"layers.py", "layers2.py"}) == "layers3.py"


def test_that_an_error_while_a_class_is_read_in_names_its_own_line():
    code = {"bad.py": "import torch\n\n\nclass A(torch.nn.Module):\n    x = 1\n    y = torch.no\n"}
    set_trust(code, trusted=True)
    with pytest.raises(AttributeError) as caught:
        load_custom_code(code, "bad.py")
    _, places = custom_source(code, "bad.py")
    assert error_line(caught.value, code, "code:bad.A", places) == ("bad.py", 6)
    set_trust(code, trusted=False)


@pytest.mark.row("S133")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", DATA)
def test_that_each_snippet_of_data_can_be_trained_on(name, language):
    code = {f"{name}.py": snippet_text(name, language)}
    set_trust(code, trusted=True)
    try:
        (entry,) = code_data(code)
        samplers = entry.param("sampler").choices
        choice = Choice(type=entry.key, params={"sampler": samplers[-1]})
        data = load_data(DataSpec(source=choice), code)
    finally:
        set_trust(code, trusted=False)
    assert data.info.problems == () or name == "streams"
    assert {info.role for info in data.info.fields} == {"input", "target"}
    batch = data.training.batch(BatchIndex(1, 1, 0, data.sampler.order(1, 1)[:8]))
    assert {len(values) for values in batch.values()} == {8}
    assert len(entry.params) > 2
    assert all(param.help for param in entry.params)
