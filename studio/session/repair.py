"""What mends a problem, made to the document that is open."""

from engine.diagnostics import sentence
from engine.graph.repair.case import RepairProposal
from engine.spec.repair import repaired
from studio.session.session import Session


def apply_repair(session: Session, fix: RepairProposal, language: str) -> None:
    """Make the change of a fix as one step of undo.

    Raises :class:`DiagnosticError` where the document does not allow it any more.
    """
    graph, spec = repaired(fix, session.graph, session.spec, session.findings.data)
    session.seal()
    session.change(graph, spec, sentence(fix.words, language))
