"""What is found before a run: bad values at their field, and what does not go together."""

import msgspec
import pytest

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.diagnostics import Diagnostic, Severity, sentence
from engine.graph.analysis import Analysis
from engine.graph.edit.edits import SetParam
from engine.graph.model import Graph
from engine.graph.repair.proposals import proposals
from engine.spec.data import SplitInfo
from engine.spec.defaults import default_spec
from engine.spec.fields import fields, set_value
from engine.spec.run import Choice, LossTerm, RunSpec
from engine.spec.validate import validate

INPUT = ("Input", {"field": "features", "shape": (4,)}, ("N", 4), 0)


def linear(outputs: int) -> tuple[str, dict, tuple, int]:
    return ("Linear", {"out_features": outputs}, ("N", outputs), 8)


def with_loss(spec: RunSpec, key: str, target: str = "label") -> RunSpec:
    inputs = {"input": "model.logits", "target": f"data.{target}"}
    term = LossTerm(loss=Choice(type=key), inputs=inputs)
    return msgspec.structs.replace(spec, losses=(term,))


def only(problems: tuple[Diagnostic, ...]) -> Diagnostic:
    """Return the one finding, having looked at its sentences."""
    assert len(problems) == 1, problems
    for language in ("en", "zh_CN"):
        told = sentence(problems[0], language)
        assert problems[0].code not in told
        assert "{" not in told
    return problems[0]


@pytest.fixture
def model(chain):
    return chain(INPUT, linear(3))


@pytest.fixture
def spec(model, info) -> RunSpec:
    return default_spec(info, *model)


def test_that_a_specification_by_default_has_no_problem(spec, model, info):
    assert validate(spec, *model, info) == ()
    assert validate(spec, *model, None) == ()


@pytest.mark.fault("B09")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("data.batch_size", -1),
        ("data.batch_size", 10**9),
        ("epochs", 0),
        ("optimizer.lr", 1e30),
        ("optimizer.betas", (1.0, 1.0)),
        ("data.split.train", -0.2),
        ("scheduler.step_size", 0),
        ("clip.limit", -1.0),
        ("losses.0.weight", 1e300),
        ("device", "abacus"),
    ],
)
def test_that_a_value_out_of_range_is_told_at_its_field(spec, model, info, name, value):
    spec = set_value(spec, "scheduler", "StepLR")
    bad = fields(spec)[name].write(spec, value)
    problem = only(validate(bad, *model, info))
    assert problem.field == name
    assert problem.severity == Severity.ERROR


@pytest.mark.parametrize(
    ("part", "choice"),
    [
        ("optimizer", Choice(type="os.system")),
        ("optimizer", Choice(type="Adam", params={"speed": 3})),
        ("scheduler", Choice(type="LambdaLR")),
        ("scheduler", Choice(type="StepLR")),
    ],
)
def test_that_unknown_entries_and_parameters_and_missing_ones_are_errors(
    spec, model, info, part, choice
):
    bad = msgspec.structs.replace(spec, **{part: choice})
    problem = only(validate(bad, *model, info))
    assert problem.field is not None
    assert problem.field.startswith(part)


def changed(spec: RunSpec, **values: object) -> RunSpec:
    for name, value in values.items():
        spec = set_value(spec, name.replace("__", "."), value)  # type: ignore[arg-type]
    return spec


