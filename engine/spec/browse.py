"""Samples of a data set as rows: columns, order and conditions (the window shows them without
torch).
"""

from typing import Literal

import msgspec

from engine.diagnostics import Diagnostic
from engine.spec.data import SplitInfo

PartChoice = Literal["all", "train", "validation", "test"]
"""The part whose samples are listed."""

ColumnKind = Literal[
    "number", "size", "category", "part", "edit", "truth", "date", "text", "series"
]
"""What the cells of a column are.

``number``: numbers. ``size``: bytes. ``category``: one of a few values. ``part``: train, validation
or test. ``edit``: one of :data:`EDIT_KINDS`. ``truth``: one of :data:`TRUTHS`. ``date``: dates as
they are written, in the order of time. ``text``: any text. ``series``: several numbers, at equal
distances.
"""

Cell = str | int | float | tuple[float, ...] | None
"""What stands in a column for a sample, None where it is missing."""

INDEX, PART, SIZE = "index", "part", "bytes"
NEW = "new"
"""What stands in the column of the part for a sample that came after the run whose parts it has."""
PARTS_OF_RUN = ":parts"
"""Behind the name of predictions: samples are listed in the parts that the run had them in, not in
those that the next run will.
"""
SECONDS, RATE, FRAMES = "seconds", "rate", "frames"
WIDTH, HEIGHT = "width", "height"
EDIT, TAGS = "edit", "tags"
"""The keys of the columns that no data has: the number of a sample, its part, the size of its
file, duration of a sound or a video, samples a second of a sound, frames of a video, width and
height of a picture, how the user edited it (:data:`EDIT_KINDS`) and the tags. Those of data begin
with ``data.``, the number of tokens of a text with ``length.``.
"""

LOSS, PREDICTION, CONFIDENCE, CORRECT, IOU, LEARNED = (
    "run.loss",
    "run.prediction",
    "run.confidence",
    "run.correct",
    "run.iou",
    "run.learned",
)
"""The keys of the columns that say what a trained model makes of a sample: what it costs alone,
what is predicted for it, the probability that the model gave to that (0 to 1), whether it is right,
of masks the mean IoU, and for training samples the step of the run from which on each prediction in
training was right: a number from 1, infinite where the last one was wrong.
"""
RUN_COLUMNS = (LOSS, PREDICTION, CONFIDENCE, CORRECT, IOU, LEARNED)
_OF_NUMBER = f"{PREDICTION}."


def prediction_key(name: str) -> str:
    """Return the key of what is predicted for one of several numbers: ``run.prediction.price``."""
    return f"{_OF_NUMBER}{name}"


def predicted_number(key: str) -> str:
    """Return the number that a column has the prediction of; empty for another column."""
    return key.removeprefix(_OF_NUMBER) if key.startswith(_OF_NUMBER) else ""


def is_of_run(key: str) -> bool:
    """Return whether a column says what a trained model makes of a sample."""
    return key in RUN_COLUMNS or key.startswith(_OF_NUMBER)


TRUTHS = ("no", "yes")

EDIT_KINDS = ("excluded", "relabelled", "moved", "tagged")
"""How a sample may be edited; of one that is edited in several ways the first is told."""


class SampleColumn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One column. ``name`` is what the data calls it, empty for those that no data has; ``role``
    says what it is to the model. ``is_cheap`` columns are sorted and searched without reading the
    samples.
    """

    key: str
    kind: ColumnKind
    name: str = ""
    role: Literal["", "input", "target", "weight"] = ""
    is_cheap: bool = True


class SampleColumns(msgspec.Struct, frozen=True, kw_only=True):
    """The columns of a data set of so many samples; ``pictures`` are the fields that are shown as
    pictures. ``parts`` are those of the run in which the samples are listed, with what was counted
    in them and the ``value_edges`` of :class:`~engine.spec.data.DataInfo`; none where samples are
    in the parts of the next run.
    """

    samples: int
    columns: tuple[SampleColumn, ...]
    pictures: tuple[str, ...] = ()
    parts: tuple[SplitInfo, ...] = ()
    value_edges: tuple[float, ...] = ()


class Condition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the value of a column has to be: ``is`` one of ``values``; ``contains`` a ``text``, in
    any letters; is ``between`` ``low`` and ``high``, both included, None for no end; is
    ``missing``. With ``is_not`` the contrary. A text is looked for in all columns of text where
    ``column`` is empty.
    """

    column: str
    kind: Literal["is", "contains", "between", "missing"]
    values: tuple[str, ...] = ()
    text: str = ""
    low: float | None = None
    high: float | None = None
    is_not: bool = False


