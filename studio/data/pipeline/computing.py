"""What is done with a batch: pinned memory, device, model, loss."""

from collections.abc import Iterator

from engine.catalog.spec import EntryGroup
from engine.spec.choice import chosen_entry
from studio.data.pipeline.stage import (
    MODEL,
    PipelineState,
    batch_flow,
    fields_of,
    stage,
    title_of,
)
from studio.i18n import translate
from studio.view.recipe import PINNED, RecipeState
from widgets.flow.view_model import FlowBox, FlowLane


def computing_lane(state: PipelineState, recipe: RecipeState) -> FlowLane:
    """Return the stages of the process that trains."""
    return FlowLane(
        title=translate("Pipeline", "Computing"),
        note=translate("Pipeline", "The process that trains takes the batches in their order."),
        boxes=(*_copying(recipe), *_using(state, recipe)),
    )


def _copying(recipe: RecipeState) -> Iterator[FlowBox]:
    """Yield the stages on the way to the device."""
    spec, words = recipe.spec, _tips()
    is_pinned = spec.compute.pin_memory
    yield stage(
        PINNED,
        translate("Pipeline", "Pinned memory"),
        "pin",
        translate("Pipeline", "on") if is_pinned else translate("Pipeline", "off"),
        recipe,
        notes=(translate("Pipeline", "matters for GPUs only"),),
        is_off=not is_pinned,
        tip=words["pinned"],
    )
    yield stage(
        "device",
        translate("Pipeline", "Device"),
        "device",
        spec.device,
        recipe,
        notes=(translate("Pipeline", "the batch is copied there"),),
        tip=words["device"],
    )


def _using(state: PipelineState, recipe: RecipeState) -> Iterator[FlowBox]:
    """Yield what gets the batch."""
    spec, words = recipe.spec, _tips()
    inputs = [field for field in fields_of(recipe) if field.role == "input"]
    targets = [field for field in fields_of(recipe) if field.role in ("target", "weight")]
    yield stage(
        MODEL,
        translate("Pipeline", "Model"),
        "model",
        translate("Pipeline", "computes its outputs from the inputs"),
        recipe,
        flow=batch_flow(inputs, state, recipe),
        covers=(),
        tip=words["model"],
    )
    entry = chosen_entry(
        EntryGroup.LOSS, spec.losses[0].loss if spec.losses else None, recipe.graph.code
    )
    yield stage(
        "losses.0.loss",
        translate("Pipeline", "Loss"),
        "chart",
        title_of(entry, translate("Pipeline", "none"), recipe.language),
        recipe,
        notes=(translate("Pipeline", "compares the outputs with the targets"),),
        flow=batch_flow(targets, state, recipe),
        covers=("losses",),
        is_off=not spec.losses,
        tip=words["loss"],
    )


def _tips() -> dict[str, str]:
    """Return what each stage is, in words that teach."""
    return {
        "pinned": translate(
            "Pipeline",
            "Page-locked memory, from which a GPU copies a batch while it computes (pin_memory).",
        ),
        "device": translate(
            "Pipeline",
            "Where the model computes. Batches are copied there; data in memory that fits on the "
            "GPU is copied once.",
        ),
        "model": translate("Pipeline", "Gets the inputs of the batch. Choose to go to the canvas."),
        "loss": translate(
            "Pipeline",
            "Compares the outputs of the model with the targets of the batch. In training, its "
            "gradients change the weights.",
        ),
    }
