"""Fit of data, model and loss: what does not go together, in numbers, and where to go."""

import re
from dataclasses import dataclass

import msgspec

from engine.diagnostics import Diagnostic
from engine.diagnostics import Severity as Gravity
from engine.graph.block import place_name
from engine.graph.model import Graph
from engine.spec.fields import fields
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.session.findings import Findings
from studio.view.problem import code_file, lost_path, present_problems
from studio.view.reading import CANCELED
from studio.view.recipe_field import field_title
from widgets.tables.view_model import Severity

# Values of the data, inputs of the model, and what the loss compares; shapes come from the data.
_CODES = re.compile(r"D\d{3}|R01[0-6]|R03[1-9]|R04[2-6]|R07\d")
_EMPTY = "G030"  # the canvas
_SHAPE_CODES = re.compile(r"S\d{3}")


@dataclass(frozen=True, kw_only=True)
class FitView:
    """The gravest finding: its sentence, how many there are besides, what mends it (empty: nothing
    does by itself), and the places to go to, each a title and the finding to show there. ``lost``
    is the setting that names a file or folder which is not there; ``was_canceled`` says that the
    user gave the reading up.
    """

    text: str = ""
    severity: Severity = "error"
    more: int = 0
    fix: str = ""
    problem: Diagnostic | None = None
    places: tuple[tuple[str, Diagnostic], ...] = ()
    lost: str = ""
    was_canceled: bool = False


def present_fit(findings: Findings, graph: Graph, spec: RunSpec, language: str) -> FitView:
    """Return what does not go together; an empty text where all does."""
    found = [problem for problem in findings.problems if _is_about_data(problem)]
    # A model that fits the data is offered here, too, once the data can be read.
    empty = (problem for problem in findings.problems if problem.code == _EMPTY)
    found += [problem for problem in empty if findings.repairs_of(problem)]
    if not found:
        return FitView()
    problem = found[0]
    (view,) = present_problems((problem,), graph, spec, language, findings.repairs_of)
    return FitView(
        text=view.text,
        severity=view.severity,
        more=len(found) - 1,
        fix=view.fixes[0] if view.fixes else "",
        problem=problem,
        places=tuple(_places(problem, graph, spec, language)),
        lost=lost_path(problem, spec, graph),
        was_canceled=problem.code in CANCELED,
    )


def _is_about_data(problem: Diagnostic) -> bool:
    if _SHAPE_CODES.fullmatch(problem.code):
        return problem.severity is Gravity.ERROR
    is_class = problem.code == "U002" and problem.field == "data.source"
    return is_class or _CODES.fullmatch(problem.code) is not None


def _places(
    problem: Diagnostic, graph: Graph, spec: RunSpec, language: str
) -> list[tuple[str, Diagnostic]]:
    places = []
    title = translate("Data", "Go to {place}")
    if name := place_name(graph, problem.node or ""):
        places.append((title.format(place=name), problem))
    if file := code_file(problem, graph):
        places.append((title.format(place=file), problem))
    elif problem.field and problem.field in fields(spec, graph.code):
        setting = field_title(spec, problem.field, language, graph.code)
        at_form = msgspec.structs.replace(problem, node=None)
        places.append((title.format(place=setting), at_form))
    return places
