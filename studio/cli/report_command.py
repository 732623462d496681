"""The command that writes a report of a run or a comparison of runs."""

import sys
from argparse import Namespace
from pathlib import Path

from engine.diagnostics import DiagnosticError
from engine.report.content import RunContent, read_content
from engine.report.document import is_pdf, require_suffix, write_html
from engine.report.gathering import Gathering
from engine.runs.folder import find_run
from studio.cli.asking import ask
from studio.cli.data_root import take_roots
from studio.cli.interrupt import Interrupts
from studio.cli.output import in_words, write, write_document, write_error
from studio.cli.progress import CheckLine
from studio.cli.run_command import project_folder
from studio.cli.trusting import trust_run
from studio.cli.wording import said
from studio.installation import language


def report(options: Namespace) -> int:
    """Write the report, and say where it is and what it could not tell."""
    take_roots(options)
    file = Path(options.output).expanduser().absolute()
    require_suffix(file)
    project = project_folder(options.project)
    names = list(dict.fromkeys((options.run, *options.compare)))
    found = {run.id: run for run in (find_run(project, name) for name in names)}
    runs = list(found.values())
    for run in runs:
        trust_run(run, options)
    gathering = Gathering(runs)
    line = CheckLine(sys.stderr)
    try:
        with Interrupts():
            while gathering.request is not None:
                try:
                    gathering.take(ask(gathering.request))
                except DiagnosticError as error:
                    gathering.fail(error.problems)
                line.show(gathering.share)
    finally:
        line.close()
    contents = [read_content(*pair) for pair in zip(runs, gathering.results, strict=True)]
    if is_pdf(file):
        from studio.runs.report.pdf import write_pdf_alone

        write_pdf_alone(file, contents, language())
    else:
        write_html(file, contents, language())
    _tell(file, options, [each.document.id for each in contents], _left_out(contents))
    return 0


def _left_out(contents: list[RunContent]) -> list[str]:
    """Return why something of a run is not in its report."""
    problems = [p for each in contents for p in (*each.problems, *each.results.problems)]
    return list(dict.fromkeys(map(in_words, problems)))


def _tell(file: Path, options: Namespace, runs: list[str], notices: list[str]) -> None:
    if options.json:
        write_document({"output": str(file), "runs": runs, "notices": notices})
        return
    for text in notices:
        write_error(text)
    write(said("report of {runs}: {file}", runs=", ".join(runs), file=file))
