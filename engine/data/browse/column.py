"""Columns of samples: their cells, what they are sorted by, and which samples meet a condition.

A column that is cheap knows its values without reading a sample; they are made when somebody sorts
or searches, for all samples at once, and kept for as long as they are used.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from engine.spec.browse import Cell, ColumnValues, Condition, SampleColumn

Numbers = NDArray[np.number]
Truths = NDArray[np.bool_]

MOST_VALUES = 1000  # of a category that are told
LONGEST_CELL = 300  # characters


@dataclass(frozen=True, eq=False, kw_only=True)
class BrowseColumn(ABC):
    """One column of all samples; ``info`` describes it."""

    info: SampleColumn

    @property
    def is_searched(self) -> bool:
        """Whether a text that is looked for anywhere is looked for here."""
        return self.info.is_cheap and self.info.kind in ("text", "category")

    @abstractmethod
    def cell(self, index: int) -> Cell:
        """Return the cell of a sample."""

    @abstractmethod
    def sort_keys(self) -> tuple[Numbers, Truths | None]:
        """Return what each sample is sorted by, of shape (samples,), and which are missing."""

    @abstractmethod
    def mask(self, condition: Condition) -> Truths:
        """Return which samples meet a condition, leaving ``is_not`` aside, of shape (samples,)."""

    def values(self, indices: NDArray[np.int64]) -> ColumnValues:
        """Return what comes up in some samples."""
        del indices
        return ColumnValues()


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberColumn(BrowseColumn):
    """Numbers, NaN where one is missing. ``written`` gives a cell as it stands in a file."""

    load: Callable[[], Numbers]
    written: Callable[[int], str] | None = None

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers of all samples, of shape (samples,)."""
        return self.load()

    @override
    def cell(self, index: int) -> Cell:
        if self.written is not None:
            return self.written(index) or None
        value = self.numbers[index].item()
        return None if value != value else value  # noqa: PLR0124 - NaN

    @override
    def sort_keys(self) -> tuple[Numbers, Truths | None]:
        return self.numbers, _is_nan(self.numbers)

    @override
    def mask(self, condition: Condition) -> Truths:
        match condition.kind:
            case "between":
                low = -np.inf if condition.low is None else condition.low
                high = np.inf if condition.high is None else condition.high
                return (self.numbers >= low) & (self.numbers <= high)
            case "missing":
                return _truths(_is_nan(self.numbers), len(self.numbers))
            case "is":
                return np.isin(self.numbers, [_number(text) for text in condition.values])
            case "contains":
                texts = (_cell_text(self.cell(at)) for at in range(len(self.numbers)))
                return _containing(texts, len(self.numbers), condition.text)

    @override
    def values(self, indices: NDArray[np.int64]) -> ColumnValues:
        chosen = self.numbers[indices]
        finite = chosen[np.isfinite(chosen)]
        ends = (float(finite.min()), float(finite.max())) if len(finite) else (None, None)
        missing = int(_truths(_is_nan(chosen), len(chosen)).sum())
        return ColumnValues(lowest=ends[0], highest=ends[1], missing=missing)


