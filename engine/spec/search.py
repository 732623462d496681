"""Search space and settings of a hyperparameter search, as frozen values.

A dimension is named like a field of the run specification (``optimizer.lr``), or ``model.`` with
the name of a node and of its parameter (``model.hidden.out_features``; inside a block
``model.encoder/hidden.out_features``).
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from engine.catalog.spec import ParamKind, ParamSpec
from engine.catalog.validate import parse_value
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.block import SEPARATOR, block_at, entry_of, place_name
from engine.graph.edit.edits import Edit, EditBlock, SetParam, apply
from engine.graph.inside import walk_nodes
from engine.graph.model import Graph
from engine.spec.fields import field_param, fields, set_text
from engine.spec.run import RunSpec

MODEL = "model."
MOST_TRIALS = 10_000
_WHOLE = (ParamKind.INT, ParamKind.INTS)
_NUMBERS = (*_WHOLE, ParamKind.FLOAT, ParamKind.FLOATS)
_RANGE = re.compile(r"(?P<low>[^.,:]*(\.\d*)?[^.,:]*)\.\.(?P<high>[^:]*)(:(?P<way>.*))?")

Setting = int | float | str
"""A value that a trial was given: a number of a range, or a choice as it is typed."""


class Dimension(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One setting that is varied: among ``choices`` (as they are typed), or from ``low`` to
    ``high``, both included; evenly in the logarithm where ``is_log``, in steps where ``step`` is
    not 0.
    """

    name: str
    low: float = 0.0
    high: float = 0.0
    is_log: bool = False
    step: float = 0.0
    choices: tuple[str, ...] = ()


class SearchSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What is varied, how often, and what is looked for.

    ``method``: ``tpe`` learns from the trials before (Bergstra et al. 2011), ``random`` draws,
    ``grid`` takes every combination (``grid_points`` of a range without steps). The ``median``
    pruner stops a trial that is worse than the median of those before at the same epoch.
    ``parallel`` trials run at the same time.
    """

    space: tuple[Dimension, ...] = ()
    method: Literal["tpe", "random", "grid"] = "tpe"
    trials: int = 20
    grid_points: int = 3
    pruner: Literal["median", "none"] = "median"
    monitor: str = "validation.loss"
    mode: Literal["min", "max"] = "min"
    parallel: int = 1
    seed: int = 0


def parse_dimension(text: str) -> Dimension:
    """Return the dimension that a text stands for: ``optimizer.lr=1e-4..1e-1:log`` ·
    ``model.hidden.out_features=8..64:8`` (in steps of 8) · ``optimizer=Adam,SGD``.

    Raises :class:`DiagnosticError` (R300).
    """
    name, _, values = (part.strip() for part in text.partition("="))
    match = _RANGE.fullmatch(values)
    if not name or not values:
        raise DiagnosticError.of("R300", text=text[:100])
    if match is None:
        choices = tuple(part.strip() for part in values.split(","))
        return Dimension(name=name, choices=choices)
    scale = (match["way"] or "").strip()
    is_log = scale == "log"
    try:
        step = float(scale) if scale and not is_log else 0.0
        return Dimension(
            name=name, low=float(match["low"]), high=float(match["high"]), is_log=is_log, step=step
        )
    except ValueError as error:
        raise DiagnosticError.of("R300", text=text[:100]) from error


def dimension_text(dimension: Dimension) -> str:
    """Return the values of a dimension as :func:`parse_dimension` reads them."""
    if dimension.choices:
        return ", ".join(dimension.choices)
    scale = ":log" if dimension.is_log else f":{dimension.step:g}" if dimension.step else ""
    return f"{dimension.low:g}..{dimension.high:g}{scale}"


def searchable_settings(graph: Graph, spec: RunSpec) -> Iterator[tuple[str, ParamSpec]]:
    """Yield all settings of a project that can be varied, by name."""
    for name, field in fields(spec, graph.code).items():
        yield name, field.param
    seen: set[str] = set()
    for path, level, node in walk_nodes(graph):
        entry = entry_of(level, node)
        place = place_name(graph, SEPARATOR.join((*path, node.id)))
        for param in () if entry is None else entry.params:
            name = f"{MODEL}{place}.{param.name}"
            if name not in seen:
                seen.add(name)
                yield name, param


def is_integer(dimension: Dimension, search: SearchSpec, graph: Graph, spec: RunSpec) -> bool:
    """Return whether only whole numbers are values of a dimension."""
    base = _base(dimension.name, search, graph, spec)
    return _param(dimension.name, graph, base).kind in _WHOLE


def grid_values(dimension: Dimension, points: int, *, whole: bool) -> tuple[Setting, ...]:
    """Return the values that a grid takes of a dimension, each once."""
    if dimension.choices:
        return dimension.choices
    low, high, step = dimension.low, dimension.high, dimension.step
    if step:
        values = [low + step * number for number in range(int((high - low) / step + 1e-9) + 1)]
    else:
        shares = [number / max(1, points - 1) for number in range(points)]
        if dimension.is_log:
            ends = math.log(low), math.log(high)
            values = [math.exp(ends[0] + (ends[1] - ends[0]) * share) for share in shares]
        else:
            values = [low + (high - low) * share for share in shares]
    kept = (min(max(value, low), high) for value in (float(f"{value:.6g}") for value in values))
    return tuple(dict.fromkeys(round(value) if whole else value for value in kept))


def grid_size(search: SearchSpec, graph: Graph, spec: RunSpec) -> int:
    """Return how many combinations a grid has."""
    return math.prod(
        len(grid_values(one, search.grid_points, whole=is_integer(one, search, graph, spec)))
        for one in search.space
    )


def with_settings(
    graph: Graph, spec: RunSpec, settings: Mapping[str, Setting]
) -> tuple[Graph, RunSpec]:
    """Return model and recipe with the settings of a trial.

    What is chosen first (an optimizer) is set before what belongs to it; a setting that the choice
    does not have is left out. Raises :class:`DiagnosticError` for a value that does not fit.
    """
    for name in sorted(settings, key=lambda name: name.count(".")):
        text = str(settings[name])
        if name.startswith(MODEL):
            graph = _with_param(graph, name, text)
        elif name in fields(spec, graph.code):
            spec = set_text(spec, name, text, graph.code)
    return graph, spec


def check_search(search: SearchSpec, graph: Graph, spec: RunSpec) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a search; findings about a dimension have its name as field."""
    problems: list[Diagnostic] = []
    if not search.space:
        problems.append(Diagnostic(code="R301"))
    names = [dimension.name for dimension in search.space]
    for dimension in search.space:
        if names.count(dimension.name) > 1:
            problems.append(_problem("R302", dimension))
            continue
        try:
            problems += _check_dimension(dimension, search, graph, spec)
        except DiagnosticError as error:
            problems += [msgspec.structs.replace(p, field=dimension.name) for p in error.problems]
    if not 1 <= search.trials <= MOST_TRIALS:
        params: dict[str, str | int | float] = {"most": MOST_TRIALS}
        problems.append(Diagnostic(code="R303", field="trials", params=params))
    if not problems and search.method == "grid":
        size = grid_size(search, graph, spec)
        if size > MOST_TRIALS:
            params = {"count": size, "most": MOST_TRIALS}
            problems.append(Diagnostic(code="R304", field="trials", params=params))
    return tuple(problems)


