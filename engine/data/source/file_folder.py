"""Source of the files in a folder, each a sample, with labels from class folders or a table."""

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.cache import cache_folder
from engine.data.source.damaged_files import DamagedFiles
from engine.data.source.field import label_info, weight_field
from engine.data.source.file_hashes import FileHashes
from engine.data.source.file_weight import weight_columns
from engine.data.source.fingerprint import pictures_digest
from engine.data.source.identity import Identities, text_identities
from engine.data.source.image_cache import load_index, name_of
from engine.data.source.image_check import check_index
from engine.data.source.image_index import ImageIndex
from engine.data.source.image_walk import PICTURES, FileKind
from engine.data.source.source import FOLDER, Omission, Part, Source, Values
from engine.data.source.table_weight import check_weights
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import is_folder
from engine.spec.data import DataColumn, FieldInfo, Task
from engine.spec.sample_weight import WEIGHT_FIELD

_MOST_TRIES = 1000


@dataclass(frozen=True, kw_only=True)
class FileFolderSource(Source):
    """Files of a folder, read when a batch needs them. The first field is made of the file,
    ``label`` is the class, in natural order of the names; for two classes there is ``target``, too.

    The column ``folder`` tells folders within and around those of the classes, such as one for each
    patient, to keep their files in one part.

    ``weights`` (float32, one a file) are the field ``sample_weight``, where the column ``weight``
    of the table of labels gives them.

    ``titles`` are what the classes are called where their folders are called by numbers.

    With ``replaces_damaged`` the next file that can be read stands for a damaged one, of the same
    part: ``training`` says which are trained on, and those ``excluded`` stand for no other.
    """

    replaced: ClassVar[tuple[str, ...]]
    """The findings about a file that another one can stand for."""

    index: ImageIndex
    task: Task
    replaces_damaged: bool = False
    damaged: DamagedFiles
    hashes: FileHashes
    titles: tuple[str, ...] = ()
    weight: str = ""
    weights: Tensor | None = None
    training: NDArray[np.bool_] | None = None
    excluded: frozenset[int] = frozenset()

    @property
    @abstractmethod
    def file_info(self) -> FieldInfo:
        """The field that is made of the files."""

    @abstractmethod
    def read_file(self, index: int) -> Tensor:
        """Return the value of one file. Raises :class:`DiagnosticError` where it cannot be read."""

    @abstractmethod
    def joined(self, values: list[Tensor]) -> Values:
        """Return the values of several files as the field has them."""

    @property
    @abstractmethod
    def form(self) -> tuple[object, ...]:
        """The settings that the values of the files follow from."""

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        weights = () if self.weights is None else (weight_field(self.weights).info,)
        return (self.file_info, *label_infos(self.titles or self.index.head.classes), *weights)

    @property
    @override
    def samples(self) -> int:
        return len(self.index)

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        return self.read_by(self.read_file, indices)

    def read_by(self, read: Callable[[int], Tensor], indices: Sequence[int]) -> dict[str, Values]:
        """Return the values of some samples by field; ``read`` is what makes a value of a file."""
        rows: list[int] = []
        files: list[Tensor] = []
        for index in indices:
            row, value = self._readable(index, read)
            rows.append(row)
            files.append(value)
        values: dict[str, Values] = {self.file_info.name: self.joined(files)}
        index = torch.as_tensor(rows, dtype=torch.int64)
        for info in self.infos[1:]:
            column = self.column(info.name)
            assert column is not None
            values[info.name] = column.index_select(0, index)
        return values

    @override
    def column(self, name: str) -> Tensor | None:
        if name == WEIGHT_FIELD:
            return self.weights
        if name == "label" and self.index.head.classes:
            return self._labels
        if name == "target" and len(self.index.head.classes) == 2:
            return self._labels.to(torch.float32).reshape(-1, 1)
        if name == FOLDER and self.index.subfolders is not None:
            return torch.from_numpy(self.index.subfolders[1])
        return None

    @property
    @override
    def column_names(self) -> tuple[str, ...]:
        more = () if self.index.subfolders is None else (FOLDER,)
        return (*super().column_names, *more)

    @property
    @override
    def file_columns(self) -> tuple[DataColumn, ...]:
        return tuple(DataColumn(name=name, kind="number") for name in self._weight_columns)

    @cached_property
    def _weight_columns(self) -> list[str]:
        table = self.index.head.report.table
        return weight_columns(Path(table)) if table else []

    @override
    def text(self, name: str, index: int) -> str:
        if name == FOLDER and self.index.subfolders is not None:
            names, numbers = self.index.subfolders
            return names[int(numbers[index])]
        return self.index.name(index) if name == self.file_info.name else ""

    @override
    def sample_names(self, indices: Sequence[int]) -> list[str]:
        return [self.index.written_name(index) for index in indices]

    @override
    def identities(self) -> Identities:
        return text_identities(self.sample_names(range(self.samples)))

    @override
    def find_samples(self, names: Collection[str]) -> dict[str, int]:
        return self.index.find(names)

    @override
    def relabelled(self, labels: Tensor) -> "Self | None":
        if not self.index.head.classes:
            return None
        return replace(self, index=self.index.relabelled(labels.numpy().astype(np.int32)))

    @override
    def file(self, name: str, index: int) -> Path | None:
        return self.index.path(index) if name == self.file_info.name else None

    @override
    def read_as(self, indices: Sequence[int]) -> list[int]:
        damaged = set(self.damaged.current()) if self.replaces_damaged else set[str]()
        if not damaged:
            return list(indices)
        return [
            next((at for at in self._candidates(each) if self.index.name(at) not in damaged), each)
            for each in indices
        ]

    @override
    def excluding(self, excluded: Sequence[int]) -> "Self":
        return replace(self, excluded=frozenset(excluded)) if self.replaces_damaged else self

    @property
    @override
    def left_out(self) -> Mapping[Omission, int]:
        return {"damaged": self.damaged.names().count if self.replaces_damaged else 0}

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        labels = self.index.arrays["label"]
        hashes = self.hashes.of(list(indices))
        keys = [
            digest + labels[index].tobytes() for digest, index in zip(hashes, indices, strict=True)
        ]
        if self.weights is None:
            return keys
        weights = self.weights.numpy()
        return [key + weights[at].tobytes() for key, at in zip(keys, indices, strict=True)]

    @override
    def input_keys(self, indices: Sequence[int]) -> list[bytes]:
        return self.hashes.of(list(indices))

    @override
    def given_parts(self) -> Tensor | None:
        if not self.index.head.has_parts:
            return None
        return torch.from_numpy(self.index.arrays["part"].astype(np.int64))

    @override
    def subjects(self) -> Tensor | None:
        return self.column(FOLDER) if self.index.head.is_inner else None

    @override
    def fitted(self, training: Tensor) -> "Self":
        if not self.replaces_damaged:
            return self
        is_trained = np.zeros(len(self.index), bool)
        is_trained[training.numpy()] = True
        return replace(self, training=is_trained)

    @override
    def content_digest(self) -> str:
        return pictures_digest(self.index) + self._weights_version

    @override
    def is_current(self) -> bool:
        return self.index.is_current()

    @override
    def version(self) -> str:
        form = (self._index_version, *self.form, self.replaces_damaged)
        return repr(form) + self._weights_version

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        problems = check_index(self.index, self.damaged.names(), self._labels, indices)
        if self.weights is None or "train" not in indices:
            return problems
        return (*problems, *check_weights(self.weights[indices["train"]], self.weight))

    @cached_property
    def _weights_version(self) -> str:
        if self.weights is None:
            return ""
        return hashlib.blake2b(self.weights.numpy().tobytes(), digest_size=16).hexdigest()

    @cached_property
    def _index_version(self) -> str:
        return self.index.version()

    @cached_property
    def _labels(self) -> Tensor:
        return torch.from_numpy(self.index.arrays["label"].astype(np.int64))

    def _readable(self, index: int, read: Callable[[int], Tensor]) -> tuple[int, Tensor]:
        """Return the number of a file and what is read of it: of another where that stands for a
        damaged one.
        """
        if not self.replaces_damaged:
            return index, read(index)
        for candidate in self._candidates(index):
            try:
                return candidate, read(candidate)
            except DiagnosticError as error:
                if error.problems[0].code not in self.replaced:
                    raise
                self.damaged.add(self.index.name(candidate))
        raise DiagnosticError.of("D074", folder=self.index.head.root, file=self.index.name(index))

    def _candidates(self, index: int) -> Iterator[int]:
        """Yield a sample and those after it, round the end, that are in the same part."""
        part = self._part_of(index)
        tries = 0
        for step in range(len(self.index)):
            candidate = (index + step) % len(self.index)
            is_allowed = not step or candidate not in self.excluded
            if is_allowed and self._part_of(candidate) == part:
                yield candidate
                tries += 1
                if tries == _MOST_TRIES:
                    return

    def _part_of(self, index: int) -> tuple[int, bool]:
        is_trained = self.training is not None and bool(self.training[index])
        return int(self.index.arrays["part"][index]), is_trained


