"""Parameter groups of the optimizer as text of the exported training class."""

from collections.abc import Sequence
from string import Template
from typing import NamedTuple

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, ParamKind
from engine.export.job import ExportJob
from engine.export.source_parts import SourceParts
from engine.spec.group import patterns
from engine.spec.phase import recipe_of
from engine.spec.run import ParameterGroup, RunSpec
from engine.syntax.format import Expression, dict_of, list_of, statement, tuple_of
from engine.syntax.literal import literal
from engine.train.optim import parameter_groups
from engine.train.phase import names_of_phases
from engine.train.technique.grouping import Grouping, Member, divided
from engine.train.technique.penalty import MATRIX

_ASSIGN = Template("""\
        for name, parameter in self.named_parameters():
            if $condition:
                groups$mark[self.group_index$mark(name)]["params"].append(parameter)""")
_BY_PATTERN = Template('''
    @staticmethod
    def group_index$mark(name):
        """Return the index of the first parameter group that matches a name, or 0 if none does."""
$groups
        for index, patterns in enumerate(groups, start=1):
            if any($fnmatch(name, pattern) for pattern in patterns):
                return index
        return 0
''')
_DIVIDED = Template('''
    def group_index$mark(self, name):
        """Return the index of the parameter group of a parameter, by its $words."""
$lines
        return kinds.index($key)
''')
_NUMBER = Template("""\
$groups
        matches = [any($fnmatch(name, pattern) for pattern in patterns) for patterns in groups]
        number = matches.index(True) + 1 if any(matches) else 0""")
_LEVEL = Template("""\
$levels
        owner = name.rpartition(".")[0]
        level = next(i for i, parts in enumerate(levels) if name in parts or owner in parts)""")
_DECAYS = Template("""\
        owner, _, last = name.rpartition(".")
        is_norm = isinstance(self.get_submodule(owner), (nn.LayerNorm, nn.RMSNorm))
        is_small = self.get_parameter(name).ndim < $matrix or last.startswith("bias")
        decays = not (is_norm or is_small)""")


class GroupText(NamedTuple):
    """Lines of ``__init__`` that make the groups, and the method that finds that of a parameter;
    both empty where the optimizer has one group.
    """

    lines: tuple[str, ...] = ()
    method: str = ""


def group_text(job: ExportJob, source: SourceParts, phase: int | None = None) -> GroupText:
    """Return the parts for a run, or for one of its phases, whose names bear its number."""
    spec = job.spec if phase is None else recipe_of(job.spec, phase)
    grouping = Grouping.of(spec, job.graph, job.module)
    if not spec.groups and not grouping.is_on:
        return GroupText()
    mark, names, condition = "", None, "parameter.requires_grad"
    if phase is not None:
        mark, names = f"_{phase + 1}", names_of_phases(job.spec, job.module)[phase]
        condition = f"any(parameter is one for one in self.trained_by[{phase}])"
    members = divided(job.module, spec.groups, grouping, names)
    made = _settings(spec, members)
    assign = _ASSIGN.substitute(mark=mark, condition=condition)
    lines = (*statement(f"groups{mark} = ", made, depth=2), assign)
    if grouping.is_on:
        return GroupText(lines, _divided(spec.groups, grouping, members, source, mark))
    patterns_text, fnmatch = _patterns(spec.groups), _fnmatch(source)
    return GroupText(
        lines, _BY_PATTERN.substitute(mark=mark, groups=patterns_text, fnmatch=fnmatch)
    )


def _settings(spec: RunSpec, members: Sequence[Member]) -> Expression:
    """Return the settings of the groups, with no parameters yet."""
    entry = catalog().entry(EntryGroup.OPTIMIZER, spec.optimizer.type)
    assert entry is not None  # a run was made with it
    found: list[Expression] = []
    for group in parameter_groups(spec.optimizer, members, spec.groups):
        params = {name: entry.param(name) for name in group}
        values = {n: literal(group[n], one.kind) for n, one in params.items() if one is not None}
        found.append(dict_of({"params": "[]", **values}))
    return list_of(found)


def _divided(
    groups: Sequence[ParameterGroup],
    grouping: Grouping,
    members: Sequence[Member],
    source: SourceParts,
    mark: str,
) -> str:
    """Return the method that finds a group by what divides the parameters."""
    names, words, lines = list[str](), list[str](), list[str]()
    if groups:
        names.append("number")
        words.append("name")
        lines.append(_NUMBER.substitute(groups=_patterns(groups), fnmatch=_fnmatch(source)))
    if grouping.depths:
        names.append("level")
        words.append("level from the output")
        lines.append(_LEVEL.substitute(levels=_levels(grouping)))
    if grouping.skips_small:
        names.append("decays")
        words.append("weight decay")
        lines.append(_DECAYS.substitute(matrix=MATRIX))
    kinds = [
        {"number": member.group.number, "level": member.group.depth, "decays": member.group.decays}
        for member in members
    ]
    rows = [[str(kind[name]) for name in names] for kind in kinds]
    is_one = len(names) == 1
    table = tuple_of([row[0] if is_one else tuple_of([*row]) for row in rows])
    lines.append("\n".join(statement("kinds = ", table, depth=2)))
    return _DIVIDED.substitute(
        mark=mark,
        words=" and ".join(filter(None, [", ".join(words[:-1]), words[-1]])),
        lines="\n".join(lines),
        key=names[0] if is_one else f"({', '.join(names)})",
    )


def _levels(grouping: Grouping) -> str:
    """Return the modules with parameters, by level; a parameter of a module that has others in
    another level by itself.
    """
    depths: dict[str, set[int]] = {}
    for name, depth in grouping.depths.items():
        depths.setdefault(name.rpartition(".")[0], set()).add(depth)
    levels: list[dict[str, None]] = [{} for _ in range(max(grouping.depths.values()) + 1)]
    for name, depth in grouping.depths.items():
        owner = name.rpartition(".")[0]
        levels[depth][owner if owner and len(depths[owner]) == 1 else name] = None
    table = tuple_of([tuple_of([literal(n, ParamKind.STR) for n in each]) for each in levels])
    return "\n".join(statement("levels = ", table, depth=2))


def _patterns(groups: Sequence[ParameterGroup]) -> str:
    found: list[Expression] = []
    for group in groups:
        names: list[str] = []
        for pattern in patterns(group.match):
            is_plain = not set("*?") & set(pattern)
            names += [pattern, f"{pattern.rstrip('.')}.*"] if is_plain else [pattern]
        found.append(tuple_of([literal(name, ParamKind.STR) for name in names]))
    return "\n".join(statement("groups = ", tuple_of(found), depth=2))


def _fnmatch(source: SourceParts) -> str:
    return source.imported("fnmatch", "fnmatchcase")
