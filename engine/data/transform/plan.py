"""Plan of the transforms: the chains of training and evaluation, and the fields that come out of
them, tried on a sample.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import torch
from torch import Tensor

from engine.catalog.spec import Need
from engine.data.seed import one_thread
from engine.data.source.source import Part, Source
from engine.data.transform.chain import (
    Chain,
    build_chain,
    changed_kinds,
    image_numbers,
)
from engine.data.transform.collate import STACK, Collation
from engine.data.transform.container_step import build_steps
from engine.data.transform.custom_step import build_custom_step
from engine.data.transform.padding import PaddingField
from engine.data.transform.step import Sample, Step, build_step
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.spec.choice import NO_CODE, Code
from engine.spec.data import PIXEL_KINDS, ROW_KINDS, FieldInfo
from engine.spec.transform import (
    TransformSpec,
    has_transform_need,
    holds_steps,
    is_custom,
)
from engine.spec.transform_outline import enabled_transforms

_DRAWS = 8
"""How often a random chain is tried: some give images of another size each time."""

_TRIED = 8  # samples that the user's function puts together

_UNTRUSTED = "U027"
_NORMALIZE = "Normalize"
_WAVE_AXES = 2
_VARIES = -1
_OTHER_SIZE = (5, 11)  # what an image of another size has more, in height and width


@dataclass(frozen=True, kw_only=True)
class Norm:
    """Mean and standard deviation of each channel (or one for all) by which images are normalised,
    and the number of the transform that says so.
    """

    number: int
    mean: tuple[float, ...]
    std: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class PartPlan:
    """What is done to the samples of a part: ``chain`` (None: nothing), then ``norms`` by field;
    ``infos`` are the fields after it.
    """

    chain: Chain | None
    norms: Mapping[str, Norm]
    infos: tuple[FieldInfo, ...]


@dataclass(frozen=True, kw_only=True)
class TransformPlan:
    """The plans of training and of evaluation (validation, test, and training data that are looked
    at), and what is wrong with them. ``padding`` are the fields that tell of the padding, by the
    name of what is padded.
    """

    training: PartPlan
    evaluation: PartPlan
    problems: tuple[Diagnostic, ...] = ()
    padding: Mapping[str, PaddingField] = field(default_factory=dict[str, PaddingField])


def plan_transforms(
    transforms: Sequence[TransformSpec],
    source: Source,
    indices: Mapping[Part, Tensor],
    collation: Collation = STACK,
    code: Code = NO_CODE,
) -> TransformPlan:
    """Return the plans for a source, whose samples are put together in a way. Its fields are as
    they are read where something is wrong. ``code`` is the user's own, of which transforms may be.

    A Normalize at the end of a chain is no part of it: what is shown, and what one types in, is not
    normalised. Raises :class:`DiagnosticError` (U027) for code that nobody has trusted.
    """
    try:
        return _plan(transforms, source, indices, collation, code)
    except DiagnosticError as error:
        if any(problem.code == _UNTRUSTED for problem in error.problems):
            raise  # nothing is known of the fields before
        unchanged = PartPlan(chain=None, norms={}, infos=source.infos)
        return TransformPlan(training=unchanged, evaluation=unchanged, problems=error.problems)


def _plan(
    transforms: Sequence[TransformSpec],
    source: Source,
    indices: Mapping[Part, Tensor],
    collation: Collation,
    code: Code,
) -> TransformPlan:
    training, evaluation = (
        _part_plan(transforms, source, indices, collation, code, is_training=is_training)
        for is_training in (True, False)
    )
    padding = collation.padding_fields(_varying(training.infos, evaluation.infos))
    added = [field.info for field in padding.values()]
    training, evaluation = (
        replace(part, infos=(*part.infos, *added)) for part in (training, evaluation)
    )
    pairs = zip(training.infos, evaluation.infos, strict=True)
    problems = [
        Diagnostic(
            code="D109",
            severity=Severity.WARNING,
            field="data.transforms",
            params={
                "name": first.name,
                "train": _shape_text(first.shape),
                "other": _shape_text(other.shape),
            },
        )
        for first, other in pairs
        if first.shape != other.shape
    ]
    problems += _unscaled(transforms, source.infos)
    problems += _drawing(source, indices, evaluation.chain)
    return TransformPlan(
        training=training, evaluation=evaluation, problems=tuple(problems), padding=padding
    )


def _varying(first: Sequence[FieldInfo], second: Sequence[FieldInfo]) -> tuple[FieldInfo, ...]:
    """Return the fields of both parts; an axis that differs within one of them, or between them,
    varies.
    """
    return tuple(
        msgspec.structs.replace(info, shape=_common(info.shape, other.shape))
        for info, other in zip(first, second, strict=True)
    )


def _drawing(
    source: Source, indices: Mapping[Part, Tensor], chain: Chain | None
) -> Iterator[Diagnostic]:
    """Yield the transforms of own code that draw random numbers in evaluation, too."""
    tried = _trial_indices(indices, is_training=False)
    if chain is None or not chain.custom_steps or not tried:
        return
    sample: Sample = {name: values[0] for name, values in source.read(tried[:1]).items()}
    for step in chain.drawing(sample, tried[0]):
        yield Diagnostic(
            code="D101",
            severity=Severity.WARNING,
            field=f"data.transforms.{step.number}.parts",
            params={"name": step.label},
        )


def _unscaled(
    transforms: Sequence[TransformSpec], infos: Sequence[FieldInfo]
) -> Iterator[Diagnostic]:
    """Yield the conversions that leave pixel values between 0 and 255."""
    if not any(info.kind == "image" and info.dtype.startswith("uint") for info in infos):
        return
    for number, transform in enumerate(transforms):
        is_float = transform.params.get("dtype") == "float32"
        if transform.enabled and is_float and not transform.params.get("scale", False):
            yield Diagnostic(
                code="D104", severity=Severity.WARNING, field=f"data.transforms.{number}.scale"
            )


def _part_plan(
    transforms: Sequence[TransformSpec],
    source: Source,
    indices: Mapping[Part, Tensor],
    collation: Collation,
    code: Code,
    *,
    is_training: bool,
) -> PartPlan:
    chosen = enabled_transforms(transforms, is_training=is_training)
    kinds = changed_kinds(source.infos)
    _check_fields(chosen, kinds)
    _check_sounds(chosen, source.infos)
    steps = list(built_steps(transforms, chosen, source.infos, code))
    norms: dict[str, Norm] = {}
    images = image_names(kinds)
    count = count_norms(chosen, images)
    for number, transform in chosen[len(chosen) - count :]:
        norms |= dict.fromkeys(_covered(transform, images), _norm(number, transform))
    steps = steps[: len(steps) - count]
    chain = build_chain(steps, source.infos) if steps else None
    infos = _infos(source, indices, chain, collation, is_training=is_training)
    _check_channels(norms, infos)
    return PartPlan(chain=chain, norms=norms, infos=infos)


def built_steps(
    transforms: Sequence[TransformSpec],
    chosen: Sequence[tuple[int, TransformSpec]],
    infos: Sequence[FieldInfo],
    code: Code,
) -> Iterator[Step]:
    """Yield the ``chosen`` of some transforms, of the catalogue or of the user's code, for samples
    with some fields: the outermost ones, with what is in them.

    Raises :class:`DiagnosticError` as :func:`engine.data.transform.step.build_step`,
    :func:`engine.data.transform.custom_step.build_custom_step` and
    :func:`engine.data.transform.container_step.build_steps` do.
    """

    def build(number: int, transform: TransformSpec) -> Step:
        if is_custom(transform.type):
            return build_custom_step(number, transform, infos, code)
        return build_step(number, transform)

    return build_steps(transforms, chosen, build)


def image_names(kinds: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the images and videos among fields whose kinds are given."""
    return tuple(name for name, kind in kinds.items() if kind in PIXEL_KINDS)


