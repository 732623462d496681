"""Presenter of the training samples as they come out of the chosen transforms."""

from collections.abc import Iterator
from dataclasses import replace

from engine.diagnostics import Diagnostic, sentence
from engine.spec.transform import is_random
from engine.spec.transform_outline import enabled_transforms
from engine.spec.transform_preview import DrawnSamples
from engine.spec.transform_repair import image_field, sound_field
from studio.data.start.state import StartState
from studio.data.start.view_model import DrawnView
from studio.data.transforms.stage_presenter import stage_picture
from studio.i18n import translate
from widgets.images.view_model import ImageView


def has_transforms(state: StartState) -> bool:
    """Return whether transforms change such data."""
    proposal = state.proposal or state.last
    return proposal is not None and bool(image_field(proposal.info) or sound_field(proposal.info))


def present_drawn(state: StartState, language: str) -> DrawnView:
    """Return training samples after the transforms."""
    proposal = state.proposal or state.last
    assert proposal is not None
    drawn = state.drawn or DrawnSamples()
    problems = [*(state.undrawn or drawn.problems), *_failures(drawn)]
    steps = enabled_transforms(proposal.spec.data.transforms, is_training=True)
    has_chance = any(is_random(step) for _, step in steps)
    return DrawnView(
        words=translate(
            "DataProject",
            "Training samples as the model gets them, drawn anew in every epoch.",
        )
        if has_chance
        else translate(
            "DataProject",
            "Training samples as the model gets them, the same in every epoch: there is no "
            "augmentation.",
        ),
        images=tuple(_images(state, drawn)),
        problem=sentence(problems[0], language) if problems else "",
        can_draw=has_chance,
        tip=translate("DataProject", "Draw other random numbers, as in another epoch (R)")
        if has_chance
        else translate("DataProject", "Nothing is random: choose an augmentation above"),
        empty_text="" if problems else translate("DataProject", "Reading training samples…"),
    )


def _failures(drawn: DrawnSamples) -> Iterator[Diagnostic]:
    for sample in drawn.samples:
        if sample.stages[-1].problem is not None:
            yield sample.stages[-1].problem


def _images(state: StartState, drawn: DrawnSamples) -> Iterator[ImageView]:
    proposal = state.proposal or state.last
    assert proposal is not None
    for sample in drawn.samples:
        picture = stage_picture(sample.stages[-1], proposal.info)
        if picture is not None:
            yield replace(picture, label=sample.label)