def _check_dimension(
    dimension: Dimension, search: SearchSpec, graph: Graph, spec: RunSpec
) -> Iterator[Diagnostic]:
    """Yield what is wrong with a dimension; a value that does not fit is raised."""
    base = _base(dimension.name, search, graph, spec)
    param = _param(dimension.name, graph, base)
    if dimension.choices:
        for choice in dimension.choices:
            with_settings(graph, base, {dimension.name: choice})
    elif param.kind not in _NUMBERS:
        yield _problem("R305", dimension)
    elif not dimension.low < dimension.high or not math.isfinite(dimension.high - dimension.low):
        yield _problem("R306", dimension)
    elif dimension.is_log and dimension.low <= 0:
        yield _problem("R307", dimension)
    elif dimension.step < 0 or (dimension.step and dimension.is_log):
        yield _problem("R308", dimension)
    else:
        for end in (dimension.low, dimension.high):
            whole = param.kind in _WHOLE and end == round(end)
            with_settings(graph, base, {dimension.name: round(end) if whole else end})


def _base(name: str, search: SearchSpec, graph: Graph, spec: RunSpec) -> RunSpec:
    """Return the specification in which a field is to be found: as it is, or with one of the
    choices that are tried (``optimizer.momentum`` where SGD is).
    """
    if name.startswith(MODEL) or name in fields(spec, graph.code):
        return spec
    for other in search.space:
        if other.name == name or other.name.startswith(MODEL):
            continue
        for choice in other.choices:
            changed = with_settings(graph, spec, {other.name: choice})[1]
            if name in fields(changed, graph.code):
                return changed
    return spec


def _param(name: str, graph: Graph, spec: RunSpec) -> ParamSpec:
    """Return the description of a setting. Raises :class:`DiagnosticError` (R005, R006, R309)."""
    if not name.startswith(MODEL):
        return field_param(spec, name, graph.code)
    return _node_and_param(name, graph)[2]


def _with_param(graph: Graph, name: str, text: str) -> Graph:
    path, node, param = _node_and_param(name, graph)
    edit: Edit = SetParam(id=node, name=param.name, value=parse_value(param, text))
    block = block_at(graph, path)
    return apply(EditBlock(block=block, edit=edit) if block else edit, graph)


def _node_and_param(name: str, graph: Graph) -> tuple[tuple[str, ...], str, ParamSpec]:
    """Return path and id of a node and its parameter. Raises :class:`DiagnosticError` (R309)."""
    place, _, param_name = name.removeprefix(MODEL).rpartition(".")
    for path, level, node in walk_nodes(graph):
        if place_name(graph, SEPARATOR.join((*path, node.id))) == place:
            entry = entry_of(level, node)
            param = None if entry is None else entry.param(param_name)
            if param is not None:
                return path, node.id, param
    raise DiagnosticError.of("R309", field=name, name=name[:100])


def _problem(code: str, dimension: Dimension) -> Diagnostic:
    params: dict[str, str | int | float] = {
        "name": dimension.name,
        "low": f"{dimension.low:g}",
        "high": f"{dimension.high:g}",
    }
    return Diagnostic(code=code, field=dimension.name, params=params)
