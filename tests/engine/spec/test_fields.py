"""Every value of a specification by its dotted name."""

import contextlib
import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, ParamKind
from engine.catalog.validate import format_value
from engine.diagnostics import DiagnosticError, sentence
from engine.spec.codec import to_document
from engine.spec.fields import field_names, field_param, fields, get_value, set_text, set_value
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec, ScheduleTerm
from tests.each import for_each

MSE = LossTerm(loss=Choice(type="MSELoss"), inputs={"input": "model.out", "target": "data.target"})
FULL = RunSpec(
    data=DataSpec(source=Choice(type="spiral")),
    losses=(MSE,),
    scheduler=Choice(type="StepLR", params={"step_size": 5}),
    schedules=(ScheduleTerm(scheduler=Choice(type="ExponentialLR", params={"gamma": 0.5})),),
)


def leaves(document: object, path: str = "") -> set[str]:
    """Return the dotted names of all plain values of a document."""
    if isinstance(document, dict):
        found: set[str] = set()
        for name, part in document.items():
            found |= leaves(part, f"{path}.{name}" if path else name)
        return found
    if isinstance(document, list | tuple) and path in ("losses", "schedules"):
        return leaves({str(index): part for index, part in enumerate(document)}, path)
    return {path}


def test_that_every_value_of_a_specification_is_a_field():
    document = to_document(FULL)
    names = {f"data.{name}" for name in leaves(document["data"])} | leaves(document["run"])
    names = {name.removesuffix(".type").replace(".params", "") for name in names}
    assert names <= set(field_names(FULL))


@for_each("name", field_names(FULL))
def test_that_a_field_written_with_its_own_value_changes_nothing(name):
    value = get_value(FULL, name)
    if value is None and not field_param(FULL, name).optional:
        return  # it has no value yet
    assert set_value(FULL, name, value) == FULL
    text = ", ".join(value) if name == "metrics" else format_value(value)  # type: ignore[arg-type]
    assert set_text(FULL, name, text) == FULL


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("epochs", "3", 3),
        ("optimizer.lr", "0.01", 0.01),
        ("optimizer.lr", "1e-2", 0.01),
        ("data.batch_size", " 64 ", 64),
        ("data.split.train", "0.8", 0.8),
        ("data.split.seed", "4", 4),
        ("data.shuffle", "no", False),
        ("data.normalization", "standard", "standard"),
        ("data.source.noise", "0.1", 0.1),
        ("clip.kind", "norm", "norm"),
        ("clip.limit", "2", 2.0),
        ("checkpoint.every_steps", "100", 100),
        ("checkpoint.monitor", "train.loss", "train.loss"),
        ("scheduler.gamma", "0.5", 0.5),
        ("losses.0.weight", "0.5", 0.5),
        ("losses.0.loss.reduction", "sum", "sum"),
        ("loss.reduction", "sum", "sum"),
        ("losses.0.inputs.input", "model.other", "model.other"),
        ("metrics", "mae, r2", ("mae", "r2")),
        ("metrics", "none", ()),
        ("mode", "thread", "thread"),
        ("device", "cpu", "cpu"),
        ("device", "cuda:1", "cuda:1"),
        ("deterministic", "false", False),
    ],
)
def test_that_a_text_reaches_its_field(name, text, value):
    spec = set_text(FULL, name, text)
    assert get_value(spec, name) == value
    assert type(get_value(spec, name)) is type(value)
    assert set_value(spec, name, get_value(FULL, name)) == FULL


CUSTOM = {
    "own.py": """
from torch.utils.data import Sampler


def brighter(image):
    return image * 2


def a_collate(samples):
    return samples


class Backwards(Sampler):
    def __iter__(self):
        return iter(())
"""
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data.transforms.0", "own.brighter"),
        ("data.collate", "own.a_collate"),
        ("data.sampler", "own.Backwards"),
    ],
)
def test_that_custom_code_is_chosen_with_or_without_its_prefix(name, text):
    chosen = set_text(RunSpec(), name, text, CUSTOM)
    assert set_text(RunSpec(), name, f"code.{text}", CUSTOM) == chosen
    assert text in str(get_value(chosen, name, CUSTOM))


