"""Transforms of custom code: functions and classes that change one sample, or one tensor of it.

A function takes what it changes first and settings with defaults, or annotations, after it. A class
is called with it: a layer, a transform of torchvision, or one with ``__call__``. What is called
``sample`` or annotated as a dictionary is the whole sample.
"""

import ast
import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from engine.catalog.code.annotation import Argument, arguments_of, param_spec, parameter_helps
from engine.catalog.code.definition import (
    COLLATE,
    WORKER_INIT,
    Definition,
    ancestry,
    blank_entry,
    class_of_layer,
    doc_of,
    method_of,
)
from engine.catalog.spec import Entry, EntryGroup, Need

_SAMPLE = "sample"
_DICTIONARIES = ("dict", "Dict", "Mapping", "MutableMapping")
_OTHERS = ("Dataset", "Sampler", "DataModule", "Function", "Metric")  # bases of no transforms
_TRANSFORM = "Transform"  # the base of torchvision's transforms
_SEVERAL = ("tuple", "Tuple", "Iterator", "Generator", "Iterable")
_CALLS = ("forward", "__call__", "transform")
_RANDOM = re.compile(r"rand|uniform|normal_|bernoulli|shuffle|choice|multinomial|poisson|noise")


def transform_entries(
    stem: str, functions: Mapping[str, ast.FunctionDef], classes: Mapping[str, ast.ClassDef]
) -> dict[str, Entry]:
    """Return what of ``code/STEM.py`` changes a sample, by name; ``functions`` and ``classes`` are
    all of the file.
    """
    found: dict[str, Entry] = {}
    for definition in (*functions.values(), *classes.values()):
        made = None
        if not definition.name.startswith("_"):
            if isinstance(definition, ast.FunctionDef):
                made = _of_function(stem, definition, classes)
            else:
                made = _of_class(stem, definition, classes)
        if made is not None:
            is_random = _is_random(definition, {**functions, **classes})
            needs = (*((Need.RANDOM_NUMBERS,) if is_random else ()), *made.needs)
            found[definition.name] = replace(made, needs=needs)
    return found


def _of_function(
    stem: str, function: ast.FunctionDef, classes: Mapping[str, ast.ClassDef]
) -> Entry | None:
    name = function.name
    if name.endswith("_") or COLLATE in name or WORKER_INIT in name or _makes(function, classes):
        return None
    given = arguments_of(function, 0)
    if not _is_value(given):
        return None
    return _entry(stem, function, given[0], given[1:], parameter_helps(doc_of(function)))


def _of_class(
    stem: str, definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> Entry | None:
    bases = [_base(base) for parent in ancestry(definition, classes) for base in parent.bases]
    if any(base.endswith(_OTHERS) for base in bases):
        return None
    init = method_of(definition, "__init__", classes)
    params = [] if init is None else arguments_of(init, 1)
    helps = parameter_helps(doc_of(definition)) | parameter_helps(doc_of(init))
    if any(base.endswith(_TRANSFORM) for base in bases):
        entry = _entry(stem, definition, None, params, helps)
        return replace(entry, needs=(Need.TOGETHER, Need.MADE))
    names = _CALLS[:1] if class_of_layer(classes, definition.name) else _CALLS[1:2]
    called = next(filter(None, (method_of(definition, name, classes) for name in names)), None)
    given = [] if called is None else arguments_of(called, 1)
    if not _is_value(given) or any(argument.is_required for argument in given[1:]):
        return None
    entry = _entry(stem, definition, given[0], params, helps)
    return replace(entry, needs=(*entry.needs, Need.MADE))


def _is_value(given: list[Argument]) -> bool:
    """Return whether parameters are one value that is changed, and settings."""
    if not given or not given[0].is_required or given[0].is_keyword or given[0].is_several:
        return False
    return not any(argument.is_several or argument.is_tensor() for argument in (given[1:]))


def _entry(
    stem: str,
    definition: Definition,
    value: Argument | None,
    settings: list[Argument],
    helps: Mapping[str, str],
) -> Entry:
    params = tuple(param_spec(each, helps) for each in settings if not each.is_several)
    entry = blank_entry(stem, definition.name, EntryGroup.TRANSFORM, doc_of(definition))
    is_whole = value is not None and _is_sample(value)
    return replace(entry, params=params, needs=(Need.WHOLE_SAMPLE,) if is_whole else ())


def _is_sample(value: Argument) -> bool:
    if value.annotation is None:
        return value.name == _SAMPLE
    base = value.annotation
    named = base.value if isinstance(base, ast.Subscript) else base
    return ast.unparse(named).rpartition(".")[2].strip("'\"") in _DICTIONARIES


def _makes(function: ast.FunctionDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Return whether a function says that it gives no tensor: nothing, a number, several values or
    a layer.
    """
    if function.returns is None:
        return False
    text = ast.unparse(function.returns).strip("'\"")
    is_plain = text in ("None", "bool", "int", "float", "str") or text.endswith("Module")
    is_several = text.partition("[")[0].rpartition(".")[2] in _SEVERAL
    is_layer = text.startswith(("nn.", "torch.nn.")) or class_of_layer(classes, text)
    return is_plain or is_several or is_layer


def _base(base: ast.expr) -> str:
    return ast.unparse(base.value if isinstance(base, ast.Subscript) else base)


def _is_random(definition: Definition, known: Mapping[str, Definition]) -> bool:
    """Return whether a definition, or one of its file that it names, has a name in it that draws
    random numbers: what is said of it until it was seen to draw some.
    """
    waiting, seen = [definition], {definition.name}
    for part in waiting:
        for name in _names(part):
            if _RANDOM.search(name.lower()):
                return True
            if name in known and name not in seen:
                seen.add(name)
                waiting.append(known[name])
    return False


def _names(definition: Definition) -> Iterator[str]:
    for node in ast.walk(definition):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
