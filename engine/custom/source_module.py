"""Source that is not on disk as a real Python module, with its lines in tracebacks."""

import hashlib
import importlib.util
import linecache
import sys
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

PREFIX = "trellis_model_"
"""Of the names of such modules."""


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


def load_source(source: str) -> ModuleType:
    """Return a module made from generated source; the same source gives the same module."""
    name = PREFIX + hashlib.sha256(source.encode()).hexdigest()[:16]
    if name in sys.modules:
        return sys.modules[name]
    file_name = f"<{name}>"
    spec = ModuleSpec(name, _SourceLoader(source, file_name), origin=file_name)
    module = importlib.util.module_from_spec(spec)
    module.__file__ = file_name
    linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)
    return executed(spec, module)


def drop_source(name: str) -> None:
    """Forget a module made from source that is not on disk; what was made from it goes on."""
    sys.modules.pop(name, None)
    linecache.cache.pop(f"<{name}>", None)


def executed(spec: ModuleSpec, module: ModuleType) -> ModuleType:
    """Run a module and return it; one that fails is forgotten."""
    assert spec.loader is not None
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module
