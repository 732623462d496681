"""Check of groups: samples of one person, place or recording in training and evaluation."""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.data.health.finding import MOST_OF_GROUP, finding, shown_groups
from engine.data.health.subject import Subject
from engine.data.source.class_folders import index_of
from engine.data.source.column import read_column
from engine.data.source.source import FOLDER
from engine.data.source.table import TableSource
from engine.data.split.split import TRAIN
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.repair.case import RepairProposal, words
from engine.spec.health import HealthFinding

_LIKELY = re.compile(
    r"(^|[_\s.-])(patient|subject|person|participant|user|customer|client|member|speaker|author"
    r"|session|household|family|group|device|sensor|site|scene|video|recording|slide|患者|病人"
    r"|受试者|用户|客户|说话人|作者|分组|设备|场景|视频|录音)([_\s.-]?(id|no|nr|number|name|编号|号))?$",
    re.IGNORECASE,
)
_FEWEST = 10  # values of a column that is only called like one of groups
_MOST_LISTED = 12


def check_groups(subject: Subject) -> tuple[HealthFinding, ...] | None:
    """Return D205 for each column whose values are in the training part and in another; a warning
    for the one that was named as the group, a hint for one that is called like one. None where
    there is no such column, or no split.
    """
    if not subject.indices:
        return None
    known = str(subject.spec.source.params.get("group") or "").strip()
    if index_of(subject.source) is not None and subject.source.subjects() is not None:
        known = FOLDER  # of each patient, speaker or recording
    names = list(_names(subject, known))
    if not names:
        return None
    return tuple(
        found
        for name in names
        if (found := _check(subject, name, is_known=name == known)) is not None
    )


def _names(subject: Subject, known: str) -> Iterator[str]:
    """Yield the columns that may be groups; those of a table whether they are inputs or not."""
    source = subject.source
    inside = [name for info in source.infos for name in info.columns]
    names = source.table.names if isinstance(source, TableSource) else ()
    targets = {info.name for info in source.infos if info.role == "target"}
    if isinstance(source, TableSource):
        targets |= {column.name for column in source.targets}
    for name in dict.fromkeys((*source.column_names, *inside, *names)):
        is_folder = name == FOLDER and index_of(source) is not None
        is_likely = name == known or is_folder or _LIKELY.search(name.strip())
        if name not in targets and is_likely:
            yield name


def _check(subject: Subject, name: str, *, is_known: bool) -> HealthFinding | None:
    try:
        codes = read_column(subject.source, name, "data.split.column").codes().numpy()
    except DiagnosticError:
        return None  # with gaps it is no column to divide by
    groups = int(codes.max(initial=-1)) + 1
    if not (2 if is_known else _FEWEST) <= groups <= len(codes) / 2:
        return None
    in_training = np.bincount(codes[subject.parts == TRAIN], minlength=groups) > 0
    elsewhere = np.bincount(codes[subject.parts > TRAIN], minlength=groups)
    leaking = np.flatnonzero(in_training & (elsewhere > 0))
    if not len(leaking):
        return None
    problem = Diagnostic.of(
        "D205",
        severity=Severity.WARNING if is_known else Severity.HINT,
        field="data.split.kind",
        column=name,
        groups=len(leaking),
        all=groups,
        count=int(elsewhere[leaking].sum()),
    )
    settings = {"data.split.kind": "group", "data.split.column": name}
    repair = RepairProposal(words=words("D226", column=name), settings=dict(settings))
    shown = shown_groups([_both(subject, codes, int(code)) for code in leaking[:_MOST_LISTED]])
    return finding(problem, subject, shown, total=int(elsewhere[leaking].sum()), repairs=(repair,))


def _both(subject: Subject, codes: NDArray[np.int64], code: int) -> list[int]:
    """Return samples of a group, of training and evaluation in turn."""
    members = np.flatnonzero(codes == code)
    is_training = subject.parts[members] == TRAIN
    half = MOST_OF_GROUP // 2
    return [*members[is_training][:half].tolist(), *members[~is_training][:half].tolist()]
