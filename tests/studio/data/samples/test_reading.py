"""Texts of samples to read in full, beside the list; the host is played."""

import pytest
from PySide6.QtCore import Qt

from engine.query.data.request import LookAtSample
from engine.spec.browse import (
    LOSS,
    SampleColumn,
    SampleColumns,
    SampleDetails,
    SampleToken,
)
from studio.data.samples.reading import present_reading
from studio.data.samples.state import TABLE, TEXT, forms_of
from tests.studio.data.samples.played import COLUMNS, PlayedSamples

LONG = "first line\n" + "word " * 500 + "<b>end</b>"


@pytest.fixture
def host(host):
    played = PlayedSamples(300, pictures=())
    host.own |= played.answers()
    host.own[LookAtSample] = lambda request: SampleDetails(
        index=request.index,
        cells=played.row(request.index).cells,
        texts={"name": f"{request.index}: {LONG}"},
        tokens={"name": (SampleToken(text="owl", number=1, is_unknown=True),)},
    )
    return host


def go_to(page, form):
    forms = [page.forms.tabData(at) for at in range(page.forms.count())]
    page.forms.setCurrentIndex(forms.index(form))


def text_of(page) -> str:
    return page.reading.text.toPlainText()


def test_that_a_text_is_read_whole_and_follows_the_keys(page, qtbot):
    assert not page.reading.isVisible()
    go_to(page, TEXT)
    qtbot.waitUntil(lambda: f"0: {LONG}" in text_of(page))
    assert "label even" in text_of(page).replace("\xa0", " ")
    assert "1 unknown" in text_of(page)
    page.browser.select(0)
    qtbot.keyClick(page.browser.table, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: f"1: {LONG}" in text_of(page))
    qtbot.keyClick(page.browser.table, Qt.Key.Key_Return)
    assert page.reading.text.hasFocus()
    assert not page.details.isVisible()
    qtbot.keyClick(page.reading.text, Qt.Key.Key_Escape)
    assert page.browser.table.hasFocus()
    go_to(page, TABLE)
    assert not page.reading.isVisible()


def test_that_only_texts_that_are_no_files_can_be_read():
    file = SampleColumn(key="data.image", kind="text", name="image", role="input")
    other = SampleColumn(key="data.name", kind="text", name="name")
    listed = SampleColumns(samples=1, columns=(file, other), pictures=("image",))
    assert TEXT not in forms_of(listed)
    text = SampleColumn(key="data.name", kind="text", name="name", role="input")
    assert TEXT in forms_of(SampleColumns(samples=1, columns=(file, text), pictures=("image",)))


def test_that_what_a_model_says_stands_above_the_text_and_missing_values_do_not():
    listed = SampleColumns(
        samples=1, columns=(*COLUMNS, SampleColumn(key=LOSS, kind="number")), pictures=()
    )
    found = SampleDetails(
        index=0, cells=(0, None, "a text", 3.0, "odd", 0.5), texts={"name": "a text"},
        cut={"name": 4}, tokens={"name": (SampleToken(text="a", number=2),)},
    )  # fmt: skip
    view = present_reading(listed, found, "en")
    assert view.facts == (("label", "odd"), ("Loss", "0.5"))
    assert [piece.text for piece in view.pieces] == ["a text"]
    assert "4 more not read" in view.pieces[0].summary
