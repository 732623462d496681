"""The command that predicts data of the user's own, or a set of the project's."""

import sys
from argparse import Namespace
from pathlib import Path

import msgspec

from engine.diagnostics import STEERING
from engine.query.ask import is_custom, write_predictions
from engine.query.predicting.request import PredictFile, PredictionReport
from engine.runs.folder import find_run
from studio.cli.asking import predict_apart
from studio.cli.data_root import take_roots
from studio.cli.interrupt import Interrupts
from studio.cli.output import amount, in_words, write, write_document, write_error
from studio.cli.parser import UsageError
from studio.cli.progress import PredictionLine
from studio.cli.run_command import project_folder
from studio.cli.trusting import trust_run
from studio.cli.wording import said


class _Printed:
    """Standard output as what takes predictions, without what steers a terminal."""

    def write(self, data: bytes) -> int:
        """Print and return how many bytes were taken."""
        text = data.decode("utf-8-sig")
        sys.stdout.write(STEERING.sub("", text) if sys.stdout.isatty() else text)
        return len(data)


def predict(options: Namespace) -> int:
    """Write predictions, and say how many."""
    take_roots(options)
    if options.batch_size < 0:
        raise UsageError(
            said(
                "--batch-size {batch_size}: expected a number from 1", batch_size=options.batch_size
            )
        )
    run = find_run(project_folder(options.project), options.run)
    is_trusted = trust_run(run, options)
    request = PredictFile(
        run_folder=str(run.path),
        checkpoint=options.checkpoint,
        data=_whole(options.data or ""),
        part=options.part,
        output=_whole(options.output),
        format="jsonl" if options.json else "csv",
        overwrite=options.overwrite,
        batch_size=options.batch_size,
        device=options.device,
        on_damaged=options.on_damaged,
        decimal=options.decimal,
        views=options.views,
        view_kind=options.view_kind,
    )
    line = PredictionLine(sys.stderr)
    try:
        with Interrupts():
            is_quiet = options.quiet or not options.output
            tell = (lambda _progress: None) if is_quiet else line.show
            if is_trusted and is_custom(run.document.graph.code):
                report = predict_apart(request, tell, _Printed().write)
            else:
                report = write_predictions(request, tell, _Printed())
    finally:
        line.close()
    _tell(report, options)
    return 0


def _whole(path: str) -> str:
    """Return a path as another process understands it, which works in a folder of its own."""
    return str(Path(path).expanduser().absolute()) if path else ""


def _tell(report: PredictionReport, options: Namespace) -> None:
    """Say what was written, and what is worth to know of it."""
    skips = [in_words(problem) for problem in report.skips]
    notices = [in_words(problem) for problem in report.notices]
    if options.json and options.output:
        document = msgspec.to_builtins(report)
        del document["type"]
        write_document({**document, "skips": skips, "notices": notices})
        return
    for text in (*skips, *notices):
        write_error(text)
    if report.skipped:
        write_error(
            said(
                "{count} {count|sample|samples} left out: not readable",
                count=amount(report.skipped),
            )
        )
    if options.output:
        write(
            said(
                "{count} predictions of {run} {checkpoint}: {output}",
                count=amount(report.samples),
                run=report.run,
                checkpoint=report.checkpoint,
                output=report.output,
            )
        )
