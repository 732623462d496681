"""Who reads a batch and what is done to its samples: fetcher, transforms, collate."""

from collections.abc import Iterator, Sequence

from engine.catalog.spec import EntryGroup
from engine.diagnostics import sentence
from engine.spec.choice import entry_of_key
from engine.spec.run import COLLATES, DataSpec
from engine.spec.transform_outline import enabled_transforms
from engine.spec.transform_preview import TransformStage
from studio.data.pipeline.stage import (
    TRANSFORMS,
    PipelineState,
    batch_flow,
    fields_of,
    sample_flow,
    stage,
    title_of,
)
from studio.i18n import filled, translate
from studio.view.recipe import RecipeState
from widgets.flow.view_model import FlowBox, FlowLane

_MOST_STEPS = 5


def reading_lane(state: PipelineState, recipe: RecipeState) -> FlowLane:
    """Return the stages that make a batch of the samples."""
    stages = state.preview.stages if state.preview is not None else ()
    boxes = (
        _fetcher(state, recipe, stages),
        _transforms(state, recipe, stages),
        _collate(state, recipe),
        *_after(state, recipe),
    )
    return FlowLane(title=_reading_title(recipe), note=_reading_note(recipe), boxes=boxes)


def _fetcher(
    state: PipelineState, recipe: RecipeState, stages: Sequence[TransformStage]
) -> FlowBox:
    data, failure = recipe.spec.data, state.problem
    return stage(
        "data.loader.num_workers",
        "Fetcher",
        "download",
        translate("Pipeline", "reads the samples of a batch"),
        recipe,
        notes=_worker_notes(data) if failure is None else (sentence(failure, recipe.language),),
        flow=sample_flow(stages[:1]),
        covers=("data.loader",),
        sign="error" if failure is not None else "",
        tip=_tips()["fetcher"],
    )


def _transforms(
    state: PipelineState, recipe: RecipeState, stages: Sequence[TransformStage]
) -> FlowBox:
    applied = enabled_transforms(recipe.spec.data.transforms, is_training=state.part == "train")
    names = [f"{number + 1}  {_transform_title(step.type, recipe)}" for number, step in applied]
    more = len(names) - _MOST_STEPS
    notes = names[:_MOST_STEPS]
    if more > 0:
        notes.append(filled(translate("Pipeline", "and {count} more"), count=more))
    failed = stages[-1].problem if stages else None
    if failed is not None:
        notes.append(sentence(failed, recipe.language))
    text = translate("Pipeline", "{count} {count|transform|transforms} of each sample")
    return stage(
        TRANSFORMS,
        translate("Pipeline", "Transforms"),
        "wand",
        filled(text, count=len(names)) if names else translate("Pipeline", "none for this part"),
        recipe,
        notes=tuple(notes),
        flow=sample_flow(stages[-1:]) if names else (),
        covers=("data.transforms",),
        is_off=not names,
        sign="error" if failed is not None else "",
        tip=_tips()["transforms"],
    )


def _collate(state: PipelineState, recipe: RecipeState) -> FlowBox:
    return stage(
        "data.collate",
        "collate_fn",
        "columns",
        _collate_text(recipe.spec.data),
        recipe,
        notes=_padding_notes(recipe),
        flow=batch_flow(fields_of(recipe), state, recipe),
        covers=("data.collate", "data.padding_info"),
        tip=_tips()["collate"],
    )


def _after(state: PipelineState, recipe: RecipeState) -> Iterator[FlowBox]:
    """Yield what is done to whole batches."""
    data, words = recipe.spec.data, _tips()
    if data.normalization != "none":
        yield stage(
            "data.normalization",
            translate("Pipeline", "Normalization"),
            "bars",
            data.normalization,
            recipe,
            notes=(translate("Pipeline", "with the values of the training part"),),
            tip=words["normalization"],
        )
    blends = [step.type for step in data.batch_transforms if step.enabled]
    if blends and state.part == "train":
        yield stage(
            TRANSFORMS,
            translate("Pipeline", "Blending"),
            "palette",
            translate("Pipeline", " or ").join(blends),
            recipe,
            notes=(translate("Pipeline", "labels become shares of classes"),),
            covers=("data.batch_transforms",),
            tip=words["blending"],
        )


