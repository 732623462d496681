"""Lists of transforms as the window changes them, and repairs of what is wrong with them."""

import pytest
from msgspec.structs import replace

from engine.diagnostics import Diagnostic, sentence
from engine.graph.model import Graph
from engine.query.ask import ask
from engine.query.model.request import Check, Repair
from engine.spec.fields import set_value
from engine.spec.repair import repaired
from engine.spec.run import Choice, DataSpec, RunSpec
from engine.spec.transform import TransformSpec
from engine.spec.transform_list import (
    inserted,
    moved,
    new_transform,
    photograph_transforms,
    removed,
    transform_settings,
    with_normalize,
)
from engine.spec.transform_outline import enabled_transforms
from tests.engine.query.data.test_proposal import pictures

FLIP, BLUR, FLOAT = map(new_transform, ("RandomHorizontalFlip", "GaussianBlur", "ToDtype"))
PHOTOGRAPHS = photograph_transforms((32, 48), 3)


def with_steps(*steps: TransformSpec, **changes) -> RunSpec:
    return RunSpec(data=DataSpec(transforms=steps, **changes))


def test_that_a_step_is_inserted_moved_and_removed():
    steps = inserted((FLIP, FLOAT), 1, BLUR)
    assert steps == (FLIP, BLUR, FLOAT)
    assert moved(steps, 0, 2) == (BLUR, FLOAT, FLIP)
    assert moved(steps, 2, 0) == (FLOAT, FLIP, BLUR)
    assert moved(steps, 0, 3) == steps
    assert removed(steps, 1) == (FLIP, FLOAT)


def test_that_a_new_crop_has_the_size_of_the_images():
    assert new_transform("CenterCrop", (8, 9)).params["size"] == (8, 9)
    assert new_transform("CenterCrop").params["size"] == 224
    assert new_transform("RandomCrop", (8, 9)).params["padding"] == 1


@pytest.mark.row("S143")
def test_that_what_is_common_for_photographs_leaves_evaluation_without_chance():
    evaluation = enabled_transforms(PHOTOGRAPHS, is_training=False)
    assert [step.type for _, step in evaluation] == ["Resize", "CenterCrop", "ToDtype", "Normalize"]
    training = [step.type for _, step in enabled_transforms(PHOTOGRAPHS, is_training=True)]
    assert training == ["RandomResizedCrop", "RandomHorizontalFlip", "ToDtype", "Normalize"]
    assert len(photograph_transforms((8, 8), 1)[-1].params["mean"]) == 1
    larger = [photograph_transforms(size, 3)[2].params["size"] for size in ((224, 224), (80, 96))]
    assert larger == [256, (91, 110)]  # of both sides 7/8 are kept


@pytest.mark.row("S145")
def test_that_normalize_is_filled_or_added_after_a_conversion():
    values = TransformSpec(type="Normalize", params={"mean": (0.1,), "std": (0.2,)})
    assert with_normalize((FLIP,), (0.1,), (0.2,))[2] == values
    assert [step.type for step in with_normalize((FLIP,), (0.1,), (0.2,))] == [
        "RandomHorizontalFlip",
        "ToDtype",
        "Normalize",
    ]
    assert with_normalize(PHOTOGRAPHS, (0.1,), (0.2,)) == (*PHOTOGRAPHS[:-1], values)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((FLIP, FLOAT), PHOTOGRAPHS),
        (PHOTOGRAPHS, (FLOAT,)),
        (PHOTOGRAPHS, moved(PHOTOGRAPHS, 0, 4)),
        ((), (replace(FLIP, parts="all", enabled=False, field="photo"),)),
    ],
)
def test_that_settings_by_name_make_one_list_the_other(before, after):
    spec = with_steps(*before)
    for name, value in transform_settings(before, after).items():
        spec = set_value(spec, name, value)
    assert spec == with_steps(*after)


@pytest.fixture
def folder(tmp_path):
    return Choice(type="image_folder", params={"path": str(pictures(tmp_path)), "size": None})


@pytest.mark.parametrize(
    ("code", "steps", "normalization", "expected"),
    [
        ("D101", (replace(FLIP, parts="all"), new_transform("Resize", (8, 8))), "none",
         "Apply RandomHorizontalFlip to training only"),
        ("D106", (replace(FLOAT, parts="train"), new_transform("Resize", (8, 8))), "none",
         "Apply ToDtype to all parts"),
        ("D102", (new_transform("Normalize"), new_transform("CenterCrop", (8, 8))), "none",
         "Convert the images to decimal numbers before Normalize"),
        ("D104", (new_transform("Resize", (8, 8)),
                  TransformSpec(type="ToDtype", params={"dtype": "float32", "scale": False})),
         "none", "Scale the values to 0 to 1"),
        ("D105", (FLIP, FLOAT), "none", "Add a Resize to 224 × 224"),
        ("D109", (new_transform("Resize", (9, 9)), new_transform("RandomCrop", (6, 7))), "none",
         "Add a Resize to 6 × 7"),
        ("D107", PHOTOGRAPHS, "standard", "Set the setting “normalization” to none"),
        ("D100", (new_transform("RandomCrop", (50, 40)),), "none", "Add a Resize to 50 × 40"),
        ("D114", (TransformSpec(type="GaussianBlur", params={"kernel_size": 2}),), "none",
         "Switch off transform 1 (GaussianBlur)"),
    ],
)  # fmt: skip
def test_that_what_is_wrong_with_transforms_is_repaired(
    folder, code, steps, normalization, expected
):
    graph = Graph()
    spec = with_steps(*steps, source=folder, normalization=normalization)
    found = ask(Check(graph=graph, spec=spec)).problems
    problem = next(each for each in found if each.code == code)
    (fixes,) = ask(Repair(graph=graph, spec=spec, problems=(problem,))).fixes
    assert expected in [sentence(fix.words) for fix in fixes]
    for fix in fixes:
        after = repaired(fix, graph, spec)[1]
        codes = {each.code for each in ask(Check(graph=graph, spec=after)).problems}
        assert code not in codes


def test_that_a_finding_about_something_else_has_no_such_repair():
    other = Diagnostic(code="D050", field="data.source.path")
    (fixes,) = ask(Repair(graph=Graph(), spec=with_steps(FLIP), problems=(other,))).fixes
    assert fixes == ()
