"""Capabilities of a machine for computing, as plain values."""

import msgspec


class Gpu(msgspec.Struct, frozen=True, kw_only=True):
    """A graphics processor that torch can use, with its memory in bytes."""

    index: int
    name: str
    memory_bytes: int


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What this machine has. ``devices`` are the words for ``RunSpec.device`` that work here;
    ``threads`` the processor cores that may be used; memory in bytes.
    """

    python: str
    versions: dict[str, str]
    threads: int
    memory_bytes: int
    free_memory_bytes: int
    gpus: tuple[Gpu, ...] = ()
    has_mps: bool = False
    devices: tuple[str, ...] = ("auto", "cpu")


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """The host has loaded torch; how long that took, in seconds."""

    seconds: float