def count_norms(chosen: Sequence[tuple[int, TransformSpec]], images: Sequence[str]) -> int:
    """Return how many of the last transforms are a normalisation of images, one of each: they get
    decimal numbers, whatever the chain before them makes.
    """
    normalized: set[str] = set()
    for count, (_, transform) in enumerate(reversed(chosen)):
        covered = _covered(transform, images)
        is_last = transform.type == _NORMALIZE and transform.level <= 0
        if not is_last or normalized.intersection(covered):
            return count
        normalized.update(covered)
    return len(chosen)


def _covered(transform: TransformSpec, images: Sequence[str]) -> list[str]:
    return [name for name in images if transform.field in ("", name)]


def _check_fields(chosen: Sequence[tuple[int, TransformSpec]], kinds: Mapping[str, str]) -> None:
    for number, transform in chosen:
        if is_custom(transform.type):
            continue  # takes any field
        place = f"data.transforms.{number}"
        is_of_sounds = has_transform_need(transform, Need.SOUND)
        is_any = any((kind == "sound") == is_of_sounds for kind in kinds.values())
        if not is_any and not holds_steps(transform.type):
            code = "D374" if is_of_sounds else "D110"
            raise DiagnosticError.of(code, field=place, name=transform.type[:60])
        if has_transform_need(transform, Need.VIDEO) and "video" not in kinds.values():
            raise DiagnosticError.of("D563", field=place, name=transform.type)
        if transform.field and transform.field not in kinds:
            raise DiagnosticError.of(
                "D111",
                field=f"{place}.field",
                value=transform.field[:60],
                known=", ".join(kinds),
            )


