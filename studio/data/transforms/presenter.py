"""Transforms page as values: the list, the settings of the chosen one, a sample through each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.catalog.spec import Entry
from engine.catalog.text import entry_label, entry_summary, param_label
from engine.diagnostics import Diagnostic, Severity
from engine.graph.code import code_transforms
from engine.query.reading.request import ReadingProgress
from engine.spec.choice import NO_CODE, Code, entry_of_key
from engine.spec.run import DataSpec
from engine.spec.statistics import FieldStatistics
from engine.spec.transform import (
    BatchTransformSpec,
    TransformSpec,
    holds_steps,
    is_custom,
    is_in_evaluation,
    is_in_training,
    is_random,
)
from engine.spec.transform_field import LISTS
from engine.spec.transform_outline import (
    enabled_transforms,
    levels,
    one_down,
    one_in,
    one_out,
    one_up,
)
from engine.spec.transform_preview import (
    BatchPreview,
    TransformPreview,
)
from engine.spec.transform_repair import image_field, sound_field
from studio.data.transforms.stage_presenter import present_batch, present_stages
from studio.i18n import filled, listed, translate
from studio.view.data import loading_view, split_title
from studio.view.reading import present_reading_samples
from studio.view.recipe import RecipeState, present_transform_form
from studio.view.wording import value_text
from studio.window.page import EmptyView
from widgets.common.progress import ProgressView
from widgets.forms.view_model import FormView
from widgets.images.view_model import StageView

SAMPLES, BATCHES = "transforms", "batch_transforms"
_SEVERAL = 2
MOVES = {"up": one_up, "down": one_down, "into": one_in, "out": one_out}
"""How a transform of samples is moved, by the name of its button."""


@dataclass(frozen=True, kw_only=True)
class TransformsState:
    """What the page shows: the key of the chosen transform (``transforms.0``), which sample of
    which part in which draw, how it went through the transforms, and the batch that is blended, or
    why not; how far the measuring of mean and deviation is.
    """

    chosen: str = ""
    part: str = "train"
    number: int = 0
    draw: int = 0
    preview: TransformPreview | None = None
    batch: BatchPreview | None = None
    problem: Diagnostic | None = None
    reading: ReadingProgress | None = None


@dataclass(frozen=True, kw_only=True)
class StepRow:
    """A transform in the list, in a container where its ``level`` is above 0. ``is_applied``: to
    the part that is looked at; ``state`` says why not, in words.
    """

    key: str
    title: str
    settings: str
    where: str
    is_on: bool
    is_applied: bool
    state: str = ""
    severity: str = ""
    help: str = ""
    level: int = 0
    is_container: bool = False


@dataclass(frozen=True, kw_only=True)
class TransformsView:
    """What the page shows; ``possible`` are the names of the buttons that can be pressed."""

    rows: tuple[StepRow, ...]
    chosen: str
    form: FormView
    stages: tuple[StageView, ...]
    stage: str
    is_sequence: bool
    sample: str
    words: str
    possible: tuple[str, ...]
    can_fill: bool = False
    progress: ProgressView | None = None
    empty: EmptyView | None = None


def present_transforms(state: TransformsState, recipe: RecipeState) -> TransformsView:
    """Return what the page shows of a specification."""
    data = recipe.spec.data
    rows = _rows(state, recipe)
    chosen = current_key(state, data)
    return TransformsView(
        rows=rows,
        chosen=chosen,
        form=_form(chosen, recipe),
        stages=(
            present_batch(state.batch, state.problem, recipe.language)
            if is_batch(chosen)
            else present_stages(state.preview, state.problem, recipe)
        ),
        stage=_stage_of(chosen),
        is_sequence=not is_batch(chosen),
        sample=_batch_text(state.batch) if is_batch(chosen) else _sample_text(state),
        words=_batch_words(state.batch, data) if is_batch(chosen) else _all_words(data, state.part),
        possible=_possible(state, data, rows, chosen),
        can_fill=_is_normalize(chosen, data),
        progress=present_reading_samples(
            state.reading, translate("Transforms", "Reading training samples: {done} of {count}")
        ),
        empty=_why_empty(state, recipe, has_steps=bool(rows)),
    )


def current_key(state: TransformsState, data: DataSpec) -> str:
    """Return the key of the transform whose settings are shown: the chosen one, else the first."""
    keys = [f"{SAMPLES}.{number}" for number in range(len(data.transforms))]
    keys += [f"{BATCHES}.{number}" for number in range(len(data.batch_transforms))]
    return state.chosen if state.chosen in keys else next(iter(keys), "")


def is_batch(key: str) -> bool:
    """Return whether a key is that of a transform of batches."""
    return key.startswith(f"{BATCHES}.")


def entry_of(
    name: str, step: TransformSpec | BatchTransformSpec, code: Code = NO_CODE
) -> Entry | None:
    """Return the entry of a transform of a list, of the catalogue or of the user's code."""
    return entry_of_key(LISTS[name], step.type, code)