@pytest.mark.fault("B10")
@pytest.mark.parametrize(
    ("values", "code", "field"),
    [
        ({"data__split__train": 0.5}, "R020", "data.split.train"),
        ({"data__batch_size": 71}, "R023", "data.batch_size"),
        ({"data__batch_size": 71, "data__drop_last": True}, "R024", "data.batch_size"),
        ({"checkpoint__monitor": "validation.beauty"}, "R040", "checkpoint.monitor"),
        ({"metrics": ("auto", "r2")}, "R047", "metrics"),
        ({"scheduler": "ReduceLROnPlateau", "scheduler_interval": "step"}, "R060",
         "scheduler_interval"),
        ({"scheduler": "ReduceLROnPlateau", "scheduler__mode": "max"}, "R061", "scheduler.mode"),
        ({"scheduler": "OneCycleLR", "scheduler_interval": "epoch"}, "R062", "scheduler_interval"),
        ({"optimizer": "Rprop", "scheduler": "CyclicLR"}, "R063", "scheduler.cycle_momentum"),
        ({"scheduler": "CyclicLR", "scheduler__base_lr": 0.1}, "R064", "scheduler.base_lr"),
        ({"scheduler": "OneCycleLR", "scheduler__max_momentum": 0.5}, "R068",
         "scheduler.base_momentum"),
        ({"scheduler": "OneCycleLR", "scheduler__total_steps": 10}, "R065",
         "scheduler.total_steps"),
        ({"scheduler": "OneCycleLR", "scheduler__pct_start": 0.025, "scheduler__total_steps": 40},
         "R069", "scheduler.pct_start"),
        ({"scheduler": "MultiStepLR", "scheduler__milestones": (5, 3)}, "R066",
         "scheduler.milestones"),
        ({"scheduler": "MultiStepLR", "scheduler__milestones": (50, 60)}, "R067",
         "scheduler.milestones"),
        ({"checkpoint__monitor": "latest", "scheduler": "ReduceLROnPlateau"}, "R584",
         "checkpoint.monitor"),
        ({"checkpoint__monitor": "latest", "early_stopping__patience": 2}, "R584",
         "checkpoint.monitor"),
        ({"averaging__kind": "ema"}, "R585", "averaging.decay"),
        ({"optimizer": "SGD", "optimizer__nesterov": True}, "R054", "optimizer.nesterov"),
        ({"optimizer__foreach": True, "optimizer__fused": True}, "R055", "optimizer.fused"),
        ({"optimizer": "Rprop", "optimizer__etas": (1.1, 1.2)}, "R057", "optimizer.etas"),
    ],
)  # fmt: skip
def test_that_settings_that_do_not_go_together_are_told(  # noqa: PLR0917 - fixtures and a case
    spec, model, info, values, code, field
):
    problem = only(validate(changed(spec, **values), *model, info))
    assert (problem.code, problem.field) == (code, field)


def test_that_the_last_step_of_one_cycle_is_the_last_of_the_run(spec, model, info):
    steps = 10 * 3  # 70 samples in batches of 32
    exact = changed(spec, scheduler="OneCycleLR", scheduler__total_steps=steps)
    assert validate(exact, *model, info) == ()
    assert validate(changed(exact, epochs=11), *model, info)[0].code == "R065"


@pytest.mark.fault("B10")
def test_that_an_empty_part_is_told_and_one_that_is_meant_is_not(spec, model, info):
    splits = (*info.splits[:2], SplitInfo(name="test", samples=0))
    short = msgspec.structs.replace(info, splits=splits, samples=6)
    problem = only(validate(spec, *model, short))
    assert (problem.code, problem.field) == ("R022", "data.split.test")
    empty = msgspec.structs.replace(
        info, samples=1, splits=(SplitInfo(name="train", samples=0), *info.splits[1:])
    )
    problem = only(validate(spec, *model, empty))  # and none about the size of batches
    assert (problem.code, problem.field) == ("D731", "data.split.train")  # it cannot be 0
    fractions = changed(spec, data__split__train=0.85, data__split__test=0.0)
    assert validate(fractions, *model, short) == ()


@pytest.mark.fault("B10")
@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_that_a_part_whose_samples_are_all_gone_is_not_held_for_a_small_fraction(
    spec, model, info, part
):
    splits = tuple(
        SplitInfo(name=each.name, samples=0) if each.name == part else each for each in info.splits
    )
    problems = validate(spec, *model, msgspec.structs.replace(info, splits=splits))
    found = [(each.code, each.field) for each in problems if each.severity == Severity.ERROR]
    assert found[0] == ("D473", f"data.split.{part}")
    assert "R022" not in {code for code, _ in found}


def test_that_no_validation_part_is_a_warning_for_the_monitor(spec, model, info):
    splits = (info.splits[0], SplitInfo(name="validation", samples=0), info.splits[2])
    info = msgspec.structs.replace(info, splits=splits)
    spec = changed(spec, data__split__train=0.85, data__split__validation=0.0)
    chosen = changed(spec, checkpoint__monitor="validation.accuracy")
    problem = only(validate(chosen, *model, info))
    assert (problem.code, problem.severity) == ("R041", Severity.WARNING)
    assert validate(changed(spec, checkpoint__monitor="train.loss"), *model, info) == ()
    problem = only(validate(spec, *model, info))  # nobody has chosen that
    assert (problem.code, problem.severity) == ("D732", Severity.HINT)


def test_that_more_classes_than_outputs_name_both_numbers_and_the_node(spec, chain, info):
    problem = only(validate(spec, *chain(INPUT, linear(2)), info))
    assert (problem.code, problem.node, problem.field) == ("R035", "linear1", "out_features")
    assert (problem.params["classes"], problem.params["outputs"]) == (3, 2)
    assert "3" in sentence(problem)
    assert "2" in sentence(problem)
    drop = ("Dropout", {}, ("N", 2), 0)
    behind = only(validate(spec, *chain(INPUT, linear(2), drop), info))
    assert behind.node == "linear1", "dropout passes the number of outputs on"
    more = only(validate(spec, *chain(INPUT, linear(5)), info))
    assert (more.code, more.severity) == ("R036", Severity.WARNING)


