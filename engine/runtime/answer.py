"""Which function of the door answers which request."""

from pathlib import Path
from typing import assert_never

import msgspec

from engine.custom.trust import set_trust
from engine.files import confined
from engine.query.distance.request import CompareWeights
from engine.query.doctor.request import CheckUp
from engine.query.installation.answer import check_installation
from engine.query.installation.request import CheckInstallation
from engine.query.listing.report import WeightPreview
from engine.query.memory.request import EstimateFreezing, EstimateMemory
from engine.query.results.request import ModelRequest, ResultRequest
from engine.query.trace.request import TraceForward
from engine.runs.folder import RunFolder
from engine.runtime import door
from engine.runtime.protocol import (
    Analyse,
    AnyRequest,
    Check,
    CheckGradient,
    CompareCheckpoint,
    DescribeData,
    Evaluate,
    Export,
    FindRemedies,
    FollowText,
    GetCapabilities,
    GetSource,
    ListModel,
    PreviewData,
    PreviewLr,
    PreviewWeights,
    ReadCheckpoint,
    Repair,
    ReportWeights,
    SaveTensor,
    TakeWeights,
    WarmUp,
)

WeightRequest = Evaluate | Export | ReadCheckpoint | CompareCheckpoint | ReportWeights | TakeWeights
DoctorRequest = CheckUp | FindRemedies


def answer(request: AnyRequest) -> msgspec.Struct:  # noqa: C901, PLR0911, PLR0912  # one line a request
    """Return the answer to a request. Raises :class:`DiagnosticError`, or whatever torch raises."""
    _give_trust(request)
    if isinstance(request, WeightRequest):
        return _about_weights(request)
    if isinstance(request, DoctorRequest):
        return _of_doctor(request)
    if isinstance(request, ResultRequest):
        return door.answer_about_results(request)
    match request:
        case WarmUp():
            return door.warm_up()
        case GetCapabilities():
            return door.capabilities()
        case CheckInstallation():
            return check_installation()
        case Analyse():
            return door.analyse(request.graph, request.precision)
        case Check():
            return door.check(request.graph, request.spec)
        case Repair():
            return door.repair(request.graph, request.spec, request.problems)
        case GetSource():
            return door.source(request.graph)
        case FollowText():
            return door.follow_text(request.graph, request.text, request.shown)
        case ListModel():
            return door.list_model(request.graph)
        case EstimateMemory():
            return door.estimate_memory(request.graph, request.spec)
        case EstimateFreezing():
            return door.savings_of_freezing(request.graph, request.spec)
        case TraceForward():
            return door.trace_forward(request.graph, request.precision)
        case CheckGradient():
            return door.check_gradient(request.graph, request.place)
        case PreviewWeights():
            return _preview_weights(request)
        case DescribeData():
            return door.describe_data(request.data)
        case PreviewData():
            return door.preview_data(request.data, request.split, request.start, request.count)
        case PreviewLr():
            return door.lr_preview(request.spec, request.steps_per_epoch)
        case SaveTensor():
            return door.save_tensor(request)
        case CompareWeights():
            return door.compare_weights(request.run_folders, request.checkpoint)
    assert_never(request)


def _of_doctor(request: DoctorRequest) -> msgspec.Struct:
    """Return what the doctor finds, or what mends that."""
    project = Path(request.project)
    if isinstance(request, CheckUp):
        return door.check_up(request.graph, request.spec, project, request.run_folder)
    return door.find_remedies(request.graph, request.spec, project, request.problems)


def _preview_weights(request: PreviewWeights) -> WeightPreview:
    folder = Path(request.project)
    start = (confined(folder, request.weights) if request.weights else None, request.renamed)
    return door.preview_weights(request.graph, request.place, request.seed, folder, start)


def _about_weights(request: WeightRequest) -> msgspec.Struct:
    """Return the answer to a request about the weights of a run or of a file."""
    match request:
        case Evaluate():
            return door.evaluate(Path(request.run_folder), request.checkpoint, request.split)
        case Export():
            return door.export(
                Path(request.run_folder),
                request.format,
                Path(request.output),
                request.checkpoint,
                overwrite=request.overwrite,
            )
        case ReadCheckpoint():
            return door.read_checkpoint(Path(request.file))
        case CompareCheckpoint():
            return door.compare_checkpoint(Path(request.file), request.graph)
        case ReportWeights():
            return door.report_weights(
                Path(request.file), request.graph, request.renaming, request.names
            )
        case TakeWeights():
            return door.take_weights(
                Path(request.file),
                request.graph,
                Path(request.target),
                request.renaming,
                request.names,
            )
    assert_never(request)


def _give_trust(request: AnyRequest) -> None:
    """Let the own code that a request is about run in this process, or not, as it says."""
    if isinstance(request, Evaluate | Export | ModelRequest):
        graph = RunFolder.open(Path(request.run_folder)).document.graph
        set_trust(graph.code, trusted=request.trusted)
        return
    match request:
        case (
            Analyse()
            | Check()
            | Repair()
            | FindRemedies()
            | GetSource()
            | FollowText()
            | ListModel()
            | PreviewWeights()
            | CheckGradient()
            | EstimateMemory()
            | EstimateFreezing()
            | TraceForward()
            | CompareCheckpoint()
            | ReportWeights()
            | TakeWeights()
            | CheckUp()
        ):
            set_trust(request.graph.code, trusted=request.trusted)
        case _:
            return
