"""Findings of the checks, with the samples that show them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from msgspec.structs import replace
from numpy.typing import NDArray

from engine.data.health.subject import Subject
from engine.data.load.edited import edit_names
from engine.data.read.fit import as_bytes, fit_image
from engine.data.seed import one_thread
from engine.data.source.source import PARTS, Source
from engine.data.source.table import TableSource
from engine.data.transform.chain import image_numbers
from engine.diagnostics import Diagnostic, DiagnosticError, Severity, printable
from engine.graph.repair.case import RepairProposal, words
from engine.spec.data import FieldInfo
from engine.spec.health import THUMBNAIL_SIDE, HealthFinding, SampleEvidence
from engine.spec.sound_picture import sound_pixels
from engine.spec.video_picture import still_pixels

MOST_SAMPLES = 48
"""Samples that are shown for one finding."""

MOST_OF_GROUP = 6
"""Samples that are shown of one group."""

_EXCLUDING = ("D211", "D214", "D219", "D371", "D373", "D398", "D399")
"""Tiny and blank pictures, empty texts, silent and very short sounds, tiny and very short
videos."""
_MOST_SURPLUS = 200_000
_LONGEST_TEXT = 160
_SHOWN_COLUMNS = 6
_SHOWN_NAMES = 5


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Samples that show a finding: the indices to show, with the number of the group of each."""

    indices: Sequence[int]
    groups: Sequence[int] = ()
    predicted: Sequence[str] = ()


def finding(
    problem: Diagnostic,
    subject: Subject,
    shown: Shown | None = None,
    *,
    total: int = 0,
    surplus: Iterable[int] = (),
    repairs: Iterable[RepairProposal | None] = (),
    is_excluding: bool = False,
) -> HealthFinding:
    """Return a finding with the texts of the samples that show it; ``is_excluding`` proposes to
    leave out its surplus.
    """
    samples = [] if shown is None else list(_samples(subject, shown))
    surplus = tuple(islice(surplus, _MOST_SURPLUS))
    if is_excluding and surplus:
        names = tuple(edit_names(subject.spec, subject.source, surplus, subject.code))
        excluding = RepairProposal(words=words("D228", count=len(names)), excluded=names)
        repairs = (*repairs, excluding)
    return HealthFinding(
        problem=problem,
        total=total or len(samples),
        samples=tuple(samples),
        surplus=surplus,
        repairs=tuple(repair for repair in repairs if repair is not None),
    )


def of_indices(
    code: str,
    severity: Severity,
    subject: Subject,
    indices: NDArray[np.int64],
    **params: str | float,
) -> HealthFinding:
    """Return a finding about single samples (int64 indices), which its sentence counts and which
    could be left out.
    """
    problem = Diagnostic(code=code, severity=severity, params={"count": len(indices), **params})
    shown = Shown(indices=indices[:MOST_SAMPLES].tolist())
    return finding(
        problem,
        subject,
        shown,
        total=len(indices),
        surplus=indices.tolist(),
        is_excluding=code in _EXCLUDING,
    )


def shown_groups(groups: Iterable[Sequence[int]]) -> Shown:
    """Return the first samples of the first groups."""
    indices: list[int] = []
    numbers: list[int] = []
    for number, group in enumerate(groups):
        members = group[:MOST_OF_GROUP]
        if len(indices) + len(members) > MOST_SAMPLES:
            break
        indices += members
        numbers += [number] * len(members)
    return Shown(indices=indices, groups=numbers)


def with_pictures(found: HealthFinding, subject: Subject) -> HealthFinding:
    """Return a finding with pictures of its samples, where the data has any that can be read."""
    field = subject.picture or subject.sound or subject.video
    if field is None or subject.source.is_sequential:
        return found  # a stream would begin anew for each
    samples = tuple(
        replace(sample, pixels=_pixels(subject, field, sample.index)) for sample in found.samples
    )
    return replace(found, samples=samples)


