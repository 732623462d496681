"""Demo of icons, notices, palette, progress and help: ``python -m widgets.common.demo``."""

import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QGridLayout, QPushButton, QVBoxLayout, QWidget

from widgets.common.command_palette import CommandEntry, CommandPalette
from widgets.common.demo_window import run_demo
from widgets.common.empty_state import EmptyState
from widgets.common.help_view import HelpView
from widgets.common.icons import icon, icon_names
from widgets.common.plain_label import PlainLabel
from widgets.common.progress import ProgressPanel, ProgressView
from widgets.common.switch import Switch
from widgets.common.text import plain_tip
from widgets.common.toast import ToastStack, ToastView

_HELP = """# Conv2d

Slides a small window over the picture. See [Pooling](help:pooling).

| parameter | meaning |
|---|---|
| `kernel_size` | how large the window is |

```
nn.Conv2d(1, 16, 3)
```
<b>not bold</b>
"""
_ENTRIES = (
    CommandEntry(id="run", title="Start training", path="Train", shortcut="F5", icon="play"),
    CommandEntry(id="stop", title="Stop training", path="Train", icon="stop", is_enabled=False),
    CommandEntry(id="fit", title="Show everything", path="View", shortcut="Ctrl+0", icon="fit"),
    CommandEntry(id="layout", title="Arrange the nodes", path="Model", shortcut="Ctrl+L"),
)


def _icon_sheet() -> QWidget:
    sheet = QWidget()
    grid = QGridLayout(sheet)
    for index, name in enumerate(icon_names()):
        label = PlainLabel()
        label.setPixmap(icon(name).pixmap(24, 24))
        label.setToolTip(plain_tip(name))
        grid.addWidget(label, index // 16, index % 16)
    return sheet


def build_demo(language: str) -> QWidget:
    """Return everything common side by side."""
    is_chinese = language == "zh_CN"
    window = QWidget()
    grid = QGridLayout(window)
    empty = EmptyState("data")
    empty.set_texts(
        "还没有数据" if is_chinese else "No data yet",
        "选择一个自带的数据集,无需联网。" if is_chinese else "Choose a set that comes along.",
        "选择数据" if is_chinese else "Choose data",
    )
    progress = ProgressPanel("demo.progress")
    progress.set_view(ProgressView(text="Epoch 3", fraction=0.37, left_s=95, can_cancel=True))
    help_view = HelpView()
    help_view.set_markdown(_HELP)
    column = QVBoxLayout()
    primary = QPushButton("开始训练" if is_chinese else "Start training")
    primary.setProperty("primary", "true")
    off = QPushButton("Disabled")
    off.setEnabled(False)
    switch = Switch()
    switch.setChecked(True)
    for index, widget in enumerate((primary, QPushButton("Normal"), off, switch, Switch())):
        widget.setObjectName(f"demo.{index}")
        widget.setAccessibleName(widget.text() or "Switch")
        column.addWidget(widget)
    column.addWidget(progress)
    column.addStretch(1)
    grid.addWidget(_icon_sheet(), 0, 0)
    grid.addLayout(column, 0, 1)
    grid.addWidget(empty, 1, 0)
    grid.addWidget(help_view, 1, 1)
    stack = ToastStack(window)
    palette = CommandPalette(window)

    def fill() -> None:
        stack.show_toast(ToastView(text="3 nodes deleted", action="Undo", key="delete"))
        text = "训练进程意外结束,最后的检查点完好。" if is_chinese else "The run ended."
        stack.show_toast(ToastView(text=text, severity="error", action="Resume", key="run"))
        palette.open_with(_ENTRIES)

    QTimer.singleShot(100, fill)
    return window


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Common"))
