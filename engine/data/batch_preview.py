"""Preview of a training batch: its first samples as the model gets them, blended where it is so."""

from dataclasses import replace

import torch
from torch import Tensor

from engine.data.load.blended import BlendedPart
from engine.data.load.load import LoadedData
from engine.data.load.order import epoch_order
from engine.data.load.part import BatchIndex
from engine.data.transform.preview import field_stage
from engine.diagnostics import DiagnosticError
from engine.spec.data import PIXEL_KINDS, FieldInfo
from engine.spec.transform_preview import BatchPreview, BlendedSample

_MOST = 8  # samples that are shown
_LEAST_SHARE = 0.005


def preview_first_batch(
    data: LoadedData, batch_size: int, seed: int, draw: int, number: int | None = None
) -> BatchPreview:
    """Return the first samples of the first batch of an epoch; of several transforms of batches
    ``number`` is the one that is shown, else the one that is drawn.

    Raises :class:`DiagnosticError`: D110 where the data have no image or video, and what
    reading says.
    """
    part, infos = data.training, data.info.fields
    image = next(
        (info for info in infos if info.kind in PIXEL_KINDS and info.role == "input"), None
    )
    if image is None:
        raise DiagnosticError.of("D110", field="data.batch_transforms", name="MixUp")
    if data.sampler.batches is not None:
        order = next(iter(data.sampler.plan(seed, draw))).positions
    else:
        order = epoch_order(len(part), seed, draw, shuffle=True)[:batch_size]
    if isinstance(part, BlendedPart) and number is not None:
        part = replace(part, transforms=part.transforms.alone(number))
    local = torch.arange(min(len(order), _MOST))
    values = part.batch(BatchIndex(seed, draw, 0, order, local))
    target = next((info for info in infos if info.role == "target" and info.kind == "class"), None)
    target = target or next((info for info in infos if info.role == "target"), None)
    name, weight = "", 1.0
    if isinstance(part, BlendedPart):
        shapes = {each: part.form(each).shape[1:] for each in part.transforms.images}
        blend = part.transforms.draw(shapes, seed, draw, 0)
        name, weight = "MixUp" if blend.box is None else "CutMix", blend.weight
    return BatchPreview(
        samples=tuple(
            _sample(image, values[image.name][at], target, values, at) for at in range(len(local))
        ),
        batch_size=len(order),
        name=name,
        weight=weight,
    )


def _sample(
    image: FieldInfo,
    pixels: Tensor,
    target: FieldInfo | None,
    values: dict[str, Tensor],
    at: int,
) -> BlendedSample:
    stage = field_stage(image, pixels)
    if target is None or target.name not in values:
        return BlendedSample(image=stage)
    value = values[target.name][at]
    if target.kind == "class" and value.ndim == 1:  # probabilities
        pairs = zip(target.classes, value.tolist(), strict=False)
        kept = sorted((pair for pair in pairs if pair[1] > _LEAST_SHARE), key=lambda pair: -pair[1])
        return BlendedSample(image=stage, shares=tuple(kept))
    if target.kind == "class" and value.ndim == 0 and 0 <= int(value) < len(target.classes):
        return BlendedSample(image=stage, shares=((target.classes[int(value)], 1.0),))
    number = float(value.flatten()[0]) if value.numel() == 1 else None
    return BlendedSample(image=stage, number=number)
