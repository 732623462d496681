"""Dispatch of a question in this process: its handler is imported, and with it PyTorch."""

import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from engine.custom.trust import is_trusted, set_trust
from engine.data.read.listening import listening
from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.graph.shipped_code import is_shipped
from engine.query.predicting.request import PredictFile, PredictionProgress, PredictionReport
from engine.query.request import Answer, Request
from engine.runs.folder import RunFolder
from engine.spec.custom_code import data_code
from engine.spec.progress import FileProgress

_import_lock = threading.Lock()  # two threads that import torch at once see half of it


def ask(request: Request[Answer]) -> Answer:
    """Return the answer to a question. Raises :class:`DiagnosticError`: E001 where PyTorch cannot
    be loaded, else what the handler tells; and whatever torch raises.
    """
    _load_torch()
    module, name = request.handler.rsplit(".", 1)
    return getattr(import_module(module), name)(request)


def ask_telling(request: Request[Answer], tell: Callable[[FileProgress], object]) -> Answer:
    """Return the answer to a question as :func:`ask` does, and say how far the reading of files for
    it is.
    """
    with listening(tell, lambda: False):
        return ask(request)


def write_predictions(
    request: PredictFile,
    tell: Callable[[PredictionProgress], object] = lambda _progress: None,
    target: object = None,
) -> PredictionReport:
    """Write predictions in this process and say how far it is; without a file they go to the
    ``target``, which has ``write``. Raises as
    :func:`~engine.query.predicting.answer.predict_file` does.
    """
    _load_torch()
    answer = import_module("engine.query.predicting.answer")
    return answer.predict_file(request, tell, target)


def answer_for_user(request: Request[Answer]) -> Answer:
    """Return the answer to a question; the custom code that it is about runs in this process from
    now on where the request says that the user trusts it. Raises as :func:`ask`.
    """
    for code in codes_of(request):
        set_trust(code, trusted=request.trusted)
    return ask(request)


def runs_custom_code(request: Request[Any]) -> bool:
    """Return whether a question is about code that may run in this process, other than what ships
    with the program. Raises as :func:`codes_of`.
    """
    codes = [code for code in codes_of(request) if is_custom(code)]
    return bool(codes) and all(map(is_trusted, codes))


def is_custom(code: Mapping[str, str]) -> bool:
    """Return whether texts have code, other than what ships with the program."""
    return bool(code) and not is_shipped(code.values())


def codes_of(request: Request[Any]) -> tuple[Mapping[str, str], ...]:
    """Return the custom code that a question is about: all texts of a project, or of each of
    several runs. Raises :class:`DiagnosticError` where that of a run cannot be read.
    """
    match request.custom_code:
        case "graph":
            return (cast("Graph", request.graph).code,)  # pyright: ignore[reportAttributeAccessIssue] - a test asks it of all
        case "run":
            folder: str = request.run_folder  # pyright: ignore[reportAttributeAccessIssue]
            return (RunFolder.open(Path(folder)).document.graph.code,)
        case "runs":
            folders: tuple[str, ...] = request.run_folders  # pyright: ignore[reportAttributeAccessIssue]
            return tuple(_code_of_data(Path(each)) for each in folders)
        case "texts":
            return (cast("Mapping[str, str]", request.code),)  # pyright: ignore[reportAttributeAccessIssue]
        case "none":
            return ()


def _code_of_data(run: Path) -> Mapping[str, str]:
    document = RunFolder.open(run).document
    return data_code(document.spec.data, document.graph.code)


def _load_torch() -> None:
    """Import torch, one thread at a time."""
    with _import_lock:
        try:
            import_module("torch")
        except (ImportError, OSError) as error:
            raise DiagnosticError.of("E001", detail=str(error)) from error