def test_that_decimal_targets_for_cross_entropy_are_told(spec, model, info):
    problem = only(validate(with_loss(spec, "CrossEntropyLoss", "target"), *model, info))
    assert (problem.code, problem.field) == ("R034", "losses.0.inputs.target")
    assert problem.node == "linear1"
    assert "target" in sentence(problem)


@pytest.mark.parametrize(
    ("loss", "outputs", "target", "code"),
    [
        ("MSELoss", 1, "target", None),
        ("MSELoss", 3, "target", "R038"),
        ("MSELoss", 1, "label", "R037"),
        ("BCEWithLogitsLoss", 1, "target", None),
        ("BCEWithLogitsLoss", 1, "label", "R037"),
        ("BCEWithLogitsLoss", 3, "target", "R038"),
        ("SoftMarginLoss", 3, "label", "R071"),
        ("SoftMarginLoss", 3, "target", "R038"),
        ("MultiLabelMarginLoss", 3, "label", "R038"),
        ("MultiLabelMarginLoss", 3, "target", "R034"),
        ("MultiMarginLoss", 3, "label", None),
        ("MultiMarginLoss", 3, "target", "R034"),
        ("NLLLoss", 3, "label", "R043"),
        ("BCELoss", 1, "target", "R045"),
    ],
)
def test_that_shapes_and_types_are_compared(  # noqa: PLR0917 - fixtures and a case
    spec, chain, info, loss, outputs, target, code
):
    graph, analysis = chain(INPUT, linear(outputs))
    problems = validate(with_loss(spec, loss, target), graph, analysis, info)
    assert [problem.code for problem in problems] == ([code] if code else [])


def test_that_scores_without_a_class_axis_are_told(spec, chain, info):
    flat = ("flatten", {}, ("N",), 0)
    assert only(validate(spec, *chain(INPUT, linear(1), flat), info)).code == "R039"


@pytest.mark.parametrize(
    ("layer", "loss", "code"),
    [
        ("Softmax", "CrossEntropyLoss", "R042"),
        ("softmax", "CrossEntropyLoss", "R042"),
        ("LogSoftmax", "CrossEntropyLoss", None),
        ("LogSoftmax", "NLLLoss", None),
        ("Softmax", "NLLLoss", "R043"),
        ("Softmax", "MultiMarginLoss", "R078"),
    ],
)
def test_that_the_last_layer_and_the_loss_are_compared(  # noqa: PLR0917 - fixtures and a case
    spec, chain, info, layer, loss, code
):
    last = (layer, {}, ("N", 3), 0)
    passing = ("Identity", {}, ("N", 3), 0)
    for layers in ((last,), (last, passing)):
        problems = validate(with_loss(spec, loss), *chain(INPUT, linear(3), *layers), info)
        assert [problem.code for problem in problems] == ([code] if code else [])
        if code:
            assert problems[0].severity == Severity.WARNING
            assert problems[0].node == f"{layer.lower()}2"


@pytest.mark.row("S063", "S316")
@pytest.mark.parametrize(("classes", "best"), [(10, "1.4612"), (3, "0.5514")])
def test_that_the_least_loss_behind_a_softmax_is_named(spec, chain, info, classes, best):
    last = ("Softmax", {}, ("N", classes), 0)
    problems = validate(
        with_loss(spec, "CrossEntropyLoss"), *chain(INPUT, linear(classes), last), info
    )
    problem = next(problem for problem in problems if problem.code == "R042")
    assert (problem.params["classes"], problem.params["best"]) == (classes, best)


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({}, "R031"),
        ({"input": "model.logits"}, "R031"),
        ({"input": "model.nothing", "target": "data.label"}, "R032"),
        ({"input": "model.logits", "target": "data.nothing"}, "R033"),
        ({"input": "logits", "target": "data.label"}, "R007"),
    ],
)
def test_that_ports_of_a_loss_must_be_bound_to_what_is_there(spec, model, info, inputs, code):
    term = LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=inputs)
    spec = msgspec.structs.replace(spec, losses=(term,))
    problems = validate(spec, *model, info)
    assert {problem.code for problem in problems} == {code}
    assert all(str(problem.field).startswith("losses.0.inputs.") for problem in problems)


def test_that_a_run_without_a_loss_is_refused(spec, model, info):
    spec = msgspec.structs.replace(spec, losses=())
    assert only(validate(spec, *model, info)).code == "R030"


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"shape": (4,)}, "R010"),
        ({"field": "image", "shape": (4,)}, "R011"),
        ({"field": "features", "shape": (5,)}, "R012"),
        ({"field": "features", "shape": (4,), "dtype": "int64"}, "R013"),
    ],
)
def test_that_inputs_must_fit_the_data(spec, chain, info, params, code):
    problem = only(validate(spec, *chain(("Input", params, ("N", 4), 0), linear(3)), info))
    assert (problem.code, problem.node) == (code, "input0")


