"""After another choice of data the model follows: inputs take its fields, the loss its task; one
that is as it was proposed is proposed anew.

So do inputs that were put on the canvas before the description of the data was there.
"""

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer

from engine.graph.model import Graph
from engine.spec.data import DataInfo
from engine.spec.other_data import OtherData, following_model, following_spec, following_split
from engine.spec.run import RunSpec
from engine.spec.target_scale import without_idle_loss
from studio.i18n import translate
from studio.session.session import Document, Session


class DataFollower(QObject):
    """Waits for the description of the data that the user chose and then adapts graph and losses,
    as part of the choice: one undo takes both back.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._is_due = False
        self._before: DataInfo | None = None
        self._choice: Document | None = None
        self._awaits_choice = False
        session.data_changed.connect(lambda: QTimer.singleShot(0, self, self._follow))
        session.project_changed.connect(self._on_project_changed)
        session.graph_changed.connect(self._on_graph_changed)
        session.spec_changed.connect(self._on_spec_changed)

    def note_choice(self) -> None:
        """Remember that the user chooses: follow when the description comes."""
        if not self._is_due:
            self._before = self._session.findings.data
        self._is_due = self._awaits_choice = True

    def _on_project_changed(self) -> None:
        if not self._session.can_undo:
            self._is_due = self._awaits_choice = False
            self._before = self._choice = None

    def _on_spec_changed(self) -> None:
        if self._awaits_choice:
            self._awaits_choice = False
            self._choice = self._session.document

    def _on_graph_changed(self) -> None:
        session = self._session
        if session.findings.data is None and session.can_undo:
            inputs = (node for node in session.graph.nodes.values() if node.type == "Input")
            self._is_due |= any(not node.params.get("field") for node in inputs)

    def _follow(self) -> None:
        session = self._session
        info = session.findings.data
        if not self._is_due or info is None or not session.findings.is_checked:
            return  # it describes what was chosen before
        described = following_split(session.spec.data, self._before, info)
        if described != session.spec.data:  # follow what is described then
            self._change(session.graph, replace(session.spec, data=described))
            return
        data = OtherData(before=self._before, info=info)
        self._is_due, self._before = False, None
        graph = following_model(session.graph, data)
        spec = following_spec(session.spec, session.graph, graph, data)
        self._change(without_idle_loss(graph, spec.losses), spec)

    def _change(self, graph: Graph, spec: RunSpec) -> None:
        """Have the choice end with a graph and a specification, where nothing came after it."""
        session = self._session
        if session.document is self._choice:
            session.amend(graph, spec)
            self._choice = session.document
        else:
            session.change(graph, spec, translate("Data", "Change data"))
