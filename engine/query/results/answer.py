"""Answers about the results of a run. Models and examinations are kept for the next question."""

from functools import lru_cache
from typing import assert_never

import msgspec

from engine.data.preview import look_up
from engine.query.request import Split
from engine.query.results.examination import Examination
from engine.query.results.kept_tensor import list_kept, take_kept, take_state
from engine.query.results.prediction import model_inputs, predict
from engine.query.results.report import ExamineStep
from engine.query.results.request import (
    DescribeModel,
    DrawSurface,
    Examine,
    ListKeptTensors,
    LookUp,
    Predict,
    ResultRequest,
    TakeKeptTensor,
)
from engine.query.trained import Trained, open_trained
from engine.runs.folder import RunFolder
from engine.runs.record.state import CheckpointInfo
from engine.train.checkpoint.lookup import find_checkpoint
from engine.train.watch.surface import draw_surface

_KEPT = 4


def answer_about_results(  # noqa: PLR0911 - one case a request
    request: ResultRequest,
) -> msgspec.Struct:
    """Return the answer to a request. Raises :class:`DiagnosticError`."""
    match request:
        case Examine():
            return _examine(request)
        case LookUp():
            return look_up(request.data, request.places)
        case DescribeModel():
            return model_inputs(_trained(request.run_folder, request.checkpoint))
        case Predict():
            return predict(_trained(request.run_folder, request.checkpoint), request.values)
        case DrawSurface():
            trained = _trained(request.run_folder, request.checkpoint)
            with trained.in_use() as training:
                return draw_surface(training, trained.info.step)
        case ListKeptTensors():
            return list_kept(_with_state(request.run_folder, request.checkpoint))
        case TakeKeptTensor():
            trained = _with_state(request.run_folder, request.checkpoint)
            return take_kept(trained, request.kind, request.name)
    assert_never(request)


def _examine(request: Examine) -> ExamineStep:
    run, file, sha256 = request.run_folder, request.checkpoint, request.sha256
    if not sha256:
        info = _found(run, file)
        file, sha256 = info.file, info.sha256
    examination = _examination(run, file, sha256, request.split)
    try:
        is_whole = examination.advance(request.seconds)
    except Exception:
        _examination.cache_clear()  # what broke off in the middle begins anew
        raise
    return ExamineStep(
        checkpoint=file,
        sha256=sha256,
        done=examination.done,
        total=examination.total,
        report=examination.report() if is_whole else None,
    )


def _trained(run_folder: str, checkpoint: str) -> Trained:
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
def _examination(run_folder: str, file: str, sha256: str, split: Split) -> Examination:
    return Examination(_opened(run_folder, file, sha256), split)
