"""Model compiled by ``torch.compile``, where that is possible."""

import os
import shutil
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs
import torch
from torch import Tensor, nn

from engine.diagnostics import Diagnostic, Severity
from engine.files import private_folder
from engine.train.losses import Outputs

_LONGEST_DETAIL = 2000
_CACHE = "TORCHINDUCTOR_CACHE_DIR"


class Compiled:
    """Calls the compiled network, and the network itself once PyTorch could not compile it."""

    def __init__(self, network: nn.Module, device: torch.device) -> None:
        self._network = network
        self._problem: Diagnostic | None = None
        if device.type == "cpu":
            # otherwise compiler processes outlive a worker
            os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
        os.environ.setdefault(_CACHE, str(_cache_folder()))
        self._compiled: Callable[..., Outputs] | None = torch.compile(network)

    def __call__(self, *inputs: Tensor) -> Outputs:
        """Return the outputs of the network; the first calls take long."""
        if self._compiled is None:
            return self._network(*inputs)
        from torch._dynamo.exc import TorchDynamoException

        try:
            return self._compiled(*inputs)
        except TorchDynamoException as error:
            self._compiled = None
            self._problem = Diagnostic(
                code="R184",
                severity=Severity.WARNING,
                field="compute.compile",
                detail=str(error)[-_LONGEST_DETAIL:],
            )
            return self._network(*inputs)

    def take_problem(self) -> Diagnostic | None:
        """Return, once, why the network goes on uncompiled (R184)."""
        problem, self._problem = self._problem, None
        return problem


def _cache_folder() -> Path:
    """Return a folder of the user for compiled code: PyTorch's own has a well-known name in a
    folder where all users may write, and what lies there is loaded and run.
    """
    folder = Path(platformdirs.user_cache_dir("trellis", appauthor=False)) / "compiled"
    try:
        private_folder(folder)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="trellis-compiled-"))
    return folder


def missing_tools() -> str:
    """Return what ``torch.compile`` needs and this machine lacks, by name; empty: nothing."""
    compilers = (os.environ.get("CXX", ""), "g++", "clang++", "cl")
    has_compiler = any(name and shutil.which(name) for name in compilers)
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    missing = [*(() if has_compiler else ("g++",)), *(() if header.is_file() else (header.name,))]
    return ", ".join(missing)
