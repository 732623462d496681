"""Weights of another model to start from: which fit under which names, and a copy of those."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from engine.archive.weights import read_safetensors, write_weights
from engine.diagnostics import DiagnosticError
from engine.export.load import compare_weights, read_weights
from engine.export.report import CheckpointComparison, Renaming, WeightsReport
from engine.spec.weight_name import NOTHING, with_current_names

Shapes = set[tuple[str, torch.Size]]

_MOST_PREFIXES = 40
_DEPTH = 3  # parts of a name that a prefix may have
_TRIED = 12  # of them, for each side
_MOST_NAMES = 20_000  # more are no model that was made by hand


def report_weights(
    file: Path,
    module: nn.Module,
    renaming: Renaming | None,
    names: Mapping[str, str] = NOTHING,
) -> WeightsReport:
    """Return how the weights of a file and a model go together under other names.

    Without ``renaming`` the prefixes are found that make the most weights fit; ``names`` as in
    :func:`report_start`. Raises :class:`DiagnosticError` for a file that cannot be read.
    """
    _, found, _ = read_weights(file)
    weights = with_current_names(found, names)
    expected = module.state_dict()
    offered, wanted = prefixes(weights), prefixes(expected)
    chosen = best_renaming(weights, expected) if renaming is None else renaming
    comparison = compare_weights(renamed(weights, chosen), module, file.name)
    return WeightsReport(
        comparison=comparison, renaming=chosen, file_prefixes=offered, model_prefixes=wanted
    )


def report_start(file: Path, module: nn.Module, names: Mapping[str, str]) -> CheckpointComparison:
    """Return which weights of a file a run of a model would begin with; ``names`` holds by the name
    of a module what it is called in the file. Raises :class:`DiagnosticError` for a file that
    cannot be read.
    """
    return compare_weights(with_current_names(read_safetensors(file), names), module, file.name)


def take_weights(
    file: Path,
    module: nn.Module,
    target: Path,
    renaming: Renaming,
    names: Mapping[str, str] = NOTHING,
) -> CheckpointComparison:
    """Write the weights of a file that fit a model into a safetensors file, under their new names.

    Raises :class:`DiagnosticError`: R141 when none fits, else what is wrong with the files.
    """
    _, found, _ = read_weights(file)
    weights = renamed(with_current_names(found, names), renaming)
    comparison = compare_weights(weights, module, file.name)
    fitting = {entry.name: weights[entry.name] for entry in comparison.matched}
    if not fitting:
        raise DiagnosticError.of(
            "R141",
            field="weights",
            file=file.name,
            dropped=", ".join(comparison.unexpected[:5]) or "-",
            new=", ".join(comparison.missing[:5]) or "-",
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    write_weights(fitting, target)
    return comparison


def renamed(weights: Mapping[str, Tensor], renaming: Renaming) -> dict[str, Tensor]:
    """Return weights with a prefix taken off where it stands, and another put before all names."""
    return {
        renaming.add + name.removeprefix(renaming.remove): value for name, value in weights.items()
    }


def prefixes(names: Iterable[str]) -> tuple[str, ...]:
    """Return what many names begin with, the most frequent first: ``backbone.``."""
    counts: Counter[str] = Counter()
    for name in names:
        parts = name.split(".")[:-1][:_DEPTH]
        counts.update(".".join(parts[: depth + 1]) + "." for depth in range(len(parts)))
    return tuple(prefix for prefix, count in counts.most_common(_MOST_PREFIXES) if count > 1)


def best_renaming(weights: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> Renaming:
    """Return the prefixes under which the most weights fit; none where that is as good."""
    shapes = {(name, value.shape) for name, value in expected.items()}
    best, most = Renaming(), _fitting(weights, Renaming(), shapes)
    if len(weights) > _MOST_NAMES:
        return best
    for remove in ("", *prefixes(weights)[:_TRIED]):
        for add in ("", *prefixes(expected)[:_TRIED]):
            tried = Renaming(remove=remove, add=add)
            if (count := _fitting(weights, tried, shapes)) > most:
                best, most = tried, count
    return best


def _fitting(weights: Mapping[str, Tensor], renaming: Renaming, shapes: Shapes) -> int:
    found = {
        (renaming.add + name.removeprefix(renaming.remove), value.shape)
        for name, value in weights.items()
    }
    return len(found & shapes)
