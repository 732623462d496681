"""Forms of files: how the file of a sample, or one of the user's, becomes the value of a field."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.data.read.array import find_arrays
from engine.data.read.image import read_bytes
from engine.data.read.mask_form import MaskForm
from engine.data.read.picture_form import PictureForm
from engine.data.read.sound import SoundForm, read_sound
from engine.data.read.video import VideoForm, read_video, rehearse_video
from engine.diagnostics import DiagnosticError

_MOST_NUMBERS = 1 << 28  # of an array


@dataclass(frozen=True)
class ArrayForm:
    """Files with one array of numbers each, all of one ``shape``."""

    shape: tuple[int, ...]

    def value(self, path: Path) -> Tensor:
        """Return the array of a file, float32. Raises :class:`DiagnosticError` D318 for one of
        another shape, and as :func:`read_array` does.
        """
        array = read_array(path)
        if array.shape != self.shape:
            raise DiagnosticError.of(
                "D318",
                file=str(path),
                shape="×".join(map(str, array.shape)),
                wanted="×".join(map(str, self.shape)),
            )
        return torch.from_numpy(array)


FileForm = PictureForm | MaskForm | SoundForm | VideoForm | ArrayForm
"""What a field of files holds."""


def value_of_file(form: FileForm, path: Path) -> Tensor:
    """Return the value of a file of the user, as that of a sample in evaluation.

    Raises :class:`DiagnosticError` with what is wrong with the file.
    """
    if isinstance(form, PictureForm | MaskForm):
        return form.value(read_bytes(path), str(path))
    if isinstance(form, SoundForm):
        return read_sound(path, form)
    if isinstance(form, ArrayForm):
        return form.value(path)
    rehearse_video(path)
    return read_video(path, form)


def read_array(path: Path) -> np.ndarray:
    """Return the one array of a file, float32. Raises :class:`DiagnosticError`: D317 where it has
    none or several, or other values than numbers, and what reading raises.
    """
    arrays = list(find_arrays(path).values())
    if len(arrays) != 1 or arrays[0].dtype.kind not in "biuf":
        raise DiagnosticError.of("D317", file=str(path), count=len(arrays))
    if arrays[0].nbytes > _MOST_NUMBERS:
        raise DiagnosticError.of("D317", file=str(path), count=len(arrays))
    return np.ascontiguousarray(arrays[0].read(), np.float32)
