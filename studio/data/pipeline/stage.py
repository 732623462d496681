"""One stage of the way to the model as a box, with what is wrong with its settings."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.catalog.spec import Entry
from engine.catalog.text import entry_label
from engine.diagnostics import Diagnostic, Severity, sentence
from engine.query.request import Split
from engine.spec.data import FieldInfo
from engine.spec.transform_preview import TransformPreview, TransformStage
from studio.i18n import filled, translate
from studio.view.recipe import RecipeState
from widgets.flow.view_model import FlowBox
from widgets.flow.view_model import Severity as Sign

TRANSFORMS, MODEL = "transforms", "model"
"""The keys of stages that are no setting: the page of the transforms, and the model."""
_MOST_FIELDS = 3


@dataclass(frozen=True, kw_only=True)
class PipelineState:
    """The part that is looked at, and a sample of it through its transforms, or why not."""

    part: Split = "train"
    preview: TransformPreview | None = None
    problem: Diagnostic | None = None


def stage(
    key: str,
    title: str,
    icon: str,
    value: str,
    recipe: RecipeState,
    *,
    notes: tuple[str, ...] = (),
    flow: tuple[str, ...] = (),
    covers: tuple[str, ...] | None = None,
    is_off: bool = False,
    sign: Sign = "",
    tip: str,
) -> FlowBox:
    """Return a stage with the first problem of the settings that it ``covers`` (its own)."""
    found = _problem((key,) if covers is None else covers, recipe.problems)
    if found is not None and not sign:
        sign = "error" if found.severity is Severity.ERROR else "warning"
        tip = f"{sentence(found, recipe.language)}\n\n{tip}"
    return FlowBox(
        key=key,
        title=title,
        icon=icon,
        value=value,
        notes=notes,
        flow=flow,
        is_off=is_off,
        severity=sign,
        tip=tip,
    )


def _problem(names: tuple[str, ...], problems: Sequence[Diagnostic]) -> Diagnostic | None:
    return next(
        (
            problem
            for problem in problems
            if problem.severity in (Severity.ERROR, Severity.WARNING)
            and any(f"{problem.field or ''}.".startswith(f"{name}.") for name in names)
        ),
        None,
    )


def sample_flow(stages: Sequence[TransformStage]) -> tuple[str, ...]:
    """Return the fields of a sample at a stage."""
    fields = stages[0].fields if stages else ()
    return _some([_field_text(each.name, each.shape, each.dtype) for each in fields])


def batch_flow(
    fields: Sequence[FieldInfo], state: PipelineState, recipe: RecipeState
) -> tuple[str, ...]:
    """Return fields as a batch has them. A sample of the part says their sizes, where it was read
    and samples have one size.
    """
    stages = state.preview.stages if state.preview is not None else ()
    last = {each.name: each.shape for each in stages[-1].fields} if stages else {}
    size, data = recipe.spec.data.batch_size, recipe.spec.data
    if makes_custom_batches(state, recipe):
        own = recipe.data.custom_batches if recipe.data is not None else None
        size = own.most if own is not None and own.least == own.most else -1
    lines: list[str] = []
    for field in fields:
        shape = field.shape
        if data.collate == "stack" and min(shape, default=0) >= 0:
            shape = last.get(field.name, shape)
        lines.append(_field_text(field.name, (size, *shape), field.dtype))
    return _some(lines)


def _some(lines: list[str]) -> tuple[str, ...]:
    more = len(lines) - _MOST_FIELDS
    if more <= 1:
        return tuple(lines)
    text = filled(translate("Pipeline", "and {count} more"), count=more)
    return (*lines[:_MOST_FIELDS], text)


def _field_text(name: str, shape: Sequence[int], dtype: str) -> str:
    """Return what a field is; one number has no shape."""
    sizes = "×".join("n" if size < 0 else str(size) for size in shape)
    return " ".join(filter(None, (name, sizes, dtype)))


def fields_of(recipe: RecipeState) -> tuple[FieldInfo, ...]:
    """Return the fields of a sample; none where they are not known."""
    return recipe.data.fields if recipe.data is not None else ()


def makes_custom_batches(state: PipelineState, recipe: RecipeState) -> bool:
    """Return whether the project's code says which samples each batch of the part has."""
    return state.part == "train" and recipe.spec.data.has_custom_batches


def samples_of(state: PipelineState, recipe: RecipeState) -> int | None:
    """Return how many samples the part has; None where it is not known."""
    part = recipe.data.part(state.part) if recipe.data is not None else None
    return None if part is None else part.samples


def samples_text(count: int) -> str:
    """Return a number of samples in words."""
    return filled(translate("Pipeline", "{count} {count|sample|samples}"), count=f"{count:,}")


def title_of(entry: Entry | None, name: str, language: str) -> str:
    """Return what an entry of the catalogue is called; ``name`` where it is not there."""
    return entry_label(entry, language) if entry is not None else name
