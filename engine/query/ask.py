"""Dispatch of a question in this process: its handler is imported, and with it PyTorch."""

import threading
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from engine.custom.trust import set_trust
from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.query.request import Answer, Request
from engine.runs.folder import RunFolder

_import_lock = threading.Lock()  # two threads that import torch at once see half of it


def ask(request: Request[Answer]) -> Answer:
    """Return the answer to a question. Raises :class:`DiagnosticError`: E001 where PyTorch cannot
    be loaded, else what the handler tells; and whatever torch raises.
    """
    _load_torch()
    module, name = request.handler.rsplit(".", 1)
    return getattr(import_module(module), name)(request)


def answer_for_user(request: Request[Answer]) -> Answer:
    """Return the answer to a question; the custom code that it is about runs in this process from
    now on where the request says that the user trusts it. Raises as :func:`ask`.
    """
    code = code_of(request)
    if code is not None:
        set_trust(code, trusted=request.trusted)
    return ask(request)


def code_of(request: Request[Any]) -> Mapping[str, str] | None:
    """Return the custom code that a question is about. Raises :class:`DiagnosticError` where
    that of a run cannot be read.
    """
    if request.custom_code == "graph":
        return cast("Graph", request.graph).code  # pyright: ignore[reportAttributeAccessIssue] - a test asks it of all
    if request.custom_code == "run":
        folder: str = request.run_folder  # pyright: ignore[reportAttributeAccessIssue]
        return RunFolder.open(Path(folder)).document.graph.code
    if request.custom_code == "texts":
        return cast("Mapping[str, str]", request.code)  # pyright: ignore[reportAttributeAccessIssue]
    return None


def _load_torch() -> None:
    """Import torch, one thread at a time."""
    with _import_lock:
        try:
            import_module("torch")
        except (ImportError, OSError) as error:
            raise DiagnosticError.of("E001", detail=str(error)) from error
