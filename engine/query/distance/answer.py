"""Distance between the weights that runs arrived at, layer by layer."""

import math

import torch
from torch import Tensor

from engine.query.distance.request import CompareWeights, Distance, DistanceReport, LayerDistance
from engine.runs.folder import RunFolder
from engine.runs.recorded_checkpoint import find_checkpoint
from engine.train.checkpoint.lookup import open_checkpoint

_BUFFERS = ("running_mean", "running_var", "num_batches_tracked")  # counted, not trained

Layers = dict[str, dict[str, Tensor]]


def compare_weights(request: CompareWeights) -> DistanceReport:
    """Return how far the weights of runs are from those of the first one.

    Layers are the same where their names are; the statistics of batch norm are left out. Sums are
    taken in double precision. Raises :class:`DiagnosticError` for a run that cannot be read
    (R157, R158) or whose checkpoint is not there or damaged (K001 to K015).
    """
    folders = [RunFolder.open(path) for path in request.run_folders]
    files = tuple(find_checkpoint(folder, request.checkpoint).file for folder in folders)
    first = _layers(folders[0], files[0])
    sums: list[dict[str, _Sums]] = []
    more: list[tuple[str, ...]] = []
    for folder, file in zip(folders[1:], files[1:], strict=True):
        other = _layers(folder, file)  # one at a time: each may be large
        sums.append(
            {
                name: _Sums.of(tensors, other[name])
                for name, tensors in first.items()
                if _are_alike(tensors, other.get(name, {}))
            }
        )
        more.append(tuple(name for name in other if name not in first))
    return DistanceReport(
        layers=tuple(
            _layer(name, list(tensors.values()), [layer_sums.get(name) for layer_sums in sums])
            for name, tensors in first.items()
        ),
        whole=_layer(
            "",
            [tensor for tensors in first.values() for tensor in tensors.values()],
            [_Sums.total(layer_sums) for layer_sums in sums],
        ),
        files=files,
        more=tuple(more),
    )


class _Sums:
    """The squares of two vectors, of their difference, and their product, each summed up."""

    def __init__(self, first: float, second: float, difference: float, product: float) -> None:
        self.first = first
        self.second = second
        self.difference = difference
        self.product = product

    @classmethod
    def of(cls, first: dict[str, Tensor], second: dict[str, Tensor]) -> "_Sums":
        sums = cls(0.0, 0.0, 0.0, 0.0)
        for name, values in first.items():
            a, b = _vector(values), _vector(second[name])
            sums._add(
                float(a.dot(a)), float(b.dot(b)), float((b - a).square().sum()), float(a.dot(b))
            )
        return sums

    @classmethod
    def total(cls, layers: "dict[str, _Sums]") -> "_Sums | None":
        if not layers:
            return None
        sums = cls(0.0, 0.0, 0.0, 0.0)
        for layer in layers.values():
            sums._add(layer.first, layer.second, layer.difference, layer.product)
        return sums

    def _add(self, first: float, second: float, difference: float, product: float) -> None:
        self.first += first
        self.second += second
        self.difference += difference
        self.product += product

    def distance(self) -> Distance:
        l2, norms = math.sqrt(self.difference), math.sqrt(self.first) * math.sqrt(self.second)
        return Distance(
            l2=l2,
            relative=l2 / math.sqrt(self.first) if self.first > 0 else None,
            cosine=max(-1.0, min(1.0, self.product / norms)) if norms > 0 else None,
        )


def _layers(folder: RunFolder, file: str) -> Layers:
    """Return the weights of a checkpoint by layer; those of the model itself under its own name."""
    layers: Layers = {}
    for name, tensor in open_checkpoint(folder, file).model.items():
        layer, _, part = name.rpartition(".")
        is_weight = tensor.is_floating_point() or tensor.is_complex()
        if is_weight and part not in _BUFFERS:
            layers.setdefault(layer or part, {})[part] = tensor
    return layers


def _are_alike(first: dict[str, Tensor], second: dict[str, Tensor]) -> bool:
    """Return whether two layers have the same tensors in the same shapes."""
    shapes = [{name: values.shape for name, values in one.items()} for one in (first, second)]
    return shapes[0] == shapes[1]


def _layer(layer: str, tensors: list[Tensor], sums: "list[_Sums | None]") -> LayerDistance:
    return LayerDistance(
        layer=layer,
        elements=sum(values.numel() for values in tensors),
        norm=math.sqrt(sum(float(_vector(values).square().sum()) for values in tensors)),
        others=tuple(None if other is None else other.distance() for other in sums),
    )


def _vector(values: Tensor) -> Tensor:
    """Return the numbers of a tensor in double precision, those of complex ones as pairs."""
    flat = values.detach().flatten()
    return (torch.view_as_real(flat).flatten() if flat.is_complex() else flat).double()
