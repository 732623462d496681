"""Descriptions and samples of data."""

import torch
from msgspec.structs import replace

from engine.data.batch_preview import preview_first_batch
from engine.data.load.load import load_data
from engine.data.load.part_statistics import (
    measured_by,
    measured_fields,
    missing_values,
    part_statistics,
)
from engine.data.load.pixel_counts import count_pixels
from engine.data.preview import describe, label_of, preview, split_or_whole
from engine.data.transform.preview import preview_sample
from engine.diagnostics import Diagnostic, DiagnosticError
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
from engine.spec.statistics import DataStatistics
from engine.spec.transform_preview import BatchPreview, DrawnSamples, TransformPreview

_MOST_DRAWN = 64


def describe_data(request: DescribeData) -> DataInfo:
    """Return fields, task, samples and parts of the chosen data."""
    return describe(request.data, request.code)


def describe_statistics(request: DescribeStatistics) -> DataStatistics:
    """Return the statistics of the training samples and of each part, and the pixels of each class;
    none where the split is invalid.
    """
    data = request.data
    source, indices, _ = split_or_whole(data, request.code)
    if not indices:
        return DataStatistics()
    plan = unnormalized_plan(data, source, indices, request.code).evaluation
    parts = part_statistics(
        source,
        indices,
        plan.chain,
        measured_fields(plan.infos),
        measured_by(data, plan.chain, request.code),
        is_single=data.collate != "stack",
    )
    return DataStatistics(
        fields=next((each.fields for each in parts if each.part == "train"), ()),
        pixels=count_pixels(source, indices),
        missing=tuple(missing_values(source)),
        parts=parts,
    )


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
    size, seed, draw = request.data.batch_size, request.seed, request.draw
    return preview_first_batch(data, size, seed, draw, request.number)
