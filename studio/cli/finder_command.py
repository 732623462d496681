"""The commands that search for a learning rate and for the largest batch.

Both take steps with a copy of the model in a process of its own; nothing of the project changes.
"""

import queue
import sys
from argparse import Namespace

import msgspec

from engine.diagnostics import DiagnosticError
from engine.project import Project
from engine.query.finder.request import (
    BatchMeasured,
    BatchTried,
    FindBatch,
    FinderDone,
    FinderFailed,
    FinderMessage,
    FindRate,
    RateFound,
    RateMeasured,
)
from engine.query.finder.suggestion import fastest_size
from engine.query.reading.request import BatchSizeFound
from engine.runtime.job.request_job import FinderJob
from engine.spec.phase import phase_named, rate_field
from engine.spec.run import RunSpec
from studio.cli.data_root import take_roots
from studio.cli.input_fit import fitted_graph, fitted_specs
from studio.cli.output import in_words, number, write, write_document
from studio.cli.train_command import changed_spec, spec_changes
from studio.cli.trusting import trust_project
from studio.cli.wording import said


def find_rate(options: Namespace) -> int:
    """Tell the loss at each rate, and which rates it suggests."""
    project, spec, trusted = _opened(options)
    request = FindRate(
        graph=project.graph,
        spec=spec,
        project=str(project.path),
        lowest=options.lowest,
        highest=options.highest,
        steps=options.tries,
        phase=phase_named(spec, options.phase),
        trusted=trusted,
    )
    told = _told(request, is_quiet=options.json)
    measured = [each for each in told if isinstance(each, RateMeasured)]
    found = next(each for each in told if isinstance(each, RateFound))
    if options.json:
        document = msgspec.to_builtins(found, builtin_types=())
        curve = [[each.rate, each.loss, each.smoothed] for each in measured]
        write_document(document | {"curve": curve})
        return 0
    if found.steepest is None or found.tenth is None:
        write(said("The loss does not fall at any of these rates."))
        return 1
    steepest, tenth = number(found.steepest), number(found.tenth)
    write(said("steepest descent {steepest}, minimum / 10 {tenth}", steepest=steepest, tenth=tenth))
    write(
        said(
            "to train with it: {option}",
            option=f"--set {rate_field(request.phase)}={found.steepest:.3g}",
        )
    )
    return 0


def find_batch(options: Namespace) -> int:
    """Tell speed and memory of batches of several sizes, and the largest that fits."""
    project, spec, trusted = _opened(options)
    told = _told(FindBatch(graph=project.graph, spec=spec, trusted=trusted), is_quiet=options.json)
    measured = [each for each in told if isinstance(each, BatchMeasured)]
    fitting = [(each.size, each.samples_per_s) for each in measured if each.problem is None]
    largest, fastest = max((size for size, _ in fitting), default=0), fastest_size(fitting)
    if options.json:
        guess = next(each for each in told if isinstance(each, BatchSizeFound))
        write_document(
            {
                "largest": largest,
                "fastest": fastest,
                "estimate": msgspec.to_builtins(guess),
                "sizes": [msgspec.to_builtins(each) for each in measured],
            }
        )
    elif largest:
        sizes = {"largest": f"{largest:,}", "fastest": f"{fastest:,}"}
        write(said("largest {largest}, smallest of the fastest {fastest}", **sizes))
        write(said("to train with it: {option}", option=f"--set data.batch_size={fastest}"))
    return 0 if largest else 1


def _opened(options: Namespace) -> tuple[Project, RunSpec, bool]:
    take_roots(options)
    project = Project.open(options.project)
    spec = changed_spec(project.spec, spec_changes(options), project.graph.code)
    trusted = trust_project(project, options)
    (spec,) = fitted_specs(project.graph, project.spec.data, [spec], options)
    project.graph = fitted_graph(project.graph, project.spec.data, spec, options)
    return project, spec, trusted


def _told(request: FindRate | FindBatch, *, is_quiet: bool) -> list[FinderMessage]:
    """Return what a search has told, and say it meanwhile. Raises :class:`DiagnosticError`."""
    waiting: queue.SimpleQueue[FinderMessage] = queue.SimpleQueue()
    job = FinderJob(request, waiting.put)
    told: list[FinderMessage] = []
    job.start()
    try:
        while not isinstance(message := waiting.get(), FinderDone | FinderFailed):
            told.append(message)
            if not is_quiet:
                _say(message)
    finally:
        job.close()
    if isinstance(message, FinderFailed):
        raise DiagnosticError(*message.problems)
    return told


def _say(message: FinderMessage) -> None:
    match message:
        case RateMeasured():
            if sys.stderr.isatty():
                told = said("step {step}", step=f"{message.step}/{message.count}")
                text = f"{told}: {number(message.smoothed)}"
                sys.stderr.write(
                    f"\r\033[K{text}" + ("\n" if message.step == message.count else "")
                )
        case BatchMeasured() if message.problem is not None:
            write(f"{message.size:>8,}  {in_words(message.problem)}")
        case BatchMeasured():
            speed, memory = message.samples_per_s, message.memory / 2**20
            rate = said("{rate} samples/s", rate=f"{speed:,.0f}")
            write(f"{message.size:>8,}  {rate}  {memory:,.1f} MiB")
        case BatchSizeFound() if message.problem is None:
            free = message.free_bytes / 2**30
            write(
                said(
                    "by the estimate, batches of {size} fit ({free} GiB free on {device})",
                    size=f"{message.largest:,}",
                    free=f"{free:,.1f}",
                    device=message.device,
                )
            )
        case BatchSizeFound() | BatchTried() | RateFound() | FinderDone() | FinderFailed():
            pass
