"""Pictures that data holds as numbers: how one in a file becomes such numbers."""

from engine.data.read.picture_form import PictureForm
from engine.spec.data import FieldInfo

_PICTURE_AXES = 3
_MODES = {1: "gray", 3: "RGB"}


def picture_form(info: FieldInfo) -> PictureForm | None:
    """Return how a picture becomes one of those that are stored as numbers; None for others."""
    shape = info.shape
    if info.kind != "image" or len(shape) != _PICTURE_AXES or info.dtype != "float32":
        return None
    if shape[0] not in _MODES or min(shape) < 1:
        return None
    mode = "gray" if shape[0] == 1 else "RGB"
    return PictureForm(mode=mode, size=(shape[1], shape[2]), fit="stretch")
