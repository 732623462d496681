"""After another choice of data the model follows: inputs take its fields, the loss its task.

So do inputs that were put on the canvas before the description of the data was there.
"""

import msgspec
from PySide6.QtCore import QObject, QTimer

from engine.graph.model import Graph
from engine.spec.data import DataInfo
from engine.spec.defaults import default_losses, fit_inputs
from engine.spec.run import RunSpec
from engine.spec.target_scale import is_of_scale, rescaled
from studio.i18n import translate
from studio.session.session import Session

CHOICE_KEY = "spec.data.source"


class DataFollower(QObject):
    """Waits for the description of the data that the user chose and then adapts graph and losses,
    as part of the choice: one undo takes both back.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._is_due = False
        session.data_changed.connect(lambda: QTimer.singleShot(0, self, self._follow))
        session.project_changed.connect(self._on_project_changed)
        session.graph_changed.connect(self._on_graph_changed)

    def note_choice(self) -> None:
        """Remember that the user chose: follow when the description comes."""
        self._is_due = True

    def _on_project_changed(self) -> None:
        if not self._session.can_undo:
            self._is_due = False

    def _on_graph_changed(self) -> None:
        session = self._session
        if session.findings.data is None and session.can_undo:
            inputs = (node for node in session.graph.nodes.values() if node.type == "Input")
            self._is_due |= any(not node.params.get("field") for node in inputs)

    def _follow(self) -> None:
        session = self._session
        info = session.findings.data
        if not self._is_due or info is None or info.source != session.spec.data.source.type:
            return
        self._is_due = False
        graph = rescaled(fit_inputs(session.graph, info), info)
        spec = fit_losses(session.spec, graph, info)
        session.change(graph, spec, translate("Data", "Change data"), merge_key=CHOICE_KEY)


def fit_losses(spec: RunSpec, graph: Graph, info: DataInfo) -> RunSpec:
    """Return the specification with losses that fit the data: the same as long as every field that
    they name is there and there are some, else the loss for the task; also one that goes by the
    size of what was predicted before.
    """
    names = {f"data.{field.name}" for field in info.fields}
    bound = {name for term in spec.losses for name in term.inputs.values()}
    are_there = all(name in names for name in bound if name.startswith("data."))
    if spec.losses and are_there and not is_of_scale(spec.losses):
        return spec
    return msgspec.structs.replace(spec, losses=default_losses(info, graph))
