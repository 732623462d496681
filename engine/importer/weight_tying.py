"""Weights that a model has under several names, such as those of an embedding and of the layer that
turns its rows back into words: one weight on the canvas too, by a statement in the model's text.
"""

import ast
from collections.abc import Iterator

import torch
from msgspec.structs import replace
from torch import nn

from engine.custom.trust import set_trust
from engine.graph.code import MODEL_FILE
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.model.source import to_source


def with_tied_weights(graph: Graph, module: nn.Module) -> Graph:
    """Return a graph that has the weights of a module, each once: those that the module has under
    several names are tied in the text of the model. A graph without such ones stays as it is.
    """
    lines = [f"        self{_reached(one)} = self{_reached(other)}" for one, other in _tied(module)]
    if not lines:
        return graph
    source = to_source(graph).splitlines()
    end = _end_of_making("\n".join(source))
    text = "\n".join([*source[:end], *lines, *source[end:]]) + "\n"
    tied = replace(graph, code={**graph.code, MODEL_FILE: text})
    set_trust(tied.code, trusted=True)  # it was written here
    return tied if _count(tied) == _count_of(module) else graph


def _tied(module: nn.Module) -> Iterator[tuple[str, str]]:
    """Yield each further name of a weight with its first one; one inside a module is set."""
    first: dict[nn.Parameter, str] = {}
    for name, weight in module.named_parameters(remove_duplicate=False):
        other = first.setdefault(weight, name)
        if other != name:
            yield (name, other) if "." in name else (other, name)


def _reached(name: str) -> str:
    return "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in name.split("."))


def _end_of_making(source: str) -> int:
    """Return the number of the last line of the ``__init__`` of the model, which comes last."""
    model = [one for one in ast.parse(source).body if isinstance(one, ast.ClassDef)][-1]
    made = next(one for one in model.body if isinstance(one, ast.FunctionDef))
    return made.end_lineno or made.lineno


def _count(graph: Graph) -> int:
    with torch.device("meta"):
        return _count_of(to_module(graph))


def _count_of(module: nn.Module) -> int:
    return sum(weight.numel() for weight in module.parameters())
