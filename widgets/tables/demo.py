"""Demo of table, problems and log: ``python -m widgets.tables.demo``."""

import sys

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from widgets.common.demo_window import run_demo
from widgets.tables.log_view import LogView
from widgets.tables.problems_list import ProblemsList
from widgets.tables.table_view import TableView
from widgets.tables.view_model import ColumnView, LogLine, ProblemView, RowView, TableData

_STATES = ("finished", "stopped", "running", "failed")


def build_demo(language: str) -> QWidget:
    """Return the three of them above each other."""
    is_chinese = language == "zh_CN"
    window = QSplitter(Qt.Orientation.Vertical)
    for widget in (_table(is_chinese=is_chinese), _problems(is_chinese=is_chinese), _log()):
        window.addWidget(widget)
    return window


def _table(*, is_chinese: bool) -> TableView:
    columns = (
        ColumnView(key="name", title="运行" if is_chinese else "Run"),
        ColumnView(key="state", title="状态" if is_chinese else "State"),
        ColumnView(key="loss", title="验证集损失" if is_chinese else "Loss", kind="number"),
        ColumnView(key="accuracy", title="准确率" if is_chinese else "Accuracy", kind="percent"),
        ColumnView(key="parameters", title="Parameters", kind="count"),
        ColumnView(key="time", title="Duration", kind="duration"),
        ColumnView(key="best", title="Best", kind="flag"),
    )
    table = TableView("runs.table")
    table.set_data(TableData(columns=columns, rows=tuple(map(_row, range(9)))))
    table.select_ids(["run-2", "run-3"])
    return table


def _row(index: int) -> RowView:
    cells = (
        f"run-{index}",
        _STATES[index % 4],
        0.9 / (index + 1),
        1 - 0.3 / (index + 1),
        11_274_133 * (index + 1),
        12.5 * 3**index,
        index == 7,
    )
    return RowView(id=f"run-{index}", cells=cells, color=index)


def _problems(*, is_chinese: bool) -> ProblemsList:
    english = "Gets 576 values on its last axis, but expects 512. Leave In features on automatic."
    chinese = "最后一个轴上有 576 个值,而这里需要 512 个。请将输入特征数设为自动。"
    problems = ProblemsList()
    problems.set_problems(
        (
            ProblemView(
                severity="error",
                text=chinese if is_chinese else english,
                where="linear1",
                code="S003",
                detail="mat1 and mat2 shapes cannot be multiplied (32x576 and 512x10)",
                fixes=("设为自动", "设为 576")
                if is_chinese
                else ("Set to automatic", "Set to 576"),
            ),
            ProblemView(severity="warning", text="The output goes nowhere.", where="relu2"),
            ProblemView(severity="hint", text="Two layers do the same.", where="drop1"),
        )
    )
    problems.select(0)
    return problems


def _log() -> LogView:
    log = LogView()
    log.append([LogLine(text="Epoch 1 of 10: loss 0.7312", time=1.79e9)])
    log.append([LogLine(text="Loss is not falling", level="warning", time=1.79e9 + 5)])
    log.append([LogLine(text="NaN in the loss at step 311", level="error", time=1.79e9 + 6)])
    return log


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Tables"))
