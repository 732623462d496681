"""Model card: what an exported model is, what it was made of and how good it is, in Markdown."""

import json
import sys
from collections.abc import Iterable, Sequence
from string import Template

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.catalog.validate import format_value
from engine.diagnostics import DiagnosticError
from engine.export.answer_form import AnswerForm, answer_forms
from engine.export.job import ExportJob
from engine.export.run_file import certificate_note
from engine.graph.model import Node
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunState
from engine.spec.data import FieldInfo
from engine.spec.data_version import VERSION_PARTS
from engine.spec.fields import fields

_CARD = Template("""\
# $name

$title. It has $parameters parameters.

## Use

$use
## Inputs and outputs

$ports

## Results

$results
## Data

$data

## Training

$recipe
$environment
$certificate
## For you to add

- License of the model and of its data:
- What it is meant for, and what not:
- Where it fails, and for whom that is harmful:
""")
_MOST_CLASSES = 20


def card_text(job: ExportJob, name: str, use: str) -> str:
    """Return the card of a model; ``use`` says how it is loaded."""
    state = run_state(job)
    parameters = sum(each.numel() for each in job.module.parameters())
    return _CARD.substitute(
        name=name,
        title=f"A PyTorch model, trained with Trellis ({_plain(job.title)})",
        parameters=f"{parameters:,}",
        use=use,
        ports=_ports(job),
        results=_results(state),
        data=_data(job, state),
        recipe=_recipe(job),
        environment=_environment(job, state),
        certificate=certificate_note(job.run),
    )


def run_state(job: ExportJob) -> RunState:
    """Return the state of the run of a job; an empty one where there is none."""
    try:
        return read_state(RunFolder.open(job.run))
    except DiagnosticError:
        return RunState()


def _ports(job: ExportJob) -> str:
    inputs = [node for node in job.graph.nodes.values() if node.type == "Input"]
    rows = [["input", _plain(node.name), _shape(node), _type(node)] for node in inputs]
    rows += [["output", _plain(form.name), "", _answer(form)] for form in answer_forms(job)]
    return _table(("", "name", "shape", "what it is"), rows)


def _shape(node: Node) -> str:
    given = node.params.get("shape")
    axes = given if isinstance(given, tuple) else ()
    return " × ".join(["batch", *("any" if axis == -1 else str(axis) for axis in axes)])


def _type(node: Node) -> str:
    field, dtype = str(node.params.get("field", "")), str(node.params.get("dtype", "float32"))
    return f"{dtype}, of the field {_plain(field)}" if field else dtype


def _answer(form: AnswerForm) -> str:
    names = form.classes or form.labels
    if not names:
        return "numbers"
    shown = ", ".join(map(_plain, names[:_MOST_CLASSES]))
    rest = f" and {len(names) - _MOST_CLASSES} more" if len(names) > _MOST_CLASSES else ""
    kind = "classes" if form.classes else "labels, any number of which are true"
    made = f" (chances by {form.activation})" if form.activation else ""
    return f"{kind}{made}: {shown}{rest}"


def _results(state: RunState) -> str:
    names = [name for name in state.metrics if name.partition(".")[0] in ("test", "validation")]
    if not names:
        return "The run measured nothing on validation or test data.\n"
    rows = [[name, f"{state.metrics[name]:.6g}"] for name in sorted(names)]
    return "Last measured by the run:\n\n" + _table(("metric", "value"), rows) + "\n"


def _data(job: ExportJob, state: RunState) -> str:
    source = job.spec.data.source
    entry = catalog().entry(EntryGroup.DATA, source.type)
    text = f"{source.type if entry is None else entry.label or entry.key}."
    if job.data is not None:
        counts = [(part, job.data.samples(part)) for part in ("train", "validation", "test")]
        text += " " + ", ".join(f"{part}: {count:,} samples" for part, count in counts) + "."
    if state.data is not None:
        version = state.data
        rows = [[part, f"`{getattr(version, part) or '–'}`"] for part in VERSION_PARTS]
        text += f"\n\nVersion `{version.short}`:\n\n" + _table(("of what", "fingerprint"), rows)
    if job.data is not None:
        text += "\n\n" + _table(("field", "role", "kind"), map(_field, job.data.info.fields))
    return text


def _field(info: FieldInfo) -> list[str]:
    return [_plain(info.name), info.role, info.kind]


def _recipe(job: ExportJob) -> str:
    """Return the settings that differ from the defaults."""
    spec = job.spec
    rows: list[list[str]] = []
    for name, field in fields(spec, job.graph.code).items():
        value = field.read(spec)
        if not name.startswith("data.source.") and value != field.param.default:
            rows.append([f"`{name}`", _plain("–" if value is None else format_value(value))])  # pyright: ignore[reportArgumentType]
    return "Settings that differ from the defaults of Trellis:\n\n" + _table(
        ("setting", "value"), rows
    )


def _environment(job: ExportJob, state: RunState) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in state.versions.items() if version)
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    device = state.device or job.spec.device
    return f"\nTrained on {device}, seed {job.spec.seed}, with {versions or python}.\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Return a text as it can stand in a table of Markdown."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    return "".join(f"\\{sign}" if sign in "|`<>\\" else sign for sign in shown)


def front_matter(tags: Sequence[str], task: str) -> str:
    """Return the head of a card as Hugging Face reads it."""
    lines = ["library_name: pytorch", "tags:", *(f"- {json.dumps(tag)}" for tag in tags)]
    lines += [f"pipeline_tag: {task}"] if task else []
    return "---\n" + "\n".join(lines) + "\n---\n\n"
