"""Contract of the sources: samples by number, read when they are asked for.

A source is a table of samples. What needs no decoding (class numbers, paths) is there at once for
all of them; values are read for the samples that a batch needs. Tensors in memory are one kind of
source among others (:class:`engine.data.source.tensors.TensorSource`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from engine.catalog.spec import Value
from engine.data.read.file_form import FileForm, value_of_file
from engine.data.read.tokenizer import SubwordTokenizer
from engine.data.source.array_form import RowsForm
from engine.data.source.box_table import BoxTable
from engine.data.source.identity import Identities
from engine.data.source.row_form import RowForm
from engine.diagnostics import Diagnostic
from engine.spec.data import Cell, DataColumn, FieldInfo, Task

Part = Literal["train", "validation", "test"]
PARTS: tuple[Part, ...] = ("train", "validation", "test")

PART_WORDS: Mapping[str, Part] = {
    "train": "train",
    **dict.fromkeys(("val", "valid", "validation", "dev"), "validation"),
    "test": "test",
}
"""What folders and arrays of a part are called, in lower case."""

FOLDER = "folder"
"""The column with the folders that divide the files besides their classes and parts."""

Omission = Literal["missing", "filtered", "damaged"]
"""Why a sample of the files is not used: a value or a file of it is missing, it is not of the kind
that was asked for, or another one stands for it.
"""

_MOST_DIGITS = 19  # of a number in 64 bits

Values = Tensor | list[Tensor]
"""A field of several samples: (samples, ...), or one tensor a sample where their sizes differ."""


class Draws(NamedTuple):
    """Random numbers in [0, 1) that choose what of a file is read in training: how many for a
    sample, and the number that keeps them apart from all others.
    """

    numbers: int
    stream: int


class Source(ABC):
    """All samples of a data set, before split, transforms and normalisation; never changed.

    A source goes to other processes by pickling: it holds no open file.
    """

    task: Task
    parts: Tensor | None = None
    """The part of each sample where the data itself names it (see :meth:`given_parts`)."""
    file_encoding: str = ""
    """The encoding of the text file that the samples are read from, where it is one that is read
    whole.
    """

    @property
    @abstractmethod
    def infos(self) -> tuple[FieldInfo, ...]:
        """The fields as they are read; an axis whose size differs between samples is -1."""

    @property
    @abstractmethod
    def samples(self) -> int:
        """The number of samples."""

    @abstractmethod
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        """Return the values of some samples by field.

        Raises :class:`~engine.diagnostics.DiagnosticError` where one cannot be read.
        """

    def read_at(self, indices: Sequence[int], seed: int, epoch: int) -> dict[str, Values]:
        """Return the values of some samples in an epoch of a run: what is drawn at random while
        they are read follows from seed, epoch and index. Raises as :meth:`read` does.
        """
        del seed, epoch
        return self.read(indices)

    def read_field(self, name: str, indices: Sequence[int]) -> Values:
        """Return the values of one field of some samples, without the others where these are in
        files of their own. Raises as :meth:`read` does.
        """
        return self.read(indices)[name]

    @property
    def is_sequential(self) -> bool:
        """Whether samples are only read one after the other, so that they are not shuffled."""
        return False

    def custom_order(self, training: Tensor) -> Callable[[int, int], Tensor] | None:
        """Return what gives the positions (int64) in the training part (int64 indices) of the
        samples of an epoch, from seed and epoch; None where the settings say it.
        """
        del training
        return None

    def item(self, index: int) -> Any:
        """Return a sample as a sampler of the user's code looks at it: its values by field."""
        return {name: values[0] for name, values in self.read([index]).items()}

    def column(self, name: str) -> Tensor | None:
        """Return the values of a field for all samples, None where each had to be decoded."""
        del name
        return None

    def written_codes(self, name: str) -> Tensor | None:
        """Return a number (int64) for what is written in a column of files or texts of each sample,
        the same where that is the same; None where there is no such column.
        """
        del name
        return None

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns that :meth:`column` has, fields of the samples or not."""
        return tuple(info.name for info in self.infos if self.column(info.name) is not None)

    def boxes(self) -> BoxTable | None:
        """Return the boxes of all samples as they are stored, where the samples have some."""
        return None

    def stored_points(self) -> Tensor | None:
        """Return the points in the pictures, float32 of shape (samples, points, 2), as shares of
        the width and height of each as it is stored, where the pictures have some.
        """
        return None

    @property
    def file_columns(self) -> tuple[DataColumn, ...]:
        """The columns of the files that the settings of the source can name."""
        return ()

    @property
    def column_kinds(self) -> Mapping[str, str]:
        """The kind by which each column of a table is read, as the settings of the source have it:
        ``ignored`` for those that no field has.
        """
        return {}

    @property
    def unused(self) -> tuple[str, ...]:
        """The settings of the source that say nothing of its kind of file."""
        return ()

    def text(self, name: str, index: int) -> str:
        """Return what is written in a field of a sample: a sentence, the path of a file."""
        del name, index
        return ""

    def file(self, name: str, index: int) -> Path | None:
        """Return the path of the file that a field of a sample is read from, where it is one."""
        del name, index
        return None

    def value_names(self, name: str) -> tuple[str, ...]:
        """Return what the numbers of a field are called, or those in each of its rows; empty where
        its info says it.
        """
        del name
        return ()

    def predicted_times(self, indices: Sequence[int]) -> tuple[str, list[str]] | None:
        """Return which time (``time``) or row (``row``) each sample is a prediction for, where it
        is one of a series.
        """
        del indices
        return None

    def column_of(self, name: str) -> str:
        """Return what the user calls what a field is read from: the column of a table."""
        return name

    def file_form(self, name: str) -> FileForm | None:
        """Return how the file of a sample becomes the value of a field, where it is one."""
        del name
        return None

    def array_form(self, name: str) -> RowsForm | None:
        """Return how what an array stores for a sample becomes the value of a field, where it does
        not stand there as it is.
        """
        del name
        return None

    @property
    def row_form(self) -> RowForm | None:
        """How the cells of a row become the fields of a sample, where it is one."""
        return None

    def value_of_file(self, name: str, path: Path) -> Tensor | None:
        """Return the value that a field would have if a file of the user were a sample; None where
        no such file makes it. Raises :class:`~engine.diagnostics.DiagnosticError` where the file
        cannot be read.
        """
        form = self.file_form(name)
        return None if form is None else value_of_file(form, path)

    def texts(self, index: int) -> dict[str, str]:
        """Return what is written in the fields of a sample, by field, where something is."""
        found = {info.name: self.text(info.name, index) for info in self.infos}
        return {name: text for name, text in found.items() if text}

    def row(self, index: int) -> dict[str, Cell]:
        """Return the cells of a table that the inputs of a sample are read from, by column."""
        del index
        return {}

    @property
    def left_out(self) -> Mapping[Omission, int]:
        """How many samples of the files this source leaves out, by the reason."""
        return {}

    @property
    def sample_numbers(self) -> Tensor:
        """The number (int64) that names each sample: its position, or a row of a file where that
        stays the same when other settings leave rows out.
        """
        return torch.arange(self.samples)

    def sample_names(self, indices: Sequence[int]) -> list[str]:
        """Return what samples are called, also when others come or go: the paths of their files in
        the folder, else their numbers.
        """
        return [str(number) for number in self.sample_numbers[list(indices)].tolist()]

    def find_samples(self, names: Collection[str]) -> dict[str, int]:
        """Return the positions of the samples with some names, as far as they are there."""
        numbers = [int(name) for name in names if name.isdecimal() and len(name) < _MOST_DIGITS]
        wanted = torch.tensor(numbers, dtype=torch.int64)
        known, order = self.sample_numbers.sort()
        if not len(known) or not len(wanted):
            return {}
        at = torch.searchsorted(known, wanted).clamp(max=len(known) - 1)
        is_there = known[at] == wanted
        positions = order[at[is_there]].tolist()
        found = zip(wanted[is_there].tolist(), positions, strict=True)
        by_name = {str(number): at for number, at in found}
        return {name: by_name[name] for name in names if name in by_name}

    def identities(self) -> Identities | None:
        """Return a number for each sample by which it is recognised when others come or go: of the
        name of its file, else of what it holds. None where that would take reading it all; then
        only its position is known.
        """
        return None

    def contents(self, indices: Sequence[int]) -> list[bytes] | None:
        """Return what samples that go by numbers hold, the same whatever the settings of the data
        are as far as that can be; None where they go by files, or nothing of them is known but
        their positions.
        """
        del indices
        return None

    def relabelled(self, labels: Tensor) -> "Source | None":
        """Return the source with other classes (int64, one a sample, indices into those of the
        field ``label``); None where its samples have none that can be changed.
        """
        del labels
        return None

    def excluding(self, excluded: Sequence[int]) -> "Source":
        """Return the source with samples (indices) that stand for no other that is damaged."""
        del excluded
        return self

    @abstractmethod
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        """Return a key for each of some samples, equal only where all their fields are equal."""

    def input_keys(self, indices: Sequence[int]) -> list[bytes]:
        """Return a key for each of some samples, equal only where all their inputs are equal.

        Raises :class:`~engine.diagnostics.DiagnosticError` where one cannot be read.
        """
        return self.keys_of_inputs(indices, self.read(indices))

    def keys_of_inputs(self, indices: Sequence[int], values: Mapping[str, Values]) -> list[bytes]:
        """Return such keys of samples whose values were read."""
        names = [info.name for info in self.infos if info.role == "input"]
        keys: list[bytes] = []
        for at, index in enumerate(indices):
            # Of a text what is written, since unknown words share a number.
            parts = [self.text(name, index).encode() or _bytes(values[name][at]) for name in names]
            keys.append(b"".join(len(part).to_bytes(8, "little") + part for part in parts))
        return keys

    def given_parts(self) -> Tensor | None:
        """Return the part that the data itself puts each sample into (int64, an index into
        :data:`PARTS`, -1 for none); None where it says nothing of that.
        """
        return self.parts

    def subjects(self) -> Tensor | None:
        """Return a number (int64) for what each sample is about, where several are about the same
        file and differ in their text, or are of the same patient, speaker or recording: in two
        parts they would give each other away.
        """
        return None

    def fitted(self, training: Tensor) -> "Source":
        """Return the source with what has to be learnt from the training samples alone (int64
        indices): a vocabulary, the mean that fills a gap.
        """
        del training
        return self

    def for_training(self) -> "Source":
        """Return the source as it is trained on, where :meth:`read_at` draws what is not drawn in
        evaluation; itself where nothing is.
        """
        return self

    def read_as(self, indices: Sequence[int]) -> list[int]:
        """Return the samples that are read in the place of some: themselves, but for damaged ones
        that others stand for.
        """
        return list(indices)

    def draws(self, name: str) -> Draws | None:
        """Return the random numbers by which a field is read; None where nothing is drawn."""
        del name
        return None

    def tokenizers(self) -> dict[str, SubwordTokenizer]:
        """Return the tokenizers of the fields that are cut into subwords, by field."""
        return {}

    def with_sizes(self) -> "Source":
        """Return the samples for batches of different sizes: those read together may differ."""
        return self

    def used_tokenizers(self) -> dict[str, str]:
        """Return the contents of all that this source was cut by, to be kept with a run."""
        return {name: tokenizer.content for name, tokenizer in self.tokenizers().items()}

    def content_digest(self) -> str:
        """Return a hash of what the files contain, as far as it is looked at before a run; empty
        where it goes by the files that are chosen, or by the values of computed samples.
        """
        return ""

    def is_current(self) -> bool:
        """Return whether the files that the source was made from are as they were, as far as that
        is known at little cost.
        """
        return True

    def version(self) -> str:
        """Return what is another text where the samples are others; empty where that is not known
        at little cost.
        """
        return ""

    @abstractmethod
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        """Return what is wrong with the values, as far as it is known without reading files."""


def stacked(values: list[Tensor], info: FieldInfo) -> Values:
    """Return the values of a field of several samples, as many as there are."""
    if not values:
        return no_values(info)
    is_one_size = len({value.shape for value in values}) == 1
    return torch.stack(values) if is_one_size else values


def no_values(info: FieldInfo) -> Tensor:
    """Return the values of a field of no samples."""
    shape = tuple(max(size, 0) for size in info.shape)
    return torch.empty(0, *shape, dtype=getattr(torch, info.dtype))


def consecutive_parts(counts: Iterable[tuple[Part | None, int]]) -> Tensor | None:
    """Return the part of each sample (int64, an index into :data:`PARTS`) where the samples come
    part by part, so many of each; None where no part has a name.
    """
    numbers = [
        torch.full((count,), PARTS.index(part)) for part, count in counts if part is not None
    ]
    return torch.cat(numbers) if numbers else None


def _bytes(values: Tensor) -> bytes:
    shape = ",".join(map(str, values.shape))
    return shape.encode() + b":" + values.contiguous().numpy().tobytes()


Loader = Callable[[Mapping[str, Value]], Source]
"""Makes a source from its parameters, defaults filled in."""
