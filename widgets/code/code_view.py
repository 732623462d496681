"""View of a model's code: read and written, with a link from each line to its node."""

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget
from typing_extensions import override

from widgets.code.code_editor import CodeEditor
from widgets.code.mark import MarkView
from widgets.common import parts
from widgets.common.elided_label import ElidedLabel
from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip


class CodeView(LiveWidget):
    """Shows Python source and lets it be changed.

    Signals: ``line_activated`` carries the id that the line belongs to where the cursor is put;
    ``text_settled`` what was typed, after a pause or at Ctrl+Return; ``save_requested`` asks for
    all of it as a file, ``rewrite_requested`` for a text written anew; ``left``: the typing is
    over.
    """

    line_activated = Signal(str)
    text_settled = Signal(str)
    save_requested = Signal()
    rewrite_requested = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None, name: str = "code") -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}.panel")
        self._lines: dict[int, str] = {}
        self._highlighted: set[str] = set()
        self._is_read_only = True
        self.editor = CodeEditor(self, name)
        self.editor.setObjectName(f"{name}.editor")
        self.text = self.editor.edit
        self._state = ElidedLabel(self)
        self._state.setObjectName(f"{name}.state")
        self._state.setProperty("role", "muted")
        self._rewrite = parts.tool_button(self, f"{name}.rewrite", icon="reset")
        self._search = parts.tool_button(self, f"{name}.search", icon="search")
        self._copy = parts.tool_button(self, f"{name}.copy", icon="copy")
        self._save = parts.tool_button(self, f"{name}.save", icon="save")
        bar = parts.row(
            (self._state, 1),
            self._rewrite,
            self._search,
            self._copy,
            self._save,
            margins=(10, 4, 6, 4),
        )
        parts.column(bar, (self.editor, 1), margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.setFocusProxy(self.text)
        self._search.clicked.connect(self.editor.find_bar.ask)
        self._copy.clicked.connect(self.copy_all)
        self._save.clicked.connect(self.save_requested)
        self._rewrite.clicked.connect(self.rewrite_requested)
        self.editor.line_activated.connect(self._on_line_activated)
        self.editor.text_settled.connect(self.text_settled)
        self.text.left.connect(self.left)
        self.set_read_only(is_read_only=True)
        self.set_rewritable(is_rewritable=False)
        self.set_source("")
        self.retranslate()

    def set_source(self, source: str, lines: Mapping[int, str] | None = None) -> None:
        """Show source; ``lines`` maps line numbers from 1 to ids. Cursor, scroll position and undo
        of typing stay. What is being typed stays, too, until it was told.
        """
        if self.editor.has_pending():
            return
        self._lines = dict(lines or {})
        self.editor.set_links(self._lines)
        if source != self.editor.text():
            self.editor.set_text(source)
        self._copy.setEnabled(bool(source))
        self._save.setEnabled(bool(source))
        self.highlight_ids(self._highlighted, scroll=False)

    def open_source(self, source: str) -> None:
        """Show the source of another model: nothing of the one before can be brought back."""
        self.editor.open_text(source)
        self.set_source(source)

    def set_state(self, text: str, severity: str = "") -> None:
        """Say in a line how text and canvas stand."""
        self._state.setText(text)
        self._state.setProperty("role", severity or "muted")
        self._state.style().polish(self._state)

    def set_marks(self, marks: Sequence[MarkView]) -> None:
        """Mark lines, in place of the marks before."""
        self.editor.set_marks(marks)

    def set_read_only(self, *, is_read_only: bool) -> None:
        """Let the source be read only."""
        if is_read_only is not self._is_read_only or is_read_only:
            self._is_read_only = is_read_only
            self.editor.set_read_only(is_read_only=is_read_only)
        if not is_read_only:
            self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextEditorInteraction)

    def set_rewritable(self, *, is_rewritable: bool) -> None:
        """Offer to write the source anew, as generated code."""
        self._rewrite.setEnabled(is_rewritable)

    def flush(self) -> None:
        """Tell what was typed, now."""
        self.editor.flush()

    def highlight_ids(self, ids: Iterable[str], *, scroll: bool = True) -> None:
        """Mark the lines of these ids and bring the first of them into view."""
        self._highlighted = set(ids)
        wanted = [line for line, one in sorted(self._lines.items()) if one in self._highlighted]
        self.editor.highlight_lines(wanted, scroll=scroll)

    def highlighted_lines(self) -> list[int]:
        """Return the numbers (from 1) of the marked lines."""
        return self.text.highlighted_lines()

    def copy_all(self) -> None:
        """Put the selection, else all the source, on the clipboard."""
        selected = self.text.textCursor().selectedText().replace("\u2029", "\n")
        QApplication.clipboard().setText(selected or self.editor.text())

    def _on_line_activated(self, line: int) -> None:
        if line in self._lines and not self.editor.has_pending():
            self.line_activated.emit(self._lines[line])

    @override
    def retranslate(self) -> None:
        self.editor.set_title(self.tr("Source of the model"))
        self.text.setPlaceholderText(self.tr("The Python code of the model appears here."))
        self._state.setAccessibleName(self.tr("Sync status"))
        for button, text in (
            (
                self._rewrite,
                self.tr(
                    "Regenerate the code from the canvas; your comments and formatting are lost"
                ),
            ),
            (self._search, self.tr("Find (Ctrl+F)")),
            (self._copy, self.tr("Copy the source")),
            (self._save, self.tr("Save the source to a file")),
        ):
            button.setToolTip(plain_tip(text))
            button.setAccessibleName(text)

    @override
    def restyle(self) -> None:
        self.highlight_ids(self._highlighted, scroll=False)
