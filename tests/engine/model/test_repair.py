"""Each mistake that people make has fixes, and each of them really mends it."""

from functools import reduce

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.diagnostics import Diagnostic, Severity, sentence
from engine.graph.edit.edits import RemoveNodes, SetParam, apply
from engine.graph.edit.grouping import group
from engine.graph.model import Graph
from engine.graph.query import incoming
from engine.graph.repair.case import RepairProposal
from engine.model.analysis import Analyser
from engine.model.module import to_module
from engine.model.repair import Repairer
from engine.spec.data import DataInfo, FieldInfo, SplitInfo
from engine.spec.defaults import default_spec, fit_inputs
from engine.spec.fields import set_value
from engine.spec.repair import repaired
from engine.spec.run import RunSpec
from tests.engine.graph.builder import add, chain, model, wire
from tests.engine.shape.test_mistakes import CONV, IMAGE, really_fails, two_inputs

ANALYSER = Analyser()


def errors(graph: Graph) -> list[Diagnostic]:
    return [p for p in ANALYSER.analyse(graph).problems if p.severity is Severity.ERROR]


def offered(graph: Graph) -> list[str]:
    """Return the words of the fixes of the one problem of a graph; each was tried and mends it."""
    repairer = Repairer(graph, ANALYSER.analyse)
    (problem,) = repairer.problems
    found = repairer.repairs(problem)
    for fix in found:
        assert fix.edit is not None
        after = apply(fix.edit, graph)
        assert ANALYSER.analyse(after).problems == ()
        assert not really_fails(after, ANALYSER.analyse(after))
        for language in ("en", "zh_CN"):
            assert "{" not in sentence(fix.words, language)
    return [sentence(fix.words) for fix in found]


