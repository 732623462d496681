"""Models for an empty canvas, with the loss and the settings that suit the data."""

from functools import partial

import pytest
from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.graph.edit.edits import SetParam, apply
from engine.graph.model import Graph
from engine.model.analysis import Analyser
from engine.model.repair import Repairer
from engine.spec.data import DataInfo, FieldInfo, SplitInfo
from engine.spec.first_model import first_model
from engine.spec.first_run import first_models
from engine.spec.other_data import OtherData, following_model, following_spec
from engine.spec.repair import repaired
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec
from tests.engine.graph.builder import model

ANALYSE = Analyser().analyse
EMPTY = Diagnostic(code="G030")
NUMBERS = FieldInfo(name="features", role="input", kind="vector", shape=(5,), dtype="float32")
PRICE = FieldInfo(name="target", role="target", kind="scalar", shape=(1,), dtype="float32")
SORT = FieldInfo(
    name="label", role="target", kind="class", shape=(), dtype="int64", classes=("a", "b", "c")
)
PICTURE = FieldInfo(name="image", role="input", kind="image", shape=(3, 32, 32), dtype="float32")


def info_of(*fields: FieldInfo, task: str = "classification") -> DataInfo:
    split = SplitInfo(name="train", samples=640)
    return DataInfo(source="x", samples=640, task=task, fields=fields, splits=(split,))  # type: ignore[arg-type]


def categories(*columns: str) -> FieldInfo:
    words = (("<unk>", "x", "y"),) * len(columns)
    return FieldInfo(
        name="categories",
        role="input",
        kind="categories",
        shape=(len(columns),),
        dtype="int64",
        columns=columns,
        vocabularies=words,
    )


def spec_of(source: str, **changes) -> RunSpec:
    return RunSpec(data=DataSpec(source=Choice(type=source)), **changes)


def first(spec: RunSpec, info: DataInfo | None, graph: Graph | None = None):
    return next(first_models(EMPTY, graph or Graph(), spec, info, ANALYSE), None)


@pytest.mark.parametrize(
    ("source", "info", "loss", "target"),
    [
        ("image_folder", info_of(PICTURE, SORT), "CrossEntropyLoss", "data.label"),
        ("table", info_of(NUMBERS, PRICE, task="regression"), "MSELoss", "data.target"),
        ("table", info_of(NUMBERS, SORT), "CrossEntropyLoss", "data.label"),
    ],
)
def test_that_an_empty_canvas_gets_a_model_that_can_be_trained(source, info, loss, target):
    spec = spec_of(source)
    repairer = Repairer(Graph(), ANALYSE, spec, info)
    offered = repairer.repairs(next(p for p in repairer.problems if p.code == "G030"))
    assert [fix.words.code for fix in offered] == ["F060", "F061"]
    for fix in offered:
        graph, after = repaired(fix, Graph(), spec, info)
        (term,) = after.losses
        assert (term.loss.type, term.inputs["target"]) == (loss, target)
        problems = Repairer(graph, ANALYSE, after, info).problems
        assert [p.code for p in problems if p.severity == "error"] == []


def test_that_losses_which_fit_other_data_are_replaced_and_those_too_many_removed():
    other = LossTerm(
        loss=Choice(type="L1Loss"), inputs={"input": "model.a", "target": "data.b"}, weight=3.0
    )
    spec, info = spec_of("image_folder", losses=(other, other)), info_of(PICTURE, SORT)
    fix = first(spec, info)
    assert fix is not None
    _, after = repaired(fix, Graph(), spec, info)
    (term,) = after.losses
    assert (term.loss.type, term.weight) == ("CrossEntropyLoss", 1.0)
    assert term.inputs == {"input": "model.output", "target": "data.label"}


def test_that_columns_are_normalised_and_learnt_in_large_steps_unless_somebody_said_otherwise():
    info = info_of(NUMBERS, PRICE, task="regression")
    plain = spec_of("table")
    fix = first(plain, info)
    assert fix is not None
    _, after = repaired(fix, Graph(), plain, info)
    assert after.data.normalization == "standard"
    assert after.optimizer.params["lr"] > 0.001
    assert after.epochs > plain.epochs
    chosen = replace(
        plain,
        epochs=3,
        optimizer=Choice(type="SGD"),
        data=replace(plain.data, normalization="minmax"),
    )
    fix = first(chosen, info)
    assert fix is not None
    _, after = repaired(fix, Graph(), chosen, info)
    assert (after.epochs, after.optimizer) == (3, chosen.optimizer)
    assert after.data.normalization == "minmax"


def test_that_nothing_is_offered_without_data_for_another_problem_or_in_place_of_own_code():
    spec, info = spec_of("table"), info_of(NUMBERS, SORT)
    assert first(spec, None) is None
    assert first(spec, info_of(NUMBERS)) is None  # nothing to predict
    offer = partial(first_models, spec=spec, info=info, analyse=ANALYSE)
    assert list(offer(Diagnostic(code="G025"), model((5,), ("ReLU", {})))) == []
    own = Graph(code={"layers.py": "import torch\n"})
    fix = first(spec, info, own)
    assert fix is not None
    graph, _ = repaired(fix, own, spec, info)
    assert graph.code == own.code


def test_that_a_changed_model_of_other_columns_can_be_replaced_by_one_for_the_data():
    before = info_of(NUMBERS, categories("a", "b", "c"), PRICE, task="regression")
    info = info_of(NUMBERS, categories("a", "b"), SORT)
    proposed = first_model(before)
    assert proposed is not None
    layer = next(node for node in proposed.nodes.values() if node.type == "Linear")
    changed = apply(SetParam(id=layer.id, name="out_features", value=48), proposed)
    data = OtherData(before=before, info=info)
    graph = following_model(changed, data)
    spec = following_spec(spec_of("table"), changed, graph, data)
    repairer = Repairer(graph, ANALYSE, spec, info)
    problem = next(each for each in repairer.problems if each.code == "S043")
    offered = repairer.repairs(problem)
    assert [fix.words.code for fix in offered] == ["F062", "F063"]
    for fix in offered:
        fitting, after = repaired(fix, graph, spec, info)
        assert after.losses[0].loss.type == "CrossEntropyLoss"
        problems = Repairer(fitting, ANALYSE, after, info).problems
        assert [each.code for each in problems if each.severity == "error"] == []
