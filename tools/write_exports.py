"""Writes ``docs/exports.md``: how much each format of export differs from the model it is made of.

``python tools/write_exports.py [MODEL ...]`` exports the models named, or all that the table does
not have yet, in every format that holds a model. What was found is kept beside the table, so it can
be done in pieces.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import torch

from engine.custom.trust import set_trust
from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError, sentence
from engine.export.formats import FORMATS
from engine.export.job import ExportJob
from engine.export.written import Written
from engine.files import atomic_write
from engine.graph.model import Edge, Graph, Node
from engine.importer.module import from_module
from engine.model.module import to_module
from engine.model.source import to_source
from engine.project.project import read_template
from engine.runtime.importing.torchvision_model import untrained, usual_inputs
from engine.spec.run import RunSpec

_TABLE = Path(__file__).parents[1] / "docs" / "exports.md"
_FOUND = Path(__file__).parents[1] / "docs" / "exports.json"
_LEFT_OUT = (  # as "python", of a run only, and no model
    *("python-class", "project", "service", "notebook", "lightning", "bundle"),
    *("tensorboard", "csv", "parquet", "mlflow", "wandb", "trackio"),
)
_SEED = 1
_HEAD = """# Exported models beside the original

Written by `tools/write_exports.py`: the largest difference of any output element between a model
and what was read back from its file, with random weights, in evaluation, on the CPU.
`torch-export`, `aot-inductor`, `onnx` and `torchscript` are traced with two samples. These,
`huggingface` and `whole-model` are compared in another process, which knows nothing of Trellis, on
batches of 1, 3 and 5 samples of the data (random pictures for models of torchvision); the others on
two random batches. The formats of half precision and `int8` round the weights. `project`,
`service`, `notebook`, `lightning`, `bundle` and `python-class` hold weights and code of `python`.

"""

Row = dict[str, dict[str, float | str]]


def _template(name: str) -> tuple[Graph, RunSpec]:
    document = read_template(name)
    return document.graph, document.spec


def _lstm() -> tuple[Graph, RunSpec]:
    """Return the classifier of sentences with an LSTM in the place of its attention."""
    nodes = (
        Node(
            id="sentence",
            name="sentence",
            type="Input",
            params={"dtype": "int64", "field": "sentence", "shape": (16,)},
        ),
        Node(
            id="embedding",
            name="embedding",
            type="Embedding",
            params={"num_embeddings": 512, "embedding_dim": 32},
        ),
        Node(
            id="reader",
            name="reader",
            type="LSTM",
            params={"hidden_size": 64, "num_layers": 2, "batch_first": True},
        ),
        Node(id="mean", name="mean", type="mean", params={"dim": (1,)}),
        Node(id="classifier", name="classifier", type="Linear", params={"out_features": 4}),
        Node(id="logits", name="logits", type="Output", params={}),
    )
    edges = tuple(
        Edge(source=one.id, source_port="output", target=other.id, target_port="input")
        for one, other in pairwise(nodes)
    )
    graph = Graph(nodes={node.id: node for node in nodes}, edges=edges)
    return graph, read_template("sentence-classifier").spec


def _torchvision(name: str) -> tuple[Graph, RunSpec]:
    inputs = [torch.rand(2, *size.shape) for size in usual_inputs(name)]
    return from_module(untrained(name, {}), inputs), RunSpec()


_MODELS: dict[str, tuple[str, Callable[[], tuple[Graph, RunSpec]]]] = {
    "CNN": ("template `digits-cnn`", lambda: _template("digits-cnn")),
    "LSTM": ("two layers over words", _lstm),
    "transformer": ("template `character-gpt`", lambda: _template("character-gpt")),
    "U-Net": ("template `unet-shapes`", lambda: _template("unet-shapes")),
    "resnet18": ("imported from torchvision", lambda: _torchvision("resnet18")),
    "own code": ("template `custom-code`", lambda: _template("custom-code")),
}


def main(names: list[str]) -> None:
    """Export models and write the table."""
    found: dict[str, Row] = json.loads(_FOUND.read_text()) if _FOUND.is_file() else {}
    for name in names or _MODELS:
        known = {} if names else found.get(name, {})
        found[name] = _exported(name, known)
        atomic_write(_FOUND, (json.dumps(found, indent=1) + "\n").encode())
        atomic_write(_TABLE, _text(found).encode())


def _exported(name: str, known: Row) -> Row:
    keys = [key for key in FORMATS if key not in _LEFT_OUT]
    if set(keys) <= known.keys():
        return known
    graph, spec = _MODELS[name][1]()
    set_trust(graph.code, trusted=True)
    torch.manual_seed(_SEED)
    job = ExportJob(
        title=name,
        graph=graph,
        source=to_source(graph),
        module=to_module(graph).eval(),
        spec=spec,
        data=load_data(spec.data, graph.code) if spec.data.source.type else None,
    )
    return {key: known.get(key) or _of_format(job, key) for key in keys}


def _of_format(job: ExportJob, key: str) -> dict[str, float | str]:
    with tempfile.TemporaryDirectory() as folder:
        try:
            written = FORMATS[key].writer()(job, Path(folder) / f"model{FORMATS[key].suffix}")
        except DiagnosticError as error:
            return {"refused": sentence(error.problems[0], "en")}
    difference = written.difference if isinstance(written, Written) else written[1]
    return {"difference": difference}


def _text(found: dict[str, Row]) -> str:
    formats = [key for key in FORMATS if key not in _LEFT_OUT]
    rows = {name: found[name] for name in _MODELS if name in found}
    heads = ["model", "", *(f"`{key}`" for key in formats)]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * 2}{'---:|' * len(formats)}"]
    for name, row in rows.items():
        cells = [_cell(row.get(key, {})) for key in formats]
        lines.append(f"| {name} | {_MODELS[name][0]} | {' | '.join(cells)} |")
    refused = [
        f"- {name}, `{key}`: {row[key]['refused']}"
        for name, row in rows.items()
        for key in formats
        if "refused" in row.get(key, {})
    ]
    lines += ["", "Refused:", "", *refused] if refused else []
    return _HEAD + "\n".join(lines) + "\n"


def _cell(entry: dict[str, float | str]) -> str:
    if "refused" in entry:
        return "refused"
    value = entry.get("difference")
    return "–" if value is None else f"{float(value):.1g}"


if __name__ == "__main__":
    main(sys.argv[1:])
