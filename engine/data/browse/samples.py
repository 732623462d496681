"""Samples of a data set in an order that somebody chose, a few of them at a time.

Which samples meet the conditions, and in which order they come, is worked out once for a query and
kept as numbers of 4 bytes each; rows are made when they are asked for.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.data.browse.column import BrowseColumn, ReadColumn
from engine.data.browse.columns import columns_of
from engine.data.browse.edit_column import edit_columns
from engine.data.browse.picture import Pictures, picture_fields
from engine.data.browse.predicted import (
    PART_NAMES,
    PredictedSamples,
    parts_of_run,
    require_predictions,
)
from engine.data.browse.token import ReadTokens, read_tokens
from engine.data.load.edited import arranged, edited_samples, edits_for, relabelled
from engine.data.load.load import load_split
from engine.data.load.part_counts import count_parts
from engine.data.source.registry import load_source
from engine.data.source.source import PARTS, Part, Source
from engine.data.split.split import part_numbers, split_source
from engine.diagnostics import DiagnosticError
from engine.spec.browse import (
    ColumnValues,
    Condition,
    SampleColumns,
    SampleQuery,
    SampleRow,
    SampleWindow,
)
from engine.spec.choice import NO_CODE, Code
from engine.spec.run import DataSpec

MOST_ROWS = 1000  # of a window
_KEPT_BYTES = 64 << 20  # of orders
_KEPT_DATA = 2
_Order = NDArray[np.int32]
_lock = threading.Lock()
_kept: "OrderedDict[bytes, Samples]" = OrderedDict()


class Samples:
    """All samples of a data set as rows, with the classes and in the parts that the user gave them;
    those that were left out are in none. Transforms play no part: these are the samples as the
    source has them. ``base`` is the source before edits; ``predicted`` is what a trained model says
    about them, ``code`` the user's own, which the data may be of. With ``run_parts`` (indices into
    :data:`PART_NAMES`) they are in these parts instead.
    """

    def __init__(
        self,
        base: Source,
        spec: DataSpec,
        pictures: Pictures | None = None,
        predicted: PredictedSamples | None = None,
        code: Code = NO_CODE,
        *,
        run_parts: NDArray[np.int8] | None = None,
    ) -> None:
        self.base = base
        self.source = relabelled(spec, base, code)
        self._spec = spec
        self._code = code
        self._predicted = predicted
        self._run_parts = run_parts
        self.pictures = pictures or Pictures(base)
        self._orders: OrderedDict[bytes, _Order] = OrderedDict()

    @cached_property
    def columns(self) -> tuple[BrowseColumn, ...]:
        """The columns, in the order of the cells of a row."""
        edits = edited_samples(self.base, edits_for(self._spec, self._code))
        own: tuple[BrowseColumn, ...] = edit_columns(edits, self.source.samples) if edits else ()
        if self._predicted is not None:
            own += self._predicted.columns()
        return columns_of(self.source, lambda: self.parts, own)

    @cached_property
    def fitted(self) -> Source:
        """The samples with the vocabularies of the training part, of all if the split is wrong."""
        try:
            return load_split(self._spec)[0]
        except DiagnosticError:
            return self.source

    def tokens(self, index: int) -> dict[str, ReadTokens]:
        """Return the tokens of the texts of a sample by field, without what fills them up. Raises
        :class:`DiagnosticError` where it cannot be read.
        """
        if not any(info.kind == "sequence" and info.dtype == "int64" for info in self.source.infos):
            return {}
        texts = [info for info in self.fitted.infos if info.words and info.kind == "sequence"]
        values = self.fitted.read([index]) if texts else {}
        return {
            info.name: read_tokens(
                info, values[info.name][0].tolist(), self.fitted.text(info.name, index)
            )
            for info in texts
        }

    @cached_property
    def parts(self) -> NDArray[np.int8]:
        """The part of each sample, an index into :data:`PART_NAMES`; -1 for none, which is that of
        all where the split is wrong.
        """
        if self._run_parts is not None:
            return self._run_parts
        try:
            indices = split_source(self.base, self._spec.split)
            indices = arranged(self._spec, self.base, indices, self._code)
        except DiagnosticError:
            indices = {}
        return part_numbers(self.source.samples, indices).numpy().astype(np.int8)

    def indices(self, wanted: Collection[Part]) -> dict[str, Tensor]:
        """Return the indices of the samples (int64) of some parts; those that are new to the run
        whose parts these are come last where all parts are wanted.
        """
        names = PART_NAMES if set(wanted) == set(PARTS) else [n for n in PARTS if n in wanted]
        numbers = ((name, PART_NAMES.index(name)) for name in names)
        found = ((name, np.flatnonzero(self.parts == number)) for name, number in numbers)
        return {name: torch.from_numpy(at) for name, at in found if name in PARTS or len(at)}

    def describe(self) -> SampleColumns:
        """Return what is listed."""
        divided = {} if self._run_parts is None else self.indices(PARTS)
        edges, parts = count_parts(self.source, divided.items())
        return SampleColumns(
            samples=self.source.samples,
            columns=tuple(column.info for column in self.columns),
            pictures=tuple(info.name for info in picture_fields(self.source)),
            parts=parts,
            value_edges=edges,
        )

    def window(self, query: SampleQuery, start: int, count: int) -> SampleWindow:
        """Return ``count`` samples of a query from number ``start`` on, at most 1,000; fewer at its
        end. Raises :class:`DiagnosticError` where a sample cannot be read or a query not answered.
        """
        order = self.order(query)
        start = min(max(start, 0), len(order))
        chosen = order[start : start + min(max(count, 0), MOST_ROWS)].tolist()
        return SampleWindow(total=len(order), start=start, rows=self.rows(chosen))

    def rows(self, indices: Sequence[int]) -> tuple[SampleRow, ...]:
        """Return some samples by their indices in the source."""
        if not any(isinstance(column, ReadColumn) for column in self.columns):
            return tuple(self.row(index, {}) for index in indices)
        try:
            return self._read_rows(indices)
        except DiagnosticError:  # one of them is damaged: the others are shown
            return tuple(row for index in indices for row in self._readable_rows(index))

    def row(self, index: int, values: Mapping[str, Tensor]) -> SampleRow:
        """Return a sample by its index in the source; ``values`` are what was read of it, by field:
        nothing for one that cannot be read.
        """
        cells = (
            column.convert(values[column.field].numpy())
            if isinstance(column, ReadColumn) and column.field in values
            else column.cell(index)
            for column in self.columns
        )
        return SampleRow(index=index, cells=tuple(cells))

    def order(self, query: SampleQuery) -> _Order:
        """Return the indices of the samples that a query lists, in its order."""
        key = msgspec.msgpack.encode(query)
        order = self._orders.pop(key, None)
        if order is None:
            order = self._ordered(query)
        self._orders[key] = order
        while len(self._orders) > 1 and sum(o.nbytes for o in self._orders.values()) > _KEPT_BYTES:
            self._orders.popitem(last=False)
        return order

    def values(self, column: str, query: SampleQuery) -> ColumnValues:
        """Return what comes up in a column of the samples of a query."""
        return self._column(column).values(self.order(query).astype(np.int64))

    def _ordered(self, query: SampleQuery) -> _Order:
        kept = np.ones(self.source.samples, bool)
        if query.part != "all":
            kept &= self.parts == PARTS.index(query.part)
        for condition in query.conditions:
            kept &= self._mask(condition) != condition.is_not
        order = np.flatnonzero(kept).astype(np.int32)
        if not query.sort:
            return order[::-1].copy() if query.is_descending else order
        column = self._column(query.sort)
        keys, missing = column.sort_keys()
        chosen = keys[order]
        if query.is_descending:
            chosen = -chosen.astype(np.int64) if chosen.dtype.kind in "iu" else -chosen
        places = np.argsort(chosen, kind="stable")
        if missing is not None:
            is_last = missing[order][places]
            places = np.concatenate((places[~is_last], places[is_last]))
        return order[places]

    def _mask(self, condition: Condition) -> NDArray[np.bool_]:
        if condition.column:
            return self._column(condition.column).mask(condition)
        masks = [column.mask(condition) for column in self.columns if column.is_searched]
        return np.logical_or.reduce(masks) if masks else np.zeros(self.source.samples, bool)

    def _column(self, key: str) -> BrowseColumn:
        """Return a column that can be sorted. Raises :class:`DiagnosticError` D170 where there is
        none.
        """
        for column in self.columns:
            if column.info.key == key and column.info.is_cheap:
                return column
        raise DiagnosticError.of("D170", column=key.removeprefix("data.")[:100])

    def _read_rows(self, indices: Sequence[int]) -> tuple[SampleRow, ...]:
        values = self.source.read(indices) if len(indices) else {}
        return tuple(
            self.row(index, {name: each[at] for name, each in values.items()})
            for at, index in enumerate(indices)
        )

    def _readable_rows(self, index: int) -> tuple[SampleRow, ...]:
        try:
            return self._read_rows([index])
        except DiagnosticError:  # looking at the sample says why
            return (self.row(index, {}),)


def samples_of(spec: DataSpec, code: Code = NO_CODE, predictions: str = "") -> Samples:
    """Return the samples of a data set, those of before where its files are as they were, with
    columns of what is kept under the name ``predictions``. ``code`` is the user's own, for data of
    a class of theirs.

    Raises :class:`DiagnosticError` where the source cannot be loaded, D280 where nothing is kept
    under that name. They are in the parts of the run where the name ends with
    :data:`~engine.spec.browse.PARTS_OF_RUN`.
    """
    source = load_source(spec.source, code)
    predicted = require_predictions(predictions, source.samples) if predictions else None
    key = msgspec.json.encode((spec.source, spec.split, spec.edits, predictions), order="sorted")
    with _lock:
        samples = _kept.pop(key, None)
        if samples is None or samples.base is not source:
            same = (each.pictures for each in _kept.values() if each.base is source)
            parts = parts_of_run(predictions)
            samples = Samples(source, spec, next(same, None), predicted, code, run_parts=parts)
        _kept[key] = samples
        while len(_kept) > _KEPT_DATA:
            _kept.popitem(last=False)
    return samples
