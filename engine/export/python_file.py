"""A Python file with the class and the lines that load its weights, which lie beside it."""

import json
from pathlib import Path

import torch
from torch import Tensor

from engine.build.module import load_source
from engine.data.normalization import Scaling
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.export.job import ExportJob
from engine.export.state_dict import write_state_dict
from engine.export.verify import random_batches, require_equal
from engine.files import atomic_write
from engine.graph.model import Node

_HEAD = '''\
"""A model trained with Trellis ({title}). Needs only PyTorch.

Use it with ``load_model()``; run the file to see what it gives.
"""

from pathlib import Path
'''
_LOADING = '''
WEIGHTS = Path(__file__).with_name({weights})


def load_model(weights=WEIGHTS):
    """Return the trained model, ready to predict, on the CPU."""
    model = Model()
    model.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    return model.eval()
'''
_SCALING = '''
SCALINGS = {scalings}


def scale(*inputs):
    """Return inputs brought to the scale that the model was trained on: (x - shift) / scale."""
    return tuple(
        x if s is None else (x - torch.tensor(s[0])) / torch.tensor(s[1])
        for x, s in zip(inputs, SCALINGS, strict=True)
    )
'''
_MAIN = """
if __name__ == "__main__":
    with torch.no_grad():
        outputs = load_model()({inputs})
    for output in outputs if isinstance(outputs, tuple) else (outputs,):
        print(tuple(output.shape), output.dtype)
"""


def write_python(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights and then the file that loads them, each compared before it takes its place.

    Returns the files and the largest difference. Raises :class:`DiagnosticError`: X011 when the
    weights would stand in the place of the Python file.
    """
    weights = output.with_suffix(".pt")
    if weights == output:
        raise DiagnosticError(Diagnostic(code="X011", params={"file": output.name}))
    text = source_text(job, weights.name)
    _, difference = write_state_dict(job, weights)

    def verify(file: Path) -> None:
        module = load_source(file.read_text(encoding="utf-8")).load_model(weights)
        require_equal(job.module, module, random_batches(job.graph), output.name)

    atomic_write(output, text.encode(), verify)
    return (output, weights), difference


def source_text(job: ExportJob, weights: str) -> str:
    """Return the text of the file; it needs nothing but PyTorch."""
    lines = job.source.strip("\n").split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("class "))
    imports = {line for line in lines[:start] if line} | {"import torch"}
    ordered = sorted(imports, key=lambda line: (line.startswith("from "), line))
    title = "".join(sign if sign.isprintable() and sign not in '"\\' else " " for sign in job.title)
    parts = [
        _HEAD.format(title=title),
        "\n".join(ordered) + "\n",
        "\n" + "\n".join(lines[start:]) + "\n",
        _LOADING.format(weights=json.dumps(weights)),
    ]
    if any(job.scalings):
        parts.append(_SCALING.format(scalings=_scalings_text(job.scalings)))
    nodes = [node for node in job.graph.nodes.values() if node.type == "Input"]
    examples = ", ".join(_example(node) for node in nodes)
    parts.append(_MAIN.format(inputs=f"*scale({examples})" if any(job.scalings) else examples))
    return "\n".join(parts)


def _example(node: Node) -> str:
    given = node.params.get("shape")
    shape = [1, *given] if isinstance(given, tuple) else [1]
    sizes = ", ".join(map(str, shape))
    return f"torch.zeros({sizes}, dtype=torch.{node.params.get('dtype', 'float32')})"


def _scalings_text(scalings: tuple[Scaling | None, ...]) -> str:
    return "(" + "".join(f"\n    {_pair_text(pair)}," for pair in scalings) + "\n)"


def _pair_text(pair: Scaling | None) -> str:
    if pair is None:
        return "None"
    return f"({_numbers(pair.shift)}, {_numbers(pair.scale)})"


def _numbers(values: Tensor) -> str:
    return json.dumps(values.to(torch.float32).tolist())
