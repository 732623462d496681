"""Samples that are rows of arrays in files, a few of which are read at a time."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from torch import Tensor

from engine.data.read.array import find_arrays
from engine.data.read.stored import StoredArray
from engine.data.source.array_form import RowsForm
from engine.diagnostics import DiagnosticError
from engine.query.predicting.given import GivenData, GivenSample, Samples, given_inputs
from engine.spec.data import FieldInfo
from engine.train.training import Training

_USUAL = ("x", "input", "inputs", "data", "images", "image", "features", "x_test", "test_images")
_BLOCK_BYTES = 16 << 20
_WHITE = 255.0


class _Input(NamedTuple):
    info: FieldInfo
    array: StoredArray
    form: RowsForm


def arrays_at(path: Path, training: Training) -> GivenData:
    """Return the rows of the arrays of a file, as :func:`given_arrays` does. Raises as it does, and
    as reading does.
    """
    return given_arrays(find_arrays(path), path.name, training)


def given_arrays(
    arrays: Mapping[str, StoredArray], file: str, training: Training, start: str = ""
) -> GivenData:
    """Return the rows of arrays: for one input the array that is alone or has its name or a usual
    one, for several those that have their names. ``file`` is where they are from; the names of rows
    begin with ``start``.

    Raises :class:`DiagnosticError`: P054 where an array is missing, P055 for one of another shape
    or type than the input, P056 where arrays have different numbers of rows.
    """
    inputs = [
        _input(training, info, *_picked(info, arrays, is_alone=len(given_inputs(training)) == 1))
        for info in given_inputs(training)
    ]
    counts = {each.array.samples for each in inputs}
    if len(counts) > 1:
        raise DiagnosticError.of("P056", file=file, counts=", ".join(map(str, sorted(counts))))
    return GivenData(counts.pop(), _samples(inputs, start))


def _picked(
    info: FieldInfo, arrays: Mapping[str, StoredArray], *, is_alone: bool
) -> tuple[str, StoredArray]:
    by_name = {name.lower(): name for name in reversed([*arrays])}
    wanted = (info.name.lower(), *_USUAL) if is_alone else (info.name.lower(),)
    name = next((by_name[each] for each in wanted if each in by_name), None)
    if name is None and is_alone and len(arrays) == 1:
        (name,) = arrays
    if name is None:
        names = ", ".join([*arrays][:20])
        raise DiagnosticError.of("P054", name=info.name, names=names)
    return name, arrays[name]


def _input(training: Training, info: FieldInfo, name: str, array: StoredArray) -> _Input:
    """Return an array as an input, where it has its shape and a type that fits."""
    form = training.data.source.array_form(info.name)
    if form is None:
        is_byte = array.dtype == np.uint8 and info.kind == "image" and info.dtype == "float32"
        form = RowsForm(info.shape, info.dtype, _WHITE if is_byte else 1.0)
    shape = array.shape[1:]
    is_shape = shape in _stored_shapes(form)
    is_whole = array.dtype.kind in "biu"
    is_type = (is_whole if form.dtype == "int64" else array.dtype.kind in "biuf") and (
        form.scale == 1.0 or is_whole
    )
    if not (array.shape and is_shape and is_type):
        wanted = " × ".join(map(str, _stored_shapes(form)[0])) or "1"
        given = " × ".join(map(str, array.shape)) or "()"
        kind = "whole numbers" if form.dtype == "int64" or form.scale != 1.0 else "numbers"
        raise DiagnosticError.of(
            "P055", name=name, shape=given, dtype=str(array.dtype), wanted=wanted, kind=kind
        )
    return _Input(info, array, form)


def _stored_shapes(form: RowsForm) -> list[tuple[int, ...]]:
    """Return the shapes that a sample has in an array that a form fits."""
    shape = form.shape
    if form.is_channels_last:
        return [(*shape[1:], shape[0])]
    shapes = [shape]
    if len(shape) > 1 and shape[0] == 1:
        shapes.append(shape[1:])
    if shape in ((), (1,)):
        shapes += [(), (1,)]
    return shapes


def _samples(inputs: list[_Input], start_of_name: str) -> Samples:
    count = inputs[0].array.samples
    kept = {
        each.info.name: each.array.read() for each in inputs if each.array.offset is None
    }  # a file that is packed is read at once
    width = sum(each.array.nbytes // max(1, count) for each in inputs)
    step = max(1, _BLOCK_BYTES // max(1, width))
    for start in range(0, count, step):
        rows = range(start, min(start + step, count))
        blocks: dict[str, Tensor] = {}
        for info, array, form in inputs:
            block = kept[info.name][start : rows.stop] if info.name in kept else array.rows(rows)
            blocks[info.name] = form.values(block)
        for at, number in enumerate(rows):
            yield GivenSample(
                f"{start_of_name}{number}", {name: block[at] for name, block in blocks.items()}
            )
