"""The process at the other end of a job: it may take all of a core and hang in a compiler, and the
window ends it by ending it.

The request is a line of JSON on the standard input; what is found goes to the standard output, a
line each. It ends when its standard input does: then nobody waits for it any more.
"""

import faulthandler
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, assert_never

import msgspec

from engine.custom import watchdog
from engine.custom.death import failure_of, tell_exits
from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.download.request import DownloadData
from engine.query.export.request import WriteExport
from engine.query.finder.request import FindBatch, FindRate
from engine.query.landscape.request import DrawLandscape, RaceFunction, RaceModel
from engine.query.predicting.request import PredictFile
from engine.query.reading.request import (
    BenchmarkLoading,
    ComputePartStatistics,
    ComputeStatistics,
    CountPixels,
)
from engine.query.speed.request import BenchmarkSpeed
from engine.runtime.job.request_job import (
    DownloadJob,
    ExportJob,
    FinderJob,
    JobRequest,
    LandscapeJob,
    PredictionJob,
    ReadingJob,
    RequestJob,
    SpeedJob,
)
from engine.runtime.job.stream import protocol_streams

Say = Callable[[msgspec.Struct], object]

_NICENESS = 10


def main() -> int:
    """Work at the request and return the exit code. An error that is no finding is told under the
    code of its job for a process that was lost.
    """
    faulthandler.enable()
    watchdog.start()
    tell_exits()
    questions, replies = protocol_streams()
    request: JobRequest = decode_json(questions.readline(), JobRequest)
    job = _job_of(request)
    threading.Thread(target=_end_with, args=(questions,), daemon=True).start()

    def say(message: msgspec.Struct) -> None:
        replies.write(msgspec.json.encode(message) + b"\n")
        replies.flush()

    try:
        _answer(request, say)
    except DiagnosticError as error:
        say(job.failure(*error.problems))
        return 1
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a layer, a loss or data may raise anything
        say(job.failure(failure_of(error) or Diagnostic(code=job.lost, detail=str(error))))
        return 1
    say(job.done())
    return 0


def _job_of(request: JobRequest) -> type[RequestJob[Any]]:
    match request:
        case BenchmarkSpeed():
            return SpeedJob
        case ComputeStatistics() | ComputePartStatistics() | CountPixels() | BenchmarkLoading():
            return ReadingJob
        case DownloadData():
            return DownloadJob
        case PredictFile():
            return PredictionJob
        case FindRate() | FindBatch():
            return FinderJob
        case _:
            return ExportJob if isinstance(request, WriteExport) else LandscapeJob


def _answer(request: JobRequest, say: Say) -> None:
    from engine.custom.trust import set_trust

    if isinstance(request, DownloadData):
        from engine.query.download.answer import download_data

        download_data(request, say)
        return
    if isinstance(request, PredictFile):
        from engine.query.predicting.answer import tell_predictions

        tell_predictions(request, say)
        return
    if isinstance(request, WriteExport):
        from engine.query.export.answer import write_export

        write_export(request, say)
        return
    if isinstance(request, BenchmarkSpeed | FindRate | FindBatch):
        set_trust(request.graph.code, trusted=request.trusted)
        _take_steps(request, say)
        return
    if isinstance(
        request, ComputeStatistics | ComputePartStatistics | CountPixels | BenchmarkLoading
    ):
        _read(request, say)
        return
    from engine.query.landscape.answer import draw_landscape
    from engine.query.race.answer import race_function, race_model
    from engine.runs.folder import RunFolder

    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    match request:
        case DrawLandscape():
            graph = RunFolder.open(Path(request.run_folder)).document.graph
            set_trust(graph.code, trusted=request.trusted)
            draw_landscape(request, say)
        case RaceModel():
            set_trust(request.graph.code, trusted=request.trusted)
            race_model(request, say)
        case RaceFunction():
            race_function(request, say)
        case _:
            assert_never(request)


def _take_steps(request: BenchmarkSpeed | FindRate | FindBatch, say: Say) -> None:
    match request:
        case BenchmarkSpeed():
            from engine.query.speed.answer import measure_speed

            measure_speed(request, say)
        case FindRate():
            from engine.query.finder.answer import find_rate

            find_rate(request, say)
        case FindBatch():
            from engine.query.finder.batch import find_batch

            find_batch(request, say)
        case _:
            assert_never(request)


def _end_with(questions: IO[bytes]) -> None:
    questions.read()
    os._exit(1)


def _read(
    request: ComputeStatistics | ComputePartStatistics | CountPixels | BenchmarkLoading, say: Say
) -> None:
    from engine.custom.trust import set_trust
    from engine.query.reading.answer import (
        measure_loading,
        measure_parts,
        measure_statistics,
        tell_pixels,
    )

    set_trust(request.code, trusted=request.trusted)
    match request:
        case BenchmarkLoading():
            measure_loading(request, say)
        case CountPixels():
            tell_pixels(request, say)
        case ComputePartStatistics():
            measure_parts(request, say)
        case ComputeStatistics():
            measure_statistics(request, say)


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # taking torch down would take a second more