def _rows(state: TransformsState, recipe: RecipeState) -> tuple[StepRow, ...]:
    data = recipe.spec.data
    applied = {f"{SAMPLES}.{number}" for number, _ in _applied(data, state.part)}
    if state.part == "train":
        applied |= {
            f"{BATCHES}.{n}" for n, step in enumerate(data.batch_transforms) if step.enabled
        }
    depths = levels(data.transforms)
    rows: list[StepRow] = []
    place = ""
    for number, step in enumerate(data.transforms):
        place = place if depths[number] else _where(step)  # of a container that of what is in it
        row = _row(f"{SAMPLES}.{number}", step, place, state=state, recipe=recipe, applied=applied)
        rows.append(replace(row, level=depths[number], is_container=holds_steps(step.type)))
    where = translate("Transforms", "Training batches")
    rows += [
        _row(f"{BATCHES}.{number}", step, where, state=state, recipe=recipe, applied=applied)
        for number, step in enumerate(data.batch_transforms)
    ]
    return tuple(rows)


def _row(
    key: str,
    step: TransformSpec | BatchTransformSpec,
    where: str,
    *,
    state: TransformsState,
    recipe: RecipeState,
    applied: set[str],
) -> StepRow:
    name, _, number = key.partition(".")
    entry = entry_of(name, step, recipe.graph.code)
    words = "" if step.enabled else translate("Transforms", "switched off")
    if step.enabled and key not in applied:
        words = translate("Transforms", "not applied to this part")
    title = entry_label(entry, recipe.language) if entry else step.type
    return StepRow(
        key=key,
        title=title if name == BATCHES else f"{int(number) + 1}  {title}",
        settings=_settings(entry, step, recipe.language),
        where=where if step.enabled else translate("Transforms", "Off"),
        is_on=step.enabled,
        is_applied=key in applied,
        state=words,
        severity=_severity(key, state, recipe.problems),
        help="\n".join(
            filter(None, (entry_summary(entry, recipe.language) if entry else "", words))
        ),
    )


def _where(step: TransformSpec) -> str:
    if not is_in_training(step):
        return translate("Transforms", "Evaluation")
    if is_in_evaluation(step):
        return translate("Transforms", "All parts")
    return translate("Transforms", "Training")


def _settings(entry: Entry | None, step: TransformSpec | BatchTransformSpec, language: str) -> str:
    if entry is None:
        return ""
    params = (param for param in entry.params if param.name in step.params)
    texts = (
        f"{param_label(entry, param, language)} {value_text(step.params[param.name])}"
        for param in params
    )
    field = step.field if isinstance(step, TransformSpec) else ""
    return listed(filter(None, (field, *texts)))


