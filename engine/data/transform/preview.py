"""Preview of the transforms: one sample through each of them, up to the one that fails."""

from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor

from engine.data.read.object_shapes import shape_bytes
from engine.data.seed import one_thread
from engine.data.source.source import Source
from engine.data.transform.chain import build_chain, changed_kinds, image_numbers
from engine.data.transform.plan import built_steps, count_norms, image_names
from engine.data.transform.step import Sample, Step
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.choice import NO_CODE, Code
from engine.spec.data import PIXEL_KINDS, ROW_KINDS, FieldInfo
from engine.spec.sound_picture import sound_pixels
from engine.spec.transform import TransformSpec
from engine.spec.transform_outline import enabled_transforms
from engine.spec.transform_preview import FieldStage, TransformPreview, TransformStage
from engine.spec.transform_repair import step_number
from engine.spec.video_picture import video_pixels

_MOST_PIXELS = 512  # on a side
_SOUND_PIXELS = 320  # the width of the picture of a sound
_MOST_VALUES = 64
_MOST_OF_BOXES = 4000  # numbers, four a box
_COLORS = 3


def preview_sample(
    transforms: Sequence[TransformSpec],
    source: Source,
    index: int,
    *,
    seed: int,
    draw: int,
    is_training: bool,
    code: Code = NO_CODE,
) -> TransformPreview:
    """Return sample ``index`` of a source after each transform of the training or the evaluation;
    ``draw`` stands for the epoch: another one draws other random numbers.

    The last stage is the one that fails, where one does. Raises :class:`DiagnosticError` where the
    sample itself cannot be read.
    """
    chosen = enabled_transforms(transforms, is_training=is_training)
    sample: Sample = {name: values[0] for name, values in source.read([index]).items()}
    stages = [TransformStage(number=-1, name="", fields=_fields(source.infos, sample))]
    steps, problem = _built(transforms, chosen, source.infos, code)
    records: list[tuple[Step, Sample]] = []
    kinds = changed_kinds(source.infos)
    norms = {
        number for number, _ in chosen[len(chosen) - count_norms(chosen, image_names(kinds)) :]
    }
    count = sum(step.number not in norms for step in steps)
    try:
        with one_thread():
            build_chain(steps[:count], source.infos).record(sample, seed, draw, index, records)
            before = _as_numbers(source.infos, records[-1][1] if records else sample)
            build_chain(steps[count:], source.infos).record(before, seed, draw, index, records)
    except DiagnosticError as error:
        problem = error.problems[0]
    for step, after in records:
        fields = _fields(source.infos, after)
        stages.append(TransformStage(number=step.number, name=step.name, fields=fields))
    if problem is not None:
        number = step_number(problem, len(transforms)) or 0
        name = transforms[number].type
        stages.append(TransformStage(number=number, name=name, problem=problem))
    else:
        stages[-1] = _as_read_by_model(stages[-1], source.infos, records, sample)
    return TransformPreview(index=index, stages=tuple(stages))


def _built(
    transforms: Sequence[TransformSpec],
    chosen: Sequence[tuple[int, TransformSpec]],
    infos: Sequence[FieldInfo],
    code: Code,
) -> tuple[list[Step], Diagnostic | None]:
    """Return the steps up to the first whose settings are refused, and why."""
    steps: list[Step] = []
    try:
        for step in built_steps(transforms, chosen, infos, code):
            steps.append(step)  # noqa: PERF402 - those before the one that is refused
    except DiagnosticError as error:
        return steps, error.problems[0]
    return steps, None


def _as_read_by_model(
    stage: TransformStage,
    infos: Sequence[FieldInfo],
    records: Sequence[tuple[Step, Sample]],
    sample: Sample,
) -> TransformStage:
    """Return the last stage with images as the model gets them, as decimal numbers."""
    last = _as_numbers(infos, records[-1][1] if records else sample)
    return TransformStage(number=stage.number, name=stage.name, fields=_fields(infos, last))


def _as_numbers(infos: Iterable[FieldInfo], sample: Sample) -> Sample:
    """Return a sample with images as decimal numbers."""
    images = [info.name for info in infos if info.kind in PIXEL_KINDS]
    return {**sample, **{name: image_numbers(sample[name]) for name in images}}


def _fields(infos: Iterable[FieldInfo], sample: Mapping[str, Tensor]) -> tuple[FieldStage, ...]:
    return tuple(field_stage(info, sample[info.name]) for info in infos if info.name in sample)


def field_stage(info: FieldInfo, value: Tensor) -> FieldStage:
    """Return the value of a field of one sample as it is shown."""
    low = float(value.min()) if value.numel() else 0.0
    high = float(value.max()) if value.numel() else 0.0
    is_picture = (
        info.kind in ("image", "mask", "sound", "video") and value.ndim >= 2 and value.numel() > 0
    )
    pixels = _pixels(info, value) if is_picture else None
    if info.kind == "box_masks":
        pixels = _shapes(value)
    most = _MOST_OF_BOXES if info.kind in ROW_KINDS else _MOST_VALUES
    return FieldStage(
        name=info.name,
        kind=info.kind,
        shape=tuple(value.shape),
        dtype=str(value.dtype).removeprefix("torch."),
        low=low,
        high=high,
        values=() if pixels is not None else tuple(value.flatten()[:most].double().tolist()),
        pixels=b"" if pixels is None else pixels.numpy().tobytes(),
        size=(0, 0, 0) if pixels is None else _size(pixels),
    )


def _shapes(masks: Tensor) -> Tensor:
    """Return which object each pixel shows (height, width, 1), 255 for none."""
    stride = -(-max(masks.shape[-2:]) // _MOST_PIXELS)
    thin = masks[:, ::stride, ::stride]
    height, width = thin.shape[-2:]
    content = bytearray(shape_bytes(thin, height, width))
    return torch.frombuffer(content, dtype=torch.uint8).reshape(height, width, 1)


def _pixels(info: FieldInfo, value: Tensor) -> Tensor:
    """Return a picture as uint8 (height, width, channels), with fewer pixels where it is large."""
    if info.kind == "sound":
        return torch.from_numpy(sound_pixels(value.numpy(), _SOUND_PIXELS))
    if info.kind == "video":
        return torch.from_numpy(video_pixels(image_numbers(value).numpy(), _MOST_PIXELS))
    value = value.reshape(-1, *value.shape[-2:])
    stride = -(-max(value.shape[-2:]) // _MOST_PIXELS)
    value = value[: _COLORS if len(value) >= _COLORS else 1, ::stride, ::stride]
    if info.kind == "image" and value.dtype != torch.uint8:
        value = image_numbers(value).double()
        if float(value.min()) < 0 or float(value.max()) > 1:
            value = (value - value.min()) / (value.max() - value.min()).clamp(min=1e-12)
        value = value.nan_to_num().clamp(0.0, 1.0).mul(255).round()
    return value.clamp(0, 255).to(torch.uint8).permute(1, 2, 0).contiguous()


def _size(pixels: Tensor) -> tuple[int, int, int]:
    height, width, channels = pixels.shape
    return height, width, channels
