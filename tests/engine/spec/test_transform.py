"""Transforms as fields of the specification, in documents, and what does not go together."""

import pytest

from engine.diagnostics import DiagnosticError, Severity
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.spec.codec import from_document, to_document
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.fields import field_names, get_value, set_text
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec
from engine.spec.transform import TransformSpec
from engine.spec.transform_outline import enabled_transforms
from engine.spec.transform_rule import check_transforms
from engine.spec.validate import validate

IMAGE = FieldInfo(name="image", role="input", kind="image", shape=(1, 8, 8), dtype="float32")
LABEL = FieldInfo(
    name="label", role="target", kind="class", shape=(), dtype="int64", classes=("a", "b")
)
INFO = DataInfo(source="digits", samples=10, task="classification", fields=(IMAGE, LABEL))


def with_texts(spec: RunSpec, *texts: tuple[str, str]) -> RunSpec:
    for name, text in texts:
        spec = set_text(spec, name, text)
    return spec


def codes(spec: RunSpec, info: DataInfo | None = INFO) -> list[str]:
    return [problem.code for problem in check_transforms(spec, info)]


@pytest.mark.row("S142")
def test_that_a_transform_is_added_set_and_removed_by_name():
    spec = with_texts(
        RunSpec(),
        ("data.transforms.0", "RandomHorizontalFlip"),
        ("data.transforms.1", "RandomCrop"),
        ("data.transforms.1.size", "6"),
        ("data.transforms.1.padding", "2"),
        ("data.transforms.0.parts", "all"),
        ("data.transforms.0.enabled", "false"),
        ("data.batch_transforms.0", "MixUp"),
        ("data.batch_transforms.0.alpha", "0.2"),
    )
    assert spec.data.transforms == (
        TransformSpec(type="RandomHorizontalFlip", parts="all", enabled=False),
        TransformSpec(type="RandomCrop", params={"size": 6, "padding": 2}),
    )
    assert get_value(spec, "data.batch_transforms.0.alpha") == 0.2
    assert "data.transforms.2" in field_names(spec)
    assert "data.transforms.2.parts" not in field_names(spec)
    assert from_document(to_document(spec)) == spec
    spec = with_texts(spec, ("data.transforms.0", "none"), ("data.batch_transforms.0", "none"))
    assert [each.type for each in spec.data.transforms] == ["RandomCrop"]
    assert set_text(spec, "data.transforms.0", "none") == RunSpec()


def test_that_another_type_keeps_where_it_is_applied():
    spec = with_texts(
        RunSpec(),
        ("data.transforms.0", "RandomHorizontalFlip"),
        ("data.transforms.0.parts", "all"),
        ("data.transforms.0.p", "0.25"),
        ("data.transforms.0", "RandomVerticalFlip"),
    )
    assert spec.data.transforms == (
        TransformSpec(type="RandomVerticalFlip", params={"p": 0.25}, parts="all"),
    )


def test_that_a_document_without_transforms_is_as_it_was_before_there_were_any():
    assert not {"transforms", "batch_transforms"} & set(to_document(RunSpec())["data"])


def test_that_batches_and_samples_have_transforms_of_their_own():
    for name in ("data.transforms.0", "data.batch_transforms.0"):
        wrong = "MixUp" if name == "data.transforms.0" else "Resize"
        with pytest.raises(DiagnosticError, match=f"transform” cannot be “{wrong}”"):
            set_text(RunSpec(), name, wrong)


@pytest.mark.parametrize("name", ["size", "parts"])
def test_that_a_document_with_wrong_settings_is_told_at_the_field(name: str):
    document = {"data": {"transforms": [{"type": "Resize", "params": {"size": [-1, 4]}}]}}
    if name == "parts":
        document = {"data": {"transforms": [{"type": "Resize", "parts": "some"}]}}
        with pytest.raises(DiagnosticError, match="transforms"):
            from_document(document)
        return
    found = validate(from_document(document), Graph(), analyse(Graph()), None)
    assert [problem.field for problem in found][:1] == ["data.transforms.0.size"]


