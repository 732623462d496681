"""Answers about the results of a run. Models and evaluations are kept for the next question."""

from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from engine.data.browse.predicted import (
    PredictedSamples,
    keep_predictions,
    known_predictions,
    predictions_key,
)
from engine.data.load.fit import read_parts
from engine.data.preview import preview_at
from engine.data.source.fingerprint import content_digest
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.files.write import sha256 as file_sha256
from engine.inspect.tensor_observer import capture_tensor, existing_tensor, list_tensors
from engine.query.request import Split
from engine.query.results.boxes import box_samples
from engine.query.results.evaluation import SplitEvaluation
from engine.query.results.mask_sample import MaskSamples
from engine.query.results.masks import mask_samples
from engine.query.results.prediction import model_inputs
from engine.query.results.prediction import predict as predict_values
from engine.query.results.prediction import take_file as read_file
from engine.query.results.request import (
    BoxSamples,
    DescribeModel,
    DrawSurface,
    Examine,
    ExamineStep,
    FileInput,
    ListKeptTensors,
    LookUp,
    ModelInputs,
    Predict,
    PredictBoxes,
    Prediction,
    PredictionStep,
    PredictMasks,
    PredictSamples,
    PredictSequences,
    SequenceSamples,
    TakeFile,
    TakeKeptTensor,
)
from engine.query.results.sample_predictions import SamplePredictions
from engine.query.results.sequences import sequence_samples
from engine.query.trained import Trained, open_trained
from engine.runs.folder import RunFolder
from engine.runs.record.state import CheckpointInfo
from engine.runs.record.surface import Surface
from engine.runs.record.tensor_capture import CapturedTensor, TensorKind, TensorListing
from engine.runs.recorded_checkpoint import find_checkpoint
from engine.spec.data import PreviewInfo
from engine.train.checkpoint.difference import unfit_checkpoint
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.checkpoint.restored import fitted_optimizer
from engine.train.watch import surface

_KEPT = 4
_SURFACE_S = 4.0  # that a surface takes at most, or else it is a coarser one
_predicting: dict[tuple[str, str, str, str], tuple[str, SamplePredictions]] = {}
"""The predictions that go on, with the name that they will have: those that were asked for last."""
_KEPT_KINDS: tuple[TensorKind, ...] = ("parameter", "buffer", "state")


def look_up(request: LookUp) -> PreviewInfo:
    """Return the samples at some places of the data."""
    return preview_at(request.data, request.places, request.code)


def describe_model(request: DescribeModel) -> ModelInputs:
    """Return what the model of a checkpoint reads and answers."""
    return model_inputs(kept_model(request.run_folder, request.checkpoint), request.sample)


def predict(request: Predict) -> Prediction:
    """Return what the model of a checkpoint says about values."""
    trained = kept_model(request.run_folder, request.checkpoint)
    return predict_values(
        trained, request.values, request.texts, cells=request.cells, files=request.files
    )


def take_file(request: TakeFile) -> FileInput:
    """Return a sound or a video of the user as the model of a checkpoint reads it."""
    trained = kept_model(request.run_folder, request.checkpoint)
    return read_file(trained, request.field, Path(request.path))


def predict_masks(request: PredictMasks) -> MaskSamples:
    """Return samples of a part with the masks that the model of a checkpoint predicts."""
    trained = kept_model(request.run_folder, request.checkpoint)
    return mask_samples(trained.judging(request.output), request.split, request.numbers)


def predict_sequences(request: PredictSequences) -> SequenceSamples:
    """Return samples of a part with the tokens that the model of a checkpoint predicts."""
    trained = kept_model(request.run_folder, request.checkpoint)
    return sequence_samples(trained.judging(request.output), request.split, request.numbers)


def predict_boxes(request: PredictBoxes) -> BoxSamples:
    """Return samples of a part with the boxes that the model of a checkpoint finds."""
    trained = kept_model(request.run_folder, request.checkpoint)
    return box_samples(trained, request.split, request.numbers)


def draw_surface(request: DrawSurface) -> Surface:
    """Return what the model of a checkpoint answers over a plane of its inputs."""
    trained = kept_model(request.run_folder, request.checkpoint).judging(request.plane.output)
    with trained.in_use() as training:
        layout = surface.lay_plane(training, request.plane)
        return surface.draw_surface(training, trained.info.step, layout, _SURFACE_S)


def list_kept_tensors(request: ListKeptTensors) -> TensorListing:
    """Return which tensors a checkpoint keeps."""
    return list_kept(_with_state(request.run_folder, request.checkpoint))


def take_kept_tensor(request: TakeKeptTensor) -> CapturedTensor:
    """Return one of the tensors that a checkpoint keeps."""
    trained = _with_state(request.run_folder, request.checkpoint)
    return take_kept(trained, request.kind, request.name)


def examine(request: Examine) -> ExamineStep:
    """Return how far the evaluation of a part has come, and its report once it is done."""
    run, file, sha256 = request.run_folder, request.checkpoint, request.sha256
    if not sha256:
        info = _found(run, file)
        file, sha256 = info.file, info.sha256
    evaluation = _evaluation(run, file, sha256, request.split, request.output)
    try:
        is_whole = evaluation.advance(request.seconds)
    except Exception:
        _evaluation.cache_clear()  # what broke off in the middle begins anew
        raise
    return ExamineStep(
        checkpoint=file,
        sha256=sha256,
        done=evaluation.done,
        total=evaluation.total,
        report=evaluation.report() if is_whole else None,
    )


