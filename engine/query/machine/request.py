"""Questions about the machine and the installed PyTorch, and their reports."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.query.request import Request


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


class WarmUp(Request[Ready], frozen=True, kw_only=True):
    """Load torch and what the first analysis needs."""

    handler = "engine.query.machine.answer.warm_up"


class GetCapabilities(Request[Capabilities], frozen=True, kw_only=True):
    """What the machine has."""

    is_light = True
    handler = "engine.query.machine.answer.capabilities"


class DeviceTrial(msgspec.Struct, frozen=True, kw_only=True):
    """A device on which something was computed; ``problem`` is why it could not be."""

    device: str
    problem: Diagnostic | None = None


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """The PyTorch that is installed: its version, the CUDA and the cuDNN that it was built with
    (empty: without), and each device of this machine that it knows.
    """

    torch: str
    cuda: str = ""
    cudnn: str = ""
    trials: tuple[DeviceTrial, ...] = ()


class CheckInstallation(Request[Installation], frozen=True, kw_only=True):
    """Have PyTorch compute something on every device."""

    handler = "engine.query.machine.answer.check_installation"
    is_slow = True
    supersedes = True
