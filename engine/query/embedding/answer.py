"""Answers about maps of samples. What was read for the last map is kept for the next one."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import msgspec
import torch
from msgspec.structs import replace
from torch import Tensor, nn

from engine.data.browse.predicted import parts_of_run
from engine.data.browse.samples import samples_of
from engine.data.load.load import load_split
from engine.data.source.registry import load_source
from engine.data.source.source import PARTS, Part, Source, Values
from engine.data.time_slice import time_slice
from engine.diagnostics import DiagnosticError
from engine.query.embedding.drawing import Drawing, as_bytes
from engine.query.embedding.feature import FeatureBlock, input_features, output_features
from engine.query.embedding.listed import with_listed
from engine.query.embedding.neighbor import Neighbors
from engine.query.embedding.projection import principal_components
from engine.query.embedding.request import MapActivations, MapSamples, MapSpec
from engine.query.embedding.tsne import NEIGHBORS, Tsne
from engine.query.trained import Trained, open_trained
from engine.runs.folder import RunFolder
from engine.spec.browse import NEW
from engine.spec.run import DataSpec
from engine.spec.sample_map import MapPhase, MapStep, SampleMap
from engine.train.losses import Outputs
from engine.train.training import Training

_LOOKED_AT = 10  # neighbors of a sample that are told
_Question = MapSamples | MapActivations


@dataclass
class _Kept:
    """The map that is being made, and what it is made of: the same samples need not be read again
    to be laid out in another way.
    """

    question: bytes = b""
    steps: Iterator[MapStep] | None = None
    source: Source | None = None
    origin: tuple[object, ...] = ()
    drawing: Drawing | None = None


_kept = _Kept()


def map_samples(request: MapSamples) -> MapStep:
    """Return how far the map of samples by their input values is."""
    load_source(request.data.source, request.code)  # with every step: trust may be withdrawn
    return _go_on(request, lambda: _from_values(request))


def map_activations(request: MapActivations) -> MapStep:
    """Return how far the map of the samples of a run by the output of a layer is."""
    return _go_on(request, lambda: _from_layer(request))


def _go_on(request: _Question, begin: Callable[[], Iterator[MapStep]]) -> MapStep:
    """Go on for as long as is asked for, or to the step that has something to show."""
    question = msgspec.json.encode(replace(request, is_new=False, seconds=0.0))
    if request.is_new or _kept.steps is None or question != _kept.question:
        _kept.question, _kept.steps = question, None
        _kept.steps = begin()
    step = None
    try:
        for step in time_slice(_kept.steps, request.seconds):
            if step.is_done or step.map is not None:
                break
    except BaseException:
        _kept.steps = None  # what broke off in the middle begins anew
        raise
    assert step is not None, "a map ends with a step that is done"
    if step.is_done:
        _kept.steps = None
    return step


def _drawing(source: Source, origin: tuple[object, ...], draw: Callable[[], Drawing]) -> Drawing:
    """Return the samples of the map before where they were drawn from the same."""
    kept = _kept.drawing
    is_same = _kept.source is source and _kept.origin == origin
    if kept is None or not kept.is_read or not is_same:
        _kept.drawing = None  # make room
        _kept.drawing = kept = draw()
    _kept.source, _kept.origin = source, origin
    return kept


def _from_values(request: MapSamples) -> Iterator[MapStep]:
    spec, data = request.spec, request.data
    parted = "" if parts_of_run(request.predictions) is None else request.predictions
    origin = (data, spec.parts, spec.count, spec.seed, parted)

    def draw() -> Drawing:
        source, indices = load_split(data, request.code)
        chosen = _chosen(indices, spec)
        if parted:
            chosen = samples_of(data, request.code, parted).indices(spec.parts)

        def look(values: Mapping[str, Values]) -> tuple[tuple[FeatureBlock, ...], None]:
            return input_features(source.infos, values), None

        return Drawing(
            source,
            source.infos,
            chosen=chosen,
            count=spec.count,
            seed=spec.seed,
            read=source.read,
            look=look,
        )

    source = load_source(data.source, request.code)
    for step in _steps(_drawing(source, origin, draw), data, spec):
        told = step.map
        if told is not None:
            told = replace(with_listed(told, request), has_run_parts=bool(parted))
        yield replace(step, map=told)


def _from_layer(request: MapActivations) -> Iterator[MapStep]:
    spec = request.spec
    run = RunFolder.open(request.run_folder)
    trained = open_trained(run, request.checkpoint)
    source = load_source(trained.spec.data.source, trained.run.document.graph.code)
    where = (request.run_folder, trained.info.sha256, request.layer)
    origin = (*where, spec.parts, spec.count, spec.seed)

    def draw() -> Drawing:
        data = trained.training.data
        layer = _Layer(trained, request.layer)
        return Drawing(
            data.source,
            data.info.fields,
            chosen=_known(_chosen(data.indices, spec), torch.from_numpy(data.division.is_new)),
            count=spec.count,
            seed=spec.seed,
            read=data.raw,
            look=layer.look,
        )

    steps = _steps(_drawing(source, origin, draw), trained.spec.data, spec)
    for step in steps:
        told = step.map
        if told is not None:
            told = replace(
                told,
                checkpoint=trained.info.file,
                step=trained.info.step,
                has_run_parts=trained.training.data.division.is_of_run,
            )
        yield replace(step, map=told)


def _chosen(indices: Mapping[Part, Tensor], spec: MapSpec) -> Mapping[str, Tensor]:
    return {part: index for part, index in indices.items() if part in spec.parts}


def _known(chosen: Mapping[str, Tensor], is_new: Tensor) -> Mapping[str, Tensor]:
    """Return the samples of a run alone; those that came after it apart, where all are wanted."""
    known = {part: index[~is_new[index]] for part, index in chosen.items()}
    new = torch.cat([index[is_new[index]] for index in chosen.values()]).sort().values
    return known | ({NEW: new} if len(new) and set(chosen) == set(PARTS) else {})


def _steps(drawing: Drawing, data: DataSpec, spec: MapSpec) -> Iterator[MapStep]:
    """Yield how far a map is, step by step."""
    if not drawing.is_read:
        for done in drawing.read():
            yield _step("read", done, len(drawing.indices))
    components = principal_components(drawing.matrix, spec.seed)
    is_tsne = spec.method == "tsne"
    neighbors = Neighbors(drawing.matrix, NEIGHBORS if is_tsne else _LOOKED_AT)
    size = len(drawing.indices)
    for done in neighbors.search():
        yield _step("neighbors", done, size)
    told = _map(drawing, data, components.values, components.shares, neighbors)
    yield replace(_step("neighbors", size, size), map=told, is_done=not is_tsne)
    if is_tsne:
        tsne = Tsne(neighbors.positions, neighbors.distances, components.values[:, :2])
        while tsne.done < tsne.total:
            tsne.advance()
            step = _step("tsne", tsne.done, tsne.total)
            yield replace(step, xy=as_bytes(tsne.xy), is_done=tsne.done == tsne.total)


def _step(phase: MapPhase, done: int, total: int) -> MapStep:
    return MapStep(phase=phase, done=done, total=total)


def _map(
    drawing: Drawing, data: DataSpec, values: Tensor, shares: Tensor, neighbors: Neighbors
) -> SampleMap:
    count = min(neighbors.count, _LOOKED_AT)
    labels, predictions = drawing.labels, drawing.predictions
    return SampleMap(
        data=data,
        indices=as_bytes(drawing.indices, torch.int64),
        parts=as_bytes(drawing.parts, torch.int8),
        xy=as_bytes(values[:, :2]),
        shares=(float(shares[0]), float(shares[1])),
        neighbors=as_bytes(neighbors.positions[:, :count], torch.int32),
        neighbor_count=count,
        total=drawing.total,
        features=drawing.matrix.shape[1],
        width=drawing.width,
        unreadable=drawing.unreadable,
        classes=drawing.classes,
        labels=b"" if labels is None else as_bytes(labels, torch.int32),
        predictions=b"" if predictions is None else as_bytes(predictions, torch.int32),
        columns=drawing.columns(),
        texts=tuple(drawing.texts) if any(drawing.texts) else (),
        pictures=drawing.pictures(),
    )


class _Layer:
    """What a layer of a trained model makes of samples, and the classes that the model predicts."""

    def __init__(self, trained: Trained, layer: str) -> None:
        self._trained = trained
        self._layer = layer
        model = trained.training.model
        known = dict(model.named_modules())
        if layer not in known:
            raise DiagnosticError.of("D272", layer=layer)
        self._module: nn.Module = known[layer]
        self._output: Tensor | None = None

    def look(self, values: Mapping[str, Values]) -> tuple[tuple[FeatureBlock, ...], Tensor | None]:
        """Return the features of some samples, and their predicted classes (int64) if any."""
        with self._trained.in_use() as training:
            batch = _prepared(training, values)
            handle = self._module.register_forward_hook(self._take)
            try:
                outputs = training.model(*[batch[name] for name in training.input_fields])
            finally:
                handle.remove()
            output, self._output = self._output, None
            size = len(batch[training.input_fields[0]])
            if output is None or output.ndim < 1 or len(output) != size:
                raise DiagnosticError.of("D273", layer=self._layer or type(training.model).__name__)
            features = output_features(output.reshape(size, -1) if output.ndim < 2 else output)
            return (features,), _predicted(training, outputs, batch)

    def _take(self, _module: nn.Module, _inputs: object, output: object) -> None:
        first = output[0] if isinstance(output, tuple) and output else output
        # A copy: the layer after it may change it in place.
        self._output = first.detach().clone() if isinstance(first, Tensor) else None


def _prepared(training: Training, values: Mapping[str, Values]) -> dict[str, Tensor]:
    """Return the fields of samples as the model takes them, normalised and on its device."""
    batch: dict[str, Tensor] = {}
    for name, field in values.items():
        if name not in training.data.parts["train"].names:
            continue  # neither read by the model nor compared with it
        assert isinstance(field, Tensor), "samples of several sizes cannot be trained on"
        batch[name] = training.normalized(name, field)
    return batch


def _predicted(training: Training, outputs: Outputs, batch: Mapping[str, Tensor]) -> Tensor | None:
    """Return the predicted classes; None where a sample is no single answer of that kind."""
    comparison = training.comparison
    if comparison.task == "regression" or comparison.labels or comparison.field not in batch:
        return None
    pair = comparison.pick(outputs, dict(batch))
    if pair is None:
        return None
    predicted, target = comparison.prepared(*pair)
    if target.ndim != 1 or len(predicted) != len(target):
        return None
    if predicted.ndim == 1:
        return (predicted > 0.5).long().cpu()  # the chance of the second class
    return predicted.argmax(dim=1).cpu()