def test_that_a_missing_size_and_an_unknown_setting_are_told():
    steps = [{"type": "Resize"}, {"type": "RandomVerticalFlip", "params": {"q": 1}}]
    spec = from_document({"data": {"transforms": steps}})
    found = {each.field: each.code for each in validate(spec, Graph(), analyse(Graph()), None)}
    assert found["data.transforms.0.size"] == "C001"
    assert found["data.transforms.1.q"] == "R009"


def test_that_random_transforms_are_for_training_and_all_others_for_all_parts():
    steps = (
        TransformSpec(type="Resize"),
        TransformSpec(type="RandomVerticalFlip"),
        TransformSpec(type="RandomInvert", parts="all"),
        TransformSpec(type="Grayscale", parts="train"),
        TransformSpec(type="Pad", enabled=False),
        TransformSpec(type="CenterCrop", parts="evaluation"),
    )
    assert [number for number, _ in enabled_transforms(steps, is_training=True)] == [0, 1, 2, 3]
    assert [number for number, _ in enabled_transforms(steps, is_training=False)] == [0, 2, 5]


@pytest.mark.parametrize(
    ("texts", "code", "severity"),
    [
        (
            (("data.transforms.0", "RandomInvert"), ("data.transforms.0.parts", "all")),
            "D101",
            Severity.WARNING,
        ),
        (
            (("data.transforms.0", "Grayscale"), ("data.transforms.0.parts", "train")),
            "D106",
            Severity.WARNING,
        ),
        (
            (("data.transforms.0", "Normalize"), ("data.normalization", "standard")),
            "D107",
            Severity.ERROR,
        ),
        (
            (("data.batch_transforms.0", "CutMix"), ("data.batch_size", "1")),
            "D113",
            Severity.WARNING,
        ),
    ],
)
def test_that_what_does_not_go_together_is_told(texts, code, severity):
    found = list(check_transforms(with_texts(RunSpec(), *texts), INFO))
    assert [(problem.code, problem.severity) for problem in found] == [(code, severity)]


def test_that_other_chains_are_meant_where_evaluation_has_transforms_of_its_own():
    steps = (TransformSpec(type="Resize", params={"size": 9}, parts="train"),)
    others = (*steps, TransformSpec(type="CenterCrop", params={"size": 8}, parts="evaluation"))
    found = [codes(RunSpec(data=DataSpec(transforms=each))) for each in (steps, others)]
    assert found == [["D106"], []]
    random = TransformSpec(type="RandomInvert", parts="evaluation")
    assert codes(RunSpec(data=DataSpec(transforms=(random,)))) == ["D101"]


def test_that_nothing_is_told_of_a_transform_that_is_off():
    texts = (("data.transforms.0", "RandomInvert"), ("data.transforms.0.parts", "all"))
    assert not codes(with_texts(RunSpec(), *texts, ("data.transforms.0.enabled", "false")))


@pytest.mark.parametrize(("loss", "expected"), [("CrossEntropyLoss", []), ("NLLLoss", ["D112"])])
def test_that_blended_labels_need_a_loss_that_takes_probabilities(loss, expected):
    term = LossTerm(
        loss=Choice(type=loss), inputs={"input": "model.logits", "target": "data.label"}
    )
    spec = set_text(RunSpec(losses=(term,)), "data.batch_transforms.0", "MixUp")
    assert codes(spec) == expected


def test_that_batches_without_images_are_not_blended():
    vector = FieldInfo(name="x", role="input", kind="vector", shape=(4,), dtype="float32")
    info = DataInfo(source="iris", samples=10, task="classification", fields=(vector, LABEL))
    assert codes(set_text(RunSpec(), "data.batch_transforms.0", "MixUp"), info) == ["D110"]