@pytest.mark.row("N05")
@pytest.mark.row("S014")
@pytest.mark.row("S015")
@pytest.mark.row("S337")
@pytest.mark.row("S340")
@pytest.mark.row("S341")
@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (model(IMAGE, ("Flatten", {}), ("Linear", {"in_features": 64, "out_features": 10}, "bad")),
         ["Set in_features of “bad” to auto", "Set in_features of “bad” to 2352"]),
        (model(IMAGE, ("Linear", {"in_features": 2352, "out_features": 10}, "bad")),
         ["Insert Flatten() before “bad”"]),
        (model((16, 5, 5), ("Linear", {"in_features": 64, "out_features": 10}, "bad")),
         ["Insert Flatten() before “bad” and infer its in_features"]),
        (model((5, 8), ("Linear", {"in_features": 5, "out_features": 2}, "bad")),
         ["Transpose the input of “bad”: transpose(1, 2)"]),
        (model((28, 28, 3), ("Conv2d", {"in_channels": 3, **CONV}, "bad")),
         ["Move the channels after the batch before “bad”: permute((0, 3, 1, 2))"]),
        (model((1, 28, 28), ("Conv2d", {"in_channels": 3, **CONV}, "bad")),
         ["Set in_channels of “bad” to auto", "Set in_channels of “bad” to 1",
          "Repeat the single channel 3 times before “bad”: expand((-1, 3, -1, -1))"]),
        (model((28, 28), ("Conv2d", CONV, "bad")),
         ["Add a channel axis before “bad”: unsqueeze(1)"]),
        (model((784,), ("Conv2d", CONV, "bad")),
         ["Reshape to 1 × 28 × 28 before “bad”: Unflatten(1, (1, 28, 28))"]),
        (model((3, 2, 2), ("Conv2d", CONV, "bad")),
         ["Set padding of “bad” to 1", "Set kernel_size of “bad” to 2"]),
        (model((3, 9, 2), ("MaxPool2d", {"kernel_size": 4}, "bad")),
         ["Set padding of “bad” to 1", "Set kernel_size of “bad” to 2", "Remove “bad”"]),
        (model((3, 8, 8), ("MaxPool2d", {"kernel_size": 2, "padding": 3}, "bad")),
         ["Set padding of “bad” to 1", "Set kernel_size of “bad” to 6"]),
        (model((4, 8, 8), ("Conv2d", {"out_channels": 6, "kernel_size": 3, "groups": 4}, "bad")),
         ["Set groups of “bad” to 2", "Set out_channels of “bad” to 8"]),
        (model((4,), ("Embedding", {"num_embeddings": 9, "embedding_dim": 3}, "bad")),
         ["Convert to int64 before “bad”: cast(int64)", "Set dtype of “x” to int64"]),
        (model(IMAGE, ("BatchNorm2d", {"num_features": 8}, "bad")),
         ["Set num_features of “bad” to auto"]),
        (model((8,), ("BatchNorm2d", {}, "bad")),
         ["Use BatchNorm1d instead of BatchNorm2d for “bad”"]),
        (model((8,), ("LSTM", {"hidden_size": 3, "batch_first": True}, "bad")),
         ["Add an axis of size 1 before “bad”: unsqueeze(1)"]),
        (model((16, 4, 4), ("view", {"shape": (-1, 400)}, "bad"), ("Linear", {"out_features": 3})),
         ["Set shape of “bad” to (-1, 256)"]),
        (model((4, 6), ("permute", {"dims": (0, 2)}, "bad")),
         ["Set dims of “bad” to (0, 2, 1)"]),
        (model((4, 6), ("permute", {"dims": (0, 2, 2)}, "bad")),
         ["Set dims of “bad” to (0, 2, 1)"]),
        (model((4, 6), ("permute", {"dims": (0, 2, 3)}, "bad")),
         ["Set dims of “bad” to (0, 2, 1)"]),
        (model((4, 6), ("flip", {"dims": (1, 3)}, "bad")), ["Set dims of “bad” to (1)"]),
        (model((4, 6), ("cat", {"dim": 3}, "bad")), ["Set dim of “bad” to 2"]),
        (model((4, 6), ("unbind", {"dim": 1, "count": 3}, "bad")), ["Set count of “bad” to 4"]),
        (model((512,), ("expand", {"sizes": (-1, 512, 7, 7)}, "bad")),
         ["Insert reshape((-1, 512, 1, 1)) before “bad”"]),
        (model((8,), ("unsqueeze", {"dim": 5}, "bad")), ["Set dim of “bad” to 2"]),
        (model((), ("Linear", {"out_features": 2}, "bad")),
         ["Add an axis of size 1 before “bad”: unsqueeze(-1)"]),
        (model((8,), ("Linear", {"out_features": 3}, "bad"), dtype="int64"),
         ["Convert to float32 before “bad”: cast(float32)"]),
        (model((8,), ("mean", {"dim": 1}, "bad"), dtype="int64"),
         ["Convert to float32 before “bad”: cast(float32)"]),
        (model((4, 6), ("transpose", {"dim0": 1, "dim1": 2}), ("view", {"shape": (-1, 24)}, "bad")),
         ["Use reshape instead of view for “bad”", "Insert contiguous() before “bad”"]),
        (two_inputs("cat", (3, 8), (3, 9), dim=1), ["Set dim of “bad” to 2"]),
        (two_inputs("cat", (3, 8), (3,), dim=1), ["Insert Flatten() before “bad.tensors.0”"]),
        (two_inputs("matmul", (3, 4), (3, 4)),
         ["Transpose the input of “bad.other”: transpose(-2, -1)",
          "Transpose the input of “bad.input”: transpose(-2, -1)"]),
        (two_inputs("matmul", (3, 4), (4, 3), "float64"),
         ["Convert to float32 before “bad.other”: cast(float32)"]),
        (two_inputs("add", (8,), (8, 5)),
         ["Add an axis of size 1 before “bad.input”: unsqueeze(-1)"]),
        (model((5, 8), ("LSTM", {"hidden_size": 3}, "odd")),
         ["Set batch_first of “odd” to True", "Swap batch and time before “odd”"]),
        (model((8,), ("Dropout2d", {}, "odd")), ["Use Dropout instead of Dropout2d for “odd”"]),
    ],
)  # fmt: skip
def test_that_a_mistake_is_offered_fixes_that_mend_it(graph: Graph, words: list[str]) -> None:
    found = offered(graph)
    for given_text, expected in zip(found, words, strict=False):
        assert given_text.startswith(expected)
    assert len(found) >= len(words)


