"""Checksum of weights and their metadata, for formats that have none of their own."""

import hashlib
from collections.abc import Mapping

from torch import Tensor, uint8

KEY = "sha256"
"""The key of the checksum in the metadata of a file."""

PRODUCER = "Trellis"
"""The name of the program in the metadata; a file of ours without a checksum is damaged."""


def digest(weights: Mapping[str, Tensor], metadata: Mapping[str, str]) -> str:
    """Return the sha256, in hex, of all names, types, shapes and bytes, and of the metadata.

    Tensors are on the CPU; the order of the names plays no part, nor does a checksum in the
    metadata.
    """
    hasher = hashlib.sha256()
    for key in sorted(metadata.keys() - {KEY}):
        hasher.update(f"{key}={metadata[key]}\n".encode())
    for name in sorted(weights):
        tensor = weights[name].detach().contiguous()
        hasher.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        hasher.update(tensor.reshape(-1).view(uint8).numpy().data)
    return hasher.hexdigest()