class SampleQuery(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which samples are listed, all conditions being met, and in which order: by the column
    ``sort``, missing values last, else as they stand in the source.
    """

    part: PartChoice = "all"
    sort: str = ""
    is_descending: bool = False
    conditions: tuple[Condition, ...] = ()


class SampleRow(msgspec.Struct, frozen=True, kw_only=True):
    """One sample: its index in the source, and a cell for each column; long texts are cut."""

    index: int
    cells: tuple[Cell, ...]


class SampleWindow(msgspec.Struct, frozen=True, kw_only=True):
    """Some of the ``total`` samples of a query: those from number ``start`` on."""

    total: int
    start: int
    rows: tuple[SampleRow, ...]


class SampleHead(msgspec.Struct, frozen=True, kw_only=True):
    """The first rows of data whose samples are not all read yet, which cannot be sorted or searched
    therefore; none where that takes no time.
    """

    columns: SampleColumns | None = None
    rows: tuple[SampleRow, ...] = ()


class SampleIndices(msgspec.Struct, frozen=True, kw_only=True):
    """Indices of samples in the source, 8 bytes each, little-endian."""

    content: bytes


class SampleNames(msgspec.Struct, frozen=True, kw_only=True):
    """Names of samples, by which they are edited, and the class that the data itself says of each
    (``labels``; none, or an empty one, of samples without).
    """

    names: tuple[str, ...]
    labels: tuple[str, ...] = ()


class ColumnValues(msgspec.Struct, frozen=True, kw_only=True):
    """What comes up in a column: the values of categories with their numbers of samples, of which
    there may be more (``is_complete``), or the ends of numbers; ``missing`` counts the rest.
    """

    values: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    is_complete: bool = True
    lowest: float | None = None
    highest: float | None = None
    missing: int = 0


class SamplePicture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of a sample: rows of pixels from the top, ``channels`` bytes each. The bytes of a
    ``mask`` are class numbers, of which ``classes`` are the names; 255 for pixels without a class.
    An image whose boxes are known has the names of their ``classes``: ``boxes`` are left, top,
    right and bottom of each as shares of width and height, ``labels`` their class numbers;
    ``shapes`` is a byte a pixel, the number of the box whose object it shows, 255 for none, empty
    where that is not known. ``points`` in the picture are x and y of each as shares of width and
    height, called ``names``.
    """

    field: str
    kind: Literal["image", "mask"]
    width: int
    height: int
    channels: Literal[1, 3]
    pixels: bytes
    classes: tuple[str, ...] = ()
    boxes: tuple[tuple[float, float, float, float], ...] = ()
    labels: tuple[int, ...] = ()
    shapes: bytes = b""
    points: tuple[tuple[float, float], ...] = ()
    names: tuple[str, ...] = ()


class SamplePictures(msgspec.Struct, frozen=True, kw_only=True):
    """The pictures of a sample, and why there are none."""

    index: int
    pictures: tuple[SamplePicture, ...] = ()
    problems: tuple[Diagnostic, ...] = ()


class PictureSheet(msgspec.Struct, frozen=True, kw_only=True):
    """The pictures of several samples."""

    samples: tuple[SamplePictures, ...]


class SampleToken(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One token of a text: what is written there, which the model reads as ``number``. One that
    ``is_unknown`` did not come up often enough in the training part to have a number of its own.
    """

    text: str
    number: int
    is_unknown: bool = False


class SampleDetails(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of one sample: ``cells`` in full, by column; the numbers of its fields as
    flat lists, with their shapes, where they are no more than can be looked at; ``files`` are the
    absolute paths of the files that it was read from. ``tokens`` are those of its texts by field,
    as a model reads them, without padding; ``cut`` counts those behind them that are not read, of
    the texts that have some.
    """

    index: int
    cells: tuple[Cell, ...]
    values: dict[str, tuple[float, ...]] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    texts: dict[str, str] = {}
    tokens: dict[str, tuple[SampleToken, ...]] = {}
    cut: dict[str, int] = {}
    files: tuple[str, ...] = ()
    pictures: tuple[SamplePicture, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
