"""Document of a report: HTML in one piece. It names no address and runs nothing."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.diagnostics import DiagnosticError
from engine.files import atomic_write
from engine.report import sections
from engine.report.content import RunContent
from engine.report.sections import Figure
from engine.report.wording import Words, html

SUFFIXES = (".html", ".htm", ".pdf")

_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b2128; background: #ffffff; max-width: 1000px;
  margin: 32px auto; padding: 0 24px; }
h1 { font-size: 26px; } h2 { font-size: 20px; margin-top: 36px; border-bottom: 1px solid #d8dde4; }
h3 { font-size: 16px; } table { border-collapse: collapse; margin: 12px 0; }
th, td { border: 1px solid #d8dde4; padding: 4px 10px; text-align: left; vertical-align: top;
  overflow-wrap: break-word; }
th { background: #eaedf1; } table.numbers td { text-align: right; }
table.numbers td:first-child { text-align: left; } figure { margin: 12px 0; overflow-x: auto; }
figcaption { color: #55606d; } svg { max-width: 100%; height: auto; }
img { image-rendering: pixelated; } .problem { color: #8a5a00; }
code { font-size: 13px; overflow-wrap: anywhere; }
@media print { body { margin: 0; max-width: none; } h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; } }
"""


def require_suffix(file: Path) -> None:
    """Raise :class:`DiagnosticError` (X050) for a file that is neither HTML nor PDF."""
    if file.suffix.lower() not in SUFFIXES:
        raise DiagnosticError.of("X050", file=file.name)


def is_pdf(file: Path) -> bool:
    """Return whether a report is written as PDF, by the name of its file."""
    return file.suffix.lower() == ".pdf"


def write_html(file: Path, runs: Sequence[RunContent], language: str) -> None:
    """Write a report whole, or nothing. Raises :class:`engine.files.FileWriteError`."""
    atomic_write(file, html_page(runs, language).encode("utf-8", "replace"))


def html_page(runs: Sequence[RunContent], language: str) -> str:
    """Return the report as a page for browsers."""
    title = html(report_title(runs, language))
    body = report_body(runs, language, _figure)
    tag = language.replace("_", "-")
    return (
        f'<!DOCTYPE html>\n<html lang="{tag}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>{body}</body></html>\n"
    )


def report_title(runs: Sequence[RunContent], language: str) -> str:
    """Return what the report is called, as text."""
    words = Words(language)
    kind = words.plain("Report of a run" if len(runs) == 1 else "Comparison of runs")
    return f"{kind}: {', '.join(run.document.name for run in runs)}"


def report_body(runs: Sequence[RunContent], language: str, figure: Figure) -> str:
    """Return the report as HTML; ``figure`` says what becomes of its drawings."""
    words = Words(language)
    parts = [f"<h1>{html(report_title(runs, language))}</h1>"]
    parts += [f"<h2>{title}</h2>{text}" for title, text in _sections(runs, words, figure) if text]
    return "\n".join(parts)


def _sections(
    runs: Sequence[RunContent], words: Words, figure: Figure
) -> Iterator[tuple[str, str]]:
    """Yield titles and contents; what is of one run is told for each."""
    yield words("Overview"), sections.overview(runs, words)
    yield words("Metrics"), sections.metrics(runs, words)
    for run in _with_other_model(runs):
        yield _of(words, "Model", run, runs), sections.model(run, words, figure)
    yield words("Curves"), sections.curves(runs, words, figure)
    for run in runs:
        yield _of(words, "Results", run, runs), sections.results(run, words)
    yield words("Recipe"), sections.recipe(runs, words)
    for run in runs:
        yield _of(words, "Data", run, runs), sections.data(run, words)
    yield words("Environment"), sections.environment(runs, words)
    for run in runs:
        yield _of(words, "Changes and warnings", run, runs), sections.log(run, words)


def _with_other_model(runs: Sequence[RunContent]) -> Iterator[RunContent]:
    """Yield the runs whose model none before has."""
    for number, run in enumerate(runs):
        if all(run.document.graph != other.document.graph for other in runs[:number]):
            yield run


def _of(words: Words, title: str, run: RunContent, runs: Sequence[RunContent]) -> str:
    name = "" if len(runs) == 1 else f": {html(run.document.name)}"
    return words(title) + name


def _figure(drawing: str, caption: str) -> str:
    drawing = drawing.replace(_NAMESPACE, "", 1)  # which HTML knows by itself
    return f"<figure>{drawing}<figcaption>{caption}</figcaption></figure>"