@dataclass(frozen=True, eq=False, kw_only=True)
class CategoryColumn(BrowseColumn):
    """Categories: ``load`` gives their names and the number (int) of each sample's, negative or
    beyond the names where it is missing.
    """

    load: Callable[[], tuple[tuple[str, ...], Numbers]]
    written: Callable[[int], str] | None = None

    @cached_property
    def _loaded(self) -> tuple[tuple[str, ...], Numbers, Truths]:
        names, codes = self.load()
        return names, codes, (codes < 0) | (codes >= len(names))

    @override
    def cell(self, index: int) -> Cell:
        if self.written is not None:
            return self.written(index) or None
        names, codes, missing = self._loaded
        return None if missing[index] else names[int(codes[index])]

    @override
    def sort_keys(self) -> tuple[Numbers, Truths | None]:
        _, codes, missing = self._loaded
        return codes, missing if missing.any() else None

    @override
    def mask(self, condition: Condition) -> Truths:
        names, codes, missing = self._loaded
        match condition.kind:
            case "is":
                wanted = set(condition.values)
                chosen = [at for at, name in enumerate(names) if name in wanted]
                return np.isin(codes, chosen)
            case "contains":
                is_in = _containing(iter(names), len(names), condition.text)
                return np.isin(codes, np.flatnonzero(is_in))
            case "missing":
                return missing
            case "between":
                return ~missing

    @override
    def values(self, indices: NDArray[np.int64]) -> ColumnValues:
        names, codes, missing = self._loaded
        present = codes[indices][~missing[indices]]
        counts = np.bincount(present.astype(np.int64), minlength=len(names))
        used = np.flatnonzero(counts)
        shown = used[:MOST_VALUES].tolist()
        return ColumnValues(
            values=tuple(names[at] for at in shown),
            counts=tuple(int(counts[at]) for at in shown),
            is_complete=len(shown) == len(used),
            missing=len(indices) - len(present),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class TextColumn(BrowseColumn):
    """Texts; ``every`` yields that of each sample. ``order`` gives numbers in whose order they are
    sorted, where they are not those of the letters.
    """

    text: Callable[[int], str]
    every: Callable[[], Iterable[str]]
    samples: int
    order: Callable[[], Numbers] | None = None

    @override
    def cell(self, index: int) -> Cell:
        return shortened(self.text(index)) or None

    @cached_property
    def _ranks(self) -> tuple[Numbers, Truths]:
        folded = [text.casefold() for text in self.every()]
        missing = np.fromiter((not text for text in folded), bool, len(folded))
        if self.order is not None:
            return self.order(), missing
        ranks = np.empty(len(folded), np.int32)
        rank, previous = -1, None
        for place in sorted(range(len(folded)), key=folded.__getitem__):
            if folded[place] != previous:  # equal texts stay in the order of the samples
                rank, previous = rank + 1, folded[place]
            ranks[place] = rank
        return ranks, missing

    @override
    def sort_keys(self) -> tuple[Numbers, Truths | None]:
        ranks, missing = self._ranks
        return ranks, missing if missing.any() else None

    @override
    def mask(self, condition: Condition) -> Truths:
        match condition.kind:
            case "contains":
                return _containing(self.every(), self.samples, condition.text)
            case "is":
                wanted = set(condition.values)
                return np.fromiter((text in wanted for text in self.every()), bool, self.samples)
            case "missing":
                return np.fromiter((not text for text in self.every()), bool, self.samples)
            case "between":
                return np.ones(self.samples, bool)


@dataclass(frozen=True, eq=False, kw_only=True)
class ReadColumn(BrowseColumn):
    """Values that are known only when a sample is read: neither sorted nor searched. They come with
    the samples of a window.
    """

    field: str
    convert: Callable[[NDArray[np.number]], Cell]

    @override
    def cell(self, index: int) -> Cell:
        del index
        return None  # filled in by whoever reads the samples

    @override
    def sort_keys(self) -> tuple[Numbers, Truths | None]:
        return np.zeros(0), None

    @override
    def mask(self, condition: Condition) -> Truths:
        del condition
        return np.ones(0, bool)


def shortened(text: str) -> str:
    """Return the beginning of a text that is long."""
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def evenly(values: Sequence[float], most: int) -> tuple[float, ...]:
    """Return an even choice of so many values at most."""
    if len(values) <= most:
        return tuple(values)
    step = (len(values) - 1) / (most - 1)
    return tuple(values[round(step * at)] for at in range(most))


def _is_nan(values: Numbers) -> Truths | None:
    if not np.issubdtype(values.dtype, np.floating):
        return None
    found = np.isnan(values)
    return found if found.any() else None


def _truths(mask: Truths | None, count: int) -> Truths:
    return np.zeros(count, bool) if mask is None else mask


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _cell_text(cell: Cell) -> str:
    return "" if cell is None else str(cell)


def _containing(texts: Iterable[str], count: int, wanted: str) -> Truths:
    """Return which texts hold every word that is wanted, in any letters."""
    words = wanted.casefold().split()
    if len(words) == 1:
        word = words[0]
        found = (word in text.casefold() for text in texts)
    else:
        found = (all(word in folded for word in words) for folded in map(str.casefold, texts))
    return np.fromiter(islice(found, count), bool, count)
