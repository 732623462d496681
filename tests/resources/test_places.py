"""Where findings about a run are shown: every field that the code names stands in a form, and
sentences call it as the form does.
"""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import msgspec
import pytest

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph
from engine.spec.choice import NO_CODE
from engine.spec.fields import fields, set_text
from engine.spec.run import Choice, DataSpec, LossTerm, PhaseSpec, RunSpec, SplitSpec
from engine.spec.search import SearchSpec
from engine.spec.technique import AveragingSpec
from engine.spec.transform import BatchTransformSpec, TransformSpec
from studio.view.recipe import (
    RecipeState,
    present_data_form,
    present_train_form,
)
from studio.view.recipe_field import field_sentence, field_title

LISTS = ("data.transforms.", "data.batch_transforms.")
ENGINE = Path(__file__).parents[2] / "engine"
RUN_CODE = re.compile(r"[RD]\d{3}")


def specifications() -> Iterator[RunSpec]:
    """Yield specifications that have between them every field there is."""
    base = RunSpec(losses=(LossTerm(loss=Choice(type="CrossEntropyLoss")),))
    yield base
    yield msgspec.structs.replace(base, averaging=AveragingSpec(kind="swa"))
    phase = PhaseSpec(scheduler=Choice(type="StepLR"))
    yield msgspec.structs.replace(base, losses=base.losses * 2, phases=(phase,))
    for key in (entry.key for entry in catalog().group(EntryGroup.DATA)):
        yield msgspec.structs.replace(base, data=DataSpec(source=Choice(type=key)))
    data = DataSpec(split=SplitSpec(kind="group", folds=5), sampler="weighted")
    yield msgspec.structs.replace(base, data=data)
    for entry in catalog().group(EntryGroup.TRANSFORM):
        steps = (TransformSpec(type=entry.key),)
        yield msgspec.structs.replace(base, data=DataSpec(transforms=steps))
    for entry in catalog().group(EntryGroup.BATCH_TRANSFORM):
        batch_steps = (BatchTransformSpec(type=entry.key),)
        yield msgspec.structs.replace(base, data=DataSpec(batch_transforms=batch_steps))
    for key in (entry.key for entry in catalog().group(EntryGroup.OPTIMIZER)):
        yield msgspec.structs.replace(base, optimizer=Choice(type=key))
    for key in (entry.key for entry in catalog().group(EntryGroup.SCHEDULER)):
        yield msgspec.structs.replace(base, scheduler=Choice(type=key))
    for key in (entry.key for entry in catalog().group(EntryGroup.LOSS)):
        yield msgspec.structs.replace(base, losses=(LossTerm(loss=Choice(type=key)),))


def shown(spec: RunSpec) -> set[str]:
    """Return the names of the fields that the forms of data and recipe show."""
    state = RecipeState(spec=spec, graph=Graph())
    forms = (present_train_form(state), present_data_form(state))
    return {field.name for form in forms for group in form.groups for field in group.fields}


def listed(spec: RunSpec) -> set[str]:
    """Return the names of the fields of transforms: they are a list and not part of a form."""
    return {name for name in fields(spec) if name.startswith(LISTS)}


def pattern(value: ast.expr) -> str | None:
    """Return a text that is written out, with ``*`` for what is put into it."""
    match value:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(pattern(part) or "*" for part in parts)
        case _:
            return None


def named_fields() -> dict[str, str]:
    """Return the fields at which the code finds something about run or data, with a code each."""
    found = {}
    for path in ENGINE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for call in ast.walk(ast.parse(text)) if RUN_CODE.search(text) else ():
            if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "Diagnostic":
                continue
            parts = {keyword.arg: keyword.value for keyword in call.keywords}
            codes = [
                str(part.value)
                for part in ast.walk(parts.get("code", ast.Constant("")))
                if isinstance(part, ast.Constant) and RUN_CODE.fullmatch(str(part.value))
            ]
            field = pattern(parts["field"]) if "field" in parts else None
            if codes and field and "node" not in parts:
                found[field] = f"{codes[0]} in {path.name}"
    return found


