"""Names of weights in the file that a run starts from, when layers are called otherwise since."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TypeVar

from msgspec.structs import replace

from engine.graph.block import SEPARATOR
from engine.graph.block_edits import GroupNodes, UngroupNode
from engine.graph.edits import Batch, Edit, EditBlock, RenameNode
from engine.graph.expand import expand
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.graph.surgery import TapOutput
from engine.spec.run import RunSpec

NOTHING: Mapping[str, str] = MappingProxyType({})
Content = TypeVar("Content")
Key = Callable[[Graph, str], tuple[str, str]]


def follow_names(spec: RunSpec, old: Graph, new: Graph, edit: Edit) -> RunSpec:
    """Return the specification with what the edit renamed, or moved into or out of a block."""
    if not spec.weights or not _renames(edit):
        return spec
    before, after = module_names(old), module_names(new)
    renamed: dict[str, str] = {}
    for path, origin in _origins(old, new).items():
        name, was = after.get(path), before.get(origin)
        if name is None or was is None:
            continue
        in_file = spec.renamed.get(was, was)
        if in_file != name:
            renamed[name] = in_file
    return replace(spec, renamed=renamed)


def named_as_now(weights: Mapping[str, Content], renamed: Mapping[str, str]) -> dict[str, Content]:
    """Return the weights of a file under the names that their modules have now."""
    if not renamed:
        return dict(weights)
    now = {was: name for name, was in renamed.items()}
    found: dict[str, Content] = {}
    for name, content in weights.items():
        module, dot, own = _owner(name, now)
        found[f"{now[module]}{dot}{own}" if module else name] = content
    return found


def _owner(name: str, modules: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the longest of the modules that a weight is in, and its name there."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        module = ".".join(parts[:end])
        if module in modules:
            return module, "." if end < len(parts) else "", ".".join(parts[end:])
    return "", "", name


def _renames(edit: Edit) -> bool:
    match edit:
        case RenameNode() | GroupNodes() | UngroupNode() | TapOutput():
            return True
        case EditBlock():
            return _renames(edit.edit)
        case Batch():
            return any(map(_renames, edit.edits))
        case _:
            return False


def _origins(old: Graph, new: Graph) -> dict[str, str]:
    """Return for each flat node the one that it was before: the same path, else the only one of
    its id and type that is gone, else those of a type in their order.
    """
    before, after = expand(old).graph.nodes, expand(new).graph.nodes
    found = {path: path for path in after if path in before}
    used = set(found)
    for key in (_own_id, _type):
        gone = _by_key(old, (path for path in before if path not in used), key)
        fresh = _by_key(new, (path for path in after if path not in found), key)
        for name, paths in fresh.items():
            origins = gone.get(name, [])
            if len(origins) == len(paths):
                found.update(zip(paths, origins, strict=True))
                used.update(origins)
    return found


def _own_id(graph: Graph, path: str) -> tuple[str, str]:
    return (path.rpartition(SEPARATOR)[2], expand(graph).graph.nodes[path].type)


def _type(graph: Graph, path: str) -> tuple[str, str]:
    return ("", expand(graph).graph.nodes[path].type)


def _by_key(graph: Graph, paths: Iterable[str], key: Key) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        found.setdefault(key(graph, path), []).append(path)
    return found
