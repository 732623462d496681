"""Demo of a gallery of a million rows: ``python -m widgets.paged.demo``."""

import sys

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from widgets.common.demo_window import run_demo
from widgets.images.view_model import ImageView
from widgets.paged.browser import PagedBrowser
from widgets.paged.filter_bar import FilterBar
from widgets.paged.filter_view import FilterField
from widgets.paged.view_model import PagedRow
from widgets.tables.view_model import ColumnView

_TOTAL = 1_000_000


def build_demo(language: str) -> QWidget:
    """Return a gallery whose rows are made when they are looked at."""
    is_chinese = language == "zh_CN"
    window = QWidget()
    browser = PagedBrowser("demo.samples", window)
    column = QVBoxLayout(window)
    column.addWidget(browser.bar)
    column.addWidget(_filter(window))
    column.addWidget(browser, 1)
    columns = (
        ColumnView(key="number", title="编号" if is_chinese else "No.", kind="count"),
        ColumnView(key="name", title="名称" if is_chinese else "Name"),
    )

    def bring() -> None:
        wanted = browser.model.wanted_rows()
        if wanted is not None:
            browser.put(wanted[0], [_row(at) for at in range(wanted[0], sum(wanted))])
        ids = browser.model.wanted_pictures(64)
        if ids:
            browser.put_pictures({each: _picture(each) for each in ids}, {})

    browser.wanted.connect(bring)
    browser.set_columns(columns, frozenset({"number"}))
    browser.set_rows(_TOTAL, 0, [_row(at) for at in range(64)])
    browser.set_form("gallery")
    browser.select(2)
    return window


def _filter(parent: QWidget) -> FilterBar:
    bar = FilterBar("demo.filter", parent)
    bar.setAccessibleName("Filter")
    bar.set_fields((FilterField(key="name", title="Name", kind="text"),))
    bar.set_chips(("18 ≤ age ≤ 30", "city is Rome"))
    bar.set_editing(is_on=True)
    return bar


def _row(at: int) -> PagedRow:
    return PagedRow(id=at, cells=(at, f"row {at}"), label=f"class {at % 10}", sublabel=f"#{at}")


def _picture(at: int) -> ImageView:
    across, down = np.meshgrid(np.linspace(-1, 1, 16), np.linspace(-1, 1, 16))
    wave = np.cos(4 * (across * np.cos(at / 9) + down * np.sin(at / 9)))
    return ImageView(pixels=wave[None], minimum=-1.0)


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Rows"))
