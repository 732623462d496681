"""A model turned into faster code by ``torch.compile``, where that can be done."""

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

_LAST_WORDS = 2000
_CACHE = "TORCHINDUCTOR_CACHE_DIR"


class Compiled:
    """Goes forward by the compiled network, and by the network itself from the moment on at which
    PyTorch could not compile it.
    """

    def __init__(self, network: nn.Module, device: torch.device) -> None:
        self._network = network
        self._problem: Diagnostic | None = None
        if device.type == "cpu":
            # else processes are left that outlive a worker
            os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
        os.environ.setdefault(_CACHE, str(_cache_folder()))
        self._fast: Callable[..., Outputs] | None = torch.compile(network)

    def __call__(self, *inputs: Tensor) -> Outputs:
        """Return the outputs of the network; the first calls take long."""
        if self._fast is None:
            return self._network(*inputs)
        from torch._dynamo.exc import TorchDynamoException

        try:
            return self._fast(*inputs)
        except TorchDynamoException as error:
            self._fast = None
            self._problem = Diagnostic(
                code="R184",
                severity=Severity.WARNING,
                field="compute.compile",
                detail=str(error)[-_LAST_WORDS:],
            )
            return self._network(*inputs)

    def take_problem(self) -> Diagnostic | None:
        """Return, once, why the network goes on uncompiled (R184)."""
        problem, self._problem = self._problem, None
        return problem


def _cache_folder() -> Path:
    """Return a folder of the user for compiled code: PyTorch's own lies under a name that everybody
    knows where all users may write, and what lies there is loaded and run.
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
    found = [name for name in compilers if name and shutil.which(name)]
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    missing = [*(() if found else ("g++",)), *(() if header.is_file() else (header.name,))]
    return ", ".join(missing)