@pytest.mark.row("S027")
@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([("Parameter", {"shape": (4,)}), ("relu", {"inplace": True}, "bad")],
         "Set inplace of “bad” to False"),
        ([("Constant", {"shape": (4,), "fill": "uniform", "dtype": "int64"}, "bad")],
         "Set dtype of “bad” to float32"),
    ],
)  # fmt: skip
def test_that_a_tensor_of_the_model_is_mended_as_well(nodes: list, words: str) -> None:
    repairer = Repairer(chain(*nodes, ("Output", {})), ANALYSER.analyse)
    (problem,) = [p for p in repairer.problems if p.node == "bad"]
    assert [sentence(fix.words) for fix in repairer.repairs(problem)] == [words]


@pytest.mark.row("S323")
@pytest.mark.parametrize("between", [[], [("ReLU", {})], [("Dropout", {})]])
def test_that_a_view_after_a_permute_is_found_before_it_runs(between: list) -> None:
    graph = model((4, 6), ("permute", {"dims": (0, 2, 1)}), *between, ("view", {"shape": (-1, 24)}))
    assert [p.code for p in errors(graph)] == ["S040"]
    assert really_fails(graph, ANALYSER.analyse(graph))
    graph = model((4, 6), ("permute", {"dims": (0, 2, 1)}), ("contiguous", {}), *between,
                  ("view", {"shape": (-1, 24)}))  # fmt: skip
    assert errors(graph) == []
    assert not really_fails(graph, ANALYSER.analyse(graph))


@pytest.mark.row("S088")
def test_that_a_single_sample_gets_a_batch_axis() -> None:
    graph = model((3, 8, 8), ("select", {"dim": 0, "index": 0}), ("BatchNorm2d", {}, "bad"))
    repairer = Repairer(graph, ANALYSER.analyse)
    (problem,) = repairer.problems
    words = [sentence(fix.words) for fix in repairer.repairs(problem)]
    assert words[0] == "Add a batch axis before “bad”: unsqueeze(0)"


def test_that_a_mistake_inside_a_block_is_mended_in_the_block() -> None:
    graph = model(IMAGE, ("Conv2d", CONV, "conv"), ("Linear", {"in_features": 2704,
                  "out_features": 3}, "bad"))  # fmt: skip
    grouped = group(graph, ("conv", "bad"), "Head")
    repairer = Repairer(grouped.graph, ANALYSER.analyse)
    (problem,) = repairer.problems
    assert problem.node == f"{grouped.node}/bad"
    first = repairer.repairs(problem)[0]
    assert sentence(first.words) == "Insert Flatten() before “bad”"
    assert first.edit is not None
    after = apply(first.edit, grouped.graph)
    assert errors(after) == []
    assert after.nodes == grouped.graph.nodes
    assert any(node.type == "Flatten" for node in after.blocks["Head"].nodes.values())


def test_that_a_fix_is_offered_though_it_shows_a_mistake_further_on() -> None:
    specs = [("Linear", {"in_features": 3, "out_features": 4}, "one"),
             ("Linear", {"in_features": 5, "out_features": 2}, "two")]  # fmt: skip
    graph = model((8,), *specs)
    repairer = Repairer(graph, ANALYSER.analyse)
    (problem,) = repairer.problems
    first = repairer.repairs(problem)[0]
    assert first.edit is not None
    assert [p.node for p in errors(apply(first.edit, graph))] == ["two"]


def test_that_a_fix_is_offered_though_the_loss_is_not_content_either() -> None:
    graph = model((2, 4), ("Linear", {"in_features": 8, "out_features": 7}, "fc"))
    series = replace(digits().fields[0], shape=(2, 4))
    info = replace(digits(), fields=(series, digits().fields[1]))
    words, _, _ = found_fixes(graph, "S003", info)
    assert words[0] == "Insert Flatten() before “fc”"  # now seven scores for ten classes are seen