def _check_sounds(chosen: Sequence[tuple[int, TransformSpec]], infos: Sequence[FieldInfo]) -> None:
    """Refuse what wants waveforms where there are spectrograms, and the other way."""
    for number, transform in chosen:
        for info in infos:
            if info.kind != "sound" or transform.field not in ("", info.name):
                continue
            is_wave = len(info.shape) == _WAVE_AXES
            wrong = Need.SPECTROGRAM if is_wave else Need.WAVEFORM
            if has_transform_need(transform, wrong):
                code = "D376" if is_wave else "D375"
                place = f"data.transforms.{number}"
                raise DiagnosticError.of(code, field=place, name=transform.type[:60])


def _norm(number: int, transform: TransformSpec) -> Norm:
    mean, std = (_numbers(transform.params.get(name)) for name in ("mean", "std"))
    return Norm(number=number, mean=mean, std=std)


def _numbers(value: object) -> tuple[float, ...]:
    numbers = value if isinstance(value, tuple | list) else (value,)
    return tuple(float(number) for number in numbers)  # pyright: ignore[reportArgumentType] - the step is built: they are numbers


def _infos(
    source: Source,
    indices: Mapping[Part, Tensor],
    chain: Chain | None,
    collation: Collation,
    *,
    is_training: bool,
) -> tuple[FieldInfo, ...]:
    """Return the fields after a chain and a collation, found by applying them to samples.

    Raises :class:`DiagnosticError` D105 where an axis of an image still varies that is not padded,
    and what the source, a transform or the user's collation says.
    """
    kinds = changed_kinds(source.infos)
    is_plain = chain is None and not any(_needs_trial(info) for info in source.infos)
    if is_plain and not collation.is_custom:
        return source.infos
    tried = _trial_indices(indices, is_training=is_training)
    if not tried:
        return source.infos
    if collation.is_custom:
        return _collated_infos(source, tried, chain, collation)
    index = tried[0]
    with one_thread():
        results = _results(source, chain, index)
    infos: list[FieldInfo] = []
    for info in source.infos:
        is_changed = info.name in kinds or (chain is not None and chain.may_change(info.name))
        is_any_size = info.name not in kinds and _VARIES in info.shape  # filled up in batches
        if not is_changed or is_any_size or info.kind == "boxes":  # any number of them
            infos.append(info)
            continue
        values = [result[info.name] for result in results]
        if info.kind == "box_masks":
            shape = _common_shape([value.any(dim=0) for value in values])
            infos.append(msgspec.structs.replace(info, shape=(_VARIES, *shape)))
            continue
        if info.kind in PIXEL_KINDS:
            values = [image_numbers(value) for value in values]
        shape = _common_shape(values)
        if _VARIES in shape and not collation.allows_sizes:
            raise _size_error(info, values)
        dtype = str(values[0].dtype).removeprefix("torch.")
        infos.append(msgspec.structs.replace(info, shape=shape, dtype=dtype))
    return tuple(infos)


def _size_error(info: FieldInfo, values: Sequence[Tensor]) -> DiagnosticError:
    """Return the finding about a field whose samples have different sizes."""
    if info.kind in ("image", "mask", "video", "box_masks"):
        return DiagnosticError.of("D105", field="data.transforms", name=info.name)
    first, second = sorted({_shape_text(tuple(value.shape)) for value in values})[:2]
    return DiagnosticError.of(
        "D080", field="data.collate", name=info.name, first=first, second=second
    )


