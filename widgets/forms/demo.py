"""Demo of a form with every kind of field: ``python -m widgets.forms.demo``."""

import sys
from dataclasses import replace

from PySide6.QtWidgets import QHBoxLayout, QWidget

from widgets.common.demo_window import run_demo
from widgets.forms.form import FormWidget
from widgets.forms.view_model import FieldView, FormView, GroupView

_DTYPES = tuple((name, name) for name in ("float32", "float64", "float16", "int64", "bool"))
_OPTIMIZERS = tuple(
    (name, name)
    for name in (
        "Adadelta",
        "Adagrad",
        "Adam",
        "AdamW",
        "Adamax",
        "ASGD",
        "LBFGS",
        "NAdam",
        "RAdam",
        "RMSprop",
        "Rprop",
        "SGD",
    )
)
_FIELDS = (
    FieldView(
        name="in_channels",
        label="In channels",
        kind="int",
        text="auto",
        auto=True,
        is_auto=True,
        resolved="16",
        help="Number of channels in the input image. On automatic it follows the wire.",
        minimum=1,
    ),
    FieldView(name="out_channels", label="Out channels", kind="int", text="32", minimum=1),
    FieldView(
        name="kernel_size",
        label="Kernel size",
        kind="ints",
        text="3, 3",
        length=2,
        default_text="3",
        is_modified=True,
        help="Size of the convolving kernel.",
    ),
    FieldView(
        name="padding",
        label="Padding",
        kind="ints",
        text="-1",
        error="Padding is -1; it has to be at least 0.",
        default_text="0",
        is_modified=True,
    ),
    FieldView(name="bias", label="Bias", kind="bool", text="true", default_text="true"),
    FieldView(
        name="padding_mode",
        label="Padding mode",
        kind="choice",
        text="zeros",
        choices=tuple((mode, mode) for mode in ("zeros", "reflect", "replicate", "circular")),
        advanced=True,
    ),
    FieldView(
        name="dtype",
        label="Data type",
        kind="dtype",
        text="float32",
        choices=_DTYPES,
        advanced=True,
    ),
)
_TRAIN = (
    FieldView(
        name="optimizer", label="Optimizer", kind="choice", text="AdamW", choices=_OPTIMIZERS
    ),
    FieldView(
        name="optimizer.lr",
        label="Learning rate",
        kind="float",
        text="0.001",
        minimum=0,
        help="How far each step goes. Too large: the loss jumps; too small: nothing happens.",
    ),
    FieldView(
        name="clip",
        label="Clip gradients",
        kind="float",
        optional=True,
        is_none=True,
        warning="With LBFGS clipping changes the line search.",
    ),
    FieldView(name="seconds", label="Time limit", kind="int", text="600", unit="s"),
)
_CHINESE = {
    "In channels": "输入通道数",
    "Out channels": "输出通道数",
    "Kernel size": "卷积核的大小(高度与宽度,可以不同)",
    "Padding": "填充",
    "Bias": "偏置",
    "Learning rate": "学习率",
    "Optimizer": "优化器",
    "Clip gradients": "梯度裁剪的最大范数",
    "Time limit": "时间上限",
    "Padding mode": "填充方式",
    "Data type": "数据类型",
}


def build_demo(language: str) -> QWidget:
    """Return forms side by side, wide and narrow."""

    def translated(field: FieldView) -> FieldView:
        label = _CHINESE.get(field.label, field.label) if language == "zh_CN" else field.label
        return replace(field, label=label)

    window = QWidget()
    row = QHBoxLayout(window)
    for fields, title in ((_FIELDS, "conv1"), (_TRAIN, ""), ((), "")):
        form = FormWidget(window)
        group = GroupView(fields=tuple(map(translated, fields)), title=title and "Conv2d")
        empty = "Select a node to see its settings." if not fields else ""
        form.set_view(FormView(key=title, title=title, groups=(group,), empty_text=empty))
        row.addWidget(form)
    return window


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Forms"))
