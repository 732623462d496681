"""Source → ``nn.Module``, as a real Python module: tracebacks, ``inspect.getsource``, pickle, deep
copy and ``torch.export`` see it as any other.
"""

import hashlib
import importlib.util
import linecache
import sys
from collections.abc import Mapping
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType, TracebackType

from torch import nn

from engine.build.codegen import generate_whole
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import describe_os_error
from engine.graph.model import Graph

_PREFIX = "trellis_model_"


class _SourceLoader(InspectLoader):
    """Loads a module from source that is not on disk."""

    def __init__(self, source: str, file_name: str) -> None:
        self._source = source
        self._file_name = file_name

    def get_source(self, fullname: str) -> str:
        del fullname
        return self._source

    def get_code(self, fullname: str) -> CodeType:
        del fullname
        return compile(self._source, self._file_name, "exec", dont_inherit=True)


def to_module(graph: Graph, class_name: str = "Model") -> nn.Module:
    """Return the model of a graph with freshly initialised parameters, on the CPU.

    Raises :class:`DiagnosticError` when the graph has problems that keep it from being written.
    """
    source = generate_whole(graph, class_name).source
    return _instance(load_source(source), Path(class_name))


def load_source(source: str) -> ModuleType:
    """Return a module made from generated source; the same source gives the same module."""
    name = _PREFIX + hashlib.sha256(source.encode()).hexdigest()[:16]
    if name in sys.modules:
        return sys.modules[name]
    file_name = f"<{name}>"
    spec = ModuleSpec(name, _SourceLoader(source, file_name), origin=file_name)
    module = importlib.util.module_from_spec(spec)
    module.__file__ = file_name
    linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)
    return _executed(spec, module)


def load_model_file(path: Path) -> nn.Module:
    """Return an instance of the one ``nn.Module`` class of a ``model.py`` that we wrote.

    Never call it with a file that came from elsewhere: its code runs. Raises
    :class:`DiagnosticError` when the file cannot be read or holds no model.
    """
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path)) from error
    name = f"{_PREFIX}{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}{digest[:16]}"
    if name in sys.modules:
        return _instance(sys.modules[name], path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    return _instance(_executed(spec, importlib.util.module_from_spec(spec)), path)


def node_of_traceback(error: BaseException, lines: Mapping[int, str]) -> str | None:
    """Return the id of the node whose line in generated source an error came through.

    ``lines`` is the map of the source that was loaded.
    """
    found: str | None = None
    step: TracebackType | None = error.__traceback__
    while step is not None:
        if str(step.tb_frame.f_globals.get("__name__", "")).startswith(_PREFIX):
            found = lines.get(step.tb_lineno, found)
        step = step.tb_next
    return found


def _executed(spec: ModuleSpec, module: ModuleType) -> ModuleType:
    assert spec.loader is not None
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module


def _instance(module: ModuleType, path: Path) -> nn.Module:
    for value in vars(module).values():
        is_model = isinstance(value, type) and issubclass(value, nn.Module)
        if is_model and value.__module__ == module.__name__:
            return value()
    raise DiagnosticError(Diagnostic(code="S030", params={"file": path.name}))