@pytest.mark.fault("B10")
@pytest.mark.parametrize(
    ("size", "drop_last", "code"),
    [(1, False, "R014"), (23, False, "R015"), (23, True, None), (32, False, None)],
)
def test_that_a_batch_of_one_with_batch_norm_is_told(  # noqa: PLR0917 - fixtures and a case
    spec, chain, info, size, drop_last, code
):
    norm = ("BatchNorm1d", {}, ("N", 3), 6)
    spec = changed(spec, data__batch_size=size, data__drop_last=drop_last)
    problems = validate(spec, *chain(INPUT, linear(3), norm), info)
    assert [problem.code for problem in problems] == ([code] if code else [])
    if code:
        assert problems[0].node == "batchnorm1d2"


def test_that_a_batch_of_one_is_enough_for_batch_norm_of_images(spec, chain, info):
    image = ("Conv2d", {}, ("N", 3, 8, 8), 9)
    norm = ("BatchNorm2d", {}, ("N", 3, 8, 8), 6)
    graph, analysis = chain(INPUT, image, norm, linear(3))
    assert validate(changed(spec, data__batch_size=1), graph, analysis, info) == ()


def test_that_dropout_of_channels_on_plain_features_is_a_warning(spec, chain, info):
    problem = only(validate(spec, *chain(INPUT, ("Dropout2d", {}, ("N", 4), 0), linear(3)), info))
    assert (problem.code, problem.node, problem.severity) == (
        "R016",
        "dropout2d1",
        Severity.WARNING,
    )


def test_that_optimizers_are_compared_with_the_layers(spec, chain, info):
    muon, sparse = changed(spec, optimizer="Muon"), changed(spec, optimizer="SparseAdam")
    model = chain(INPUT, linear(3))
    assert only(validate(muon, *model, info)).code == "R051"
    assert only(validate(sparse, *model, info)).code == "R052"
    plain = chain(INPUT, ("Linear", {"out_features": 3, "bias": False}, ("N", 3), 12))
    assert validate(muon, *plain, info) == ()
    embedding = ("Embedding", {"num_embeddings": 9, "sparse": True}, ("N", 3), 27)
    assert validate(sparse, *chain(INPUT, embedding), info) == ()
    assert only(validate(spec, *chain(INPUT, embedding), info)).code == "R053"
    empty = only(validate(spec, *chain(INPUT, ("Flatten", {}, ("N", 3), 0)), info))
    assert empty.code == "R050"


def test_that_class_weights_must_be_as_many_as_the_outputs(spec, model, info):
    right = changed(spec, losses__0__loss__weight=(1.0, 2.0, 1.0))
    assert validate(right, *model, info) == ()
    wrong = changed(spec, losses__0__loss__weight=(1.0, 2.0))
    problem = only(validate(wrong, *model, info))
    assert (problem.code, problem.field) == ("R046", "losses.0.loss.weight")


def test_that_findings_about_the_data_are_passed_on(spec, model, info):
    finding = Diagnostic(code="D014", params={"field": "label"})
    info = msgspec.structs.replace(info, problems=(finding,))
    assert validate(spec, *model, info) == (finding,)


def test_that_an_empty_graph_is_checked_without_a_crash(spec, info):
    codes = {problem.code for problem in validate(spec, Graph(), Analysis(), info)}
    assert codes == {"R032"}
    for entry in catalog().group(EntryGroup.LOSS):
        validate(with_loss(spec, entry.key), Graph(), Analysis(), None)


def test_that_a_width_that_does_not_fit_numbers_is_told_at_the_layer_with_the_one_that_does(
    spec, model, info
):
    found = only(validate(with_loss(spec, "MSELoss", "target"), *model, info))
    assert (found.node, found.field) == ("linear1", "out_features")
    first = proposals(found, *model)[0]
    assert first.edit == SetParam(id="linear1", name="out_features", value=1)


def test_that_an_average_that_hardly_moves_is_told_with_a_decay_that_fits(spec, model, info):
    run = changed(spec, averaging__kind="ema", epochs=2)
    problem = only(validate(run, *model, info))
    steps = int(problem.params["steps"])
    assert problem.params["share"] == round(100 * 0.999**steps)
    fitting = float(problem.params["fitting"])
    assert fitting**steps < 0.02
    assert not list(validate(changed(run, averaging__decay=fitting), *model, info))
    long = changed(run, length="steps", steps=int(problem.params["least"]))
    assert not list(validate(long, *model, info))
    assert not list(validate(changed(spec, checkpoint__monitor="latest"), *model, info))