def _severity(key: str, state: TransformsState, problems: Sequence[Diagnostic]) -> str:
    name, _, number = key.partition(".")
    failed = state.preview.stages[-1] if state.preview and state.preview.stages else None
    if failed is not None and failed.problem is not None and key == f"{SAMPLES}.{failed.number}":
        return "error"
    prefix = f"data.{name}.{number}"
    found = {p.severity for p in problems if f"{p.field or ''}.".startswith(f"{prefix}.")}
    if not found:
        return ""
    return "error" if Severity.ERROR in found else "warning"


def _form(chosen: str, recipe: RecipeState) -> FormView:
    if chosen:
        return present_transform_form(recipe, f"data.{chosen}")
    text = translate("Transforms", "Choose a transform to see its settings.")
    if not (recipe.spec.data.transforms or recipe.spec.data.batch_transforms):
        text = translate(
            "Transforms",
            "No transforms yet. Add one, or start from a preset: random changes show the model "
            "each training sample in other ways, so that it learns what matters.",
        )
    return FormView(key="", empty_text=text)


def _applied(data: DataSpec, part: str) -> tuple[tuple[int, TransformSpec], ...]:
    return enabled_transforms(data.transforms, is_training=part == "train")


def _numbers(data: DataSpec, part: str) -> list[int]:
    return [number for number, _ in _applied(data, part)]


def _all_words(data: DataSpec, part: str) -> str:
    """Say plainly what applies to a part, and what is done to the values after that."""
    words = "\n".join(filter(None, (_chains(data), _words(data, part))))
    has_normalize = any(step.enabled and step.type == "Normalize" for step in data.transforms)
    if data.normalization != "none" and not has_normalize:
        text = translate(
            "Transforms",
            "After that, the setting Normalization ({kind}) scales the values of every part by "
            "those of the training part.",
        )
        words = " ".join(filter(None, (words, text.format(kind=data.normalization))))
    return words


def _chains(data: DataSpec) -> str:
    """Return the transforms of training and those of evaluation, where some of both differ in what
    is not random.
    """
    outside = [step for step in data.transforms if step.level <= 0]
    if all(is_in_training(step) for step in outside if step.enabled):
        return ""
    text = translate("Transforms", "Training: {training}. Evaluation: {evaluation}.")
    training, evaluation = (
        " → ".join(
            step_name(step) for _, step in enabled_transforms(outside, is_training=is_training)
        )
        for is_training in (True, False)
    )
    return text.format(training=training or "–", evaluation=evaluation or "–")


def step_name(step: TransformSpec | BatchTransformSpec) -> str:
    """Return the name of a transform in a sentence: of own code that of its definition."""
    return step.type.rpartition(".")[2]


def _words(data: DataSpec, part: str) -> str:
    """Say plainly what applies to a part."""
    on = {*_numbers(data, "train"), *_numbers(data, "validation")}
    count = len(_applied(data, part))
    if part == "train":
        text = translate(
            "Transforms",
            "Training gets {count} of {total} {total|transform|transforms}. Random ones are drawn "
            "anew for every sample in every epoch.",
        )
        return filled(text, count=count, total=len(on)) if on else ""
    chance = [step_name(step) for _, step in _applied(data, part) if is_random(step)]
    if chance:
        text = translate(
            "Transforms",
            "{part} gets {count} of {total} {total|transform|transforms}, and {names} at random: "
            "its results differ from epoch to epoch.",
        )
        names = listed(chance)
        return filled(text, part=split_title(part), count=count, total=len(on), names=names)
    text = translate(
        "Transforms",
        "{part} gets {count} of {total} {total|transform|transforms}: those applied to all parts, "
        "or to evaluation. Random ones are left out, so that results can be compared.",
    )
    return filled(text, part=split_title(part), count=count, total=len(on)) if on else ""


