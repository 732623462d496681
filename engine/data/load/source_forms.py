"""Forms of a source: all that is needed to read the user's own files, rows and texts as its samples
are read. A run keeps them, so that it predicts where its data is not there.
"""

from typing import NamedTuple

import msgspec

from engine.data.load.trained_numbers import TrainedNumbers
from engine.data.read.file_form import ArrayForm, FileForm
from engine.data.read.gaps import GapFill
from engine.data.read.mask_form import MaskForm
from engine.data.read.picture_form import PictureForm
from engine.data.read.row import CategoryCell, FlagCell, NumberCell
from engine.data.read.sound import SoundForm
from engine.data.read.video import VideoForm
from engine.data.source.array_form import RowsForm
from engine.data.source.row_form import RowForm
from engine.spec.data import FieldInfo, Task


class TextForm(NamedTuple):
    """Texts that are samples: each in a file, else in a line, of whose columns, where it has some,
    the text is the first or the second.
    """

    has_files: bool
    column: int | None


class SeriesForm(NamedTuple):
    """Windows of a series, as its source has them, of a table with columns of some
    ``names``; ``fill`` is what fills gaps, where there were some. The times ``are_numbers``, or
    dates.
    """

    names: tuple[str, ...]
    features: tuple[int, ...]
    targets: tuple[int, ...]
    length: int
    horizon: int
    stride: int
    fill: GapFill
    are_numbers: bool

    @property
    def read_names(self) -> tuple[str, ...]:
        """The names of the columns that are read."""
        return tuple(self.names[at] for at in self.features)

    @property
    def target_names(self) -> tuple[str, ...]:
        """The names of the columns that are predicted."""
        return tuple(self.names[at] for at in self.targets)


class TableForm(NamedTuple):
    """A table: the columns that are predicted, and how its numbers were written."""

    targets: tuple[str, ...]
    numbers: TrainedNumbers


class FileForms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How files become fields, by the names of these."""

    pictures: dict[str, PictureForm] = {}
    masks: dict[str, MaskForm] = {}
    sounds: dict[str, SoundForm] = {}
    videos: dict[str, VideoForm] = {}
    arrays: dict[str, ArrayForm] = {}

    def form(self, name: str) -> FileForm | None:
        """Return how a file becomes a field, where one does."""
        kinds = (self.pictures, self.masks, self.sounds, self.videos, self.arrays)
        return next((forms[name] for forms in kinds if name in forms), None)


class KeptRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A :class:`RowForm`, whose features are either numbers or flags, None for the others."""

    numbers: tuple[NumberCell | None, ...]
    flags: tuple[FlagCell | None, ...]
    categories: tuple[CategoryCell, ...]
    kinds: dict[str, str]

    @classmethod
    def of(cls, form: RowForm) -> "KeptRow":
        """Return what is kept of a form."""
        return cls(
            numbers=tuple(each if isinstance(each, NumberCell) else None for each in form.features),
            flags=tuple(each if isinstance(each, FlagCell) else None for each in form.features),
            categories=form.categories,
            kinds=dict(form.kinds),
        )

    @property
    def form(self) -> RowForm:
        """The form as it was."""
        pairs = zip(self.numbers, self.flags, strict=True)
        cells = (number or flag for number, flag in pairs)
        features = tuple(cell for cell in cells if cell is not None)
        return RowForm(features=features, categories=self.categories, kinds=self.kinds)


class SourceForms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What reads the user's own samples like those of a source. ``shapes`` are those of one sample,
    by field, ``columns`` what the fields are read from, ``tokenizers`` the contents of those that
    cut texts, ``white`` the number that white has in pictures that are numbers. ``text_files`` are
    the fields of texts of which each is in a file that a table names; with ``pairs_masks`` the
    files of a folder that are called like masks are such.
    """

    task: Task
    infos: tuple[FieldInfo, ...]
    shapes: dict[str, tuple[int, ...]]
    columns: dict[str, str]
    value_names: dict[str, tuple[str, ...]]
    files: FileForms
    arrays: dict[str, RowsForm]
    tokenizers: dict[str, str]
    white: dict[str, float]
    text_files: tuple[str, ...] = ()
    row: KeptRow | None = None
    text: TextForm | None = None
    series: SeriesForm | None = None
    table: TableForm | None = None
    pairs_masks: bool = False
