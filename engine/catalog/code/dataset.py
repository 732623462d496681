"""Data of custom code: classes that have samples, functions that make batches, samplers.

A class counts as data by its base, ``torch.utils.data.Dataset`` or Lightning's data module, or by
what it can do: ``__getitem__`` with ``__len__``, or ``train_dataloader``.
"""

import ast
from collections.abc import Mapping

from msgspec.structs import replace

from engine.catalog.code.annotation import Argument, arguments_of, param_spec, parameter_helps
from engine.catalog.code.definition import (
    COLLATE,
    WORKER_INIT,
    ancestry,
    blank_entry,
    class_of_layer,
    doc_of,
    method_of,
)
from engine.catalog.spec import Entry, EntryGroup, Need, ParamKind, ParamSpec

TASKS = ("classification", "binary", "regression")
_MODULE, _LOADER = "DataModule", "train_dataloader"
_BASES = ("Dataset", _MODULE)
_SAMPLER, _BATCH_SAMPLER = "Sampler", "BatchSampler"
_LISTS = ("Sampler[list", "Sampler[List", "Sampler[Sequence")
_PARTS = "parts"
_PLACES = frozenset(("path", "file", "folder", "root", "directory", "data_dir"))
_FOLDERS = frozenset(("folder", "root", "directory", "data_dir"))


def data_entries(stem: str, classes: Mapping[str, ast.ClassDef]) -> dict[str, Entry]:
    """Return the classes of ``code/STEM.py`` that have samples, by name; ``classes`` are all."""
    return {
        name: _entry(stem, definition, classes)
        for name, definition in classes.items()
        if not name.startswith("_") and _is_data(definition, classes)
    }


def collate_names(functions: Mapping[str, ast.FunctionDef]) -> tuple[str, ...]:
    """Return the functions that make a batch of samples: those that are called so."""
    return _called(COLLATE, functions)


def worker_init_names(functions: Mapping[str, ast.FunctionDef]) -> tuple[str, ...]:
    """Return the functions that a worker process calls at its start: those that are called so."""
    return _called(WORKER_INIT, functions)


def _called(word: str, functions: Mapping[str, ast.FunctionDef]) -> tuple[str, ...]:
    return tuple(
        name
        for name, definition in functions.items()
        if word in name and not name.startswith("_") and definition.args.args
    )


def sampler_names(classes: Mapping[str, ast.ClassDef], *, of_batches: bool) -> tuple[str, ...]:
    """Return the classes that say which samples an epoch has, one by one or batch by batch."""
    return tuple(
        name
        for name, definition in classes.items()
        if not name.startswith("_")
        and _inherits(definition, classes, (_SAMPLER,))
        and _names_batches(definition, classes) is of_batches
    )


def _names_batches(definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Return whether a sampler gives lists of positions: it, or a class that it inherits, says so
    by BatchSampler in its name, or by the type of what it gives (``Sampler[list[int]]``).
    """
    for parent in ancestry(definition, classes):
        bases = [ast.unparse(base) for base in parent.bases]
        if _BATCH_SAMPLER in parent.name or any(_BATCH_SAMPLER in base for base in bases):
            return True
        if any(word in base for base in bases for word in _LISTS):
            return True
    return False


def _is_data(definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    if class_of_layer(classes, definition.name):
        return False
    if _inherits(definition, classes, (_SAMPLER,)):
        return False
    if _inherits(definition, classes, _BASES):
        return True
    methods = {
        name
        for name in ("__getitem__", "__len__", _LOADER)
        if method_of(definition, name, classes) is not None
    }
    return _LOADER in methods or len(methods) == 2


def _inherits(
    definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef], endings: tuple[str, ...]
) -> bool:
    for parent in ancestry(definition, classes):
        for base in parent.bases:
            named = base.value if isinstance(base, ast.Subscript) else base  # Dataset[Tensor]
            if ast.unparse(named).endswith(endings):
                return True
    return False


def _entry(stem: str, definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> Entry:
    init = method_of(definition, "__init__", classes)
    doc = doc_of(definition)
    helps = parameter_helps(doc) | parameter_helps(doc_of(init))
    given = [] if init is None else [a for a in arguments_of(init, 1) if not a.is_several]
    return replace(
        blank_entry(stem, definition.name, EntryGroup.DATA, doc),
        params=tuple(_param(argument, helps) for argument in given),
        tasks=TASKS,
        needs=(Need.GIVEN_SPLIT,) if _has_parts(definition, classes) else (),
    )


def _has_parts(definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Return whether a class says which samples are for training, and which for the others: a data
    module by its loaders, a data set by an attribute ``parts``.
    """
    if method_of(definition, _LOADER, classes) is not None:
        return True
    return _inherits(definition, classes, (_MODULE,)) or any(
        _sets_parts(node, parent)
        for parent in ancestry(definition, classes)
        for node in ast.walk(parent)
        if isinstance(node, ast.Assign | ast.AnnAssign)
    )


def _sets_parts(node: ast.Assign | ast.AnnAssign, definition: ast.ClassDef) -> bool:
    """Return whether a statement of a class gives it, or its objects, an attribute ``parts``."""
    for target in node.targets if isinstance(node, ast.Assign) else (node.target,):
        if isinstance(target, ast.Name) and target.id == _PARTS and node in definition.body:
            return True
        if isinstance(target, ast.Attribute) and ast.unparse(target) == f"self.{_PARTS}":
            return True
    return False


def _param(argument: Argument, helps: Mapping[str, str]) -> ParamSpec:
    """Return a parameter; a text that is called like a place is chosen as one."""
    param = param_spec(argument, helps)
    annotation = "" if argument.annotation is None else ast.unparse(argument.annotation)
    is_path = annotation.rpartition(".")[2] == "Path"
    is_place = argument.name in _PLACES and (param.kind is ParamKind.STR or not annotation)
    if not is_path and not (is_place and isinstance(param.default, str | None)):
        return param
    folder = ("folder",) if argument.name in _FOLDERS else ()
    return replace(param, kind=ParamKind.PATH, choices=folder)