@pytest.mark.row("S020")
@pytest.mark.parametrize("loss", ["MSELoss", "BCEWithLogitsLoss"])
def test_that_classes_are_offered_as_one_hot_rows_where_a_loss_wants_numbers(loss: str) -> None:
    graph = model((8,), ("Linear", {"out_features": 10}, "fc"))
    words, fixes, spec = found_fixes(graph, "R037", digits(), losses__0__loss=loss)
    assert "Use one-hot classes of “y” as the target: one_hot(10)" in words
    fix = next(fix for fix in fixes if "one-hot" in sentence(fix.words))
    after, changed = repaired(fix, with_field(graph), spec, digits())
    assert changed.losses[0].inputs == {"input": "model.output", "target": "model.y_one_hot"}
    made = to_module(after)
    rows = made(torch.zeros(4, 8), torch.tensor([0, 2, 1, 3]))[1]
    assert torch.equal(rows, torch.eye(10)[[0, 2, 1, 3]])
    other = replace(digits(), fields=(*digits().fields, replace(digits().fields[0], name="z")))
    assert fit_inputs(after, other) == after  # an input that takes a target keeps it


def digits(task: str = "classification") -> DataInfo:
    target = FieldInfo(name="y", role="target", kind="class", shape=(), dtype="int64",
                       classes=tuple("0123456789"))  # fmt: skip
    if task == "regression":
        target = FieldInfo(name="y", role="target", kind="number", shape=(), dtype="float32")
    return DataInfo(
        source="digits", samples=65, task=task,
        fields=(FieldInfo(name="x", role="input", kind="vector", shape=(8,), dtype="float32"),
                target),
        splits=(SplitInfo(name="train", samples=65),),
    )  # fmt: skip


def with_field(graph: Graph) -> Graph:
    return apply(SetParam(id="x", name="field", value="x"), graph)


def found_fixes(
    graph: Graph, code: str, info: DataInfo, **fields: object
) -> tuple[list[str], list[RepairProposal], RunSpec]:
    graph = with_field(graph)
    spec = default_spec(info, graph, ANALYSER.analyse(graph))
    spec = reduce(lambda made, item: set_value(made, item[0].replace("__", "."), item[1]),  # type: ignore[arg-type]
                  fields.items(), spec)  # fmt: skip
    repairer = Repairer(graph, ANALYSER.analyse, spec, info)
    problem = next(p for p in repairer.problems if p.code == code)
    fixes = list(repairer.repairs(problem))
    for fix in fixes:
        after = Repairer(*_swapped(repaired(fix, graph, spec, info)), info)
        assert all(p.code != code for p in after.problems)
    return [sentence(fix.words) for fix in fixes], fixes, spec


def _swapped(pair: tuple[Graph, RunSpec]):
    return pair[0], ANALYSER.analyse, pair[1]


@pytest.mark.row("S336")
def test_that_a_batch_norm_with_a_last_batch_of_one_is_mended_in_the_settings() -> None:
    graph = model((8,), ("BatchNorm1d", {}), ("Linear", {"out_features": 10}))
    words, fixes, spec = found_fixes(graph, "R015", digits(), data__batch_size=32)
    assert words[0] == "Drop the last, incomplete batch"
    assert repaired(fixes[0], with_field(graph), spec, digits())[1].data.drop_last
    assert "Set the batch size to 33" in words
    assert "Use LayerNorm instead of BatchNorm1d for “batch_norm”" in words


@pytest.mark.row("S335")
def test_that_numbers_with_an_axis_too_many_are_squeezed_before_the_loss() -> None:
    words, _, _ = found_fixes(
        model((8,), ("Linear", {"out_features": 1}, "fc")), "R038", digits("regression")
    )
    assert words[0] == "Insert squeeze(1) after “fc”"


@pytest.mark.row("S063")
@pytest.mark.parametrize(
    ("layer", "loss", "code", "words"),
    [
        (("Softmax", {"dim": 1}, "act"), "CrossEntropyLoss", "R042", "Remove “act”"),
        (("Tanh", {}, "act"), "NLLLoss", "R043", "Insert LogSoftmax(1) after “act”"),
    ],
)
def test_that_an_activation_that_the_loss_makes_itself_is_removed_or_added(
    layer, loss: str, code: str, words: str
) -> None:
    graph = model((8,), ("Linear", {"out_features": 10}), layer)
    found, _, _ = found_fixes(graph, code, digits(), losses__0__loss=loss)
    assert found[0] == words
    assert any("Use the loss" in text for text in found)