def _reading_title(recipe: RecipeState) -> str:
    workers = recipe.spec.data.loader.num_workers
    if not workers:
        return translate("Pipeline", "Reading: in the process that trains")
    text = translate("Pipeline", "Reading: in {count} {count|worker|workers}")
    return filled(text, count=workers)


def _reading_note(recipe: RecipeState) -> str:
    loader = recipe.spec.data.loader
    if recipe.data is not None and recipe.data.is_in_memory:
        return translate(
            "Pipeline",
            "The samples are tensors in memory already: a batch is taken from them in one go.",
        )
    if not loader.num_workers:
        return translate(
            "Pipeline", "The model waits while a batch is read. Workers would read it meanwhile."
        )
    return filled(
        translate(
            "Pipeline",
            "Each is up to {ahead} {ahead|batch|batches} ahead: at most {count} "
            "{count|batch waits|batches wait} in memory while the model computes.",
        ),
        ahead=loader.prefetch_factor,
        count=loader.prefetch_factor * loader.num_workers,
    )


def _worker_notes(data: DataSpec) -> tuple[str, ...]:
    loader = data.loader
    if not loader.num_workers:
        return (translate("Pipeline", "no workers"),)
    notes = [
        filled(translate("Pipeline", "{count} {count|worker|workers}"), count=loader.num_workers)
    ]
    if not loader.persistent_workers:
        notes.append(translate("Pipeline", "started anew in every epoch"))
    return tuple(notes)


def _collate_text(data: DataSpec) -> str:
    texts = {
        "stack": translate("Pipeline", "stacks the samples (stack)"),
        "pad": translate("Pipeline", "fills smaller samples up (pad)"),
    }
    return texts[data.collate] if data.collate in COLLATES else data.collate


def _padding_notes(recipe: RecipeState) -> tuple[str, ...]:
    """Return what is filled up without being asked for, and what a batch says of its padding."""
    data = recipe.spec.data
    texts = {
        "lengths": translate("Pipeline", "with the lengths before padding"),
        "mask": translate("Pipeline", "with a mask of the padding"),
    }
    if data.collate not in COLLATES:
        return ()
    notes: list[str] = []
    if any(field.longest and field.words for field in fields_of(recipe)):
        notes.append(translate("Pipeline", "texts up to the longest of the batch"))
    if data.padding_info in texts:
        notes.append(texts[data.padding_info])
    return tuple(notes)


def _transform_title(name: str, recipe: RecipeState) -> str:
    entry = entry_of_key(EntryGroup.TRANSFORM, name, recipe.graph.code)
    return title_of(entry, name, recipe.language)


def _tips() -> dict[str, str]:
    """Return what each stage is, in words that teach."""
    return {
        "fetcher": translate(
            "Pipeline",
            "Takes the numbers of a batch and reads these samples, in the process that trains or "
            "in a worker (num_workers). Choose to set the number of workers.",
        ),
        "transforms": translate(
            "Pipeline",
            "Change each sample after it was read. Random ones are drawn from seed, epoch and "
            "sample, and only in training. Choose to see a sample after each of them.",
        ),
        "collate": translate(
            "Pipeline",
            "Makes one batch of the samples (collate_fn): each field gets a first axis with one "
            "entry for each sample. What it returns is what the loader returns.",
        ),
        "normalization": translate(
            "Pipeline",
            "Scales the inputs by numbers found in the training part, for all parts alike.",
        ),
        "blending": translate(
            "Pipeline",
            "Mixes each image with another one of the batch, and the labels too. Training only.",
        ),
    }
