"""Dialog of a run on several machines: how many, where they meet, and what is started on each."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QTabWidget,
    QTreeWidgetItem,
    QWidget,
)

from studio.i18n import translate
from studio.train.cluster.presenter import ClusterForm, ClusterView
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.common.theme import mono_font

_MOST_NODES, _MOST_PROCESSES = 1024, 64
_HOST = "machine-0"  # where none was written


def _least_words() -> str:
    return translate(
        "Cluster",
        "The run starts with this many machines; others can join and leave (--nnodes 1:2). "
        "When they do, all processes restart from the last checkpoint and divide the same "
        "batch among them.",
    )


class ClusterDialog(Dialog):
    """``changed`` says that machines, processes or the address are others, ``create_requested``
    that the run is to be created, ``save_requested`` carries the script to save.
    """

    changed = Signal()
    create_requested = Signal()
    save_requested = Signal(str)

    def __init__(self, parent: QWidget, nnodes: int, nproc: int, address: str) -> None:
        title = translate("Cluster", "Several machines")
        super().__init__(parent, "dialog.cluster", title, size=(760, 540))
        self._nnodes = self._number("nnodes", translate("Cluster", "Machines"), nnodes, _MOST_NODES)
        self._least = self._number(
            "least", translate("Cluster", "Minimum machines"), nnodes, nnodes
        )
        self._nnodes.valueChanged.connect(self._bound_least)
        self._least.setToolTip(plain_tip(_least_words()))
        self._nproc = self._number(
            "nproc", translate("Cluster", "Processes per machine"), nproc, _MOST_PROCESSES
        )
        self._nproc.setToolTip(translate("Cluster", "With GPUs, use one process per GPU."))
        self._address = self._build_address(address)
        self._host = _HOST
        self._connection = self._choice()
        self._others = self._machines()
        self._ranks = parts.tree_table(
            self,
            "dialog.cluster.ranks",
            translate("Cluster", "Ranks"),
            tip=translate("Cluster", "rank = machine × processes per machine + local rank"),
        )
        self._ranks.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._environment = self._text("environment", translate("Cluster", "Environment"))
        self._tunnels = self._text("tunnels", translate("Cluster", "SSH tunnels"))
        self._command = self._text("command", translate("Cluster", "Command"))
        self._script = self._text("script", translate("Cluster", "Slurm script"))
        self._tabs = parts.named(QTabWidget(self), "dialog.cluster.tabs", title)
        self._tabs.setDocumentMode(True)
        pages = (self._tunnels, self._command, self._ranks, self._environment, self._script)
        for page in pages:
            self._tabs.addTab(page, page.accessibleName())
        self._note = parts.label(
            self, "dialog.cluster.note", translate("Cluster", "Summary"), wraps=True
        )
        self._lay_out()
        self._show_connection()
        self._connection.currentIndexChanged.connect(self._on_connection)

    def form(self) -> ClusterForm:
        """Return what is typed and chosen; through SSH only the port of the address counts."""
        address = self._address.text()
        return ClusterForm(
            nnodes=self._nnodes.value(),
            least=self._least.value(),
            nproc=self._nproc.value(),
            address=f"{self._host}:{address.strip()}" if self._is_tunnelled() else address,
            others=tuple(self._others.text().replace(",", " ").split()),
            is_tunnelled=self._is_tunnelled(),
        )

    def set_view(self, view: ClusterView) -> None:
        """Show what is started where, or why that cannot be said."""
        self._note.setText(view.error or view.note)
        self._note.setProperty("role", "error" if view.error else "muted")
        self._note.style().polish(self._note)
        for button in (self._create, self._copy, self._save):
            button.setEnabled(not view.error)
        if view.error:
            return
        self._tunnels.setPlainText(view.tunnels)
        self._command.setPlainText(view.command)
        self._environment.setPlainText(view.environment)
        self._script.setPlainText(view.script)
        self._ranks.setHeaderLabels(list(view.titles))
        self._ranks.clear()
        self._ranks.addTopLevelItems([QTreeWidgetItem(list(row)) for row in view.ranks])

    def set_creating(self, *, is_creating: bool) -> None:
        """Accept no second request while a run is created."""
        self._create.setEnabled(not is_creating)

    def shown_text(self) -> str:
        """Return what the tab on top shows."""
        shown = self._tabs.currentWidget()
        if isinstance(shown, QPlainTextEdit):
            return shown.toPlainText()
        columns = range(self._ranks.columnCount())
        lines = [self._ranks.headerItem(), *self._ranks.findItems("", Qt.MatchFlag.MatchContains)]
        return "\n".join("\t".join(item.text(c) for c in columns) for item in lines) + "\n"

    def _number(self, name: str, title: str, value: int, most: int) -> QSpinBox:
        number = parts.named(QSpinBox(self), f"dialog.cluster.{name}", title)
        number.setRange(1, most)
        number.setValue(value)
        number.valueChanged.connect(lambda _: self.changed.emit())
        return number

    def _line(self, name: str, title: str, text: str = "") -> QLineEdit:
        line = parts.line_edit(self, f"dialog.cluster.{name}", title, text)
        line.textEdited.connect(lambda _: self.changed.emit())
        return line

    def _build_address(self, address: str) -> QLineEdit:
        title = translate("Cluster", "Address of the first machine")
        line = self._line("address", title, address)
        line.setToolTip(
            plain_tip(
                translate(
                    "Cluster",
                    "The host name or IP address and a free port at which the other machines "
                    "reach it (MASTER_ADDR and MASTER_PORT). Slurm sets both automatically.",
                )
            )
        )
        return line

    def _choice(self) -> QComboBox:
        box = parts.combo(self, "dialog.cluster.connection", translate("Cluster", "Connection"))
        box.setToolTip(
            plain_tip(
                translate(
                    "Cluster",
                    "With SSH, this machine opens an encrypted tunnel to each of the others "
                    "(ssh -w), and all ports of the run are inside these tunnels.",
                )
            )
        )
        box.addItem(translate("Cluster", "Direct connection"))
        box.addItem(translate("Cluster", "Through SSH"))
        return box

    def _machines(self) -> QLineEdit:
        line = self._line("others", translate("Cluster", "Other machines"))
        line.setPlaceholderText(translate("Cluster", "anna@192.168.0.20, anna@gpu-server:2222"))
        line.setToolTip(
            plain_tip(
                translate(
                    "Cluster",
                    "user@host or user@host:port of each machine, separated by spaces or "
                    "commas. This machine is the first one.",
                )
            )
        )
        return line

    def _is_tunnelled(self) -> bool:
        return self._connection.currentIndex() == 1

    def _on_connection(self) -> None:
        """Ask for what the connection needs: through SSH only the port of the address."""
        text = self._address.text().strip()
        if self._is_tunnelled():
            host, _, port = text.rpartition(":")
            self._host = host or _HOST
            self._address.setText(port)
        else:
            self._address.setText(f"{self._host}:{text}")
        self._show_connection()
        self.changed.emit()

    def _show_connection(self) -> None:
        is_tunnelled = self._is_tunnelled()
        self._form.setRowVisible(self._others, is_tunnelled)
        title = translate("Cluster", "Port of the first machine")
        if not is_tunnelled:
            title = translate("Cluster", "Address of the first machine")
        self._address.setAccessibleName(title)
        label = self._form.labelForField(self._address)
        if isinstance(label, QLabel):
            label.setText(title)
        self._tabs.setTabVisible(self._tabs.indexOf(self._tunnels), is_tunnelled)
        self._tabs.setCurrentWidget(self._tunnels if is_tunnelled else self._command)

    def _bound_least(self, most: int) -> None:
        """Follow the number of machines where all of them were wanted."""
        was_all = self._least.value() == self._least.maximum()
        self._least.setMaximum(most)
        if was_all:
            self._least.setValue(most)

    def _text(self, name: str, title: str) -> QPlainTextEdit:
        text = parts.named(QPlainTextEdit(self), f"dialog.cluster.{name}", title)
        text.setReadOnly(True)
        text.setFont(mono_font())
        return text

    def _lay_out(self) -> None:
        self._create = parts.button(
            self, "dialog.cluster.make", translate("Cluster", "Create run"), is_primary=True
        )
        self._create.clicked.connect(self.create_requested)
        self._create.setToolTip(
            plain_tip(
                translate(
                    "Cluster",
                    "Create the run folder with the current model and recipe. The run starts "
                    "once you have started the command on all machines.",
                )
            )
        )
        self._copy = parts.button(self, "dialog.cluster.copy", translate("Dialog", "Copy"))
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.shown_text()))
        self._copy.setToolTip(translate("Cluster", "Copy the contents of this tab"))
        self._save = parts.button(
            self, "dialog.cluster.save", translate("Cluster", "Save Slurm script…")
        )
        self._save.clicked.connect(lambda: self.save_requested.emit(self._script.toPlainText()))
        close = parts.button(
            self, "dialog.cluster.close", translate("Dialog", "Close"), clicked=self.accept
        )
        form = self._form = QFormLayout()
        nodes = QHBoxLayout()
        nodes.addWidget(self._nnodes, 1)
        least = parts.label(
            self, "dialog.cluster.least.label", text=self._least.accessibleName(), wraps=True
        )
        least.setBuddy(self._least)
        nodes.addWidget(least)
        nodes.addWidget(self._least, 1)
        form.addRow(self._nnodes.accessibleName(), nodes)
        for field in (self._nproc, self._connection, self._others, self._address):
            form.addRow(field.accessibleName(), field)
        row = parts.row(self._create, self._copy, self._save, None, close)
        parts.column(
            form,
            self._note,
            (self._tabs, 1),
            row,
            margins=(16, 14, 16, 14),
            spacing=10,
            parent=self,
        )