@pytest.mark.row("P04")
def test_that_the_last_layer_gets_as_many_outputs_as_there_are_classes() -> None:
    graph = model((8,), ("Linear", {"out_features": 7}, "fc"))
    words, _, _ = found_fixes(graph, "R035", digits())
    assert words == ["Set out_features of “fc” to 10"]


@pytest.mark.parametrize(
    ("layer", "loss", "code", "words"),
    [
        (("Sigmoid", {}, "act"), "BCEWithLogitsLoss", "R044",
         ["Remove “act”", "Use the loss BCELoss"]),
        (("Tanh", {}, "act"), "BCELoss", "R045",
         ["Insert Sigmoid() after “act”", "Use the loss BCEWithLogitsLoss"]),
    ],
)  # fmt: skip
def test_that_probabilities_and_scores_are_told_apart_for_two_classes(
    layer, loss: str, code: str, words: list[str]
) -> None:
    target = FieldInfo(name="y", role="target", kind="number", shape=(1,), dtype="float32")
    info = replace(digits("regression"), task="binary", fields=(digits().fields[0], target))
    graph = model((8,), ("Linear", {"out_features": 1}), layer)
    assert found_fixes(graph, code, info, losses__0__loss=loss)[0] == words


def test_that_scores_for_each_point_in_time_are_brought_to_one_for_a_sample() -> None:
    graph = model((4, 8), ("Linear", {"out_features": 10}, "fc"))
    series = replace(digits().fields[0], shape=(4, 8))
    words, _, _ = found_fixes(graph, "R039", replace(digits(), fields=(series, digits().fields[1])))
    assert words == [
        "Insert Flatten() before “fc” and infer its in_features",
        "Insert mean(1) after “fc”",
    ]


def shortcut() -> Graph:
    graph, _ = add(Graph(), "Input", "x", shape=(3, 8, 8))
    graph, _ = add(graph, "Conv2d", "conv", out_channels=4, kernel_size=3, padding=1)
    graph, _ = add(graph, "add", "sum")
    graph, _ = add(graph, "Output", "output")
    graph = wire(wire(graph, "x", "conv"), "conv", "sum.input")
    return wire(wire(graph, "x", "sum.other"), "sum", "output")


def test_that_a_shortcut_around_a_layer_is_offered_a_projection() -> None:
    assert offered(shortcut()) == [
        "Insert Conv2d(4, 1) before “sum.other”",
        "Insert Conv2d(3, 1) before “sum.input”",
        "Set out_channels of “conv” to 3",
    ]


@pytest.mark.parametrize(
    ("graph", "code", "words"),
    [
        (chain(("Input", {"shape": (8,)}, "x"), ("Linear", {"out_features": 3}, "fc")), "G024",
         "Add an output after “fc”"),
        (add(chain(("Input", {"shape": (8,)}, "x"), ("ReLU", {}, "relu")), "Output", "end")[0],
         "G033", "Connect “relu” to “end”"),
        (wire(add(model((8,), ("ReLU", {}, "relu")), "Tanh", "loose")[0], "relu", "loose"), "G026",
         "Remove “loose”"),
        (model((8,), ("Dropout", {"p": 3.0}, "drop")), "C004", "Set p of “drop” to 0.5"),
    ],
)  # fmt: skip
def test_that_missing_wires_outputs_and_values_are_offered(
    graph: Graph, code: str, words: str
) -> None:
    repairer = Repairer(graph, ANALYSER.analyse)
    problem = next(p for p in repairer.problems if p.code == code)
    first = repairer.repairs(problem)[0]
    assert sentence(first.words) == words
    assert first.edit is not None
    assert all(p.code != code for p in ANALYSER.analyse(apply(first.edit, graph)).problems)


