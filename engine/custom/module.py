"""Custom code as a Python module, in a process that may run it."""

import traceback
from collections import OrderedDict
from collections.abc import Mapping
from operator import attrgetter
from types import FrameType, MappingProxyType, ModuleType
from typing import Any, NamedTuple

from engine.catalog.code.merge import CodeLine, merge_files
from engine.catalog.code.target import target_symbol
from engine.custom import standalone
from engine.custom.source_module import PREFIX, drop_source, load_source
from engine.custom.trust import require_trust
from engine.graph.code import file_of, needed_files
from engine.syntax.format import Line

SourceLines = Mapping[int, tuple[str, int]]
"""By line of a source that was written here the file of own code and the line there."""

NO_LINES: SourceLines = MappingProxyType({})
_KEPT = 50
_recent: OrderedDict[str, SourceLines] = OrderedDict()  # by module; typing makes many of them
_models: OrderedDict[str, SourceLines] = OrderedDict()


class CustomModule(NamedTuple):
    """A file of own code with what it imports, loaded."""

    module: ModuleType
    places: SourceLines


def custom_source(code: Mapping[str, str], file: str) -> tuple[str, SourceLines]:
    """Return a file with those that it imports as one source, and where its lines stand."""
    merged = merge_files(code, needed_files(code, (file,)))
    lines: list[Line | CodeLine] = [Line(text) for text in standalone.head(merged, ())]
    lines += standalone.body(merged)
    return "\n".join(line.text for line in lines) + "\n", standalone.source_lines(lines)


def load_custom_code(code: Mapping[str, str], file: str) -> CustomModule:
    """Return a file of own code as a module.

    Raises :class:`DiagnosticError` (U027) for code that nobody has trusted, and whatever the code
    raises.
    """
    require_trust(code)
    text, places = custom_source(code, file)
    module = load_source(text)
    _recent[module.__name__] = places
    _recent.move_to_end(module.__name__)
    while len(_recent) > _KEPT:
        drop_source(_recent.popitem(last=False)[0])
    return CustomModule(module, places)


def load_custom_object(code: Mapping[str, str], target: str) -> tuple[Any, SourceLines]:
    """Return what a target (``code:layers.Norm``) names. Raises as :func:`load_custom_code`."""
    file, name = target_symbol(target)
    loaded = load_custom_code(code, file)
    return attrgetter(name)(loaded.module), loaded.places


def error_line(
    error: BaseException, code: Mapping[str, str], target: str, places: SourceLines
) -> tuple[str, int]:
    """Return the file and the line of own code that an error came from last; where none did, those
    of the definition.
    """
    found = [place for place, _ in _steps(error, places)]
    if found:
        return found[-1]
    file, name = target_symbol(target)
    return file, file_of(code, file).lines.get(name.partition(".")[0], 1)


def last_custom_line(error: BaseException, model_lines: SourceLines) -> tuple[str, int] | None:
    """Return the last place in own code that an error came through: in the model that runs, whose
    lines are given, or in a loss; None where it came through none.
    """
    found: tuple[str, int] | None = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        found = custom_line(frame, line, model_lines) or found
    return found


def custom_line(
    frame: FrameType, line: int, model_lines: SourceLines = NO_LINES
) -> tuple[str, int] | None:
    """Return the place in own code of a line of a frame; None where it is none."""
    name = str(frame.f_globals.get("__name__", ""))
    if not name.startswith(PREFIX):
        return None
    return (_recent.get(name) or _models.get(name) or model_lines).get(line)


def remember_lines(module: ModuleType, places: SourceLines) -> None:
    """Note where the lines of a model that was made here stand in own code."""
    _models[module.__name__] = places
    while len(_models) > _KEPT:
        _models.popitem(last=False)


def custom_traceback(error: BaseException, places: SourceLines) -> str:
    """Return the steps of an error through own code, as Python shows them, and the error."""
    lines = [
        f'  File "{file}", line {line}, in {name}' for (file, line), name in _steps(error, places)
    ]
    head = ["Traceback (own code):"] if lines else []
    return "\n".join([*head, *lines, f"{type(error).__name__}: {error}"])[:4000]


def _steps(error: BaseException, places: SourceLines) -> list[tuple[tuple[str, int], str]]:
    found: list[tuple[tuple[str, int], str]] = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__", ""))
        if name.startswith(PREFIX) and line in places:  # also of a module that did not load
            found.append((places[line], frame.f_code.co_name))
    return found
