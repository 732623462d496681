"""The commands about the weights of a run: evaluate, export."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine import runtime
from engine.query.evaluation.request import Evaluate
from engine.query.export.request import Export, apart
from engine.query.results.number_score import NumberScore
from engine.runs.folder import find_run
from engine.runtime import ExportReport, Int8Report
from studio.cli.asking import ask
from studio.cli.data_root import take_roots
from studio.cli.export_apart import export_apart
from studio.cli.output import (
    amount,
    in_words,
    number,
    write,
    write_document,
    write_error,
    write_table,
)
from studio.cli.parser import UsageError
from studio.cli.run_command import project_folder
from studio.cli.trusting import trust_run
from studio.cli.wording import said, worded


def evaluate(options: Namespace) -> int:
    """Tell loss and metrics of a checkpoint."""
    take_roots(options)
    run = find_run(project_folder(options.project), options.run)
    trust_run(run, options)
    found = ask(
        Evaluate(
            run_folder=str(run.path),
            checkpoint=options.checkpoint,
            split=options.split,
            views=options.views,
            view_kind=options.view_kind,
        )
    )
    notices = [in_words(problem) for problem in found.notices]
    if options.json:
        write_document({**msgspec.to_builtins(found), "notices": notices})
    else:
        for text in notices:
            write_error(text)
        values = ", ".join(f"{name} {number(value)}" for name, value in found.metrics.items())
        samples = said("{count} {count|sample|samples}", count=amount(found.samples))
        write(f"{found.run} {found.checkpoint} {found.split} ({samples}): {values}")
        if found.columns:
            _tell_columns(found.columns)
    return 0


def _tell_columns(columns: Sequence[NumberScore]) -> None:
    """Write the errors of each of several numbers, in their own units."""
    rows = [(said("column"), "mae", "rmse", "r2")]
    for each in columns:
        r2 = "" if each.r2 is None else number(each.r2)
        rows.append((each.name, number(each.mae), number(each.rmse), r2))
    write_table([(f"  {first}", *cells) for first, *cells in rows])


def export(options: Namespace) -> int:
    """Write the weights of a checkpoint, read them back and tell the largest difference."""
    if options.list:
        return _list(as_json=options.json)
    _require_whole(options)
    runtime.require_format(options.format)
    run = find_run(project_folder(options.project), options.run)
    is_trusted = trust_run(run, options)
    request = Export(
        run_folder=str(run.path),
        checkpoint=options.checkpoint,
        format=options.format,
        output=str(Path(options.output).absolute()),
    )
    if runtime.is_apart(options.format):
        report = export_apart(apart(request, trusted=is_trusted))
    else:
        report = ask(request)
    if options.json:
        _write_report(report)
    else:
        _tell_report(report)
    return 0


def _list(*, as_json: bool) -> int:
    """List the formats, and those that are not offered."""
    found = runtime.list_formats()
    if as_json:
        write_document(msgspec.to_builtins(found))
        return 0
    rows = [tuple(map(said, ("format", "file", "needs", "for")))]
    for each in found.formats:
        needs = said("extra {extra}", extra=each.extra) if each.extra else ", ".join(each.needs)
        if each.missing:
            needs = said("{needs} (not installed)", needs=needs)
        rows.append((each.name, each.suffix, needs, worded(each.text)))
    write_table(rows)
    write()
    write(said("Not offered:"))
    for each in found.not_offered:
        instead = said("Instead: {format}.", format=each.instead)
        write(f"  {each.name}: {worded(each.why)} {instead}")
    return 0


def _require_whole(options: Namespace) -> None:
    """Raise :class:`UsageError` where it is not said what is exported: only ``--list`` needs
    nothing.
    """
    given = {
        "PROJECT": options.project,
        "--run": options.run,
        "--format": isinstance(options.format, str),
        "--output": options.output,
    }
    if missing := [name for name, value in given.items() if not value]:
        text = "the following arguments are required: {names}"
        raise UsageError(said(text, names=", ".join(missing)))


def _write_report(report: ExportReport) -> None:
    document = msgspec.to_builtins(report)
    write_document({**document, "notices": [in_words(problem) for problem in report.notices]})


def _tell_report(report: ExportReport) -> None:
    for file in report.files:
        write(file)
    write(
        said(
            "{format} of {checkpoint}, {size} bytes; largest difference after reading back: "
            "{difference}",
            format=report.format,
            checkpoint=report.checkpoint,
            size=amount(report.size_bytes),
            difference=f"{report.largest_difference:g}",
        )
    )
    if report.int8 is not None:
        _tell_int8(report.int8)
    for problem in report.notices:
        write_error(in_words(problem))
    if report.snippet:
        _tell_check(report)


def _tell_check(report: ExportReport) -> None:
    """Tell what was compared and how long it took, and the code that loads the file."""
    write(
        said(
            "compared in another process on {batches} batches of other sizes "
            "({count} {count|sample|samples} of yours) in {seconds} s",
            batches=str(report.batches),
            count=amount(report.samples),
            seconds=f"{report.seconds:.1f}",
        )
    )
    write()
    write(report.snippet)


def _tell_int8(report: Int8Report) -> None:
    """Tell what int8 weights save and what they cost."""
    write(
        said(
            "{count} {count|layer|layers} with int8 weights, {before} -> {after} bytes",
            count=amount(report.layers),
            before=amount(report.weights_bytes),
            after=amount(report.file_bytes),
        )
    )
    for name, value in report.before.items():
        write(f"{report.split}.{name} {number(value)} -> {number(report.after[name])}")
    for problem in report.problems:
        write_error(in_words(problem))
