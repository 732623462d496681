"""State of the model's code against the canvas, in a line."""

from collections.abc import Iterable, Sequence

from engine.diagnostics import Diagnostic, sentence
from engine.graph.code import DRAFT_FILE, MODEL_FILE
from engine.graph.model import Graph
from studio.i18n import filled, translate
from studio.session.findings import Findings

_LETTER = "T"


def text_problems(problems: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the problems that are about the code of the model."""
    return tuple(problem for problem in problems if _is_of_text(problem))


def _is_of_text(problem: Diagnostic) -> bool:
    """Return whether a problem arose where the code was read: a setting is told with its line."""
    is_setting = problem.code.startswith("C") and "line" in problem.params
    return problem.code.startswith(_LETTER) or is_setting


def has_waiting(graph: Graph) -> bool:
    """Return whether there is something on the canvas that its code may lack: until it was edited
    the code is only what can be written.
    """
    nodes = graph.nodes.values()
    is_own = bool(graph.code.keys() & {MODEL_FILE, DRAFT_FILE})
    return not is_own and any(node.type not in ("Input", "Output") for node in nodes)


def present_state(
    graph: Graph,
    findings: Findings,
    source: str,
    problems: Sequence[Diagnostic],
    language: str,
) -> tuple[str, str]:
    """Return the line and how bad it is: ``error``, ``warning`` or nothing; ``problems`` are those
    of the code.
    """
    if DRAFT_FILE in graph.code:
        shown = [problem for problem in problems if problem.code != "T002"]
        return (_told(shown[0], language), "error") if shown else (_reading(), "")
    if not source:
        return translate("Code", "Type a class here, or start on the canvas."), ""
    count = source.count("\n") + (not source.endswith("\n"))
    lines = filled(translate("Code", "{count} {count|line|lines}"), count=count)
    if not findings.is_current:
        return lines, ""
    words, severity = _standing(graph, findings)
    return f"{lines} · {words}", severity


def _standing(graph: Graph, findings: Findings) -> tuple[str, str]:
    if MODEL_FILE in graph.code:
        if findings.analysis.lines:
            return translate("Code", "code and canvas in sync"), ""
        return translate("Code", "not updated: the canvas has problems"), "warning"
    if findings.analysis.is_ok() or not has_waiting(graph):
        return translate("Code", "generated from the canvas; type to edit"), ""
    return translate("Code", "fix the problems on the canvas to edit the code"), "warning"


def _told(problem: Diagnostic, language: str) -> str:
    text = sentence(problem, language)
    if problem.code.startswith(_LETTER):
        return text
    line = translate("Code", "Line {line}:").format(line=problem.params["line"])
    return f"{line} {text}"


def _reading() -> str:
    return translate("Code", "Reading code…")
