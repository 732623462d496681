"""Findings as a list: sentence, location, and fixes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.catalog.spec import ParamKind
from engine.catalog.text import with_label
from engine.diagnostics import Diagnostic, sentence
from engine.graph.block import Path, entry_of, node_at, place_name
from engine.graph.inside import ids_at
from engine.graph.model import Graph
from engine.graph.repair.case import RepairProposal
from engine.spec.fields import field_param, fields
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.session.findings import Findings
from studio.view.recipe_field import field_sentence, field_title
from widgets.tables.view_model import ProblemView

_LOST = frozenset(
    ("D020", "D021", "D048", "D050", "D075", "D120", "D130", "D131", "D140", "D141", "D340", "D580")
)
"""Findings of files and folders that are not there."""
_PATH = "data.source.path"


@dataclass(frozen=True, kw_only=True)
class ProblemLinks:
    """What pages of other features can do with a problem: show where it is, or repair it; and with
    a ``setting`` of the run, by its dotted name: show it in its form.
    """

    show: Callable[[Diagnostic], object]
    setting: Callable[[str], object]
    repair: Callable[[Diagnostic], object]


def present_problems(
    problems: Sequence[Diagnostic],
    graph: Graph,
    spec: RunSpec,
    language: str,
    repairs_of: Callable[[Diagnostic], Sequence[RepairProposal]],
    *,
    can_locate: bool = False,
) -> tuple[ProblemView, ...]:
    """Return the findings in the order given, with what mends them; with ``can_locate`` the last is
    to say where data is that is not where it was.
    """
    locating = (translate("Data", "Locate…"),)
    return tuple(
        ProblemView(
            severity=problem.severity.value,
            text=_sentence(problem, graph, spec, language),
            where=_place(problem, graph, spec, language),
            detail=problem.detail,
            code=problem.code,
            fixes=(
                *(sentence(fix.words, language) for fix in repairs_of(problem)),
                *(locating if can_locate and lost_path(problem, spec, graph) else ()),
            ),
        )
        for problem in problems
    )


def lost_path(problem: Diagnostic, spec: RunSpec, graph: Graph) -> str:
    """Return the setting with the path that a problem says is not there; empty for others."""
    name = problem.field or _PATH
    is_path = problem.code in _LOST and name in fields(spec, graph.code)
    return name if is_path and field_param(spec, name, graph.code).kind is ParamKind.PATH else ""


def code_file(problem: Diagnostic, graph: Graph) -> str:
    """Return the file of the project's code that a problem names; empty where it names none."""
    file = problem.params.get("file")
    return file if isinstance(file, str) and file in graph.code else ""


def _sentence(problem: Diagnostic, graph: Graph, spec: RunSpec, language: str) -> str:
    """Return what is wrong, in the words of the form in which it can be mended."""
    found = node_at(graph, problem.node or "")
    entry = entry_of(*found) if found is not None else None
    param = entry.param(problem.field or "") if entry is not None else None
    if param is not None:
        return sentence(with_label(problem, entry, param, language), language)
    return field_sentence(spec, problem, language, graph.code)


def _place(problem: Diagnostic, graph: Graph, spec: RunSpec, language: str) -> str:
    found = node_at(graph, problem.node or "")
    if found is not None:
        entry, name = entry_of(*found), place_name(graph, problem.node or "")
        is_own = entry is not None and entry.param(problem.field or "") is not None
        return f"{name}.{problem.field}" if is_own else name
    if problem.field:
        return field_title(spec, problem.field, language, graph.code)
    return translate("Problems", "Model")


def repairs_by_node(findings: Findings, path: Path, language: str) -> dict[str, str]:
    """Return what mends the nodes of a level, or the first problem inside of them, by id."""
    found: dict[str, str] = {}
    for problem, fixes in findings.fixes:
        for node_id in ids_at((problem.node,), path) if problem.node and fixes else ():
            text = translate("Problems", "Fix: {what}")
            found.setdefault(node_id, text.format(what=sentence(fixes[0].words, language)))
    return found


def problems_text(problems: Sequence[Diagnostic]) -> str:
    """Return how many there are, for the status bar."""
    errors = sum(problem.severity == "error" for problem in problems)
    others = len(problems) - errors
    if not problems:
        return translate("Problems", "No problems")
    parts = []
    if errors:
        parts.append(translate("Problems", "Errors: {count}").format(count=errors))
    if others:
        parts.append(translate("Problems", "Warnings: {count}").format(count=others))
    return "   ".join(parts)
