"""Custom code inside the generated source: whole files, so that the source stands alone."""

from collections.abc import Collection, Mapping

from engine.catalog.code.merge import CodeLine, Import, Merged, import_lines, merge_files
from engine.catalog.code.target import is_custom, written_target
from engine.catalog.spec import Entry, EntryGroup
from engine.graph.model import Graph
from engine.graph.node_state.recomputation import CALL, HELPER_FILE, written_code
from engine.syntax.format import Line

_ORDERED_DICT = Import("collections", "OrderedDict", "")
_TORCH = Import("torch", "", "")
_FUNCTIONAL = Import("torch.nn.functional", "", "F")
_NN = Import("torch", "nn", "")
_CHECKPOINT = Import("torch.utils.checkpoint", CALL, "")

NOTHING: Merged = merge_files({}, ())


def merged_code(graph: Graph) -> Merged:
    """Return the files that a model needs, as one text."""
    code, files = written_code(graph)
    return merge_files(code, files) if files else NOTHING


def head(merged: Merged, classes: Collection[str]) -> list[str]:
    """Return the imports of the generated source; ``classes`` are the lines that are written."""
    text = "\n".join(classes)
    needed = [_ORDERED_DICT] if "OrderedDict(" in text else []
    needed += [_TORCH] if _mentions(text, "torch") else []
    needed += [_FUNCTIONAL] if _mentions(text, "F") else []
    needed.append(_NN)
    needed += [_CHECKPOINT] if f" {CALL}(" in text else []
    imports = {item.bound: item for item in needed}
    more = [item for item in merged.imports.values() if imports.get(item.bound) != item]
    wanted = [*needed, *(item for item in more if _is_new(item, imports))]
    future = [f"from __future__ import {', '.join(merged.future)}", ""] if merged.future else []
    return [*future, *import_lines(wanted)]


def body(merged: Merged) -> list[CodeLine]:
    """Return the files without their imports, with the empty lines before the first class."""
    return [CodeLine("", "", 0), CodeLine("", "", 0), *merged.lines] if merged.lines else []


def source_lines(lines: list[Line | CodeLine]) -> dict[int, tuple[str, int]]:
    """Return for each line of the source (from 1) that is of a file the file and its line."""
    return {
        number: (line.file, line.line)
        for number, line in enumerate(lines, 1)
        if isinstance(line, CodeLine) and line.file not in ("", HELPER_FILE)
    }


def called_names(entries: Mapping[str, Entry]) -> set[str]:
    """Return the names of own functions that are called in ``forward``: no variable may hide
    them.
    """
    return {
        written_target(entry.target).partition(".")[0]
        for entry in entries.values()
        if is_custom(entry.target) and entry.group is not EntryGroup.LAYER
    }


def _is_new(item: Import, known: Mapping[str, Import]) -> bool:
    """Return whether an import brings something: another name, or a module inside of one."""
    other = known.get(item.bound)
    if other is None:
        return True
    return other.meaning == item.meaning and not item.name and not item.alias


def _mentions(text: str, module: str) -> bool:
    return any(f"{before}{module}." in text for before in (" ", "(", "=", "["))
