"""Parts of an exported Python file: the generated source, what it imports, names that are free."""

import sys
from collections.abc import Iterable, Mapping

from engine.catalog.code.merge import Import, import_lines, merge_files
from engine.diagnostics import DiagnosticError
from engine.graph.naming import free_name
from engine.spec.choice import NO_CODE

_NAMES = (
    "load_model",
    "load_teacher",
    "scale",
    "encode",
    "decode",
    "tokenizer",
    "WEIGHTS",
    "SCALINGS",
    "RANGES",
    "TRANSFORMS",
    "prepare",
    "VOCABULARIES",
    "CLASSES",
    "COLUMNS",
    "CATEGORIES",
    "TrainableModel",
    "read_image",
    "read_mask",
    "read_sound",
    "read_video",
    "read_array",
    "RunSamples",
    "RunBatches",
    "RunView",
    "SAMPLES",
    "train",
    "read_row",
    "read_values",
    "read_sample",
    "STEPS",
    "transformed",
    "DRAWN",
    "BLENDS",
    "blended",
    "draw_blend",
    "IMAGES",
    "MASKS",
    "SOUNDS",
    "VIDEOS",
    "ROW_FEATURES",
    "ROW_CATEGORIES",
)
_MODULE = "model.py"
_PATH = Import("pathlib", "Path", "")
_TORCH = Import("torch", "", "")


class SourceParts:
    """The generated source in parts: its imports, the rest, the name of the model's class, and
    names for what the file adds that mean nothing else in it.

    ``own`` are files of own code that the model does not need, in an order in which they can be
    written; their names stay as they are. Raises :class:`DiagnosticError` where they clash with
    those of the model (U005, U006).
    """

    def __init__(self, source: str, own: Mapping[str, str] = NO_CODE) -> None:
        model = merge_files({_MODULE: source}, (_MODULE,))
        merged = merge_files({**own, _MODULE: source}, (_MODULE, *own)) if own else model
        if merged.problems:
            raise DiagnosticError(*merged.problems)
        self.imports = list(merged.imports.values())
        self.future = merged.future
        self.text = "\n".join(line.text for line in merged.lines)
        self.model = list(model.defined)[-1]
        self._taken = {*merged.defined, *merged.imports}
        self.names = {name: self.new_name(name) for name in _NAMES}

    def new_name(self, name: str) -> str:
        """Return a name that means nothing else in the file."""
        found = free_name(name, self._taken)
        self._taken.add(found)
        return found

    def imported(self, module: str, name: str, wanted: str = "") -> str:
        """Return what a name of a module is called here (without a name the module itself); it is
        imported where it is not yet, as ``wanted`` if that is free.
        """
        for item in self.imports:
            is_same = item.meaning == f"{module}.{name}" if name else item.module == module
            if is_same and bool(item.name) == bool(name):
                return item.bound
        own = name or module.partition(".")[0]
        if not name and any(item.bound == item.meaning == own for item in self.imports):
            self.imports.append(Import(module, "", ""))  # a further module of a package
            return own
        bound = self.new_name(wanted or own)
        self.imports.append(Import(module, name, "" if bound == own else bound))
        return bound

    def head(self) -> str:
        """Return the import statements with those that the file needs itself."""
        bound = {item.bound for item in self.imports}
        more = [item for item in (_PATH, _TORCH) if item.bound not in bound]
        return "\n".join(import_lines([*self.imports, *more]))

    def needs(self, own: Iterable[str] = ()) -> str:
        """Return what has to be installed, in words, besides modules that lie beside the file."""
        found = {item.module.partition(".")[0] for item in self.imports} - set(own)
        others = sorted(found - {"torch"} - set(sys.stdlib_module_names))
        return ", ".join(["PyTorch", *others])
