"""Page of the Export workspace: which weights, in which format, into which file, and the result."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QWidget,
)
from typing_extensions import override

from studio.i18n import translate
from studio.view.export import FormatView
from widgets.common import parts
from widgets.common.theme import current_theme, scaled_font, theme_signals
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class ExportWorkspace(QWidget):
    """The choices are facts, ``save_requested`` is the request; ``shown`` says that the page came
    to the front.
    """

    shown = Signal()
    changed = Signal()
    run_picked = Signal(str)
    save_requested = Signal()
    reveal_requested = Signal()
    compare_requested = Signal()
    contents_requested = Signal()
    cancel_requested = Signal()
    serve_requested = Signal()

    def __init__(self, formats: Sequence[FormatView], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page.export")
        self.setAccessibleName(translate("Export", "Export workspace"))
        self._formats = {view.key: view for view in formats}

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        self._is_busy = False
        self._is_own_path = False
        self._fits = True
        self._has_optimizers = False
        title = translate("Export", "Export")
        self._run = parts.combo(self, "export.run", translate("Export", "Run"))
        self._checkpoint = parts.combo(self, "export.checkpoint", translate("Export", "Checkpoint"))
        self._format = parts.combo(self, "export.format", translate("Export", "Format"))
        for key, view in self._formats.items():
            self._format.addItem(view.title, key)
        self._about = parts.label(self, "export.about", title, wraps=True, role="muted")
        self._path = parts.line_edit(self, "export.path", translate("Export", "File"))
        self._path.textEdited.connect(self._on_path_edited)
        self._browse = parts.button(
            self, "export.browse", translate("Export", "Choose…"), icon="folder"
        )
        self._browse.clicked.connect(self._ask_path)
        self._save = parts.button(
            self, "export.save", translate("Export", "Save"), icon="export", is_primary=True
        )
        self._save.clicked.connect(self.save_requested)
        self._reveal = parts.button(
            self, "export.reveal", translate("Export", "Show in folder"), icon="open"
        )
        self._reveal.clicked.connect(self.reveal_requested)
        self._serve = parts.button(
            self, "export.serve", translate("Export", "Serve model…"), icon="external"
        )
        self._serve.clicked.connect(self.serve_requested)
        self._serve.setToolTip(
            translate("Export", "Answers predictions over HTTP, with a page to try the model.")
        )
        self._cancel = parts.button(self, "export.cancel", translate("Export", "Cancel"))
        self._cancel.clicked.connect(self.cancel_requested)
        yield
        self._result = parts.label(self, "export.result", title, wraps=True)
        self._result.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._build_comparison()
        yield
        self._lay_out()
        yield
        self._cancel.hide()
        self.show_result("", is_good=True)
        for combo in (self._run, self._checkpoint, self._format):
            combo.currentIndexChanged.connect(self._on_changed)
        self._run.activated.connect(lambda _: self.run_picked.emit(self.run))
        theme_signals().changed.connect(self._restyle)
        self._on_changed()

    @property
    def run(self) -> str:
        """The id of the chosen run; empty without one."""
        return str(self._run.currentData() or "")

    @property
    def checkpoint(self) -> str:
        """``best``, ``last`` or the file of a checkpoint."""
        return str(self._checkpoint.currentData() or "best")

    @property
    def format(self) -> FormatView:
        """The chosen format."""
        return self._formats[str(self._format.currentData())]

    @property
    def path(self) -> str:
        """Where to write."""
        return self._path.text().strip()

    def set_runs(self, runs: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer runs as (id, title)."""
        _offer(self._run, runs, chosen or self.run)
        self._on_changed()

    def set_checkpoints(self, checkpoints: Sequence[tuple[str, str]]) -> None:
        """Offer checkpoints as (name, title)."""
        before = self.checkpoint
        _offer(self._checkpoint, checkpoints, before)
        if self.checkpoint != before:
            self._on_changed()

    def suggest_path(self, path: str) -> None:
        """Propose where to write; what the user typed stays, with the ending of the format."""
        typed = Path(self.path)
        if not self._is_own_path:
            self._path.setText(path)
        elif typed.suffix in {view.suffix for view in self._formats.values()}:
            self._path.setText(str(typed.with_suffix(self.format.suffix)))
        self._update_save()

    def forget(self) -> None:
        """Forget where the last project was written to and what came of it."""
        self._is_own_path = False
        self._path.clear()
        self.show_result("", is_good=True)

    def set_busy(self, *, busy: bool, can_cancel: bool = False) -> None:
        """Say that something is being written, or no longer."""
        self._is_busy = busy
        self._cancel.setVisible(busy and can_cancel)
        self._save.setText(translate("Export", "Saving…") if busy else translate("Export", "Save"))
        self._update_save()

    def _update_save(self) -> None:
        self._save.setEnabled(not self._is_busy and bool(self.run) and bool(self.path))

    def show_result(self, text: str, *, is_good: bool) -> None:
        """Show what came of it (empty: nothing yet)."""
        self._is_good = is_good
        self._told_of = self._choice()
        self._result.setText(text)
        self._result.setVisible(bool(text))
        self._reveal.setVisible(bool(text) and is_good)
        self._restyle()

    def show_stage(self, text: str) -> None:
        """Show what the writing is at."""
        self.show_result(text, is_good=True)
        self._reveal.hide()

    def _choice(self) -> tuple[str, str, str, str]:
        return self.run, self.checkpoint, self.format.key, self.path

    def _forget_success(self) -> None:
        if self._is_good and self._told_of != self._choice():
            self.show_result("", is_good=True)  # it was another file that was written

    def _build_comparison(self) -> None:
        self.contents = TableView("export.contents", self)
        self.contents.setAccessibleName(translate("Export", "Tensors of the checkpoint"))
        self.optimizers = TableView("export.optimizers", self)
        self.optimizers.setAccessibleName(translate("Export", "Optimizers of the checkpoint"))
        self.differences = TableView("export.differences", self)
        self.differences.setAccessibleName(translate("Export", "Mismatches"))
        self._compare = parts.button(
            self, "export.compare", translate("Export", "Compare file…"), icon="open"
        )
        self._compare.setToolTip(
            translate("Export", "Shows which weights in a file match the model on the canvas.")
        )
        self._compare.clicked.connect(self.compare_requested)
        self._back = parts.button(
            self, "export.back", translate("Export", "Back to the checkpoint"), icon="undo"
        )
        self._back.clicked.connect(self.contents_requested)
        self._verdict = parts.label(
            self, "export.verdict", translate("Export", "Export"), wraps=True
        )

    def _lay_out(self) -> None:
        title = parts.label(
            self, "export.title", translate("Export", "Export"), translate("Export", "Export")
        )
        title.setWordWrap(True)
        title.setFont(scaled_font(1.3, bold=True))
        line = parts.label(
            self,
            "export.line",
            translate("Export", "Export"),
            translate(
                "Export",
                "Exported files are loaded again and compared with the checkpoint.",
            ),
            wraps=True,
            role="muted",
        )
        path = parts.row((self._path, 1), self._browse)
        form = QFormLayout()
        form.setVerticalSpacing(10)
        form.setHorizontalSpacing(16)
        for name, text, field in (
            ("run", translate("Export", "Run"), self._run),
            ("checkpoint", translate("Export", "Checkpoint"), self._checkpoint),
            ("format", translate("Export", "Format"), self._format),
            ("about", "", self._about),
            ("path", translate("Export", "File"), path),
        ):
            label = parts.label(self, f"export.{name}.label", translate("Export", "Export"), text)
            form.addRow(label, field)
        buttons = parts.row(self._save, self._cancel, self._reveal, None, self._serve)
        left = parts.named(QWidget(self), "export.choice", translate("Export", "What to export"))
        left.setMaximumWidth(620)
        parts.column(
            title,
            line,
            form,
            buttons,
            self._result,
            None,
            margins=(28, 24, 28, 20),
            spacing=12,
            parent=left,
        )
        parts.row((left, 3), (self._right(), 2), margins=(0, 0, 0, 0), parent=self)

    def _right(self) -> QWidget:
        right = parts.named(QWidget(self), "export.right", translate("Export", "Tensors"))
        buttons = parts.row(self._compare, self._back, None, margins=(10, 10, 10, 0))
        self._verdict.setContentsMargins(10, 2, 10, 2)
        parts.column(
            buttons,
            self._verdict,
            (self.contents, 3),
            (self.optimizers, 1),
            (self.differences, 1),
            margins=(0, 0, 0, 0),
            parent=right,
        )
        self.hide_comparison()
        return right

    def show_comparison(self, text: str, table: TableData | None, *, is_good: bool) -> None:
        """Show how a file and the model go together; without a table there is nothing to list."""
        self._fits = is_good
        self._verdict.setText(text)
        self.differences.set_data(table or TableData())
        for widget in (self._verdict, self._back, self.differences):
            widget.show()
        self.contents.hide()
        self.optimizers.hide()
        self._restyle()

    def hide_comparison(self) -> None:
        """Show the tensors of the checkpoint."""
        for widget in (self._verdict, self._back, self.differences):
            widget.hide()
        self.contents.show()
        self.optimizers.setVisible(self._has_optimizers)

    def show_contents(self, tensors: TableData, optimizers: TableData) -> None:
        """Show what a checkpoint holds: its tensors, and below them what its optimizers keep."""
        self.contents.set_data(tensors)
        self.optimizers.set_data(optimizers)
        self._has_optimizers = bool(optimizers.rows)
        self.optimizers.setVisible(self._has_optimizers and not self.contents.isHidden())

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def _on_changed(self) -> None:
        self._about.setText(self.format.text)
        self._update_save()
        self.changed.emit()
        self._forget_success()

    def _on_path_edited(self, text: str) -> None:
        self._is_own_path = bool(text.strip())
        self._update_save()
        self._forget_success()

    def _ask_path(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self,
            translate("Export", "Where to save"),
            self.path,
            f"{self.format.title} (*{self.format.suffix})",
            options=QFileDialog.Option.DontConfirmOverwrite,  # asked when all is known
        )
        if name:
            self._is_own_path = True
            self._path.setText(name)
            self._update_save()
            self._forget_success()

    def _restyle(self) -> None:
        theme = current_theme()
        color = theme.success if self._is_good else theme.error
        self._result.setStyleSheet(f"color: {color};")
        self._verdict.setStyleSheet(f"color: {theme.text if self._fits else theme.error};")


def _offer(combo: QComboBox, choices: Sequence[tuple[str, str]], chosen: str) -> None:
    """Offer choices, the first one where what was chosen is none of them."""
    keys = [key for key, _ in choices]
    parts.set_choices(combo, choices, chosen if chosen in keys else next(iter(keys), ""))
