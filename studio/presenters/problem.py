"""The findings as a list: sentence, place, and what mends it."""

from collections.abc import Sequence

from engine.diagnostics import Diagnostic, sentence
from engine.graph.model import Graph
from engine.graph.repair import repair
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.presenters.recipe import field_title
from widgets.tables.view_model import ProblemView


def present_problems(
    problems: Sequence[Diagnostic], graph: Graph, spec: RunSpec, language: str
) -> tuple[ProblemView, ...]:
    """Return the findings in the order given."""
    return tuple(
        ProblemView(
            severity=problem.severity.value,
            text=sentence(problem, language),
            where=_place(problem, graph, spec, language),
            detail=problem.detail,
            code=problem.code,
            fix=_fix_text(problem, graph),
        )
        for problem in problems
    )


def _place(problem: Diagnostic, graph: Graph, spec: RunSpec, language: str) -> str:
    node = graph.nodes.get(problem.node or "")
    if node is not None:
        return f"{node.name}.{problem.field}" if problem.field else node.name
    if problem.field:
        return field_title(spec, problem.field, language)
    return translate("Problems", "Model")


def _fix_text(problem: Diagnostic, graph: Graph) -> str:
    edit = repair(problem, graph)
    if edit is None:
        return ""
    return translate("Problems", "Set {field} to {value}").format(field=edit.name, value=edit.value)


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
