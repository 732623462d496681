"""Inspector: everything about the selected node."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QWidget,
)
from typing_extensions import override

from engine.graph.node_state.initialization import FIELD
from studio.i18n import translate
from studio.model.inspector.custom_panel import CustomPanel
from studio.model.inspector.initialisation import InitialView
from studio.model.inspector.presenter import InspectorView
from studio.model.inspector.weights_tab import WeightsPanel
from widgets.common import parts
from widgets.common.help_view import HelpView
from widgets.common.tab_walk import take_keys
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, mono_font, theme_signals
from widgets.forms.form import FormWidget
from widgets.images.window_picture import WindowPicture


class Inspector(QWidget):
    """Shows an :class:`InspectorView`; changes are requests with the text as it was typed."""

    rename_requested = Signal(str)
    value_changed = Signal(str, str)
    reset_requested = Signal(str)
    editing_finished = Signal()
    field_focused = Signal(str)
    contiguous_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setAccessibleName(translate("Inspector", "Inspector"))
        self._view = InspectorView()
        self.setMinimumWidth(280)
        self._name = self._name_field()
        self._type = parts.label(self, "inspector.type", translate("Inspector", "Type"), wraps=True)
        self._error = parts.label(
            self, "inspector.error", translate("Inspector", "Problem"), wraps=True
        )
        self._error.hide()
        self._last = parts.label(
            self, "inspector.last", translate("Inspector", "In the last run"), role="muted"
        )
        self._last.setWordWrap(True)
        self._last.hide()
        self._fact_labels: list[tuple[QLabel, QLabel]] = []
        self._facts = QFormLayout()
        self._facts.setHorizontalSpacing(12)
        self._facts.setVerticalSpacing(2)
        self._note = parts.label(
            self, "inspector.note", translate("Inspector", "Good to know"), wraps=True, role="muted"
        )
        self._note.hide()
        self._contiguous = self._contiguous_button()
        self._form = parts.named(
            FormWidget(self), "inspector.form", translate("Inspector", "Settings")
        )
        self._form.setFrameShape(FormWidget.Shape.NoFrame)
        self._form.value_changed.connect(self.value_changed)
        self._form.reset_requested.connect(self.reset_requested)
        self._form.field_focused.connect(self.field_focused)
        self._help = parts.named(
            HelpView(self), "inspector.help", translate("Inspector", "Documentation")
        )
        self.weights = WeightsPanel(self)
        self.own = CustomPanel(self)
        self.kernel = WindowPicture("inspector.kernel", self)
        self._tabs = self._filled_tabs()
        self._wanted: QWidget = self._form  # the tab that was chosen; not every node has it
        self._tabs.tabBarClicked.connect(self._on_tab_clicked)
        self._lay_out()
        theme_signals().changed.connect(self._restyle)

    def _name_field(self) -> QLineEdit:
        name = parts.line_edit(self, "inspector.name", translate("Inspector", "Name of the layer"))
        name.setToolTip(
            plain_tip(
                translate(
                    "Inspector",
                    "The name of the attribute in the generated class and the prefix of its "
                    "weights. Use a dot to put a layer in an nn.ModuleList (layers.0, "
                    "layers.1) or nn.ModuleDict (heads.left, heads.right).",
                )
            )
        )
        name.editingFinished.connect(self._on_name_edited)
        name.installEventFilter(self)
        return name

    def _contiguous_button(self) -> QPushButton:
        button = parts.button(
            self, "inspector.contiguous", translate("Inspector", "Insert contiguous()")
        )
        button.clicked.connect(lambda: self.contiguous_requested.emit(self._view.scattered))
        button.setToolTip(
            plain_tip(
                translate(
                    "Inspector",
                    "The elements are not contiguous in memory, as after a permute or "
                    "transpose, so view() does not work. contiguous() makes a contiguous copy.",
                )
            )
        )
        button.hide()
        return button

    def _filled_tabs(self) -> QTabWidget:
        tabs = parts.named(QTabWidget(self), "inspector.tabs", translate("Inspector", "Inspector"))
        tabs.setDocumentMode(True)
        tabs.addTab(self._form, translate("Inspector", "Settings"))
        tabs.addTab(self.weights, translate("Inspector", "Weights"))
        tabs.addTab(self.kernel, translate("Inspector", "Kernel"))
        tabs.addTab(self._help, translate("Inspector", "Documentation"))
        return tabs

    def set_view(self, view: InspectorView) -> None:
        """Show a node, or the model where none is selected."""
        is_other = view.key != self._view.key
        self._view = view
        if is_other or not self._name.hasFocus():
            self._name.setText(view.name)
            self.set_name_error("")
        self._name.setReadOnly(not view.is_editable)
        self._name.setFocusPolicy(
            Qt.FocusPolicy.StrongFocus if view.is_editable else Qt.FocusPolicy.NoFocus
        )
        self._type.setText(view.type or view.empty_text)
        self._type.setToolTip(plain_tip(view.summary))
        self._set_facts(view.facts)
        self._note.setText(view.note)
        self._note.setVisible(bool(view.note))
        self._contiguous.setVisible(bool(view.scattered))
        self._form.set_view(view.form)
        self.kernel.set_view(view.kernel)
        self._show_tabs()
        if is_other:
            self._help.set_markdown(view.documentation)
        self._restyle()

    def set_last(self, text: str) -> None:
        """Tell what the last run recorded of the selection; nothing where the text is empty."""
        self._last.setText(text)
        self._last.setVisible(bool(text))

    def set_initial(self, view: InitialView) -> None:
        """Show how the weights of the selection begin."""
        self.weights.set_view(view)
        self._show_tabs()

    def show_weights(self) -> None:
        """Show how the weights of the selection begin."""
        if self.weights.has_fields():
            self._bring(self.weights)

    def _show_tabs(self) -> None:
        """Show the tabs that have something to show: of several layers that about weights."""
        has_weights = self.weights.has_fields()
        for widget in (self._form, self._help):
            self._tabs.setTabVisible(self._tabs.indexOf(widget), self._view.is_editable)
        self._tabs.setTabVisible(self._tabs.indexOf(self.weights), has_weights)
        self._tabs.setTabVisible(self._tabs.indexOf(self.kernel), self._view.kernel is not None)
        self._tabs.setVisible(self._view.is_editable or has_weights)
        if self._tabs.isTabVisible(self._tabs.indexOf(self._wanted)):
            self._tabs.setCurrentWidget(self._wanted)

    def _bring(self, widget: QWidget) -> None:
        self._wanted = widget
        self._tabs.setCurrentWidget(widget)

    def _on_tab_clicked(self, index: int) -> None:
        widget = self._tabs.widget(index)
        if widget is not None:
            self._wanted = widget

    def set_name_error(self, text: str) -> None:
        """Say why the name that was typed cannot be used (empty: it can)."""
        self._error.setText(text)
        self._error.setVisible(bool(text))

    def focus_field(self, name: str) -> None:
        """Put the caret into a field."""
        if name.startswith(FIELD):
            self.show_weights()
            self.weights.focus_field(name)
            return
        self._bring(self._form)
        if name == "name":
            self.focus_name()
        else:
            self._form.focus_field(name)

    def focus_name(self) -> None:
        """Let the user type another name."""
        take_keys(self._name, Qt.FocusReason.ShortcutFocusReason)
        self._name.selectAll()

    def focus_settings(self) -> None:
        """Lead to the first setting, or to the name of what has none. Of several layers together
        those of the weights are all there are.
        """
        if self._view.is_editable:
            self._bring(self._form)
            if not self._form.focus_first():
                self.focus_name()
        elif self.weights.has_fields():
            self._bring(self.weights)
            self.weights.focus_first()

    def _take_name_back(self) -> bool:
        """Show the name again as it is; return whether another one was typed."""
        if self._name.text() == self._view.name and self._error.isHidden():
            return False
        self._name.setText(self._view.name)
        self.set_name_error("")
        return True

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_key = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if is_key and event.type() == QEvent.Type.KeyPress:
            return self._take_name_back()
        return super().eventFilter(watched, event)

    def flush(self) -> None:
        """Tell the name that was typed, without waiting for the field to be left."""
        if self._name.isModified():
            self._on_name_edited()

    def show_documentation(self) -> None:
        """Show the documentation of what is selected."""
        self._bring(self._help)

    def _lay_out(self) -> None:
        head = parts.column(
            self._name,
            self._error,
            self._type,
            self._facts,
            self._note,
            margins=(10, 8, 10, 4),
            spacing=5,
        )
        head.addWidget(self._contiguous, 0, Qt.AlignmentFlag.AlignLeft)
        head.addWidget(self._last)
        head.addWidget(self.own)
        column = parts.column(head, (self._tabs, 1), margins=(0, 0, 0, 0), spacing=2, parent=self)
        column.addStretch(0)
        self._tabs.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)

    def _set_facts(self, facts: tuple[tuple[str, str], ...]) -> None:
        while len(self._fact_labels) > len(facts):
            self._facts.removeRow(len(self._fact_labels) - 1)
            self._fact_labels.pop()
        for index, fact in enumerate(facts):
            if index >= len(self._fact_labels):
                name = parts.label(
                    self, f"inspector.fact{index}", fact[0], wraps=True, role="muted"
                )
                value = parts.label(self, f"inspector.value{index}", fact[0])
                value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                self._facts.addRow(name, value)
                self._fact_labels.append((name, value))
            for label, text in zip(self._fact_labels[index], fact, strict=True):
                label.setText(text)
                label.setAccessibleName(" ".join(fact))

    def _on_name_edited(self) -> None:
        name = self._name.text().strip()
        if self._view.is_editable and name != self._view.name:
            self.rename_requested.emit(name)

    def _restyle(self) -> None:
        theme = current_theme()
        color = theme.category(self._view.category) if self._view.category else theme.muted
        bare = "background: transparent; border: none; padding: 0; font-weight: 600;"
        for widget, style in (
            (self._type, f"color: {color};"),
            (self._name, "" if self._view.is_editable else bare),
            (self._error, f"color: {theme.error};"),
        ):
            if widget.styleSheet() != style:  # milliseconds each, also where nothing changes
                widget.setStyleSheet(style)
        for _, value in self._fact_labels:
            value.setFont(mono_font())