def _needs_trial(info: FieldInfo) -> bool:
    """Return whether the description of a field does not say how it arrives at the model."""
    is_whole = info.kind == "image" and info.dtype.startswith("uint")
    return is_whole or _varies(info)


def _varies(info: FieldInfo) -> bool:
    """Return whether pictures, or masks, of a field have different sizes."""
    sides = info.shape[1:] if info.kind == "box_masks" else info.shape
    return info.kind in ("image", "mask", "box_masks") and _VARIES in sides


def _collated_infos(
    source: Source, tried: Sequence[int], chain: Chain | None, collation: Collation
) -> tuple[FieldInfo, ...]:
    """Return the fields as the user's function gives them: of a sample alone and of several; what
    differs between the two varies.
    """
    values = source.read(tried)
    samples: list[Sample] = [
        {name: each[at] for name, each in values.items()} for at in range(len(tried))
    ]
    if chain is not None:
        with one_thread():
            samples = [
                chain.apply(sample, 0, 0, index)
                for sample, index in zip(samples, tried, strict=True)
            ]
    alone, together = (
        collation.by_function(each, tried[0], 0, 0) for each in (samples[:1], samples)
    )
    infos: list[FieldInfo] = []
    for info in source.infos:
        pair = [alone[info.name][0], together[info.name][0]]
        if info.kind in PIXEL_KINDS:
            pair = [image_numbers(value) for value in pair]
        shape = info.shape if info.kind in ROW_KINDS else _common_shape(pair)
        dtype = str(pair[0].dtype).removeprefix("torch.")
        infos.append(msgspec.structs.replace(info, shape=shape, dtype=dtype))
    return tuple(infos)


def _trial_indices(indices: Mapping[Part, Tensor], *, is_training: bool) -> list[int]:
    """Return the first samples of a part that has some, in the source."""
    order: tuple[Part, ...] = ("train",) if is_training else ("validation", "test", "train")
    chosen = next((indices[part] for part in order if len(indices.get(part, ()))), None)
    if chosen is not None:
        return chosen[:_TRIED].tolist()
    return [] if indices else [0]


def _results(source: Source, chain: Chain | None, index: int) -> list[Sample]:
    """Return a sample after a chain: in several draws, and with images of another size where those
    of the source vary.
    """
    sample: Sample = {name: values[0] for name, values in source.read([index]).items()}
    varying = [info.name for info in source.infos if _varies(info)]
    if chain is None:
        return [sample, _resized(sample, varying)] if varying else [sample]
    draws = _DRAWS if chain.is_random else 1
    results = [chain.apply(sample, 0, draw, index) for draw in range(draws)]
    results += [branch.apply(sample, 0, 0, index) for branch in chain.branches]
    if varying:
        results.append(chain.apply(_resized(sample, varying), 0, 0, index))
    return results


def _resized(sample: Sample, names: Sequence[str]) -> Sample:
    """Return a sample with images of another size, which can be as wrong as they like."""
    more_rows, more_columns = _OTHER_SIZE
    resized = dict(sample)
    for name in names:
        *axes, height, width = sample[name].shape
        form = (*axes, height + more_rows, width + more_columns)
        resized[name] = torch.zeros(form, dtype=sample[name].dtype)
    return resized


def _common_shape(values: Sequence[Tensor]) -> tuple[int, ...]:
    return _common(*(tuple(value.shape) for value in values))


def _common(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    if len({len(shape) for shape in shapes}) > 1:
        return (_VARIES,)
    return tuple(axes[0] if len(set(axes)) == 1 else _VARIES for axes in zip(*shapes, strict=True))


def _check_channels(norms: Mapping[str, Norm], infos: Sequence[FieldInfo]) -> None:
    """Refuse as many numbers as an image has no channels: torch would make a gray image colored."""
    for info in infos:
        norm = norms.get(info.name)
        if norm is None:
            continue
        for count in (len(norm.mean), len(norm.std)):
            if count not in (1, info.shape[0]):
                raise DiagnosticError.of(
                    "D116",
                    field=f"data.transforms.{norm.number}.mean",
                    count=count,
                    channels=info.shape[0],
                    name=info.name,
                )


def _shape_text(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))
