"""A checksum of weights and of what stands beside them, for formats that have none of their own."""

import hashlib
from collections.abc import Mapping

from torch import Tensor, uint8

KEY = "sha256"
"""Where the checksum stands in the metadata of a file."""

PRODUCER = "Trellis"
"""What the metadata call the program; a file of its own without a checksum is damaged."""


def digest(weights: Mapping[str, Tensor], metadata: Mapping[str, str]) -> str:
    """Return the sha256, in hex, of all names, types, shapes and bytes, and of the metadata.

    Tensors are on the CPU; the order of the names plays no part, nor does a checksum in the
    metadata.
    """
    found = hashlib.sha256()
    for key in sorted(metadata.keys() - {KEY}):
        found.update(f"{key}={metadata[key]}\n".encode())
    for name in sorted(weights):
        tensor = weights[name].detach().contiguous()
        found.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        found.update(tensor.reshape(-1).view(uint8).numpy().data)
    return found.hexdigest()