def test_that_every_field_that_a_finding_names_stands_in_a_form_or_in_a_list():
    known = set().union(*map(shown, specifications()), SearchSpec.__struct_fields__)
    known |= set().union(*map(listed, specifications()))
    known |= {name.removesuffix(".") for name in LISTS}
    named = named_fields()
    assert len(named) > 20
    lost = {
        field: code
        for field, code in named.items()
        if not any(fnmatch(name, field) for name in known)
    }
    assert not lost


def test_that_the_forms_show_every_field_that_has_an_effect():
    schedules = {"scheduler_interval", "schedule_order"}  # of one scheduler or more
    for spec in specifications():
        missing = set(fields(spec)) - shown(spec) - listed(spec) - schedules
        assert all(fields(spec)[name].param.when for name in missing), missing


def test_that_a_field_is_hidden_while_it_has_no_effect_and_says_nothing():
    names = ("column", "train", "validation", "stratified", "fold")
    split = {f"data.split.{name}" for name in names}

    def shown_of(spec: SplitSpec) -> set[str]:
        return shown(RunSpec(data=DataSpec(split=spec))) & split

    assert shown_of(SplitSpec()) == {"data.split.train", "data.split.validation"}
    by_class = {"data.split.validation", "data.split.stratified"}
    assert shown_of(SplitSpec(kind="given")) == by_class
    assert shown_of(SplitSpec(kind="group", folds=5)) == {"data.split.column", "data.split.fold"}
    assert "data.split.column" in shown_of(SplitSpec(column="patient"))
    gap = Diagnostic(code="R027", field="data.split.fold")
    form = present_data_form(RecipeState(spec=RunSpec(), graph=Graph(), problems=(gap,)))
    assert "data.split.fold" in {field.name for group in form.groups for field in group.fields}


@pytest.mark.parametrize(
    ("name", "text", "language", "words"),
    [
        ("optimizer.lr", "abc", "en", "“Learning rate (lr)” must be a number"),
        ("optimizer.lr", "-1", "zh_CN", "“学习率（lr）”不能是 -1"),
        ("data.batch_size", "0", "en", "“Batch size” cannot be 0"),
        ("data.batch_size", "0", "zh_CN", "（batch_size）”不能是 0"),
        ("epochs", "１２", "en", "Enter 12 for “Epochs”"),
        ("data.split.train", "0,7", "en", "Enter 0.7 for “Training part (train)”"),
    ],
)
def test_that_a_refusal_calls_the_field_as_the_form_does(name, text, language, words):
    spec = RunSpec()
    with pytest.raises(DiagnosticError) as caught:
        set_text(spec, name, text)
    told = field_sentence(spec, caught.value.problems[0], language, NO_CODE)
    assert words in told
    assert field_title(spec, name, language, NO_CODE) in told


@pytest.mark.parametrize(
    ("name", "language", "title"),
    [
        ("data.transforms.0.size", "en", "Transform 1 (Resize) · Size"),
        ("data.transforms.0.parts", "en", "Transform 1 (Resize) · Applied to"),
        ("data.transforms.0.parts", "zh_CN", "变换 1 (Resize) · 应用于"),
        ("data.transforms.0", "en", "Transform 1 (Resize)"),
        ("data.transforms.1", "zh_CN", "变换 2"),
        ("data.batch_transforms.0.enabled", "zh_CN", "批次变换 1 (MixUp) · 启用"),
        ("data.transforms", "en", "Transforms"),
        ("data.batch_size", "en", "Batch size"),
    ],
)
def test_that_a_setting_of_a_transform_is_called_with_its_transform(name, language, title):
    data = DataSpec(
        transforms=(TransformSpec(type="Resize"),),
        batch_transforms=(BatchTransformSpec(type="MixUp"),),
    )
    assert field_title(RunSpec(data=data), name, language, NO_CODE) == title


def test_that_parts_that_do_not_sum_to_one_are_all_marked():
    from engine.diagnostics import Diagnostic

    problem = Diagnostic(code="R020", field="data.split.train", params={"sum": 1.2})
    form = present_data_form(RecipeState(spec=RunSpec(), graph=Graph(), problems=(problem,)))
    marked = {f.name for group in form.groups for f in group.fields if f.is_invalid}
    told = {f.name: f.error for group in form.groups for f in group.fields if f.error}
    assert marked == {f"data.split.{part}" for part in ("train", "validation", "test")}
    assert list(told) == ["data.split.train"]
