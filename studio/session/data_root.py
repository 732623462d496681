"""Roots of data that change while a project is open: what lies in them is looked for there."""

from engine.spec.data_path import with_absolute_paths, with_relative_paths
from engine.spec.data_root import Roots
from studio.i18n import translate
from studio.session.session import Session


def follow_roots(session: Session, before: Roots, after: Roots) -> None:
    """Look for the data of the open project where its root is now, as a step of undo; what lies in
    a root that is not known any more stays where it is.
    """
    if session.project is None:
        return
    folder, code = session.project.path, session.graph.code
    spec = with_relative_paths(session.spec, folder, code, before)
    spec = with_absolute_paths(spec, folder, code, {**before, **after})
    session.seal()
    session.change(session.graph, spec, translate("Data", "Set folder with data"))
