"""Samples of the chosen data as rows and pictures, a few at a time."""

import math

import numpy as np
import torch
from torch import Tensor

from engine.data.browse.head import first_rows
from engine.data.browse.samples import samples_of
from engine.data.load.edited import edit_names, stored_classes
from engine.data.load.fit import read_fit
from engine.data.load.load import load_split
from engine.data.read.enclosed import holding_file
from engine.data.source.source import PARTS, Values
from engine.data.split.split import part_numbers
from engine.diagnostics import DiagnosticError
from engine.query.data.request import (
    BrowseSamples,
    FindParts,
    ListColumns,
    ListValues,
    LookAtSample,
    NameSamples,
    PeekSamples,
    PickSamples,
    SampleParts,
    TakePictures,
)
from engine.runs.folder import RunFolder
from engine.spec.browse import (
    ColumnValues,
    PictureSheet,
    SampleColumns,
    SampleDetails,
    SampleHead,
    SampleIndices,
    SampleNames,
    SamplePictures,
    SampleWindow,
)

_MOST_PICTURES = 256
_MOST_NUMBERS = 4096  # of a field of one sample
_MOST_TOKENS = 1000
_LONGEST_TEXT = 200_000  # characters


def list_columns(request: ListColumns) -> SampleColumns:
    """Return what samples can be listed, sorted and searched by."""
    return samples_of(request.data, request.code, request.predictions).describe()


def peek_samples(request: PeekSamples) -> SampleHead:
    """Return the first rows of data, where all of them take their time."""
    return first_rows(request.source)


def browse_samples(request: BrowseSamples) -> SampleWindow:
    """Return some rows of the samples that a query lists."""
    return samples_of(request.data, request.code, request.predictions).window(
        request.query, request.start, request.count
    )


def pick_samples(request: PickSamples) -> SampleIndices:
    """Return the indices in the source of the samples in some ranges of a query."""
    order = samples_of(request.data, request.code, request.predictions).order(request.query)
    chosen = [order[max(start, 0) : max(end, 0)] for start, end in request.ranges]
    picked = np.concatenate(chosen) if chosen else order[:0]
    return SampleIndices(content=picked.astype("<i8").tobytes())


def name_samples(request: NameSamples) -> SampleNames:
    """Return the names of some samples."""
    source = samples_of(request.data, request.code).base
    chosen = [at for at in request.indices if 0 <= at < source.samples]
    names = tuple(edit_names(request.data, source, chosen, request.code))
    return SampleNames(names=names, labels=tuple(stored_classes(source, chosen)))


def list_values(request: ListValues) -> ColumnValues:
    """Return what comes up in a column of the samples that a query lists."""
    return samples_of(request.data, request.code, request.predictions).values(
        request.column, request.query
    )


def find_parts(request: FindParts) -> SampleParts:
    """Return in which parts of a run samples are."""
    run = RunFolder.open(request.run_folder)
    known, document = read_fit(run.artefacts), run.document
    source, indices = load_split(document.spec.data, document.graph.code, known)
    parts = part_numbers(source.samples, indices)
    wanted = [at for at in request.indices if 0 <= at < source.samples]
    counts = torch.bincount(parts[wanted] + 1, minlength=len(PARTS) + 1).tolist()
    return SampleParts(counts=dict(zip(PARTS, counts[1:], strict=True)))


def take_pictures(request: TakePictures) -> PictureSheet:
    """Return pictures of some samples."""
    samples = samples_of(request.data, request.code)
    wanted = [at for at in request.indices[:_MOST_PICTURES] if 0 <= at < samples.source.samples]
    return PictureSheet(samples=samples.pictures.of(wanted, request.side))


def look_at_sample(request: LookAtSample) -> SampleDetails:
    """Return all that is known of one sample; the nearest one where there is none of that number.

    One that cannot be read has what is wrong with it.
    """
    samples = samples_of(request.data, request.code, request.predictions)
    source = samples.source
    index = min(max(request.index, 0), source.samples - 1)
    try:
        values = {name: _one(each) for name, each in source.read([index]).items()}
        tokens = samples.tokens(index)
        shown = samples.pictures.of_read(index, values, request.side)
    except DiagnosticError as error:
        values, tokens, shown = {}, {}, SamplePictures(index=index, problems=error.problems)
    files = (source.file(info.name, index) for info in source.infos)
    return SampleDetails(
        index=index,
        cells=samples.row(index, values).cells,
        values={
            name: tuple(each.flatten().double().tolist())
            for name, each in values.items()
            if math.prod(each.shape) <= _MOST_NUMBERS
        },
        shapes={name: tuple(each.shape) for name, each in values.items()},
        texts={name: text[:_LONGEST_TEXT] for name, text in source.texts(index).items()},
        tokens={name: each.tokens[:_MOST_TOKENS] for name, each in tokens.items()},
        cut={name: each.cut for name, each in tokens.items() if each.cut},
        files=tuple(str(holding_file(file)) for file in files if file is not None),
        pictures=shown.pictures,
        problems=shown.problems,
    )


def _one(values: Values) -> Tensor:
    return values[0]
