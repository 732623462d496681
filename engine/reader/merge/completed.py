"""Completion of a text with what it needs: imports that it lacks, and custom layers for the classes
that nodes cannot show.
"""

from collections.abc import Mapping

import libcst as cst

from engine.diagnostics import Diagnostic
from engine.graph.code import MODEL_FILE
from engine.graph.model import Graph
from engine.graph.opaque_model import opaque_node
from engine.reader.merge.merge import with_import
from engine.reader.outline.custom_file import with_class, without_typed_classes
from engine.reader.read.model_reader import Reading, UnreadTextError, parsed

_LAYER = frozenset({
    "T010", "T012", "T014", "T016", "T017", "T019", "T020", "T021", "T022", "T024", "T026", "T027",
    "T028", "T031", "T033", "T034", "T037",
})  # fmt: skip
"""Findings about a class that PyTorch may well carry out, so that it is a layer as a whole."""

_MODEL = _LAYER - {"T016"} | {"T011", "T038"}
"""The same of the class of the model, whose arguments are settings of its node. Of the nodes of a
canvas those that go are many, so a setting that PyTorch refuses (T016) is told.
"""


def completed(
    text: str, code: Mapping[str, str], reasons: list[Diagnostic] | None = None
) -> tuple[str, Reading, dict[str, str]]:
    """Return a text, with the imports of PyTorch that it lacks, what it says, and the code with the
    classes of the text that are layers as a whole; ``told`` takes why nodes cannot show them.

    Raises :class:`engine.diagnostics.DiagnosticError` for a mistake in the text.
    """
    code_files = without_typed_classes(parsed(text), code)
    while True:
        try:
            return text, Reading(text, code_files), code_files
        except UnreadTextError as error:
            problem = error.problems[0]
            name = str(problem.params.get("name", ""))
            imported = with_import(text, name) if problem.code == "T013" else None
            opaque = _with_opaque(parsed(text), error, code_files)
            if opaque is None and (imported is None or imported == text):
                raise
            if opaque is not None and reasons is not None:
                reasons.append(problem)
            text, code_files = imported or text, opaque or code_files


def why_opaque(previous: Graph, after: Graph) -> tuple[Diagnostic, ...]:
    """Return why nodes cannot show a model that became one node; nothing for others."""
    if opaque_node(after) is None or opaque_node(previous) is not None:
        return ()
    reasons: list[Diagnostic] = []
    completed(after.code[MODEL_FILE], after.code, reasons)
    return tuple(reasons[-1:])


def _with_opaque(
    text: cst.Module, error: UnreadTextError, code: dict[str, str]
) -> dict[str, str] | None:
    """Return code with a class as a layer: the one that cannot be read, else the model's."""
    kind = error.problems[0].code
    inner = with_class(text, error.inside, code) if error.inside and kind in _LAYER else None
    if inner is not None or not error.model or kind not in _MODEL:
        return inner
    return with_class(text, error.model, code)
