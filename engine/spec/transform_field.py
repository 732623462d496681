"""Transforms as fields of a specification: ``data.transforms.0`` is the type of the first one,
``data.transforms.0.size`` a parameter, ``data.transforms.0.parts`` where it is applied. Choosing a
type for the one after the last adds a transform, ``none`` removes one with what it holds.
"""

from collections.abc import Iterator
from functools import partial
from typing import Literal

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Need, ParamSpec, Value
from engine.catalog.validate import check_value
from engine.spec.choice import NO_CODE, Code, has_need
from engine.spec.field import Field, choice_fields, replaced
from engine.spec.run import Choice, RunSpec
from engine.spec.transform import BatchTransformSpec, TransformSpec, is_custom
from engine.spec.transform_outline import end_of

LISTS: dict[str, EntryGroup] = {
    "transforms": EntryGroup.TRANSFORM,
    "batch_transforms": EntryGroup.BATCH_TRANSFORM,
}
"""The groups of the catalogue that the lists of transforms (fields of ``DataSpec``) choose from."""

_Steps = tuple[TransformSpec | BatchTransformSpec, ...]


def transform_fields(spec: RunSpec, code: Code = NO_CODE) -> Iterator[Field]:
    """Yield the fields of all transforms, and those that add one."""
    for name, group in LISTS.items():
        for index in range(len(_steps(spec, name)) + 1):
            yield from _step_fields(spec, name, group, index, code)


def transform_choices(spec: RunSpec) -> Iterator[tuple[str, EntryGroup, Choice]]:
    """Yield the name, the group of the catalogue and the choice of each transform."""
    for name, group in LISTS.items():
        for index, step in enumerate(_steps(spec, name)):
            yield f"data.{name}.{index}", group, Choice(type=step.type, params=step.params)


def custom_parts(key: str, code: Code) -> Literal["auto", "train", "all"]:
    """Return where a transform of the user's code is applied at first: one that seems to draw
    random numbers in training only. Of the catalogue's that is known whenever they are asked.
    """
    if not is_custom(key):
        return "auto"
    is_drawn = has_need(EntryGroup.TRANSFORM, Choice(type=key), Need.RANDOM_NUMBERS, code)
    return "train" if is_drawn else "all"


def _step_fields(
    spec: RunSpec, name: str, group: EntryGroup, index: int, code: Code
) -> Iterator[Field]:
    def read(spec: RunSpec) -> Choice | None:
        steps = _steps(spec, name)
        if index >= len(steps):
            return None
        return Choice(type=steps[index].type, params=steps[index].params)

    def write(spec: RunSpec, choice: Choice | None) -> RunSpec:
        return _with_choice(spec, name, index, choice, code)

    prefix = f"data.{name}.{index}"
    title = name.removesuffix("s")
    yield from choice_fields(
        spec, prefix, group, read, write, optional=True, title=title, code=code
    )
    settings = catalog().entry(EntryGroup.SETTING, title)
    if settings is None or index >= len(_steps(spec, name)):
        return
    for param in settings.params:
        yield Field(
            name=f"{prefix}.{param.name}",
            param=param,
            read=partial(_read, name, index, param),
            write=partial(_write, name, index, param),
            check=partial(check_value, param),
        )


def _steps(spec: RunSpec, name: str) -> _Steps:
    return spec.data.transforms if name == "transforms" else spec.data.batch_transforms


def _with_choice(
    spec: RunSpec, name: str, index: int, choice: Choice | None, code: Code
) -> RunSpec:
    steps = list(_steps(spec, name))
    if choice is None:
        end = end_of(spec.data.transforms, index) if name == "transforms" else index + 1
        del steps[index:end]
    elif index < len(steps):
        step = replaced(steps[index], ("params",), choice.params)
        if is_custom(choice.type) and step.type != choice.type:
            step = replaced(step, ("parts",), custom_parts(choice.type, code))
        steps[index] = replaced(step, ("type",), choice.type)
    elif name == "transforms":
        parts = custom_parts(choice.type, code)
        steps.append(TransformSpec(type=choice.type, params=choice.params, parts=parts))
    else:
        steps.append(BatchTransformSpec(type=choice.type, params=choice.params))
    return replaced(spec, ("data", name), tuple(steps))


def _read(name: str, index: int, param: ParamSpec, spec: RunSpec) -> Value:
    return getattr(_steps(spec, name)[index], param.name)


def _write(name: str, index: int, param: ParamSpec, spec: RunSpec, value: Value) -> RunSpec:
    steps = list(_steps(spec, name))
    steps[index] = replaced(steps[index], (param.name,), value)
    return replaced(spec, ("data", name), tuple(steps))
