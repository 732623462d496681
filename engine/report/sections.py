"""Sections of a report as HTML that a browser and a printer of rich text both understand."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.catalog.text import entry_label, param_label
from engine.catalog.validate import format_value
from engine.diagnostics import Diagnostic, sentence
from engine.query.results.request import ResultReport
from engine.report.chart import Line, draw_lines
from engine.report.content import RunContent
from engine.report.model_picture import draw_model
from engine.report.samples import sample_table
from engine.report.wording import Words, duration_text, html, number_text
from engine.spec.data_version import VERSION_PARTS
from engine.spec.field_entry import entry_of
from engine.spec.fields import fields

_MOST_MATRIX = 20  # classes; of more there are only the pairs most often confused
_MOST_PAIRS = 20
_MOST_CLASSES = 200
_ABSENT = object()

Figure = Callable[[str, str], str]
"""Takes a drawing as SVG and what it shows, as HTML, and returns it for the page."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """Return a table whose cells are HTML; nothing without rows."""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    top = "".join(f"<th>{cell}</th>" for cell in head)
    return f'<table class="{kind}">{f"<tr>{top}</tr>" if top else ""}{body}</table>' if body else ""


def problem_list(problems: Iterable[Diagnostic], words: Words) -> str:
    """Return what is wrong, at the place of what is missing for it."""
    return "".join(
        f'<p class="problem">{html(sentence(problem, words.language))}</p>' for problem in problems
    )


def overview(runs: Sequence[RunContent], words: Words) -> str:
    """Return what the runs are and reached, side by side."""
    names = [html(run.document.name) for run in runs]
    rows: list[list[str]] = [
        [words("State"), *(words(str(run.state.status)) for run in runs)],
        [words("Started"), *(html(_when(run.document.created)) for run in runs)],
        [words("Duration"), *(duration_text(run.state.elapsed_s) for run in runs)],
        [words("Epochs"), *(html(run.state.epoch) for run in runs)],
        [words("Steps"), *(html(number_text(run.state.step)) for run in runs)],
        [words("Parameters"), *(html(number_text(run.state.parameters)) for run in runs)],
    ]
    if any(run.document.tags for run in runs):
        rows.append([words("Tags"), *(html(", ".join(run.document.tags)) for run in runs)])
    if any(run.document.note for run in runs):
        rows.append([words("Notes"), *map(_note, runs)])
    text = table([words("Run"), *names], rows)
    for run in runs:
        text += problem_list(
            (*run.problems, *([run.state.problem] if run.state.problem else [])), words
        )
    if any(not run.state.status.is_over() and not run.problems for run in runs):
        text += f"<p>{words('A run that is not over is reported as it was at this moment.')}</p>"
    return text


def metrics(runs: Sequence[RunContent], words: Words) -> str:
    """Return the last metrics of the runs, and those of their best checkpoints."""
    names = dict.fromkeys(name for run in runs for name in run.state.metrics)
    ordered = sorted(names, key=lambda name: (not name.startswith("test"), name))
    rows = [
        [html(words.series(name)), *(_number(run.state.metrics.get(name)) for run in runs)]
        for name in ordered
    ]
    best = [
        "" if run.state.best is None else words("step {step}", step=f"{run.state.best.step:,}")
        for run in runs
    ]
    if any(best):
        rows.append([words("Best checkpoint"), *best])
    head = [words("Metric"), *(html(run.document.name) for run in runs)]
    return table(head, rows, "numbers") or f"<p>{words('Nothing has been measured yet.')}</p>"


def curves(runs: Sequence[RunContent], words: Words, figure: Figure) -> str:
    """Return a chart for each metric, with the curves of all runs."""
    metrics_found = dict.fromkeys(
        curve.name.partition(".")[2] for run in runs for curve in run.curves if "." in curve.name
    )
    text = ""
    for metric in metrics_found:
        lines = []
        for color, run in enumerate(runs):
            own = [each for each in run.curves if each.name.partition(".")[2] == metric]
            for number, curve in enumerate(own):
                label = words.series(curve.name)
                label = f"{run.document.name} · {label}" if len(runs) > 1 else label
                at = color if len(runs) > 1 else number
                lines.append(Line(label, curve.steps, curve.values, at, number))
        drawing = draw_lines(lines, words.plain("Step"))
        if drawing:
            text += figure(drawing, html(words.plain(metric)))
    return text or f"<p>{words('No curves were recorded.')}</p>"


def recipe(runs: Sequence[RunContent], words: Words) -> str:
    """Return the settings: those that differ from the defaults, or between the runs, first."""
    read = [fields(run.document.spec, run.document.graph.code) for run in runs]
    values = [
        {name: field.read(run.document.spec) for name, field in own.items()}
        for run, own in zip(runs, read, strict=True)
    ]
    names = list(dict.fromkeys(name for own in read for name in own))
    first: list[list[str]] = []
    rest: list[list[str]] = []
    for name in names:
        at = next(at for at, own in enumerate(read) if name in own)
        param, spec = read[at][name].param, runs[at].document.spec
        code = runs[at].document.graph.code
        title = html(param_label(entry_of(spec, name, code), param, words.language))
        shown = [_setting(own.get(name, _ABSENT)) for own in values]
        default = "" if param.required else html(format_value(param.default))
        row = [title, f"<code>{html(name)}</code>", *shown, default]
        is_changed = any(own.get(name, param.default) != param.default for own in values)
        differs = any(own.get(name, _ABSENT) != values[0].get(name, _ABSENT) for own in values)
        (first if is_changed or differs else rest).append(row)
    heads = [html(run.document.name) for run in runs]
    head = [words("Setting"), words("Name"), *heads, words("Default")]
    text = f"<h3>{words('Settings that differ from the defaults')}</h3>{table(head, first)}"
    more = table(head, rest)
    return text + (f"<h3>{words('All other settings')}</h3>{more}" if more else "")


def data(run: RunContent, words: Words) -> str:
    """Return what the data of a run is, and its version."""
    spec, version = run.document.spec.data, run.state.data
    entry = catalog().entry(EntryGroup.DATA, spec.source.type)
    name = spec.source.type if entry is None else entry_label(entry, words.language)
    rows = [[words("Data set"), html(name)]]
    rows += [[f"<code>{html(k)}</code>", _setting(v)] for k, v in spec.source.params.items()]
    if version is not None:
        rows.append([words("Version"), f"<code>{html(version.short)}</code>"])
        for part in VERSION_PARTS:
            digest = getattr(version, part)
            rows.append([words(part), f"<code>{html(digest)}</code>" if digest else "–"])
    text = table((), rows)
    report = run.results.report
    if report is None:
        return text
    head = [words("Field"), words("Role"), words("Kind"), words("Shape")]
    shown = [
        [html(each.name), words(each.role), html(each.kind), html(format_value(each.shape))]
        for each in report.fields
    ]
    return text + table(head, shown)


def results(run: RunContent, words: Words) -> str:
    """Return what the best checkpoint of a run predicts: metrics, errors, the worst samples."""
    found = run.results
    report = found.report
    if report is None:
        return problem_list(found.problems, words)
    text = (
        "<p>"
        + words(
            "Checkpoint {file} at step {step}, {part}, {count} samples.",
            file=report.checkpoint,
            step=f"{report.step:,}",
            part=words.plain(report.split),
            count=f"{len(report.indices):,}",
        )
        + "</p>"
    )
    numbers = [[html(words.series(k)), _number(v)] for k, v in report.metrics.items()]
    text += table([words("Metric"), words("Value")], numbers, "numbers")
    text += _matrix(report, words) + _classes(report, words) + _columns(report, words)
    worst = sample_table(found, words)
    text += f"<h3>{words('Worst samples')}</h3>{worst}" if worst else ""
    return text + problem_list((*found.problems, *report.notices), words)


def _matrix(report: ResultReport, words: Words) -> str:
    """Return the confusion matrix; of many classes the pairs that are confused most often."""
    if not report.matrix:
        return ""
    title = f"<h3>{words('Confusion matrix')}</h3>"
    if len(report.classes) > _MOST_MATRIX:
        pairs = [
            (count, row, column)
            for row, counts in enumerate(report.matrix)
            for column, count in enumerate(counts)
            if count and row != column
        ]
        pairs.sort(reverse=True)
        rows = [
            [html(report.classes[row]), html(report.classes[column]), html(count)]
            for count, row, column in pairs[:_MOST_PAIRS]
        ]
        head = [words("True class"), words("Predicted class"), words("Samples")]
        return title + table(head, rows)
    head = f"<th>{words('True class')} \\ {words('Predicted class')}</th>" + "".join(
        f"<th>{html(name)}</th>" for name in report.classes
    )
    body = ""
    for number, counts in enumerate(report.matrix):
        cells = "".join(
            f'<td bgcolor="{_shade(count, sum(counts), is_right=column == number)}">{count}</td>'
            for column, count in enumerate(counts)
        )
        body += f"<tr><th>{html(report.classes[number])}</th>{cells}</tr>"
    return f'{title}<table class="matrix numbers"><tr>{head}</tr>{body}</table>'


def _shade(count: int, total: int, *, is_right: bool) -> str:
    """Return a color: the fuller, the larger the share of a class."""
    full = (143, 205, 198) if is_right else (240, 160, 140)
    share = count / total if total else 0.0
    return "#" + "".join(f"{round(255 - share * (255 - part)):02x}" for part in full)


def _classes(report: ResultReport, words: Words) -> str:
    head = map(words, ("Class", "Precision", "Recall", "F1", "IoU", "AP", "Support"))
    rows = [
        [
            html(each.name),
            *map(
                _number,
                (each.precision, each.recall, each.f1, each.iou, each.average_precision),
            ),
            html(number_text(each.support)),
        ]
        for each in report.scores[:_MOST_CLASSES]
    ]
    shown = table(list(head), rows, "numbers")
    return f"<h3>{words('By class')}</h3>{shown}" if shown else ""


def _columns(report: ResultReport, words: Words) -> str:
    rows = [
        [html(each.name), _number(each.mae), _number(each.rmse), _number(each.r2)]
        for each in report.columns
    ]
    shown = table([words("Column"), "MAE", "RMSE", "R²"], rows, "numbers")
    return f"<h3>{words('Errors by column')}</h3>{shown}" if shown else ""


def environment(runs: Sequence[RunContent], words: Words) -> str:
    """Return on what the runs were computed: device, seed, versions."""
    versions = [run.state.versions or run.document.versions for run in runs]
    packages = dict.fromkeys(name for own in versions for name in own)
    rows = [
        [words("Device"), *(html(run.state.device or run.document.spec.device) for run in runs)],
        [words("Threads"), *(html(run.state.threads or "–") for run in runs)],
        [words("Seed"), *(html(run.document.spec.seed) for run in runs)],
        *([html(name), *(html(own.get(name) or "–") for own in versions)] for name in packages),
    ]
    return table(["", *(html(run.document.name) for run in runs)], rows)


def log(run: RunContent, words: Words) -> str:
    """Return what was changed while a run went on, and what it warned of."""
    marks = [
        [html(number_text(m.step)), html(m.name), _setting(m.before), _setting(m.value)]
        for m in run.state.knobs
    ]
    head = [words("Step"), words("Setting"), words("Before"), words("After")]
    return table(head, marks) + problem_list(run.state.warnings, words)


def model(run: RunContent, words: Words, figure: Figure) -> str:
    """Return the picture of a model."""
    drawing = draw_model(run.document.graph, words.language)
    if not drawing:
        return f"<p>{words('The model is empty, or too large for a picture.')}</p>"
    return figure(drawing, html(run.document.name))


def _note(run: RunContent) -> str:
    return html(run.document.note).replace("\n", "<br>")


def _when(created: float) -> str:
    return f"{datetime.fromtimestamp(created).astimezone():%Y-%m-%d %H:%M}"


def _number(value: float | None) -> str:
    return html(number_text(value)) if value is not None else "–"


def _setting(value: object) -> str:
    if value is _ABSENT:
        return "–"
    return html("–" if value is None else format_value(value))  # pyright: ignore[reportArgumentType]
