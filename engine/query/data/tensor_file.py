"""Judge of files of tensors: samples to train on, or weights of a model."""

import re
from collections.abc import Mapping
from pathlib import Path

from engine.data.read.array import find_arrays
from engine.data.read.stored import StoredArray
from engine.data.source.arrays import INPUTS, TARGETS
from engine.diagnostics import DiagnosticError
from engine.query.data.request import JudgeTensors, TensorFile

_SAMPLES = frozenset((*INPUTS, *TARGETS))
_WORD = re.compile(r"[^\W_]+")
_OF_LAYERS = re.compile(
    r".*\..+|.*(weight|bias|gamma|beta|running_(mean|var)|num_batches_tracked)(_\w+)?",
    re.IGNORECASE,
)
"""Names of weights: of a layer in a layer (``fc.weight``), or as PyTorch calls them."""


def judge_tensors(request: JudgeTensors) -> TensorFile:
    """Return what a file holds; weights where it cannot be read, since their reader tells why."""
    try:
        arrays = find_arrays(Path(request.path))
    except DiagnosticError:
        return TensorFile(holds="weights")
    if any(map(_OF_LAYERS.fullmatch, arrays)):
        return TensorFile(holds="weights")
    if all(map(_names_samples, arrays)):
        return TensorFile(holds="data")
    return TensorFile(holds="either" if _are_rows(arrays) else "weights")


def _names_samples(name: str) -> bool:
    """Return whether an array is called as those of samples: ``x``, ``train_labels``."""
    return not _SAMPLES.isdisjoint(_WORD.findall(name.lower()))


def _are_rows(arrays: Mapping[str, StoredArray]) -> bool:
    """Return whether all arrays can have an entry for each of the same samples."""
    sizes = {array.shape[:1] for array in arrays.values()}
    return len(sizes) == 1 and sizes != {()}