@contextmanager
def telling_of_folder(index: ImageIndex, at: int) -> Generator[None]:
    """While a file is read: raise :class:`DiagnosticError` D050 where the folder itself is not
    there any more, else what reading raises.
    """
    try:
        yield
    except DiagnosticError as error:
        root = Path(index.head.root)
        if error.problems[0].code in ("D054", "D056") and not is_folder(root):
            detail = str(index.path(at))
            raise DiagnosticError.of(
                "D050", field="data.source.path", folder=str(root), detail=detail
            ) from error
        raise


def task_of(classes: int) -> Task:
    """Return the task for a number of classes; without any, files are the target themselves."""
    if not classes:
        return "regression"
    return "binary" if classes == 2 else "classification"


def label_infos(classes: tuple[str, ...]) -> tuple[FieldInfo, ...]:
    """Return the descriptions of ``label`` and, for two classes, ``target``; none for none."""
    if not classes:
        return ()
    label = label_info(classes)
    target = FieldInfo(name="target", role="target", kind="scalar", shape=(1,), dtype="float32")
    return (label, target) if len(classes) == 2 else (label,)


def folder_param(params: Mapping[str, Value]) -> Path:
    """Return the folder that is chosen. Raises :class:`DiagnosticError` D075 where none is."""
    path = str(params.get("path") or "")
    if not path.strip():
        raise DiagnosticError.of("D075", field="data.source.path")
    return Path(path).expanduser()


def folder_index(params: Mapping[str, Value], kind: FileKind = PICTURES) -> ImageIndex:
    """Return the index of the folder that is chosen: ``labels`` is a table of labels, empty for
    class folders, ``class_folders`` which folders these are. Raises :class:`DiagnosticError`: D075
    without a path, and what :func:`engine.data.source.image_index.build_index` does.
    """
    table, is_inner = str(params.get("labels") or ""), params.get("class_folders") == "inner"
    labels = Path(table).expanduser() if table else None
    return load_index(folder_param(params), labels, is_inner=is_inner and not table, kind=kind)


def cached_file(folder: str, index: ImageIndex, ending: str) -> Path | None:
    """Return the file of the cache about a folder that has an index; None without a cache."""
    kept = cache_folder(folder)
    if kept is None:
        return None
    table = Path(index.head.report.table) if index.head.report.table else None
    return kept / f"{name_of(Path(index.head.root), table)}.{ending}"
