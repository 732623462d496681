"""Preview of data for the window: a description, and some samples."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace
from torch import Tensor
from torch.nn.functional import adaptive_avg_pool2d

from engine.data.load.edited import edited_samples, edits_for
from engine.data.load.load import LoadedData, describe_source, load_split
from engine.data.load.part import Batch, prepared
from engine.data.load.sampler import build_sampler
from engine.data.seed import one_thread
from engine.data.source.registry import load_source
from engine.data.source.source import Part, Source
from engine.data.source.value_name import named_field
from engine.data.transform.collate import build_collation
from engine.data.transform.plan import plan_transforms
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.choice import NO_CODE, Code
from engine.spec.data import (
    PIXEL_KINDS,
    DataInfo,
    LeftOut,
    PreviewInfo,
    Reason,
    SamplePicture,
    SampleView,
)
from engine.spec.run import SAMPLERS, DataSpec
from engine.spec.sound_picture import sound_pixels
from engine.spec.video_picture import video_pixels

_AT_ONCE = 16  # samples that are read
_MOST_NUMBERS = 4096  # of a field of a sample that are told one by one
_FEW = 256
_MOST_PIXELS = 1 << 13  # of a picture that is only looked at
_PLAYED_WIDTH = 320  # pixels


def describe(spec: DataSpec, code: Code = NO_CODE) -> DataInfo:
    """Return the description of a source and its parts, without parts where the split is invalid:
    its problems say why, or the validation of the specification does. Raises ``DiagnosticError``
    for a source that cannot be loaded.
    """
    source, indices, problems = split_or_whole(spec, code)
    info = describe_source(spec, source, indices, code)
    is_own = spec.sampler not in SAMPLERS or spec.has_custom_batches
    if indices and not is_own:  # one's own was tried by describe_source
        try:
            build_sampler(spec, source, indices["train"])
        except DiagnosticError as error:
            problems = _of_data(error)
    left_out = tuple(_left_out(spec, source, indices, code))
    return replace(info, problems=(*problems, *info.problems), left_out=left_out)


def _left_out(
    spec: DataSpec, source: Source, indices: Mapping[Part, Tensor], code: Code
) -> Iterator[LeftOut]:
    """Yield how many samples are not used, by the reason."""
    edits = edited_samples(source, edits_for(spec, code)).values()
    excluded = sum(edit.excluded for edit in edits)
    used = sum(map(len, indices.values())) if indices else source.samples - excluded
    counts: dict[Reason, int] = {
        **source.left_out,
        "excluded": excluded,
        "unassigned": source.samples - excluded - used,
    }
    for reason, count in counts.items():
        if count > 0:
            yield LeftOut(reason=reason, count=count)


def preview(data: LoadedData, part: Part, start: int, count: int) -> PreviewInfo:
    """Return ``count`` samples of a part from number ``start`` on, as they are evaluated, before
    normalisation; fewer at the end of the part.
    """
    indices = data.indices[part][max(start, 0) : max(start, 0) + max(count, 0)].tolist()
    values = data.raw(indices)
    return PreviewInfo(split=part, samples=_samples(data.source, values, indices))


def preview_at(spec: DataSpec, indices: Sequence[int], code: Code = NO_CODE) -> PreviewInfo:
    """Return the samples at some indices of a source, as they are evaluated, before normalisation,
    large pictures made small; indices out of range are ignored.
    """
    source, parts, _ = split_or_whole(spec, code)
    collation = build_collation(spec, code)
    preparation = plan_transforms(spec.transforms, source, parts, collation, code).evaluation.chain
    valid = [index for index in indices if 0 <= index < source.samples]
    samples: list[SampleView] = []
    for start in range(0, len(valid), _AT_ONCE):
        some = valid[start : start + _AT_ONCE]
        values = prepared(source, some, preparation, 0, 0, collation=collation)
        samples += [_small(source, index, values, at) for at, index in enumerate(some)]
    kind, times = source.predicted_times(valid) or ("", [])
    fields = tuple(named_field(source, info) for info in source.infos)
    names = {info.name: info.columns for info in fields if info not in source.infos}
    return PreviewInfo(
        split="", samples=tuple(samples), names=names, time_kind=kind, times=tuple(times)
    )


def split_or_whole(
    spec: DataSpec, code: Code = NO_CODE
) -> tuple[Source, dict[Part, Tensor], tuple[Diagnostic, ...]]:
    """Return the samples and the parts; where the split is invalid no parts, and what is wrong with
    it beside the data.
    """
    source = load_source(spec.source, code)
    try:
        return *load_split(spec, code), ()
    except DiagnosticError as error:
        if not all((problem.field or "").startswith("data.split.") for problem in error.problems):
            raise
        return source, {}, _of_data(error)


def label_of(source: Source, index: int) -> str:
    """Return the name of the class of a sample; empty where it has none."""
    for info in source.infos:
        labels = source.column(info.name) if info.kind == "class" and not info.shape else None
        if labels is not None and 0 <= int(labels[index]) < len(info.classes):
            return info.classes[int(labels[index])]
    return ""


def _of_data(error: DiagnosticError) -> tuple[Diagnostic, ...]:
    """Return what does not go with the data; the specification alone is validated elsewhere."""
    return tuple(problem for problem in error.problems if not problem.code.startswith("R"))


def _samples(source: Source, values: Batch, indices: Sequence[int]) -> tuple[SampleView, ...]:
    for info in source.infos:
        if info.kind == "box_masks":  # too many numbers; pictures of samples have them
            values.pop(info.name, None)
    return tuple(
        SampleView(
            index=index,
            values={name: tuple(each[at].flatten().tolist()) for name, each in values.items()},
            texts=source.texts(index),
            row=source.row(index),
        )
        for at, index in enumerate(indices)
    )


def _small(source: Source, index: int, values: Mapping[str, Tensor], at: int) -> SampleView:
    """Return the sample in a row of values that were read, with few numbers of each field."""
    kinds = {info.name: info.kind for info in source.infos}
    numbers: dict[str, tuple[float, ...]] = {}
    pictures: dict[str, SamplePicture] = {}
    for name, each in values.items():
        value, kind = each[at], kinds[name]
        if value.numel() <= _MOST_NUMBERS:
            numbers[name] = tuple(value.flatten().tolist())
        elif kind in ("image", "sound", "video"):
            pictures[name] = _picture(value, kind)
        elif kind not in PIXEL_KINDS:
            numbers[name] = tuple(value.flatten()[:_FEW].tolist())
    return SampleView(
        index=index,
        values=numbers,
        texts=source.texts(index),
        row=source.row(index),
        pictures=pictures,
    )


def _picture(value: Tensor, kind: str) -> SamplePicture:
    """Return an image (channels, height, width), a sound or a video as a small picture."""
    if kind == "image":
        channels, height, width = value.shape
        share = min(1.0, (_MOST_PIXELS / (height * width)) ** 0.5)
        size = (max(1, round(height * share)), max(1, round(width * share)))
        with one_thread():
            small = adaptive_avg_pool2d(value.float(), size).numpy()
        return SamplePicture(shape=(channels, *size), dtype="<f4", content=small.tobytes())
    draw = video_pixels if kind == "video" else sound_pixels
    pixels = draw(value.numpy(), _PLAYED_WIDTH).transpose(2, 0, 1)
    shape = (pixels.shape[0], pixels.shape[1], pixels.shape[2])
    return SamplePicture(shape=shape, dtype="|u1", content=pixels.tobytes())
