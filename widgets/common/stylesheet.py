"""The style sheet on top of Fusion: borders, radii and states, nothing that a palette can do."""

from functools import lru_cache

from widgets.common.palette import Theme

_SHEET = """
QToolTip { background: $raised; color: $text; border: 1px solid $strong_border; padding: 4px 6px; }
QMainWindow::separator { background: $border; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $accent; }
QSplitter::handle { background: $border; }
QSplitter::handle:hover { background: $accent; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }

QDockWidget::title { background: $window; padding: 5px 8px; text-align: left; }
QStatusBar { background: $window; border-top: 1px solid $border; }
QStatusBar::item { border: none; }
QToolBar { background: $window; border: none; border-bottom: 1px solid $border; spacing: 2px;
  padding: 3px 6px; }
QToolBar::separator { background: $border; width: 1px; margin: 4px 5px; }
QMenuBar { background: $window; border-bottom: 1px solid $border; }
QMenuBar::item { padding: 4px 9px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $raised; border: 1px solid $strong_border; padding: 4px; }
QMenu::item { padding: 5px 26px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; color: $text; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $border; margin: 4px 6px; }
QMenu::icon { padding-left: 8px; }

QPushButton { background: $surface; border: 1px solid $strong_border; border-radius: 5px;
  padding: 4px 12px; color: $text; }
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $sunken; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $faint; border-color: $border; background: transparent; }
QPushButton:default, QPushButton[primary="true"] { background: $accent; color: $on_accent;
  border-color: $accent; }
QPushButton:default:focus { border-color: $text; }
QPushButton[primary="true"]:hover { background: $accent_hover; }
QPushButton[primary="true"]:focus { border: 1px solid $text; }
QPushButton:default:disabled, QPushButton[primary="true"]:disabled { background: $sunken;
  color: $faint; border-color: $border; }
QPushButton[flat="true"] { background: transparent; border-color: transparent; }
QPushButton[flat="true"]:hover { background: $hover; }
QPushButton[flat="true"]:focus { border-color: $accent; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 5px;
  padding: 3px; color: $text; }
QToolButton:hover { background: $hover; }
QToolButton:pressed { background: $sunken; }
QToolButton:checked { background: $accent_soft; border-color: $accent_soft; }
QToolButton:focus { border-color: $accent; }
QToolButton:disabled { color: $faint; }
QToolButton[role="fold"] { padding-left: 0; }
QToolButton[popupMode="1"] { padding-right: 14px; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QAbstractSpinBox, QComboBox { background: $surface; color: $text;
  border: 1px solid $strong_border; border-radius: 5px; padding: 3px 7px;
  selection-background-color: $selection; selection-color: $text; }
QLineEdit:hover, QAbstractSpinBox:hover, QComboBox:hover { border-color: $faint; }
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, QComboBox:on { border-color: $accent; }
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled { color: $faint;
  background: $window; border-color: $border; }
QLineEdit:read-only { background: $window; }
QLineEdit[invalid="true"], QComboBox[invalid="true"] { border-color: $error;
  background: $error_soft; }
QComboBox { padding-right: 20px; }
QComboBox::drop-down { border: none; width: 20px; subcontrol-position: center right; }
QComboBox::down-arrow { image: url(theme:chevron-down-$name.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $strong_border; padding: 3px;
  outline: none; selection-background-color: $accent_soft; selection-color: $text; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; width: 16px;
  background: transparent; }
QAbstractSpinBox::up-arrow { image: url(theme:chevron-up-$name.svg); width: 9px; height: 9px; }
QAbstractSpinBox::down-arrow { image: url(theme:chevron-down-$name.svg); width: 9px;
  height: 9px; }

QCheckBox, QRadioButton { spacing: 7px; }
QCheckBox::indicator, QRadioButton::indicator, QAbstractItemView::indicator, QMenu::indicator {
  width: 14px; height: 14px; border: 1px solid $strong_border; border-radius: 3px;
  background: $surface; }
QRadioButton::indicator { border-radius: 7px; }
QMenu::indicator { margin-left: 6px; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover { border-color: $accent; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked, QMenu::indicator:checked {
  background: $accent; border-color: $accent; image: url(theme:check-$name.svg); }
QRadioButton::indicator:checked { background: $accent; border: 4px solid $surface; }
QCheckBox:focus, QRadioButton:focus { color: $accent; }
QCheckBox::indicator:focus { border-color: $accent; }
QCheckBox::indicator:checked:focus { border-color: $text; }

QSlider::groove:horizontal { height: 3px; background: $border; border-radius: 1px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 1px; }
QSlider::handle:horizontal { width: 12px; height: 12px; margin: -6px 0; border-radius: 6px;
  background: $surface; border: 1px solid $faint; }
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { border-color: $accent; }
QProgressBar { background: $sunken; border: none; border-radius: 3px; text-align: center; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }

QAbstractScrollArea { border: none; }
QTreeView, QTableView, QListView { background: $surface; border: 1px solid $border; outline: none;
  alternate-background-color: $zebra; gridline-color: $border; }
QTreeView[frameless="true"], QTableView[frameless="true"], QListView[frameless="true"] {
  border: none; }
QTreeView::item, QListView::item, QTableView::item { padding: 2px 4px; }
QTreeView::item:hover, QListView::item:hover { background: $hover; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {
  background: $accent_soft; color: $text; }
QHeaderView { background: $window; border: none; }
QHeaderView::section { background: $window; color: $muted; border: none;
  border-bottom: 1px solid $border; padding: 4px 8px; }
QHeaderView::section:hover { color: $text; background: $hover; }
QHeaderView::up-arrow { image: url(theme:chevron-up-$name.svg); width: 9px; height: 9px; }
QHeaderView::down-arrow { image: url(theme:chevron-down-$name.svg); width: 9px; height: 9px; }
QTableCornerButton::section { background: $window; border: none; }
QPlainTextEdit, QTextEdit { background: $surface; color: $text; border: 1px solid $border;
  selection-background-color: $selection; selection-color: $text; }
QPlainTextEdit[frameless="true"], QTextEdit[frameless="true"] { border: none; }

QTabWidget::pane { border: none; border-top: 1px solid $border; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: $muted; padding: 5px 12px; border: none;
  border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:focus { color: $text; background: $accent_soft; border: 1px solid $accent;
  border-bottom: 2px solid $accent; padding: 4px 11px 5px 11px; }
QGroupBox { border: none; margin-top: 1.6em; }
QGroupBox::title { subcontrol-origin: margin; left: 0; color: $muted; }

QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: $scroll; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QLabel[role="heading"] { font-weight: 600; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="faint"] { color: $faint; }
QLabel[role="error"] { color: $error; }
QLabel[role="warning"] { color: $warning; }
QFrame[role="line"] { background: $border; border: none; max-height: 1px; }
QFrame[role="card"] { background: $raised; border: 1px solid $border; border-radius: 8px; }
QFrame[role="menu"] { background: $raised; border: 1px solid $strong_border; }
QFrame[role="menu"] QListView { border: none; }
QFrame[role="card"] QListView { background: transparent; }
QWidget[role="surface"] { background: $surface; }
"""


def stylesheet(theme: Theme, scale: float = 1.0) -> str:
    """Return the style sheet of a theme, with icons ``scale`` times their usual size."""
    values = {name: getattr(theme, name) for name in Theme.__slots__}
    values |= {
        "zebra": mixed(theme.surface, theme.window, 0.6),
        "scroll": mixed(theme.window, theme.faint, 0.45),
        "selection": mixed(theme.surface, theme.accent, 0.35),
        "accent_hover": mixed(theme.accent, theme.text, 0.15),
    }
    sheet = _SHEET
    for name in sorted(values, key=len, reverse=True):
        if isinstance(values[name], str):
            sheet = sheet.replace(f"${name}", values[name])
    small, large = round(16 * scale), round(18 * scale)
    return (
        f"{sheet}\nQToolButton {{ qproperty-iconSize: {small}px {small}px; }}"
        f"\nQToolBar QToolButton {{ qproperty-iconSize: {large}px {large}px; }}\n"
    )


@lru_cache(1_000)
def mixed(first: str, second: str, share: float) -> str:
    """Return a colour between two ``#rrggbb`` ones; ``share`` 0 is the first, 1 the second."""
    pairs = zip(*(bytes.fromhex(color[1:]) for color in (first, second)), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