def listed(names: Iterable[str]) -> str:
    """Return the first few names, with commas between."""
    shown = list(islice(names, _SHOWN_NAMES + 1))
    texts = [printable(name, 60) for name in shown[:_SHOWN_NAMES]]
    return ", ".join([*texts, *(["…"] if len(shown) > _SHOWN_NAMES else [])])


def sample_text(source: Source, index: int) -> str:
    """Return a short text of a sample: what is written in it, the name of its file, or its first
    numbers.
    """
    texts = [
        *(text for info in source.infos if (text := source.text(info.name, index)) and info.words),
        *(
            source.text(info.name, index)
            for info in source.infos
            if info.kind in ("image", "sound", "video")
        ),
        *_cells(source, index),
    ]
    joined = " ".join(" ".join(filter(None, texts)).split())
    return printable(joined.rstrip(","), _LONGEST_TEXT)


def _samples(subject: Subject, shown: Shown) -> Iterator[SampleEvidence]:
    labels, classes = subject.labels, subject.classes
    names = edit_names(subject.spec, subject.source, shown.indices, subject.code)
    for at, index in enumerate(shown.indices):
        part = int(subject.parts[index])
        has_label = labels is not None and labels[index] >= 0
        yield SampleEvidence(
            index=index,
            name=names[at],
            text=sample_text(subject.source, index),
            label=classes[int(labels[index])] if labels is not None and has_label else "",
            predicted=shown.predicted[at] if shown.predicted else "",
            part=PARTS[part] if part >= 0 else "",
            group=shown.groups[at] if shown.groups else -1,
        )


def _cells(source: Source, index: int) -> Iterator[str]:
    """Yield the first columns of a sample with their values, those of a table as they are written,
    without what stands for a gap.
    """
    if isinstance(source, TableSource):
        for column in source.columns[:_SHOWN_COLUMNS]:
            yield f"{column.name}={source.text(column.name, index) or '–'},"
        return
    for info in source.infos:
        names = info.columns[:_SHOWN_COLUMNS]
        values = source.column(info.name) if names else None
        if values is not None:
            row = values[index].flatten()
            yield from (f"{name}={row[at].item():.4g}," for at, name in enumerate(names))


def _pixels(subject: Subject, field: FieldInfo, index: int) -> bytes:
    """Return the picture of a sample, empty for one that cannot be read."""
    try:
        picture = subject.source.read([index])[field.name][0]
    except DiagnosticError:
        return b""
    if field.kind == "sound":
        drawn = sound_pixels(picture.numpy(), THUMBNAIL_SIDE)
        picture = torch.from_numpy(drawn).permute(2, 0, 1)
    if field.kind == "video":
        picture = torch.from_numpy(still_pixels(picture.numpy())).permute(2, 0, 1)
    if picture.ndim != 3 or not picture.numel():
        return b""
    with one_thread():
        picture = _spread(picture)
        times = THUMBNAIL_SIDE // max(picture.shape[-2:])
        if times > 1:  # small ones keep their square pixels
            picture = picture.repeat_interleave(times, -1).repeat_interleave(times, -2)
        picture = picture[:3] if len(picture) >= 3 else picture[:1].expand(3, -1, -1)
        pixels = as_bytes(fit_image(picture, THUMBNAIL_SIDE, THUMBNAIL_SIDE, "pad"))
    return pixels.permute(1, 2, 0).contiguous().numpy().tobytes()


def _spread(picture: torch.Tensor) -> torch.Tensor:
    """Return the numbers of a picture as bytes or from 0 to 1, whatever they are in the data."""
    if picture.dtype == torch.uint8:
        return picture
    numbers = image_numbers(picture).float().nan_to_num()
    low, high = float(numbers.min()), float(numbers.max())
    if low >= 0 and high <= 1:
        return numbers
    return (numbers - low) / max(high - low, 1e-9)
