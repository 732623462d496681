"""Choice of the folders that are the classes, where one around them is of each patient, speaker or
recording (``patient1/ill``), and of the split that keeps the files of such a folder together.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from engine.data.source.class_folders import index_of
from engine.data.source.image_index import ImageIndex
from engine.data.source.image_walk import PART_NUMBERS
from engine.data.source.mask_pairs import IMAGE_FOLDERS, MASK_FOLDERS
from engine.data.source.registry import load_source
from engine.data.source.source import FOLDER, PARTS, Source
from engine.diagnostics import Diagnostic, Severity, shortened
from engine.query.data.row_role import RowRoles
from engine.spec.proposal import Answers
from engine.spec.run import Choice

SETTING, INNER = "class_folders", "inner"

_LEAST_AROUND = 3  # folders, a set each
_LEAST_CLASSES = 2
_LISTED = 4  # names in a sentence
_NO_CLASSES = frozenset(PART_NUMBERS) | IMAGE_FOLDERS | MASK_FOLDERS
_NUMBERED = re.compile(r"(.*?)[\s._-]*(\d+)")
_OF_WORDNET = re.compile(r"n\d{8}")
_KINDS = frozenset(
    ("class", "classes", "cls", "label", "category", "cat", "type", "kind", "grade", "stage",
     "level", "score", "digit", "类", "类别", "标签", "等级", "级")
)  # fmt: skip
_PIECES = frozenset(
    ("session", "sess", "ses", "take", "trial", "run", "visit", "day", "scan", "series", "seq",
     "sequence", "clip", "video", "cam", "camera", "view", "frame", "slice", "part", "set", "batch",
     "fold", "shot", "round", "segment", "recording")
)  # fmt: skip


def with_class_folders(
    source: Choice, loaded: Source, index: ImageIndex, answers: Answers
) -> tuple[Choice, Source, RowRoles]:
    """Return a folder of files, of which there is an ``index``, with its inner folders as the
    classes where those around them plainly are none, unless the user says otherwise; and the column
    by which it is divided then.
    """
    told: list[Diagnostic] = []
    if SETTING not in source.params and (names := inner_classes(index)):
        told.append(_of_classes(index.head.classes, names))
        source = replace(source, params={**source.params, SETTING: INNER})
        loaded = load_source(source)
        index = index_of(loaded) or index
    folders = index.subfolders
    if source.params.get(SETTING) != INNER or folders is None or len(folders[0]) < len(PARTS):
        return source, loaded, RowRoles(told=tuple(told))
    if answers.split is None:
        told.extend(_of_split(loaded, folders[0]))
    return source, loaded, RowRoles(fold=FOLDER, told=tuple(told))


def _of_split(loaded: Source, folders: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield that the files of a folder around the classes stay together, where sets are drawn."""
    given, around = loaded.given_parts(), loaded.column(FOLDER)
    if given is None:
        yield Diagnostic.of(
            "D722",
            severity=Severity.HINT,
            field="data.split.column",
            column=FOLDER,
            count=len(folders),
            example=folders[0],
        )
        return
    absent = [part for number, part in enumerate(PARTS) if not bool((given == number).any())]
    assert around is not None
    training: list[int] = around[given <= PARTS.index("train")].unique().tolist()
    if absent and len(training) > len(absent):
        yield Diagnostic.of(
            "D747",
            severity=Severity.HINT,
            field="data.split.kind",
            count=len(training),
            example=folders[training[0]],
        )


def _of_classes(around: Sequence[str], names: Sequence[str]) -> Diagnostic:
    return Diagnostic.of(
        "D721",
        severity=Severity.HINT,
        field=f"data.source.{SETTING}",
        count=len(around),
        names=shortened(names, _LISTED),
        around=shortened(around, _LISTED),
    )


def inner_classes(index: ImageIndex) -> tuple[str, ...]:
    """Return the names of the folders in which the files lie, where these are plainly the classes
    and the folders around them are of patients, speakers or recordings; nothing elsewhere.
    """
    outer = index.head.classes
    if index.head.report.table or len(outer) < _LEAST_AROUND or not are_ids(outer):
        return ()
    inside = _inside(index)
    counts = Counter(name for names in inside.values() for name in names)
    is_common = all(2 * count >= len(outer) for count in counts.values())
    is_fewer = _LEAST_CLASSES <= len(counts) < len(outer)
    are_classes = not any(name.lower() in _NO_CLASSES for name in counts)
    if not (is_common and is_fewer and are_classes) or _stem(tuple(counts)) in _PIECES:
        return ()
    return tuple(dict.fromkeys(name for names in inside.values() for name in sorted(names)))


def _inside(index: ImageIndex) -> Mapping[str, set[str]]:
    """Return the names of the folders with files in each class folder; nothing where files lie in
    one of these themselves, or deeper.
    """
    inside: dict[str, set[str]] = {}
    used, first = np.unique(index.arrays["folder"], return_index=True)
    for at, file in zip(used.tolist(), first.tolist(), strict=True):
        around = index.head.classes[int(index.arrays["label"][file])]
        steps = index.head.folders[at].split("/")
        if len(steps) < len((around, "inner")) or steps[-2] != around:
            return {}
        inside.setdefault(around, set()).add(steps[-1])
    return inside


def are_ids(names: Sequence[str]) -> bool:
    """Return whether names of folders are those of patients or recordings: a common stem with a
    number, which is not called as classes are, or numbers that do not simply count them.
    """
    stem = _stem(names)
    if stem is None or stem in _KINDS or all(map(_OF_WORDNET.fullmatch, names)):
        return False
    numbers = sorted(int(matched[2]) for name in names if (matched := _NUMBERED.fullmatch(name)))
    is_counted = any(numbers == list(range(at, at + len(numbers))) for at in (0, 1))
    return bool(stem) or not is_counted


def _stem(names: Sequence[str]) -> str | None:
    """Return what stands before the numbers of some names, in small letters, the same in all; None
    where they are no such.
    """
    matched = [_NUMBERED.fullmatch(name) for name in names]
    stems = {None if each is None else each[1].lower() for each in matched}
    return stems.pop() if len(stems) == 1 else None
