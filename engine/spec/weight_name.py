"""Current names of renamed layers: in the file of weights that a run starts from, and in the
patterns of parameter groups and phases.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TypeVar

from msgspec.structs import replace

from engine.graph.block import SEPARATOR
from engine.graph.edit.block_edits import GroupNodes, UngroupNode
from engine.graph.edit.edits import Batch, Edit, EditBlock, RenameNode
from engine.graph.edit.lora import BASE, PAIR, AddLora, RemoveLora, loras
from engine.graph.edit.surgery import TapOutput
from engine.graph.expand import expand
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.spec.group import patterns
from engine.spec.run import RunSpec

NOTHING: Mapping[str, str] = MappingProxyType({})
Content = TypeVar("Content")
Key = Callable[[Graph, str], tuple[str, str]]


def follow_names(spec: RunSpec, old: Graph, new: Graph, edit: Edit) -> RunSpec:
    """Return the specification with what the edit renamed, or moved into or out of a block: in what
    it keeps in mind of the file of weights, and in the patterns of parameter groups and
    phases.
    """
    rules = (spec.phase, *spec.phases)
    if isinstance(edit, AddLora | RemoveLora):
        return _with_file_names(spec, _lora_names(old, new))
    has_names = spec.weights or spec.groups or any(rule.match for rule in rules)
    if not has_names or not _renames(edit):
        return spec
    before, after = module_names(old), module_names(new)
    names = {
        before[origin]: after[path]
        for path, origin in _origins(old, new).items()
        if path in after and origin in before
    }
    groups = tuple(replace(group, match=_match(group.match, names)) for group in spec.groups)
    first = replace(spec.phase, match=_match(spec.phase.match, names))
    others = tuple(replace(each, match=_match(each.match, names)) for each in spec.phases)
    spec = replace(spec, phase=first, phases=others)
    return _with_file_names(replace(spec, groups=groups), names)


def _with_file_names(spec: RunSpec, names: Mapping[str, str]) -> RunSpec:
    """Return the specification with what the file of weights calls the modules, whose names are
    known by those of before.
    """
    if not spec.weights:
        return spec
    in_file = {name: spec.renamed.get(was, was) for was, name in names.items()}
    return replace(spec, renamed={name: was for name, was in in_file.items() if was != name})


def _lora_names(old: Graph, new: Graph) -> dict[str, str]:
    """Return the names that modules have now by those of before, where low-rank blocks came or
    went. Patterns of groups stay: that of a layer means its pair, too.
    """
    before, after = module_names(old), module_names(new)
    inner = f"{SEPARATOR}{BASE}"
    names: dict[str, str] = {}
    for path, name in after.items():
        origins = (path, path.removesuffix(inner), path + inner)
        origin = next((each for each in origins if each in before), None)
        if origin is not None:
            names[before[origin]] = name
    return names


def _match(match: str, names: Mapping[str, str]) -> str:
    """Return the patterns of a group with the names that modules have now; as it was typed where
    none of them has another.
    """
    old = patterns(match)
    new = [pattern for one in old for pattern in _current_pattern(one, names)]
    return match if new == list(old) else ", ".join(dict.fromkeys(new))


def _current_pattern(pattern: str, names: Mapping[str, str]) -> list[str]:
    """Return what a pattern is now: ``layer1`` may be called otherwise, lie elsewhere, or have been
    taken apart. One with a star in the middle stays.
    """
    base = pattern.removesuffix(".*").rstrip(".")
    end = pattern[len(base) :]
    if "*" in base or "?" in base:
        return [pattern]
    inside = {was: now for was, now in names.items() if was == base or was.startswith(f"{base}.")}
    if not inside:
        module, dot, own = _owner(base, names)
        return [f"{names[module]}{dot}{own}{end}"] if module else [pattern]
    found: list[str] = []
    for was, now in inside.items():
        rest = was[len(base) :]
        moved = f"{now.removesuffix(rest)}{end}" if now.endswith(rest) else now
        found.append(moved)
    return list(dict.fromkeys(found))


def with_current_names(
    weights: Mapping[str, Content], renamed: Mapping[str, str]
) -> dict[str, Content]:
    """Return the weights of a file under the names that their modules have now."""
    if not renamed:
        return dict(weights)
    now = {was: name for name, was in renamed.items()}
    found: dict[str, Content] = {}
    for name, content in weights.items():
        module, dot, own = _owner(name, now)
        is_current = not module or _is_in_lora(own, module, now[module])
        found[name if is_current else f"{now[module]}{dot}{own}"] = content
    return found


def names_in_file(spec: RunSpec, graph: Graph) -> dict[str, str]:
    """Return what a file of weights calls the modules of a graph: the layers of low-rank blocks
    as if they had none, which holds for files without blocks only, and what the recipe says.
    """
    return {f"{name}.{BASE}": name for name in loras(graph)} | spec.renamed


def _is_in_lora(own: str, module: str, now: str) -> bool:
    """Return whether a weight is that of a low-rank block in the file, too, and needs no name."""
    return now == f"{module}.{BASE}" and own.partition(".")[0] in (BASE, *PAIR)


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
    for key in (_id_and_type, _type):
        gone = _by_key(old, (path for path in before if path not in used), key)
        fresh = _by_key(new, (path for path in after if path not in found), key)
        for name, paths in fresh.items():
            origins = gone.get(name, [])
            if len(origins) == len(paths):
                found.update(zip(paths, origins, strict=True))
                used.update(origins)
    return found


def _id_and_type(graph: Graph, path: str) -> tuple[str, str]:
    return (path.rpartition(SEPARATOR)[2], expand(graph).graph.nodes[path].type)


def _type(graph: Graph, path: str) -> tuple[str, str]:
    return ("", expand(graph).graph.nodes[path].type)


def _by_key(graph: Graph, paths: Iterable[str], key: Key) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        found.setdefault(key(graph, path), []).append(path)
    return found
