"""Descriptions and samples of data."""

from collections.abc import Iterator

import torch
from msgspec.structs import replace

from engine.data.batch_preview import preview_first_batch
from engine.data.load.load import load_data
from engine.data.load.pixel_counts import count_pixels
from engine.data.load.statistics import known_statistics
from engine.data.preview import describe, label_of, preview, split_or_whole
from engine.data.read.cell import MISSING
from engine.data.source.mixed_table import MixedTableSource
from engine.data.source.source import Source
from engine.data.source.table import TableSource
from engine.data.transform.preview import preview_sample
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.code import code_digest
from engine.query.data.request import (
    DescribeData,
    DescribeStatistics,
    DrawSamples,
    PreviewBatch,
    PreviewData,
    PreviewTransforms,
)
from engine.query.reading.answer import unnormalized_plan
from engine.spec.data import DataInfo, PreviewInfo
from engine.spec.statistics import DataStatistics, MissingValues
from engine.spec.transform_preview import BatchPreview, DrawnSamples, TransformPreview

_MOST_DRAWN = 64


def describe_data(request: DescribeData) -> DataInfo:
    """Return fields, task, samples and parts of the chosen data."""
    return describe(request.data, request.code)


def describe_statistics(request: DescribeStatistics) -> DataStatistics:
    """Return the statistics of the training samples, and the pixels of each class; none where the
    split is invalid.
    """
    data = request.data
    source, indices, _ = split_or_whole(data, request.code)
    if not indices:
        return DataStatistics()
    plan = unnormalized_plan(data, source, indices, request.code).evaluation
    infos = [
        info
        for info in plan.infos
        if info.dtype == "float32" and info.kind not in ("boxes", "mask")
    ]
    is_single = data.collate != "stack"
    transforms: list[object] = [*data.transforms]
    if plan.chain is not None and plan.chain.custom_steps:
        transforms.append(code_digest(request.code))
    known = known_statistics(
        source, indices["train"], plan.chain, infos, transforms, is_single=is_single
    )
    return DataStatistics(
        fields=tuple(known.values()),
        pixels=count_pixels(source, indices),
        missing=tuple(_missing(source)),
    )


def _missing(source: Source) -> Iterator[MissingValues]:
    """Yield how many values each column of a table lacks, whatever is done about them."""
    rows = source.rows if isinstance(source, MixedTableSource) else source
    if isinstance(rows, TableSource):
        for column in rows.table.columns:
            count = sum(cell in MISSING for cell in column.cells())
            yield MissingValues(column=column.name, missing=count, rows=len(column))


def preview_data(request: PreviewData) -> PreviewInfo:
    """Return some samples of a part as they are before normalisation."""
    data = load_data(request.data, request.code, is_normalized=False)
    return preview(data, request.split, request.start, request.count)


def preview_transforms(request: PreviewTransforms) -> TransformPreview:
    """Return a sample of a part after each transform; the nearest one where there is none of that
    number. Of all samples, where the split is invalid or the part has none.
    """
    source, indices, _ = split_or_whole(request.data, request.code)
    part = indices.get(request.split)
    if part is None or not len(part):
        part = torch.arange(source.samples)
    number = min(max(request.number, 0), len(part) - 1)
    index = int(part[number])
    preview = preview_sample(
        request.data.transforms,
        source,
        index,
        seed=request.seed,
        draw=request.draw,
        is_training=request.split == "train",
        code=request.code,
    )
    return replace(preview, number=number, samples=len(part), label=label_of(source, index))


def draw_samples(request: DrawSamples) -> DrawnSamples:
    """Return samples as the model gets them, from all over a part: files lie by class.
    What cannot be read is left out.
    """
    source, indices, _ = split_or_whole(request.data, request.code)
    part = indices.get(request.split)
    if part is None or not len(part):
        part = torch.arange(source.samples)
    count = min(max(request.count, 1), _MOST_DRAWN, len(part))
    samples: list[TransformPreview] = []
    problems: list[Diagnostic] = []
    for at in range(count):
        number = at * len(part) // count
        index = int(part[number])
        try:
            whole = preview_sample(
                request.data.transforms,
                source,
                index,
                seed=request.seed,
                draw=request.draw,
                is_training=True,
                code=request.code,
            )
        except DiagnosticError as error:
            problems += error.problems
            continue
        label = label_of(source, index)
        samples.append(
            replace(whole, stages=whole.stages[-1:], number=number, samples=len(part), label=label)
        )
    return DrawnSamples(samples=tuple(samples), problems=tuple(problems))


def preview_batch(request: PreviewBatch) -> BatchPreview:
    """Return the first samples of a training batch, before the setting of normalisation."""
    data = load_data(request.data, request.code, is_normalized=False)
    return preview_first_batch(data, request.data.batch_size, request.seed, request.draw)