def predict_samples(request: PredictSamples) -> PredictionStep:
    """Return how far the predictions for all samples are, and their name once they are done."""
    run, file, sha256 = request.run_folder, request.checkpoint, request.sha256
    output = request.output
    if not sha256:
        info = _found(run, file)
        file = info.file
        path = RunFolder.open(run).checkpoints / file.partition(":")[0]
        sha256 = info.sha256 or file_sha256(path)
    told = PredictionStep(checkpoint=file, sha256=sha256, done=0, total=0)
    document = RunFolder.open(run).document
    choice, code = document.spec.data.source, document.graph.code
    source = load_source(choice, code)  # with every step: trust may be withdrawn meanwhile
    going_on = _predicting.pop((run, file, sha256, output), None)
    _predicting.clear()  # also where what follows breaks off: that begins anew
    if going_on is None:
        weights = f"{sha256}{file.partition(':')[2]} {output}".rstrip()
        files = content_digest(choice, source, code)
        key = predictions_key(weights, files, _divided_by(RunFolder.open(run)))
        known = known_predictions(key)
        if known is not None:
            told = replace(told, done=known.samples, total=known.samples)
            return _with_found(told, key, known)
        if 0 < request.most < source.samples:
            return replace(told, total=source.samples)
        trained = _opened(run, file, sha256)
        if trained.training.data.division.source is not source:  # of the files as they were before
            _opened.cache_clear()
            trained = _opened(run, file, sha256)
        going_on = (key, SamplePredictions(trained.judging(output)))
    key, predictions = going_on
    if 0 < request.most < predictions.total:
        _predicting[run, file, sha256, output] = going_on
        return replace(told, total=predictions.total)
    is_whole = predictions.advance(request.seconds)
    told = replace(told, done=predictions.done, total=predictions.total)
    if not is_whole:
        _predicting[run, file, sha256, output] = going_on
        return told
    found = predictions.result()
    keep_predictions(key, found)
    return _with_found(told, key, found)


def _with_found(told: PredictionStep, key: str, found: PredictedSamples) -> PredictionStep:
    has_parts = found.parts is not None
    return replace(told, key=key, has_parts=has_parts, unread=found.unread, reason=found.reason)


def _divided_by(run: RunFolder) -> bytes:
    """Return what the parts of a run follow from, beside the files."""
    data = run.document.spec.data
    return msgspec.msgpack.encode((data.split, data.edits, read_parts(run.artefacts)))


def kept_model(run_folder: str, checkpoint: str) -> Trained:
    """Return the model of a checkpoint, kept for the next question. Raises as
    :func:`~engine.query.trained.open_trained`.
    """
    info = _found(run_folder, checkpoint)
    return _opened(run_folder, info.file, info.sha256)


def _found(run_folder: str, checkpoint: str) -> CheckpointInfo:
    return find_checkpoint(RunFolder.open(run_folder), checkpoint)


@lru_cache(maxsize=_KEPT)
def _opened(run_folder: str, file: str, _sha256: str) -> Trained:
    return open_trained(RunFolder.open(run_folder), file)


def _with_state(run_folder: str, checkpoint: str) -> Trained:
    info = _found(run_folder, checkpoint)
    return _opened_with_state(run_folder, info.file, info.sha256)


@lru_cache(maxsize=1)  # the state of an optimizer can be twice as large as its model
def _opened_with_state(run_folder: str, file: str, sha256: str) -> Trained:
    return take_state(_opened(run_folder, file, sha256))


@lru_cache(maxsize=_KEPT)
def _evaluation(
    run_folder: str, file: str, sha256: str, split: Split, output: str
) -> SplitEvaluation:
    return SplitEvaluation(_opened(run_folder, file, sha256).judging(output), split)


def take_state(trained: Trained) -> Trained:
    """Give the optimizer of an opened checkpoint the state that the checkpoint keeps.

    Raises :class:`DiagnosticError` with what is wrong with the file, K012 where it does not fit.
    """
    content = open_checkpoint(trained.run, trained.info.file)
    training = trained.training
    try:
        state = fitted_optimizer(training.optimizer, content.optimizer)
        training.optimizer.load_state_dict(state)
        training.phases.load_state_dict(content.phases)
    except (ValueError, RuntimeError) as error:
        current = training.model.state_dict()
        raise unfit_checkpoint(trained.info.file, content.model, current, error) from error
    return trained


def list_kept(trained: Trained) -> TensorListing:
    """Return parameters, buffers and the state of the optimizer (see :func:`take_state`)."""
    training = trained.training
    listed = list_tensors(training.model, training.phases, (), ())
    return TensorListing(tensors=tuple(each for each in listed if each.kind in _KEPT_KINDS))


def take_kept(trained: Trained, kind: TensorKind, name: str) -> CapturedTensor:
    """Return one of the tensors that :func:`list_kept` names.

    Raises :class:`DiagnosticError` A021 where there is none like it.
    """
    training = trained.training
    tensor = existing_tensor(training.model, training.phases, kind, name)
    if tensor is None or kind not in _KEPT_KINDS:
        raise DiagnosticError.of("A021", kind=kind, name=name)
    captured = capture_tensor(kind, name, tensor)
    return replace(captured, step=trained.info.step)
