"""Source → ``nn.Module``, as a real Python module: tracebacks, ``inspect.getsource``, pickle, deep
copy and ``torch.export`` see it as any other.
"""

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, TracebackType

from torch import nn

from engine.custom import watchdog
from engine.custom.module import remember_lines
from engine.custom.source_module import PREFIX, executed, load_source
from engine.custom.trust import require_trust
from engine.diagnostics import DiagnosticError
from engine.files import describe_os_error
from engine.graph.code import runs_code
from engine.graph.model import Graph
from engine.model.source import generate_whole
from engine.shape.propagate import Propagator
from engine.shape.survey import survey

_FATAL = frozenset({"U012", "U013", "U015", "U016"})  # making it would end in the same way
_MAKING_S = 60.0  # with its weights, which may be many


def to_module(graph: Graph, class_name: str = "Model") -> nn.Module:
    """Return the model of a graph with freshly initialised parameters, on the CPU.

    Raises :class:`DiagnosticError` when the graph has problems that keep it from being written, and
    U027 when it is made from code that nobody has trusted (``engine.custom.trust.set_trust``).
    """
    if runs_code(graph):
        return _own_module(graph, class_name)
    return _instance(load_source(generate_whole(graph, class_name).source), Path(class_name))


def _own_module(graph: Graph, class_name: str) -> nn.Module:
    """Return a model that holds the user's own code; what hangs or crashes is not run again."""
    require_trust(graph.code)
    found = survey(graph, Propagator()).problems()
    fatal = [problem for problem in found if problem.code in _FATAL]
    if fatal:
        raise DiagnosticError(*fatal)
    generated = generate_whole(graph, class_name)
    digest = hashlib.sha256(generated.source.encode()).hexdigest()[:16]
    key = f"model@{digest}{watchdog.SEPARATOR}"
    if watchdog.verdict(key) is not None:
        raise DiagnosticError.of("U034")
    with watchdog.watched(key, _MAKING_S):
        module = load_source(generated.source)
        remember_lines(module, generated.code_lines)
        return _instance(module, Path(class_name))


def load_model_file(path: Path) -> nn.Module:
    """Return an instance of the one ``nn.Module`` class of a ``model.py`` that we wrote.

    Never call it with a file that came from elsewhere: its code runs. Raises
    :class:`DiagnosticError` when the file cannot be read or holds no model.
    """
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path, "read")) from error
    name = f"{PREFIX}{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}{digest[:16]}"
    if name in sys.modules:
        return _instance(sys.modules[name], path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    return _instance(executed(spec, importlib.util.module_from_spec(spec)), path)


def node_of_traceback(error: BaseException, lines: Mapping[int, str]) -> str | None:
    """Return the id of the node whose line in generated source an error came through.

    ``lines`` is the map of the source that was loaded.
    """
    found: str | None = None
    step: TracebackType | None = error.__traceback__
    while step is not None:
        if str(step.tb_frame.f_globals.get("__name__", "")).startswith(PREFIX):
            found = lines.get(step.tb_lineno, found)
        step = step.tb_next
    return found


def _instance(module: ModuleType, path: Path) -> nn.Module:
    for value in reversed(vars(module).values()):  # the classes of blocks come before it
        is_model = isinstance(value, type) and issubclass(value, nn.Module)
        if is_model and value.__module__ == module.__name__:
            return value()
    raise DiagnosticError.of("S030", file=path.name)
