"""Transforms in transforms: what a list of them means, and how it is changed."""

import pytest
from msgspec.structs import replace

from engine.spec.codec import from_document, to_document
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.data_version import version_of
from engine.spec.fields import fields, set_text
from engine.spec.run import DataSpec, RunSpec
from engine.spec.transform import TransformSpec
from engine.spec.transform_list import transform_settings, with_normalize
from engine.spec.transform_outline import (
    MOST_LEVELS,
    doubled,
    dropped,
    enabled_transforms,
    inside,
    levels,
    one_down,
    one_in,
    one_out,
    one_up,
    parents,
    put_in,
    taken_out,
)
from engine.spec.transform_repair import transform_repairs
from engine.spec.transform_rule import check_transforms

IMAGE = FieldInfo(name="image", role="input", kind="image", shape=(3, 8, 8), dtype="uint8")


def outline(text: str, **params: object) -> tuple[TransformSpec, ...]:
    """Return a list from lines that are indented; ``params`` are those of the containers."""
    lines = [line for line in text.split("\n") if line.strip()]
    least = min(len(line) - len(line.lstrip()) for line in lines)
    return tuple(
        TransformSpec(
            type=line.strip(),
            level=(len(line) - len(line.lstrip()) - least) // 2,
            params=params if line.strip() == "RandomChoice" else {},
        )
        for line in lines
    )


def lines(steps: tuple[TransformSpec, ...]) -> list[str]:
    return ["  " * step.level + step.type for step in steps]


STEPS = outline("""
    Pad
    RandomApply
      RGB
      RandomChoice
        RandomInvert
        RandomEqualize
    Grayscale
""", p=(1.0, 3.0))  # fmt: skip


def spec(*steps: TransformSpec) -> RunSpec:
    return RunSpec(data=DataSpec(transforms=steps))


def told(*steps: TransformSpec, kind: str = "image") -> dict[str, str]:
    info = DataInfo(
        source="x", samples=9, task="classification", fields=(replace(IMAGE, kind=kind),)
    )
    return {each.code: each.field or "" for each in check_transforms(spec(*steps), info)}


def test_that_a_transform_is_in_the_last_container_of_the_level_before():
    assert parents(STEPS) == (None, None, 1, 1, 3, 3, None)
    assert inside(STEPS) == ((), (2, 3), (), (4, 5), (), (), ())


def test_that_what_is_in_a_container_is_applied_where_the_container_is():
    def numbers(*steps: TransformSpec, is_training: bool) -> list[int]:
        return [number for number, _ in enabled_transforms(steps, is_training=is_training)]

    assert numbers(*STEPS, is_training=True) == [0, 1, 2, 3, 4, 5, 6]
    assert numbers(*STEPS, is_training=False) == [0, 6]
    everywhere = (STEPS[0], replace(STEPS[1], parts="all"), *STEPS[2:])
    assert numbers(*everywhere, is_training=False) == [0, 1, 2, 3, 4, 5, 6]
    off = (*STEPS[:3], replace(STEPS[3], enabled=False), *STEPS[4:])
    assert numbers(*off, is_training=True) == [0, 1, 2, 6]


@pytest.mark.parametrize("level", [-3, 4, 10**15])
def test_that_a_level_beyond_the_last_is_told_at_its_field(level):
    found = spec(replace(STEPS[0], level=level))
    field = fields(found)["data.transforms.0.level"]
    assert field.check(field.read(found)) is not None
    deep = tuple(TransformSpec(type="RandomApply", level=each) for each in range(50))
    assert max(levels(deep)) == MOST_LEVELS


def test_that_a_transform_where_nothing_holds_it_is_told_and_put_right():
    wrong = outline("""
        Pad
          RandomApply
            RGB
    """)
    assert told(*wrong)["D560"] == "data.transforms.2.level"
    problems = [each for each in check_transforms(spec(*wrong), None) if each.code == "D560"]
    fields_of = {each.field: each for each in problems}
    repair = next(transform_repairs(fields_of["data.transforms.1.level"], spec(*wrong)))
    assert repair.settings == {"data.transforms.1.level": 0}
    assert told(*outline("Pad\nRandomApply\n  RGB")).keys() == set()


def test_that_a_container_of_nothing_is_told():
    assert told(TransformSpec(type="RandomOrder")) == {"D561": "data.transforms.0"}
    held = replace(TransformSpec(type="RGB"), level=1, enabled=False)
    assert "D561" in told(TransformSpec(type="RandomApply"), held)
    assert "D561" not in told(TransformSpec(type="RandomApply"), replace(held, enabled=True))


@pytest.mark.parametrize("weights", [(1.0,), (1.0, 2.0, 3.0), (0.0, 0.0), ()])
def test_that_weights_that_are_not_those_of_the_transforms_are_told(weights):
    steps = outline("RandomChoice\n  RandomInvert\n  RandomEqualize", p=weights)
    assert told(*steps) == {"D562": "data.transforms.0.p"}
    problem = next(check_transforms(spec(*steps), None))
    assert next(transform_repairs(problem, spec(*steps))).settings == {"data.transforms.0.p": None}


def test_that_frames_are_kept_of_videos_alone():
    step = TransformSpec(type="UniformTemporalSubsample", params={"num_samples": 2})
    assert told(step) == {"D563": "data.transforms.0"}
    assert told(step, kind="video") == {}


