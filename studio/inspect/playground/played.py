"""Sounds and videos that are put into a trained model."""

from engine.query.results.request import ModelInput, ModelInputs
from studio.i18n import translate
from studio.view.played import PLAYED_KINDS, played_view
from widgets.images.view_model import ImageView


def played_field(inputs: ModelInputs) -> ModelInput | None:
    """Return the field that a sound or a video is put into."""
    return next((field for field in inputs.fields if field.info.kind in PLAYED_KINDS), None)


def is_video(inputs: ModelInputs) -> bool:
    """Return whether that is a video."""
    field = played_field(inputs)
    return field is not None and field.info.kind == "video"


def played_example(inputs: ModelInputs) -> tuple[float, ...]:
    """Return the sample of the data as the numbers of a sound or a video; none where the model
    reads neither.
    """
    field = played_field(inputs)
    return () if field is None else field.example


def present_played(
    inputs: ModelInputs, values: tuple[float, ...], name: str = ""
) -> ImageView | None:
    """Return the picture of a sound or a video, from the file that is called ``name`` or from the
    data.
    """
    field = played_field(inputs)
    if field is None:
        return None
    label = name or translate("Playground", "A sample of the training data")
    return played_view(field.info, values, label)
