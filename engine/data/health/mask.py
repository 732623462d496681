"""Checks of masks: those that cannot be read, and classes with no or nearly no pixels."""

from collections.abc import Generator, Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from engine.data.health.damaged_file import damaged_files
from engine.data.health.finding import MOST_SAMPLES, Shown, finding, listed
from engine.data.health.subject import Subject
from engine.data.load.pixel_counts import class_counts, mask_field
from engine.data.seed import one_thread
from engine.data.split.split import TRAIN
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.spec.data import FieldInfo
from engine.spec.health import HealthFinding

_AT_ONCE = 16  # samples
_FEW = 0.001  # of the pixels that have a class

MaskFindings = dict[str, tuple[HealthFinding, ...]]


def check_masks(subject: Subject) -> Generator[int, None, MaskFindings]:
    """Return what is wrong with masks that are predicted: D442 for those that cannot be read, D440
    for classes that no training pixel has, D441 for those that nearly none has; nothing without
    masks. Yields how many were read.
    """
    info = mask_field(subject.source)
    if info is None:
        return {}
    counts = np.zeros((subject.samples, len(info.classes)), np.int64)
    damaged: dict[int, DiagnosticError] = {}
    for start in range(0, subject.samples, _AT_ONCE):
        end = min(start + _AT_ONCE, subject.samples)
        chosen = [at for at in range(start, end) if subject.is_included[at]]
        with one_thread():
            for index, mask in _read(subject, info, chosen, damaged):
                counts[index] = class_counts(info, mask).numpy()
        yield end - start
    is_file = subject.has_files(info)
    found: MaskFindings = {"balance": _balance(subject, info, counts)}
    if is_file or damaged:
        found["damaged"] = damaged_files("D442", subject, info, damaged)
    return found


def _read(
    subject: Subject,
    info: FieldInfo,
    indices: Sequence[int],
    damaged: dict[int, DiagnosticError],
) -> list[tuple[int, Tensor]]:
    """Return the masks of samples that can be read; why others cannot goes to ``damaged``."""
    try:
        values = subject.source.read_field(info.name, indices) if indices else []
        return list(zip(indices, values, strict=True))
    except DiagnosticError as error:
        if len(indices) == 1:
            damaged[indices[0]] = error
            return []
        middle = len(indices) // 2
        first = _read(subject, info, indices[:middle], damaged)
        return first + _read(subject, info, indices[middle:], damaged)


def _balance(
    subject: Subject, info: FieldInfo, counts: NDArray[np.int64]
) -> tuple[HealthFinding, ...]:
    is_training = subject.parts == TRAIN if subject.indices else np.ones(subject.samples, bool)
    pixels = counts[is_training].sum(axis=0)
    total = int(pixels.sum())
    if not total:
        return ()
    found: list[HealthFinding] = []
    none = np.flatnonzero(pixels == 0)
    if len(none):
        names = listed(info.classes[at] for at in none)
        problem = Diagnostic.of("D440", severity=Severity.WARNING, count=len(none), names=names)
        elsewhere = np.flatnonzero(counts[:, none].any(axis=1))
        shown = Shown(indices=elsewhere[:MOST_SAMPLES].tolist())
        found.append(finding(problem, subject, shown, total=len(elsewhere)))
    few = np.flatnonzero((pixels > 0) & (pixels < _FEW * total))
    if len(few) and not subject.is_weighted:
        names = listed(f"{info.classes[at]} ({pixels[at] / total:.3%})" for at in few)
        problem = Diagnostic.of("D441", severity=Severity.WARNING, count=len(few), names=names)
        having = np.flatnonzero(is_training & counts[:, few].any(axis=1))
        shown = Shown(indices=having[:MOST_SAMPLES].tolist())
        found.append(finding(problem, subject, shown, total=len(having)))
    return tuple(found)
