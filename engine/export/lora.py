"""Weights of low-rank blocks: the pairs alone as a file, taken over from one, and merged into the
weights of the layers beside them.

The names are those of PEFT without its prefix: ``blocks.0.attention.lora_A.weight``.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import torch
from torch import Tensor

from engine.archive.weights import read_metadata, write_weights
from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError, shortened
from engine.export.load import read_weights
from engine.graph.edit.lora import BASE, DOWN, PAIR, UP, Lora, loras
from engine.graph.model import Graph

SCALES = "lora_scales"
"""The key in the metadata of an adapter file of the factors of the pairs, as JSON by module."""

_FOREIGN = "base_model.model."  # what PEFT puts before every name
_SHOWN = 5


def merged(
    graph: Graph, weights: Mapping[str, Tensor], names: Iterable[str] | None = None
) -> dict[str, Tensor]:
    """Return the weights of a model whose low-rank blocks are plain layers again: ``W + scale * B
    A``, computed in float64. ``names`` are the blocks that are meant, of which there are all
    without.

    Raises :class:`DiagnosticError`: R515 without a block, R519 where the weights lack one's.
    """
    found = loras(graph)
    chosen = found if names is None else {name: found[name] for name in names}
    if not chosen:
        raise DiagnosticError.of("R515")
    _require(weights, [f"{name}.{part}.weight" for name in chosen for part in (BASE, *PAIR)])
    after = dict(weights)
    for name, lora in chosen.items():
        down, up = (after.pop(f"{name}.{part}.weight") for part in PAIR)
        prefix = f"{name}.{BASE}."
        for key in [key for key in after if key.startswith(prefix)]:
            after[f"{name}.{key.removeprefix(prefix)}"] = after.pop(key)
        base = after[f"{name}.weight"]
        after[f"{name}.weight"] = _sum(lora, base, down, up, name)
    return after


def pair_weights(graph: Graph, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of the pairs alone. Raises :class:`DiagnosticError` as :func:`merged`."""
    names = _pair_names(graph)
    _require(weights, names)
    return {name: weights[name] for name in names}


def write_adapter(graph: Graph, weights: Mapping[str, Tensor], file: Path) -> int:
    """Write the pairs of a model into a safetensors file with their factors; return how many
    numbers they are. Raises :class:`DiagnosticError` as :func:`merged`, or what writing does.
    """
    pairs = pair_weights(graph, weights)
    scales = {name: lora.scale for name, lora in loras(graph).items()}
    write_weights(pairs, file, {SCALES: msgspec.json.encode(scales).decode()})
    return sum(tensor.numel() for tensor in pairs.values())


def with_adapter(
    graph: Graph, weights: Mapping[str, Tensor], file: Path
) -> tuple[dict[str, Tensor], bool]:
    """Return the weights of a model with the pairs of an adapter file, and whether the file says
    what the factors are.

    Raises :class:`DiagnosticError`: R515 without a low-rank block, R516 to R518 for a file that
    does not fit, R520 where the weights lack those of the layers, or what reading does.
    """
    kind, found, _ = read_weights(file)
    found = {name.removeprefix(_FOREIGN): tensor for name, tensor in found.items()}
    expected = _pair_names(graph)
    if not any(name.endswith(f".{part}.weight") for name in found for part in PAIR):
        raise DiagnosticError.of("R516", file=file.name)
    missing = [name for name in expected if name not in found]
    unknown = [name for name in found if name not in expected]
    if missing or unknown:
        raise DiagnosticError.of(
            "R517", file=file.name, missing=_listed(missing), unknown=_listed(unknown)
        )
    scales = _scales(file) if kind == "safetensors" else {}
    for name, lora in loras(graph).items():
        _require_same(lora, name, (weights, found), file)
        if scales.get(name, lora.scale) != lora.scale:
            params = {"module": name, "found": scales[name], "expected": lora.scale}
            raise DiagnosticError.of("R518", file=file.name, **params)
    return {**weights, **found}, bool(scales)


def _require_same(
    lora: Lora, name: str, given: tuple[Mapping[str, Tensor], Mapping[str, Tensor]], file: Path
) -> None:
    """Raise where the pair of a file is of another rank or for a layer of another size."""
    weights, found = given
    base = weights.get(f"{name}.{BASE}.weight")
    if base is None:
        raise DiagnosticError.of("R520", module=name)
    down, up = (found[f"{name}.{part}.weight"] for part in PAIR)
    shapes = _shapes(lora, base)
    if (down.shape, up.shape) != shapes or not (
        down.is_floating_point() and up.dtype == down.dtype
    ):
        raise DiagnosticError.of(
            "R521",
            file=file.name,
            module=name,
            found=f"{_said(down)}, {_said(up)}",
            expected=", ".join("x".join(map(str, shape)) for shape in shapes),
        )


def _shapes(lora: Lora, base: Tensor) -> tuple[torch.Size, torch.Size]:
    """Return the shapes of the pair beside the weight of a layer."""
    rows, *rest = base.shape
    if lora.base.type == "Embedding":
        return torch.Size((rows, lora.rank)), torch.Size((rest[0], lora.rank))
    ones = (1,) * (len(rest) - 1)
    return torch.Size((lora.rank, *rest)), torch.Size((rows, lora.rank, *ones))


def _sum(lora: Lora, base: Tensor, down: Tensor, up: Tensor, name: str) -> Tensor:
    """Return the weight of a layer with the product of its pair added."""
    if (down.shape, up.shape) != _shapes(lora, base):
        raise DiagnosticError.of("R519", names=f"{name}.{DOWN}, {name}.{UP}")
    first, second = down.double(), up.double().flatten(1)
    if lora.base.type == "Embedding":
        product = first @ second.T
    else:
        product = (second @ first.flatten(1)).reshape(base.shape)
    return (base.double() + lora.scale * product).to(base.dtype)


def _pair_names(graph: Graph) -> list[str]:
    names = [f"{name}.{part}.weight" for name in loras(graph) for part in PAIR]
    if not names:
        raise DiagnosticError.of("R515")
    return names


def _require(weights: Mapping[str, Tensor], names: Iterable[str]) -> None:
    missing = [name for name in names if name not in weights]
    if missing:
        raise DiagnosticError.of("R519", names=_listed(missing))


def _scales(file: Path) -> dict[str, float]:
    text = read_metadata(file).get(SCALES)
    if text is None:
        return {}
    try:
        return decode_json(text, dict[str, float])
    except msgspec.DecodeError as error:
        raise DiagnosticError.of("X023", file=str(file)) from error


def _said(tensor: Tensor) -> str:
    return f"{'x'.join(map(str, tensor.shape))} {str(tensor.dtype).removeprefix('torch.')}"


def _listed(names: list[str]) -> str:
    return shortened(names, _SHOWN) or "-"
