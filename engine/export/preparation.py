"""What a model needs beside its weights to be used: how samples become its inputs and what its
outputs stand for, as plain data that any program reads.
"""

import json
from dataclasses import asdict
from pathlib import Path

import msgspec

from engine.catalog.spec import Value
from engine.export.answer_form import answer_forms
from engine.export.job import ExportJob
from engine.export.prepare_text import FieldTransform
from engine.export.read_text import InputReading
from engine.export.tokenizer_file import tokenizer_names
from engine.files import atomic_write
from engine.graph.model import Node
from engine.spec.data import FieldInfo

PREPARATION = "preparation"
"""Of the entry of a file that holds it."""

_VERSION = 1


def preparation_text(job: ExportJob, output: str) -> str:
    """Return the preparation as JSON, for a model in the file ``output``."""
    return json.dumps(preparation_of(job, output), ensure_ascii=False, allow_nan=False)


def write_preparation(job: ExportJob, output: Path) -> Path:
    """Write the preparation beside a file that cannot hold it. Raises :class:`DiagnosticError`."""
    file = output.with_suffix(".json")
    text = json.dumps(preparation_of(job, output.name), ensure_ascii=False, indent=1)
    atomic_write(file, f"{text}\n".encode())
    return file


def preparation_of(job: ExportJob, output: str) -> dict[str, object]:
    """Return the preparation as plain data."""
    nodes = [node for node in job.graph.nodes.values() if node.type == "Input"]
    files = tokenizer_names(job.tokenizers, output)
    return {
        "version": _VERSION,
        "model": job.title,
        "inputs": [_input(job, place, node, files) for place, node in enumerate(nodes)],
        "outputs": [
            {key: value for key, value in asdict(form).items() if _is_told(key, value)}
            for form in answer_forms(job)
        ],
    }


def _is_told(key: str, value: object) -> bool:
    return key not in ("target", "kind") and value not in ("", (), None)


def _input(job: ExportJob, place: int, node: Node, files: dict[str, str]) -> dict[str, object]:
    field = str(node.params.get("field", ""))
    found: dict[str, object] = {
        "name": node.name,
        "field": field,
        "shape": ["batch", *_axes(node.params.get("shape"))],
        "dtype": node.params.get("dtype", "float32"),
    }
    if place < len(job.readings):
        found["read"] = _reading(job.readings[place])
    steps = [_step(each) for each in job.transforms if each.field == field]
    if steps:
        found["transforms"] = steps
    scaling = job.scalings[place] if place < len(job.scalings) else None
    if scaling is not None:
        numbers = {"shift": scaling.shift.tolist(), "scale": scaling.scale.tolist()}
        found["normalization"] = {"formula": "(x - shift) / scale", **numbers}
    for info in (each for each in job.sentences if each.name == field):
        found["text"] = _text(info, files.get(field, ""))
    for info in (each for each in job.named if each.name == field and each.columns):
        found["columns"] = list(info.columns)
        if info.vocabularies:
            found["categories"] = [list(values) for values in info.vocabularies]
    return found


def _axes(shape: Value | None) -> list[object]:
    axes = shape if isinstance(shape, tuple) else ()
    return ["any" if axis == -1 else axis for axis in axes]


def _reading(reading: InputReading) -> dict[str, object]:
    form = reading.form
    found: dict[str, object] = {"key": reading.key}
    if form is None:
        return found
    values: dict[str, object] = getattr(form, "_asdict", lambda: dict(vars(form)))()
    plain = msgspec.to_builtins(values, enc_hook=str, str_keys=True)
    return {**found, "form": type(form).__name__.removesuffix("Form").lower(), **plain}


def _step(step: FieldTransform) -> dict[str, object]:
    found: dict[str, object] = {"type": step.type, "params": dict(step.params)}
    if step.steps:
        found["steps"] = [_step(each) for each in step.steps if each is not None]
    return found


def _text(info: FieldInfo, tokenizer: str) -> dict[str, object]:
    found: dict[str, object] = {
        "unit": info.unit,
        "letters": info.letters,
        "padding": info.padding,
        "start": info.start,
        "longest": info.longest or info.shape[0],
    }
    return found | ({"tokenizer": tokenizer} if tokenizer else {"words": list(info.words)})
