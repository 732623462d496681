"""Findings about a folder of pictures, as far as they are known without opening one."""

import re
from collections.abc import Iterator, Mapping

import numpy as np
import torch
from torch import Tensor

from engine.data.read.natural import natural_key
from engine.data.source.check import class_finding
from engine.data.source.image_index import ImageIndex
from engine.data.source.image_walk import PART_NUMBERS, Names, names_of
from engine.data.source.mask_pairs import IMAGE_FOLDERS
from engine.data.source.source import Part
from engine.diagnostics import Diagnostic, Severity

_PATH = "data.source.path"
_LABELS = "data.source.labels"
_LETTERS = re.compile(r"[^a-z]+")


def check_index(
    index: ImageIndex, damaged: Names, labels: Tensor, indices: Mapping[Part, Tensor]
) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a folder: a single class (an error), and what was skipped, left out
    or replaced. ``labels`` are the classes of all pictures (int64), ``indices`` those of each part.
    """
    return (
        *(_check_classes(index, labels, indices) if index.head.classes else ()),
        *check_skipped(index, damaged),
        *_check_table(index),
    )


def check_skipped(index: ImageIndex, damaged: Names) -> Iterator[Diagnostic]:
    """Yield what was skipped, left out or replaced in a folder."""
    report = index.head.report
    skipped = (
        ("D060", Severity.HINT, report.odd),
        ("D061", Severity.WARNING, report.empty),
        ("D062", Severity.WARNING, report.unreadable),
        ("D063", Severity.HINT, report.repeated),
        ("D064", Severity.WARNING, damaged),
        ("D070", Severity.WARNING, report.stray),
        ("D591", Severity.WARNING, report.empty_of_part),
        ("D592", Severity.WARNING, report.empty_parts),
    )
    for code, severity, names in skipped:
        if names:
            yield counted(code, severity, names, _PATH)


def _check_classes(
    index: ImageIndex, labels: Tensor, indices: Mapping[Part, Tensor]
) -> list[Diagnostic]:
    classes = index.head.classes
    if len(classes) == 1:
        folder = index.head.root
        return [Diagnostic.of("D057", field=_PATH, folder=folder, name=classes[0])]
    problems: list[Diagnostic] = []
    if index.head.report.empty_classes:
        empty = index.head.report.empty_classes
        problems.append(counted("D058", Severity.WARNING, empty, _PATH))
    counts = torch.bincount(labels, minlength=len(classes))
    single = _named(classes, counts == 1)
    if single:
        problems.append(counted("D059", Severity.WARNING, single, _PATH))
    if classes != tuple(sorted(classes)) and not index.head.is_published:
        names = names_of(classes).text
        problems.append(Diagnostic.of("D065", severity=Severity.HINT, field=_PATH, names=names))
    training = indices.get("train")
    if training is not None and len(training):
        present = torch.bincount(labels.index_select(0, training), minlength=len(classes))
        absent = _named(classes, present == 0)
        if absent:
            problems.append(counted("D071", Severity.WARNING, absent, None))
        problems += _check_rare(classes, labels, counts, indices)
    return problems


def _check_rare(
    classes: tuple[str, ...], labels: Tensor, counts: Tensor, indices: Mapping[Part, Tensor]
) -> list[Diagnostic]:
    """Return the classes that have fewer samples in the sets than there are sets (D574); those with
    a single file and those that cannot be learnt are told by other findings.
    """
    used = [index for index in indices.values() if len(index)]
    each = [torch.bincount(labels[index], minlength=len(classes)) for index in used]
    whole, learnt = torch.stack(each).sum(dim=0), labels[indices["train"]]
    is_learnt = torch.bincount(learnt, minlength=len(classes)) > 0
    rare = (is_learnt & (whole < len(used)) & (counts > 1)).nonzero().flatten().tolist()
    return [class_finding("D574", Severity.HINT, "label", classes, rare)] if rare else []


def check_sets(index: ImageIndex, beside: frozenset[str]) -> tuple[Diagnostic, ...]:
    """Return the folders of sets in which no picture lies (D592), of pictures that have no class
    folders; folders that are called as ``beside`` (small letters) hold what belongs to pictures,
    such as masks.
    """
    folders = index.head.folders
    full: set[str] = set()
    for at in np.unique(index.arrays["folder"]).tolist():
        names = folders[at].split("/")
        full.update("/".join(names[:depth]) for depth in range(1, len(names) + 1))
    parts = {path: _part_of(path, beside) for path in folders}
    sets = {path: part for path, part in parts.items() if part >= 0}
    if index.head.is_published or 0 not in sets.values() or len({*sets.values()}) == 1:
        return ()
    empty = names_of(sorted(sets.keys() - full, key=natural_key))
    return (counted("D592", Severity.WARNING, empty, _PATH),) if empty else ()


def _part_of(path: str, beside: frozenset[str]) -> int:
    """Return the part that the last folder of a path is called by, such as ``train2017`` or
    ``train_images``; -1 for none.
    """
    *outer, name = path.lower().split("/")
    first, *others = [word for word in _LETTERS.split(name) if word] or [""]
    is_other = beside & {*outer, name, *others} or not {*others} <= IMAGE_FOLDERS
    return -1 if is_other else PART_NUMBERS.get(first, -1)


def _check_table(index: ImageIndex) -> list[Diagnostic]:
    report = index.head.report
    return [
        Diagnostic.of(
            code,
            severity=Severity.WARNING,
            field=_LABELS,
            count=names.count,
            names=names.text,
            file=report.table,
        )
        for code, names in (
            ("D068", report.unlisted),
            ("D069", report.absent),
            ("D702", report.shared),
        )
        if names
    ]


def _named(classes: tuple[str, ...], chosen: Tensor) -> Names:
    return names_of(classes[at] for at in chosen.nonzero().flatten().tolist())


def counted(code: str, severity: Severity, names: Names, field: str | None) -> Diagnostic:
    """Return a finding about some files or classes: how many, and the first of them."""
    return Diagnostic.of(code, severity=severity, field=field, count=names.count, names=names.text)