def test_that_the_refusal_of_a_transform_lists_custom_code_first():
    with pytest.raises(DiagnosticError) as caught:
        set_text(RunSpec(), "data.transforms.0", "own.darker", CUSTOM)
    assert str(caught.value.problems[0].params["choices"]).startswith("code.own.brighter, ")


def test_that_another_type_keeps_the_parameters_that_both_have():
    spec = set_text(FULL, "optimizer.lr", "0.02")
    spec = set_text(spec, "optimizer.eps", "1e-6")
    spec = set_text(spec, "optimizer", "SGD")
    assert spec.optimizer == Choice(type="SGD", params={"lr": 0.02})
    spec = set_text(spec, "optimizer.type", "adamw")
    assert spec.optimizer == Choice(type="AdamW", params={"lr": 0.02})
    assert get_value(spec, "optimizer") == "AdamW"
    spec = set_text(spec, "data.source", "moons")
    assert spec.data.source.type == "moons"


def test_that_a_value_that_the_other_type_does_not_take_is_dropped():
    spec = set_text(FULL, "loss", "KLDivLoss")
    assert spec.losses[0].loss.params == {"reduction": "batchmean"}
    assert set_text(spec, "loss", "L1Loss").losses[0].loss.params == {}


def test_that_a_default_is_left_out_and_a_required_value_stays():
    spec = set_text(FULL, "optimizer.lr", "0.02")
    assert set_text(spec, "optimizer.lr", "0.001").optimizer.params == {}
    spec = set_text(FULL, "scheduler", "ExponentialLR")
    assert spec.scheduler == Choice(type="ExponentialLR", params={"gamma": 0.95})


def test_that_the_scheduler_can_be_switched_off_and_its_rhythm_follows_its_kind():
    off = set_text(FULL, "scheduler", "none")
    assert off.scheduler is None
    assert get_value(off, "scheduler") is None
    with pytest.raises(DiagnosticError):
        set_text(off, "scheduler.gamma", "0.5")
    on = set_text(off, "scheduler", "OneCycleLR")
    assert on.scheduler_interval == "step"
    assert set_text(on, "scheduler", "StepLR").scheduler_interval == "epoch"
    kept = set_text(set_text(off, "scheduler_interval", "step"), "scheduler", "StepLR")
    assert kept.scheduler_interval == "step"


def test_that_loss_terms_are_added_changed_and_removed_by_name():
    spec = set_text(RunSpec(), "loss", "MSELoss")
    assert spec.losses == (LossTerm(loss=Choice(type="MSELoss")),)
    spec = set_text(FULL, "losses.1.loss", "L1Loss")
    assert spec.losses[1].inputs == MSE.inputs
    spec = set_text(spec, "losses.1", "CrossEntropyLoss")
    assert [term.loss.type for term in spec.losses] == ["MSELoss", "CrossEntropyLoss"]
    spec = set_text(spec, "losses.0.loss", "none")
    assert [term.loss.type for term in spec.losses] == ["CrossEntropyLoss"]
    triplet = set_text(FULL, "loss.type", "TripletMarginLoss")
    assert triplet.losses[0].inputs == {"anchor": "model.out"}
    assert "losses.0.inputs.anchor" in field_names(triplet)
    with pytest.raises(DiagnosticError):
        set_text(FULL, "losses.2.loss", "MSELoss")


