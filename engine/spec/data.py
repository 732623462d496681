"""Description of a data source as plain values (the window shows them without torch)."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from engine.diagnostics import Diagnostic
from engine.spec.vocabulary import PADDING, Letters, TokenUnit, Vocabulary

Task = Literal["classification", "binary", "regression"]
IGNORED = -100
"""The class number of the pixels of a mask, and of what stands for no box in a batch, that are left
out of losses and metrics: the ``ignore_index`` that PyTorch's losses have by default."""
PIXEL_KINDS = ("image", "video")
"""The kinds of fields that are made of pixels with channels, to which Normalize applies."""

BOX_KINDS = ("boxes", "box_classes")
"""The kinds of fields that boxes are made of."""

ROW_KINDS = (*BOX_KINDS, "box_masks")
"""The kinds of fields of which a sample has any number of rows, 0 too: in a batch each has as many
as the sample with the most, boxes and masks filled up with 0 and classes with :data:`IGNORED`."""


PADDING_KINDS = ("lengths", "padding_mask")
"""The kinds of input fields that tell of the padding of another in a batch."""


class FieldInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One field of a sample. ``shape`` is without the batch axis; ``kind`` decides the preview,
    the metrics and the loss that fit; ``classes`` are the label names of a class field, what each
    number of a target sequence may be, and what each pixel of a mask may be that is not
    :data:`IGNORED`.
    ``lowest`` and ``highest`` are the ends of the whole numbers in it: rows that are looked up, or
    -1 and 1 of a sign.
    ``words`` is the vocabulary of a text (``engine.spec.vocabulary``), by the numbers in it;
    ``unit`` and ``letters`` are how the text becomes them, ``padding`` what fills it up; ``start``
    is what stands before it, where it is one that is generated. ``longest`` is the most tokens of a
    text that keeps its own length, of shape (-1,).
    ``categories`` has a number for each of ``columns``; ``vocabularies`` say what they stand for,
    and ``column_sizes`` are how many numbers each can have, however the samples are split.
    ``boxes`` are float32 of shape (-1, 4): left, top, right and bottom in pixels of the image, as
    it arrives at the model; ``box_classes`` the class numbers of them, int64 of shape (-1,), of
    which ``classes`` are the names; ``box_masks`` the pixels of each, bool of shape (-1, height,
    width) (:data:`ROW_KINDS`).
    A ``mask`` that is a target has a class for each pixel, (height, width) int64; one that is an
    input a plane of 0 and 1 for each class, (classes, height, width) float32.
    A ``sound`` is a waveform (channels, samples) or a spectrogram (channels, bands, frames), a
    ``video`` frames (channels, frames, height, width). Of another input that is padded ``lengths``
    are the sizes of each sample, int64, () or as many as axes vary, and a ``padding_mask`` is
    true where it is filled up, bool, of the shape of those axes.
    A ``vector`` of points in the picture has x and y of each as shares of its width and height;
    ``mirror`` says which of its points stands for each in a mirrored picture.
    A field with the role ``weight`` is what the loss of a sample counts, float32 of shape ().
    """

    name: str
    role: Literal["input", "target", "weight"]
    kind: Literal[
        "image", "sound", "video", "vector", "scalar", "class", "point", "sequence", "categories",
        "mask", "boxes", "box_classes", "box_masks", "lengths", "padding_mask",
    ]  # fmt: skip
    shape: tuple[int, ...]
    dtype: str
    classes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()  # names of a vector's entries
    lowest: int | None = None
    highest: int | None = None
    words: tuple[str, ...] = ()
    vocabularies: tuple[tuple[str, ...], ...] = ()
    column_sizes: tuple[int, ...] = ()
    unit: TokenUnit = "words"
    letters: Letters = "all"
    padding: int = PADDING
    start: int | None = None
    longest: int = 0
    mirror: tuple[int, ...] = ()

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of a text."""
        return Vocabulary(self.words, self.unit, self.letters)

    def filled(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers of the tokens of a text as a sample has them: its first ones, after
        what stands before it, filled up with padding. One that keeps its own length has at least
        one token, which is padding where the text has none.
        """
        begun = numbers if self.start is None else (self.start, *numbers)
        length = self.shape[0] if not self.longest else max(min(len(begun), self.longest), 1)
        return (*begun, *[self.padding] * length)[:length]

    @property
    def point_names(self) -> tuple[str, ...]:
        """What the points in the picture are called, of which this field has x and y; their numbers
        where they have no names, and nothing where it has no points.
        """
        names = self.columns[::2] or tuple(f"{number + 1}" for number in range(len(self.mirror)))
        return tuple(name.removesuffix("_x") for name in names) if self.mirror else ()

    @property
    def tokens(self) -> int:
        """How many tokens of a text a sample has at most."""
        return self.longest or self.shape[0]

    @property
    def has_channels(self) -> bool:
        """Whether the first axis has the channels of an image, a sound or a video, or the planes of
        a mask that is an input.
        """
        is_planes = self.kind == "mask" and len(self.shape) == 3
        return is_planes or self.kind in ("image", "sound", "video")

    @property
    def can_be_scaled(self) -> bool:
        """Whether normalisation applies: an input of decimal numbers, which planes of 0 and 1 are
        not.
        """
        return self.role == "input" and self.dtype == "float32" and self.kind != "mask"

    @property
    def entry_names(self) -> tuple[str, ...]:
        """The names of the columns, or of the numbers that a sample has."""
        if self.columns:
            return self.columns
        size = math.prod(self.shape)
        return (self.name,) if size == 1 else tuple(f"{self.name} [{at}]" for at in range(size))


PartName = Literal["train", "validation", "test", "new"]
"""The name of a part; the last is for what came after the run whose parts these are."""


class SplitInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Size of a part and, for class targets, samples per class; for boxes, boxes per class; for
    labels, of which a sample has any number, samples with each; for numbers, samples in each of the
    intervals of the data.
    """

    name: PartName
    samples: int
    class_counts: tuple[int, ...] = ()
    label_counts: tuple[int, ...] = ()
    value_counts: tuple[int, ...] = ()


class DataColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column that a setting can name, and what its values are: a kind of column
    (:data:`engine.spec.table.ColumnKind`) or of field.
    """

    name: str
    kind: str


Reason = Literal["missing", "filtered", "damaged", "excluded", "unassigned"]
"""Why samples of the files are not used."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """How many samples of the files are not used, and why: rows with a ``missing`` value or file,
    pairs that were ``filtered`` by beginning or length, ``damaged`` files for which others stand
    (as far as they were read), samples that the user ``excluded``, and those that the split puts
    into no part (``unassigned``).
    """

    reason: Reason
    count: int


class BatchCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The batches of a training epoch that the user's code makes: how many, and the samples of the
    smallest and of the largest.
    """

    count: int
    least: int
    most: int


class TargetScale(NamedTuple):
    """Mean and standard deviation of numbers to predict, in their unit."""

    mean: float
    deviation: float


class DataInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a whole data source with its splits and what is wrong with its values.

    ``columns`` are those by which samples can be divided and drawn, ``file_columns`` those that the
    settings of the source can name. ``value_edges`` are those of the intervals in which a number
    to predict is counted, one more than these. ``unused`` are the settings of the source that say
    nothing of its kind of file. ``is_in_memory`` says that all training samples are
    there as tensors, from which batches are taken as they are. ``left_out`` says what is not used.
    ``custom_batches`` are those of the user's batch sampler, as far as they are known.
    ``target_scales`` are of the numbers to predict in the training part, where they are known: one
    for all of a sample, or one for each where these are of unlike size. ``value_names`` are
    those of the numbers of fields to predict, where the data know more of them than the fields.
    ``field_columns`` are those of the files that fields with another name are read from.
    """

    source: str
    samples: int
    task: Task
    fields: tuple[FieldInfo, ...]
    splits: tuple[SplitInfo, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    columns: tuple[DataColumn, ...] = ()
    file_columns: tuple[DataColumn, ...] = ()
    value_edges: tuple[float, ...] = ()
    unused: tuple[str, ...] = ()
    is_in_memory: bool = False
    left_out: tuple[LeftOut, ...] = ()
    custom_batches: BatchCounts | None = None
    target_scales: tuple[TargetScale, ...] = ()
    value_names: dict[str, tuple[str, ...]] = {}
    field_columns: dict[str, tuple[str, ...]] = {}

    def named(self, field: FieldInfo) -> FieldInfo:
        """Return a field with the names of its numbers, as far as the data know them."""
        names = self.value_names.get(field.name, ())
        return msgspec.structs.replace(field, columns=names) if names else field

    @property
    def target_scale(self) -> TargetScale | None:
        """The scale that all numbers to predict have."""
        return self.target_scales[0] if len(self.target_scales) == 1 else None

    def field(self, name: str) -> FieldInfo | None:
        """Return the field with that name, if there is one."""
        return next((field for field in self.fields if field.name == name), None)

    @property
    def target(self) -> FieldInfo | None:
        """The field to predict: the first that has classes, else the first."""
        targets = [field for field in self.fields if field.role == "target"]
        return next((field for field in targets if field.classes), targets[0] if targets else None)

    @property
    def date_columns(self) -> frozenset[str]:
        """The columns of the files that are dates, which become days since 1970-01-01."""
        return frozenset(column.name for column in self.file_columns if column.kind == "date")

    @property
    def has_vocabulary(self) -> bool:
        """Whether there is a text whose tokens are numbers."""
        return any(field.words and field.kind == "sequence" for field in self.fields)

    @property
    def weight(self) -> str:
        """The name of the field by which losses are weighed; empty for none."""
        return next((field.name for field in self.fields if field.role == "weight"), "")

    @property
    def predicts_masks(self) -> bool:
        """Whether a class of each pixel is predicted."""
        return self.target is not None and self.target.kind == "mask"

    def part(self, name: str) -> SplitInfo | None:
        """Return the part with that name, if the source was dealt out."""
        return next((split for split in self.splits if split.name == name), None)


class SamplePicture(msgspec.Struct, frozen=True, kw_only=True):
    """A field of a sample as a picture of ``shape`` (channels, height, width), made small where it
    is large: numbers of numpy's type ``dtype``, row by row.
    """

    shape: tuple[int, int, int]
    dtype: Literal["<f4", "|u1"]
    content: bytes


Cell = float | str | None
"""A number, what is written, or nothing."""


class SampleView(msgspec.Struct, frozen=True, kw_only=True):
    """One sample for the preview: its index in the source and its values as flat lists by field
    (before normalisation), the shapes being those of the fields. ``texts`` are sentences as they
    were written, by field; ``row`` has the cells that it is read from, by the column of the
    file and in its order: numbers as such, anything else as it is written, None for a missing
    value. Fields of very many numbers are in ``pictures`` instead, where they can be looked at.
    """

    index: int
    values: dict[str, tuple[float, ...]]
    texts: dict[str, str] = {}
    row: dict[str, Cell] = {}
    pictures: dict[str, SamplePicture] = {}


class PreviewInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Some samples of one part. ``names`` are those of the numbers of a field where the data knows
    more of them than the field; of a time series ``times`` are those of the first row that each
    sample predicts, or with the ``time_kind`` ``row`` its number.
    """

    split: str
    samples: tuple[SampleView, ...]
    names: dict[str, tuple[str, ...]] = {}
    time_kind: str = ""
    times: tuple[str, ...] = ()
