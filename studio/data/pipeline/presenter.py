"""Pipeline page as values: the way from the files to the model, and how much data goes it."""

import math
from dataclasses import dataclass

from engine.spec.data import DataInfo
from engine.spec.length import batches_per_epoch
from studio.data.pipeline.computing import computing_lane
from studio.data.pipeline.order import order_lane
from studio.data.pipeline.reading import reading_lane
from studio.data.pipeline.stage import PipelineState, makes_custom_batches, samples_of
from studio.i18n import filled, translate
from studio.view.recipe import RecipeState
from studio.view.wording import size_text
from widgets.flow.view_model import FlowLane

_SIZES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "uint8": 1, "bool": 1}


@dataclass(frozen=True, kw_only=True)
class PipelineView:
    """What the page shows."""

    part: str
    summary: str
    lanes: tuple[FlowLane, ...]
    volume: str


def present_pipeline(state: PipelineState, recipe: RecipeState) -> PipelineView:
    """Return what the page shows of a specification."""
    return PipelineView(
        part=state.part,
        summary=_summary(state, recipe),
        lanes=(
            order_lane(state, recipe),
            reading_lane(state, recipe),
            computing_lane(state, recipe),
        ),
        volume=_volume(recipe),
    )


def _summary(state: PipelineState, recipe: RecipeState) -> str:
    """Return how many batches an epoch has."""
    samples, data = samples_of(state, recipe), recipe.spec.data
    if samples is None:
        return ""
    if makes_custom_batches(state, recipe):
        return _own_summary(recipe)
    drops = data.drop_last and state.part == "train"
    size = max(data.batch_size, 1)
    batches = batches_per_epoch(samples, size, drop_last=drops)
    if state.part == "train":
        text = translate(
            "Pipeline", "An epoch: {samples} samples in {count} {count|batch|batches} of {size}"
        )
    else:
        text = translate(
            "Pipeline",
            "An evaluation: {samples} samples in {count} {count|batch|batches} of {size}",
        )
    text = filled(text, samples=f"{samples:,}", count=batches, size=size)
    rest = samples % size
    if rest and not drops:
        return text + translate("Pipeline", ", the last one of {rest}").format(rest=rest)
    if rest:
        return text + filled(
            translate("Pipeline", "; the last {count} {count|sample is|samples are} left out"),
            count=rest,
        )
    return text


def _own_summary(recipe: RecipeState) -> str:
    """Return how many batches an epoch has where the project's code makes them."""
    own = recipe.data.custom_batches if recipe.data is not None else None
    if own is None:
        return ""
    if own.least == own.most:
        return filled(
            translate("Pipeline", "An epoch: {count} {count|batch|batches} of {size}"),
            count=own.count,
            size=own.most,
        )
    return filled(
        translate("Pipeline", "An epoch: {count} {count|batch|batches} of {least} to {most}"),
        count=own.count,
        least=own.least,
        most=own.most,
    )


def _volume(recipe: RecipeState) -> str:
    """Return how much data it is, and what follows from that for workers."""
    info = recipe.data
    part = info.part("train") if info is not None else None
    if info is None or part is None:
        return ""
    each = _sample_bytes(info)
    if each is None:
        return translate(
            "Pipeline",
            "Samples have sizes of their own, so they are read batch by batch. Workers do that "
            "while the model computes.",
        )
    numbers = {
        "count": f"{part.samples:,}",
        "size": size_text(each * part.samples),
        "each": size_text(each),
    }
    if info.is_in_memory:
        text = translate(
            "Pipeline",
            "The {count} training samples take {size} as tensors and stay in memory. Workers "
            "would only have to send copies of them: 0 is best.",
        )
        return text.format(**numbers)
    text = translate(
        "Pipeline",
        "As tensors, the {count} training samples would take {size} ({each} each), so every epoch "
        "reads and transforms them batch by batch. With workers that happens while the model "
        "computes; the results are the same with any number.",
    )
    return text.format(**numbers)


def _sample_bytes(info: DataInfo) -> int | None:
    """Return the memory of a sample as the model gets it; None where samples differ in size."""
    if any(min(field.shape, default=0) < 0 for field in info.fields):
        return None
    return sum(math.prod(field.shape) * _SIZES.get(field.dtype, 4) for field in info.fields)
