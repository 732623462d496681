"""Page of the autograd lab: code at the left, its tensors and their graph at the right."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QTabWidget, QVBoxLayout, QWidget

from studio.i18n import translate
from studio.inspect.bar import pane
from studio.inspect.graph.presenter import AutogradView
from studio.inspect.lab.backward_bar import BackwardBar
from studio.inspect.lab.code import LabCode
from studio.inspect.lab.view import LabView
from studio.window.page import PageWidget
from widgets.canvas.viewer import Viewer
from widgets.common import parts
from widgets.common.empty_state import EmptyState
from widgets.tables.table_view import TableView


class LabPage(PageWidget):
    """Puts the parts side by side. ``switched`` carries the name of the chosen tensor, of the
    switch (``requires_grad``, ``retain_grad``) and whether it is on.
    """

    tensor_chosen = Signal(str)
    switched = Signal(str, str, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.lab", translate("Lab", "Autograd lab"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        title = translate("Lab", "Code and tensors")
        halves = parts.splitter(self, "lab.splitter", title)
        column.addWidget(halves)
        self.code = LabCode(halves)
        yield
        self.backward = BackwardBar(self)
        yield
        title = translate("Lab", "Views of the lab")
        self.tabs = parts.named(QTabWidget(self), "lab.tabs", title)
        self.tabs.setDocumentMode(True)
        items = (self.backward, (self.tabs, 1))
        pane(halves, "lab.right", translate("Lab", "Tensors and graph"), *items, spacing=4)
        halves.setSizes([400, 800])
        halves.setStretchFactor(1, 1)
        self._add_tab("tensors", self._build_tensors(), translate("Lab", "Tensors"))
        yield
        self.graph = Viewer("lab.graph", self)
        self.graph.setAccessibleName(translate("Lab", "Autograd graph of the lab"))
        self.no_graph = EmptyState("inspect", self.graph, name="lab.graph.empty")
        self.no_graph.setAccessibleName(translate("Autograd", "No graph yet"))
        self.tell_empty(is_running=False)
        QVBoxLayout(self.graph).addWidget(self.no_graph)
        self._add_tab("graph", self.graph, translate("Lab", "Graph"))
        yield
        yield from self._build_views()

    def tell_empty(self, *, is_running: bool) -> None:
        """Say where there is no graph why, or that it comes."""
        if is_running:
            title = translate("Lab", "Running code")
            text = translate("Lab", "The first run loads PyTorch, which takes a few seconds.")
        else:
            title = translate("Autograd", "No graph yet")
            text = translate(
                "Lab",
                "Run code that uses a tensor with requires_grad=True, outside of no_grad.",
            )
        self.no_graph.set_texts(title, text)

    def _build_tensors(self) -> QWidget:
        title = translate("Lab", "Tensors and details")
        split = parts.splitter(self, "lab.tensorSplitter", title, is_vertical=True)
        self.tensors = TableView("lab.tensors", split)
        self.tensors.setAccessibleName(translate("Lab", "Tensors"))
        self.tensors.selection_changed.connect(
            lambda ids: self.tensor_chosen.emit(ids[0]) if ids else None
        )
        help_texts = {
            "requires_grad": translate(
                "Lab", "Run the code again with requires_grad set on this leaf"
            ),
            "retain_grad": translate(
                "Lab",
                "Run the code again and call retain_grad() on this tensor to keep its gradient",
            ),
        }
        self.switches = {name: self._switch(name, text) for name, text in help_texts.items()}
        row = parts.row(*self.switches.values(), None, margins=(12, 4, 12, 0))
        title = translate("Lab", "Tensor details")
        self.details = TableView("lab.details", self)
        self.details.setAccessibleName(title)
        pane(split, "lab.detailsPanel", title, row, (self.details, 1), spacing=None)
        split.setSizes([320, 260])
        return split

    def _switch(self, name: str, text: str) -> QCheckBox:
        box = parts.named(QCheckBox(name, self), f"lab.{name}", text, text)
        box.toggled.connect(lambda on: self._on_switched(name, is_on=on))
        return box

    def _on_switched(self, name: str, *, is_on: bool) -> None:
        for chosen in self.tensors.selected_ids()[:1]:
            self.switched.emit(chosen, name, is_on)

    def _build_views(self) -> Iterator[None]:
        label = translate("Lab", "Tensor or shape")
        fields = {
            "memory": (translate("Lab", "Memory"), []),
            "broadcast": (
                translate("Lab", "Broadcasting"),
                [(label, "(3, 1, 5)"), (translate("Lab", "with"), "(4, 1)")],
            ),
            "einsum": (
                "einsum",
                [
                    (translate("Lab", "Equation"), "ij,jk->ik"),
                    (translate("Lab", "Operands"), "torch.ones(2, 3), torch.ones(3, 4)"),
                ],
            ),
            "index": (
                translate("Lab", "Index"),
                [
                    (translate("Lab", "Tensor"), "torch.arange(12).reshape(3, 4)"),
                    (translate("Lab", "Index"), "1:, ::2"),
                ],
            ),
        }
        self.views: dict[str, LabView] = {}
        for name, (title, asked) in fields.items():
            self.views[name] = LabView(name, title, asked, self)
            self._add_tab(name, self.views[name], title)
            yield

    def _add_tab(self, name: str, page: QWidget, title: str) -> None:
        page.setProperty("view", name)
        self.tabs.addTab(page, title)

    def show_view(self, name: str) -> None:
        """Bring one of the views to the front."""
        pages = [self.tabs.widget(index) for index in range(self.tabs.count())]
        wanted = next(page for page in pages if page and page.property("view") == name)
        self.tabs.setCurrentWidget(wanted)

    def show_graph(self, view: AutogradView, *, fits: bool) -> None:
        """Show a graph, or that there is none."""
        self.graph.set_view(view.canvas)
        self.no_graph.setVisible(not view.members)
        if fits:
            self.graph.fit()

    def set_switch(self, name: str, *, is_on: bool, is_enabled: bool) -> None:
        """Show how a switch stands for the chosen tensor."""
        switch = self.switches[name]
        with QSignalBlocker(switch):
            switch.setChecked(is_on)
        switch.setEnabled(is_enabled)