@pytest.mark.fault("B09")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("optimizer.lr", text) for text in ("nan", "inf", "-1", "0", "1e30", "", "fast", "1,5")),
        *(("data.batch_size", text) for text in ("0", "-1", "1000000000", "1.5", "", "３")),
        *(("epochs", text) for text in ("0", "-1", "１０", "many", "1e400", "9" * 5000)),
        *(("threads", text) for text in ("-1", "10000")),
        ("optimizer.betas", "1.0, 1.0"),
        ("optimizer.betas", "0.9, 0.9, 0.9"),
        ("scheduler.step_size", "0"),
        ("data.split.train", "1.5"),
        ("data.split.test", "-0.1"),
        ("data.normalization", "loud"),
        ("data.source", "os.system"),
        ("optimizer", "torch.optim.Adam"),
        ("optimizer", "none"),
        ("scheduler", "SequentialLR"),
        ("losses.0.loss", "Loss"),
        ("losses.0.weight", "nan"),
        ("losses.0.inputs.input", "output"),
        ("losses.0.inputs.input", "model.a b"),
        ("metrics", "beauty"),
        ("mode", "magic"),
        ("device", "abacus"),
        ("device", "cuda:x"),
        ("clip.limit", "0"),
        ("checkpoint.keep_last", "1"),
        ("checkpoint.every_epochs", "0"),
        ("seed", "-1"),
    ],
)
def test_that_a_bad_value_is_refused_at_its_field(name, text):
    with pytest.raises(DiagnosticError) as caught:
        set_text(FULL, name, text)
    problem = caught.value.problems[0]
    assert problem.field == name
    for language in ("en", "zh_CN"):
        told = sentence(problem, language)
        assert "{" not in told
        assert problem.code not in told


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("optimizer.learning_rate", None),
        ("optimizer.l", "optimizer.lr"),
        ("epoch", "epochs"),
        ("batch_size", "data.batch_size"),
        ("data.splits.train", "data.split.train"),
        ("data.split", "data.split.kind"),
        ("checkpoint.every_step", "checkpoint.every_steps"),
        ("__class__", None),
        ("optimizer.params.__class__", None),
        ("", None),
        ("." * 50, None),
    ],
)
def test_that_an_unknown_name_is_refused_and_a_near_one_suggested(name, near):
    with pytest.raises(DiagnosticError) as caught:
        get_value(FULL, name)
    problem = caught.value.problems[0]
    assert problem.code in ("R005", "R006")
    if near:
        assert problem.params["near"] == near


@pytest.mark.parametrize("kind", ["random", "stratified"])
def test_that_data_with_parts_of_their_own_keep_these_and_others_are_drawn(kind):
    spec = set_value(FULL, "data.split.kind", kind)
    published = set_value(spec, "data.source", "PCAM")
    assert published.data.split.kind == "given"
    assert set_value(published, "data.source", "iris").data.split.kind == "random"


@given(st.text(max_size=60), st.text(max_size=60))
def test_that_any_name_and_text_gives_a_specification_or_a_diagnostic(name, text):
    with contextlib.suppress(DiagnosticError):
        assert isinstance(set_text(FULL, name, text), RunSpec)


@given(st.sampled_from(field_names(FULL)), st.text(max_size=30))
def test_that_any_text_for_a_field_gives_a_valid_value_or_a_diagnostic(name, text):
    problem, spec = None, FULL
    try:
        spec = set_text(FULL, name, text)
    except DiagnosticError as error:
        problem = error.problems[0]
    if problem is not None:
        assert problem.field == name
    elif name in fields(spec):
        assert fields(spec)[name].check(get_value(spec, name)) is None


def test_that_every_choice_of_the_catalogue_can_be_chosen_and_starts_valid():
    groups = {
        "data.source": EntryGroup.DATA,
        "optimizer": EntryGroup.OPTIMIZER,
        "scheduler": EntryGroup.SCHEDULER,
        "losses.0.loss": EntryGroup.LOSS,
    }
    for name, group in groups.items():
        assert field_param(FULL, name).kind == ParamKind.CHOICE
        for entry in catalog().group(group):
            spec = set_value(FULL, name, entry.key)
            assert get_value(spec, name) == entry.key
            for field in fields(spec).values():
                if field.name.startswith(f"{name}."):
                    assert field.check(field.read(spec)) is None, field.name


def test_that_numbers_keep_their_kind():
    spec = set_value(FULL, "clip.limit", 2)
    assert isinstance(spec.clip.limit, float)
    assert not math.isnan(spec.clip.limit)
    assert msgspec.convert(msgspec.to_builtins(spec), RunSpec) == spec


def test_that_the_fields_of_a_specification_are_worked_out_once():
    known = fields(FULL)
    assert fields(FULL) is known
    assert "data.loader.num_workers" in known
    assert fields(msgspec.structs.replace(FULL, optimizer=Choice(type="SGD"))) is not known