def _possible(
    state: TransformsState, data: DataSpec, rows: Sequence[StepRow], chosen: str
) -> tuple[str, ...]:
    names: list[str] = []
    preview = state.preview
    if is_batch(chosen):
        names += ["draw"] if state.batch is not None else []
    elif preview is not None:
        has_chance = any(
            is_random(step) or is_custom(step.type) for _, step in _applied(data, state.part)
        )
        names += ["draw"] if has_chance else []
        names += ["previous"] if preview.number > 0 else []
        names += ["next"] if preview.number + 1 < preview.samples else []
    if chosen:
        names += ["duplicate", "remove", *_moves(data, rows, chosen)]
    return tuple(names)


def _moves(data: DataSpec, rows: Sequence[StepRow], chosen: str) -> Iterator[str]:
    """Yield the ways in which a transform can be moved."""
    name, _, number = chosen.partition(".")
    if name == SAMPLES:
        for verb, move in MOVES.items():
            if move(data.transforms, int(number))[0] != data.transforms:
                yield verb
        return
    same = [row.key for row in rows if row.key.partition(".")[0] == name]
    if same[0] != chosen:
        yield "up"
    if same[-1] != chosen:
        yield "down"


def _sample_text(state: TransformsState) -> str:
    preview = state.preview
    if preview is None:
        return ""
    text = translate("Transforms", "Sample {number} of {count}")
    text = text.format(number=f"{preview.number + 1:,}", count=f"{preview.samples:,}")
    return f"{text} · {preview.label}" if preview.label else text


def _is_normalize(chosen: str, data: DataSpec) -> bool:
    name, _, number = chosen.partition(".")
    return name == SAMPLES and data.transforms[int(number)].type == "Normalize"


def statistics_text(measured: FieldStatistics) -> str:
    """Return from how many samples mean and deviation were computed."""
    text = translate(
        "Transforms",
        "Normalize has the mean and deviation of {count} training {count|sample|samples}.",
    )
    if measured.is_sampled:
        text = translate(
            "Transforms",
            "Normalize has the mean and deviation of {count} of the {total} training samples, "
            "drawn at random.",
        )
    return filled(text, count=measured.samples, total=f"{measured.total:,}")


def _stage_of(chosen: str) -> str:
    name, _, number = chosen.partition(".")
    return number if name == SAMPLES else ""


def _batch_text(batch: BatchPreview | None) -> str:
    if batch is None:
        return ""
    text = translate("Transforms", "First {count} of a training batch of {size}")
    return text.format(count=len(batch.samples), size=batch.batch_size)


def _batch_words(batch: BatchPreview | None, data: DataSpec) -> str:
    """Say what was drawn for a batch, and that one of several is drawn for each."""
    if batch is None:
        return ""
    if not batch.name:
        return translate("Transforms", "No transform of batches is on: each sample is itself.")
    text = translate(
        "Transforms",
        "{name}: each sample keeps {share} of itself and takes the rest, with its label, from the "
        "one before it in the batch. Training only; validation and test are never blended.",
    )
    said = text.format(name=batch.name, share=f"{batch.weight:.0%}")
    names = [step.type for step in data.batch_transforms if step.enabled]
    if len(names) < _SEVERAL:
        return said
    text = translate("Transforms", "Of {names}, one is drawn at random for each batch.")
    return f"{text.format(names=listed(names))} {said}"


def _why_empty(state: TransformsState, recipe: RecipeState, *, has_steps: bool) -> EmptyView | None:
    """Return why nothing can be shown: there is nothing to transform, or the first sample is on its
    way.
    """
    info = recipe.data
    is_none = info is not None and image_field(info) is None and sound_field(info) is None
    if not has_steps and is_none and not code_transforms(recipe.graph.code):
        return _no_images()
    is_asked = state.preview is not None or state.batch is not None or state.problem is not None
    return None if is_asked else loading_view()


def _no_images() -> EmptyView:
    return EmptyView(
        translate("Transforms", "These data have no images, sounds or videos"),
        translate(
            "Transforms",
            "Transforms change images and what goes with them, masks and boxes, sounds or videos. "
            "For columns of numbers, choose Normalization at the left, or write a function of your "
            "own: a transform in the code of the project takes any sample.",
        ),
    )