def test_that_documents_and_versions_of_lists_without_containers_stay_as_they_were():
    flat = spec(TransformSpec(type="Pad"), TransformSpec(type="RGB"))
    assert all("level" not in step for step in to_document(flat)["data"]["transforms"])
    nested = spec(*STEPS)
    assert from_document(to_document(nested)) == nested
    assert from_document(to_document(flat)) == flat
    first, second = (TransformSpec(type="RandomOrder"), TransformSpec(type="RandomInvert"))
    versions = [version_of(spec(first, replace(second, level=level)).data, "") for level in (0, 1)]
    assert versions[0].differences(versions[1]) == ("transforms",)


def test_that_the_version_of_data_is_the_one_of_earlier_programs():
    data = DataSpec(transforms=(TransformSpec(type="Pad", params={"padding": 2}),))
    known = [{"type": "Pad", "params": {"padding": 2}, "field": "", "enabled": True,
              "parts": "auto"}]  # fmt: skip
    from engine.spec.data_version import digest

    assert version_of(data, "").transforms == digest([known, [], data.normalization])


def test_that_settings_by_name_build_an_outline():
    found = RunSpec()
    for number, step in enumerate(STEPS):
        found = set_text(found, f"data.transforms.{number}", step.type)
        found = set_text(found, f"data.transforms.{number}.level", str(step.level))
    found = set_text(found, "data.transforms.3.p", "1, 3")
    assert [(s.type, s.level) for s in found.data.transforms] == [(s.type, s.level) for s in STEPS]
    assert found.data.transforms[3].params["p"] == (1, 3)
    found = set_text(found, "data.transforms.1", "none")
    assert lines(found.data.transforms) == ["Pad", "Grayscale"]
    settings = transform_settings((), STEPS)
    assert [settings[f"data.transforms.{n}.level"] for n in range(7)] == [0, 0, 1, 1, 2, 2, 0]


def test_that_what_belongs_together_moves_together():
    up, at = one_up(STEPS, 3)
    assert (lines(up), at) == (
        ["Pad", "RandomApply", "  RandomChoice", "    RandomInvert", "    RandomEqualize", "  RGB",
         "Grayscale"], 2)  # fmt: skip
    out, at = one_up(up, 2)
    assert (lines(out), at) == (
        ["Pad", "RandomChoice", "  RandomInvert", "  RandomEqualize", "RandomApply", "  RGB",
         "Grayscale"], 1)  # fmt: skip
    down, at = one_down(STEPS, 1)
    assert (lines(down)[:2], at) == (["Pad", "Grayscale"], 2)
    assert one_up(STEPS, 0) == (STEPS, 0)
    assert one_down(STEPS, 6) == (STEPS, 6)
    into, at = one_in(STEPS, 6)
    assert (lines(into)[-1], at) == ("  Grayscale", 6)
    assert one_out(into, 6) == (STEPS, 6)
    assert one_in(STEPS, 1) == (STEPS, 1)
    assert one_out(STEPS, 0) == (STEPS, 0)
    assert lines(taken_out(STEPS, 1)) == ["Pad", "Grayscale"]
    assert lines(doubled(STEPS, 3))[3:9] == lines(STEPS)[3:6] * 2


def test_that_a_row_is_dropped_above_below_and_inside_of_another():
    assert dropped(STEPS, 0, 4, "above")[0][3] == replace(STEPS[0], level=2)
    assert lines(dropped(STEPS, 0, 5, "below")[0])[4:6] == ["    RandomEqualize", "    Pad"]
    assert lines(dropped(STEPS, 6, 1, "below")[0])[:3] == ["Pad", "RandomApply", "  Grayscale"]
    assert lines(dropped(STEPS, 6, 1, "inside")[0])[-1] == "  Grayscale"
    assert lines(dropped(STEPS, 1, -1, "below")[0])[:3] == ["Pad", "Grayscale", "RandomApply"]
    assert dropped(STEPS, 1, 4, "below") == (STEPS, 1)  # it would be in itself
    deep = outline("RandomApply\n  RandomApply\n    RandomApply\n      RGB\nRandomOrder\n  RGB")
    assert dropped(deep, 4, 2, "inside") == (deep, 4)  # too deep


def test_that_weights_go_with_their_transforms():
    def weights(steps: tuple[TransformSpec, ...]) -> object:
        return next(step for step in steps if step.type == "RandomChoice").params.get("p")

    assert weights(one_up(STEPS, 5)[0]) == (3.0, 1.0)
    assert weights(taken_out(STEPS, 4)) == (3.0,)
    assert weights(doubled(STEPS, 5)) == (1.0, 3.0, 3.0)
    assert weights(put_in(STEPS, 5, TransformSpec(type="RGB"), 2)) == (1.0, 2.0, 3.0)
    assert weights(one_out(STEPS, 4)[0]) == (3.0,)
    assert weights(taken_out(taken_out(STEPS, 4), 4)) is None
    apart = replace(STEPS[3], params={"p": (1.0,)})
    assert weights(doubled((*STEPS[:3], apart, *STEPS[4:]), 5)) == (1.0,)


def test_that_a_normalize_in_a_container_is_not_the_one_of_the_data():
    steps = outline("RandomApply\n  ToDtype\n  Normalize")
    found = with_normalize(steps, (0.5,), (0.5,))
    assert lines(found) == ["RandomApply", "  ToDtype", "  Normalize", "ToDtype", "Normalize"]