@pytest.mark.row("N05")
def test_that_a_model_without_an_input_gets_one_that_takes_the_field_of_the_data() -> None:
    graph = model((8,), ("Linear", {"out_features": 10}, "fc"))
    spec = default_spec(digits(), graph, ANALYSER.analyse(graph))
    headless = apply(RemoveNodes(ids=("x",)), graph)
    repairer = Repairer(headless, ANALYSER.analyse, spec, digits())
    assert [problem.code for problem in repairer.problems] == ["G033", "G025"]
    (fix,), same = map(repairer.repairs, repairer.problems)
    assert same == (fix,)
    assert sentence(fix.words) == "Add an input before “fc”"
    after, spec = repaired(fix, headless, spec, digits())
    assert after.nodes["x"].params == {"field": "x", "shape": (8,)}
    assert Repairer(after, ANALYSER.analyse, spec, digits()).problems == ()


def test_that_an_input_is_added_before_what_is_read_first_and_before_lists_of_inputs() -> None:
    graph = chain(("cat", {}, "joined"), ("Output", {}, "end"))
    graph, _ = add(graph, "ReLU", "aside")
    graph = Graph(nodes=dict(reversed(graph.nodes.items())), edges=graph.edges)
    repairer = Repairer(graph, ANALYSER.analyse)
    problem = next(p for p in repairer.problems if p.code == "G025")
    found = [sentence(fix.words) for fix in repairer.repairs(problem)]
    assert found == ["Add an input before “joined”", "Add an input before “aside”"]


@pytest.mark.row("N05")
@pytest.mark.parametrize(("task", "loss"), [("classification", "CrossEntropyLoss"),
                                            ("regression", "MSELoss")])  # fmt: skip
def test_that_a_loss_that_goes_with_the_data_is_offered_where_none_is_chosen(task, loss) -> None:
    head = [("Linear", {"out_features": 10})]
    if task == "regression":
        head = [("Linear", {"out_features": 1}), ("squeeze", {"dim": 1})]
    graph, info = with_field(model((8,), *head)), digits(task)
    spec = replace(default_spec(info, graph, ANALYSER.analyse(graph)), losses=())
    repairer = Repairer(graph, ANALYSER.analyse, spec, info)
    (problem,) = repairer.problems
    assert problem.code == "R030"
    fix = repairer.repairs(problem)[0]
    assert sentence(fix.words) == f"Use the loss {loss}"
    assert (
        Repairer(graph, ANALYSER.analyse, repaired(fix, graph, spec, info)[1], info).problems == ()
    )


LAYERS = st.sampled_from([
    ("Linear", {"in_features": 6, "out_features": 4}),
    ("Linear", {"out_features": 6}),
    ("Conv2d", {"in_channels": 3, "out_channels": 2, "kernel_size": 3}),
    ("Conv1d", {"out_channels": 4, "kernel_size": 5, "groups": 2}),
    ("MaxPool2d", {"kernel_size": 4}),
    ("BatchNorm2d", {"num_features": 3}),
    ("Flatten", {}),
    ("permute", {"dims": (0, 2, 1)}),
    ("view", {"shape": (-1, 12)}),
    ("Embedding", {"num_embeddings": 5, "embedding_dim": 6}),
    ("Softmax", {"dim": 3}),
    ("LSTM", {"input_size": 6, "hidden_size": 3}),
])  # fmt: skip
SHAPES = st.sampled_from([(), (6,), (12,), (4, 6), (3, 6, 6), (6, 6, 3), (3, 2, 2)])


@settings(max_examples=40, deadline=None, derandomize=True)
@given(SHAPES, st.lists(LAYERS, min_size=1, max_size=4), st.sampled_from(["float32", "int64"]))
def test_that_no_fix_makes_more_errors_than_there_were(shape, specs, dtype) -> None:
    graph = model(shape, *specs, dtype=dtype)
    before = errors(graph)
    repairer = Repairer(graph, ANALYSER.analyse)
    for problem in repairer.problems:
        for fix in repairer.repairs(problem):
            assert fix.edit is not None
            after = apply(fix.edit, graph)
            assert len(errors(after)) <= len(before)
            problems = ANALYSER.analyse(after).problems
            assert all((p.code, p.node) != (problem.code, problem.node) for p in problems)
            assert all(len(incoming(after, key)) < 3 for key in after.nodes)
