"""Proposal of how to train on a file or folder of the user, as plain values."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Value
from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.spec.browse import SamplePicture
from engine.spec.data import DataInfo
from engine.spec.run import RunSpec, SplitSpec
from engine.spec.table import ColumnInfo

ModelSize = Literal["small", "large"]
"""The size of a first model (:mod:`engine.spec.first_model`)."""


Augmentation = Literal["none", "light", "strong", "photographs"]
"""A preset of random transforms of pictures and sounds (:mod:`engine.spec.preset`)."""

Scaling = Literal["none", "standard", "minmax", "imagenet"]
"""How numbers and pictures are normalised: as the setting of that name, or by fixed values."""

FOLDER_READERS = (
    "image_folder",
    "segmentation_folder",
    "detection_folder",
    "sound_folder",
    "video_folder",
    "text",
    "arrays",
)
FILE_READERS = ("table", "series", "text", "arrays")
"""The kinds of source that read folders, and files, as the user says."""


def readers_after(problems: Sequence[Diagnostic], *, is_folder: bool) -> tuple[str, ...]:
    """Return the kinds of source that may read a file or folder of which these are the problems:
    first the sets that lie in it where it has several (D619).
    """
    several = (str(each.params["names"]) for each in problems if each.code == "D619")
    sets = (name for names in several for name in names.split(", "))
    return (*sets, *(FOLDER_READERS if is_folder else FILE_READERS))


def is_published(kind: str) -> bool:
    """Return whether a kind of source is a published data set, a class of torchvision."""
    entry = catalog().entry(EntryGroup.DATA, kind)
    return entry is not None and entry.category == "torchvision"


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """What a user says in place of what is proposed: the kind of source by its key, settings of it,
    the split, the transforms. What is empty is proposed.
    """

    source: str = ""
    params: dict[str, Value] = {}
    split: SplitSpec | None = None
    scaling: Scaling | None = None
    augmentation: Augmentation | None = None


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A specification with source, split, normalisation, loss and optimizer, the description of the
    data, and a model from its inputs to its target: None where there is none for its kind.
    ``columns`` are those of a table that may be predicted, ``target`` is the one that is; ``table``
    are all of them, with the kinds and roles that they have. ``sources`` are the kinds of source
    that read such a file or folder; with ``has_boxes`` pictures that are read with their masks have
    boxes, too; with ``has_outlines`` those that are read with their boxes have masks of objects.
    ``time_column`` is the column of dates that the rows are ordered by, where they are
    therefore divided by it. ``unused`` are the settings of a table that say nothing for its kind of
    file.
    """

    spec: RunSpec
    info: DataInfo
    graph: Graph | None = None
    columns: tuple[str, ...] = ()
    target: str = ""
    table: tuple[ColumnInfo, ...] = ()
    sources: tuple[str, ...] = ()
    has_boxes: bool = False
    has_outlines: bool = False
    time_column: str = ""
    unused: tuple[str, ...] = ()


class PeekPicture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of a folder: the path of its file below it, the class folder that it lies in (empty
    for none), and the picture, or why it cannot be read.
    """

    name: str
    label: str = ""
    picture: SamplePicture | None = None
    problems: tuple[Diagnostic, ...] = ()


class Peek(msgspec.Struct, frozen=True, kw_only=True):
    """The first few of what lies in a file or folder, found without reading the rest: pictures, the
    rows of a table (``names`` are its columns; ``sheet`` is the one that they are of, ``sheets``
    are all that a workbook or database has), or lines of a text. ``is_complete`` says that there
    are no more that can be looked at in this way.
    """

    pictures: tuple[PeekPicture, ...] = ()
    names: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    is_complete: bool = True
