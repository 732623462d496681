"""Question whether PyTorch computes on this machine."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.query.request import Request


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


class CheckInstallation(Request[Installation], frozen=True, kw_only=True, tag="CheckInstallation"):
    """Have PyTorch compute something on every device."""

    answer_type = Installation
    handler = "engine.query.installation.answer.answer"
    is_slow = True
    supersedes = True
