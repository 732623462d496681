"""Tensors of a file for a single layer."""

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor, nn

from engine.diagnostics import DiagnosticError
from engine.graph.module_name import module_name
from engine.model.module import to_module
from engine.query.weights.request import LayerMatch, LayerMatches, MatchLayer
from engine.train.tensor_file import read_tensors


def match_layer(request: MatchLayer) -> LayerMatches:
    """Return what in a file has the names and shapes of all parameters of a layer.

    Raises :class:`DiagnosticError`: X034 where nothing has them, R145 for a layer that leads to no
    output, else what is wrong with the file.
    """
    file = Path(request.file)
    place = module_name(request.graph, request.place)
    try:
        layer = to_module(request.graph).get_submodule(place)
    except AttributeError as error:
        raise DiagnosticError.of("R145", place=request.place) from error
    tensors = read_tensors(file)
    found = [*_matches(layer, tensors)]
    if not found:
        wanted = ", ".join(f"{name} {_shape(value)}" for name, value in layer.named_parameters())
        raise DiagnosticError.of("X034", file=file.name, layer=place, wanted=wanted or "–")
    own = place.rpartition(".")[2]
    found.sort(key=lambda match: (match.name != place, match.name.rpartition(".")[2] != own))
    return LayerMatches(matches=tuple(found))


def _matches(layer: nn.Module, tensors: Mapping[str, Tensor]) -> list[LayerMatch]:
    wanted = {name: value.shape for name, value in layer.named_parameters()}
    if not wanted:
        return []
    first = next(iter(wanted))
    ends = (name.removesuffix(first) for name in tensors if name.endswith(first))
    beginnings = [end.removesuffix(".") for end in ends if not end or end.endswith(".")]
    matches: list[LayerMatch] = []
    for beginning in beginnings:
        names = {role: f"{beginning}.{role}" if beginning else role for role in wanted}
        found = {role: tensors.get(name) for role, name in names.items()}
        if all(t is not None and t.shape == wanted[role] for role, t in found.items()):
            matches.append(LayerMatch(name=beginning, tensors=names))
    return matches


def _shape(tensor: Tensor) -> str:
    return "×".join(map(str, tensor.shape)) or "()"
