"""The plane of a decision surface is chosen on its page: two columns, or three samples."""

import numpy as np
import pyqtgraph as pg
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import Warned, WatchSurface
from engine.query.data.request import DescribeData, PreviewData
from engine.query.results.request import DrawSurface, LookUp
from engine.runs.folder import CommandReader
from engine.runs.record.surface import SURFACES, Surface, SurfacePoint
from engine.spec.data import DataInfo, FieldInfo, PreviewInfo, SampleView
from engine.spec.plane import Plane, PlaneAxis
from engine.spec.run import Choice, LossTerm
from studio.inspect.surface.page import SurfacePage
from tests.named_parts import part
from tests.plot_parts import drawn
from tests.studio.inspect.results.test_results import DIGITS, ResultHost, begin, front, tell
from tests.tiny_run import CROSS_ENTROPY

COLUMNS = ("width", "height", "weight")
TABLE = DataInfo(
    source="table",
    samples=9,
    task="classification",
    fields=(
        FieldInfo(
            name="features",
            role="input",
            kind="vector",
            shape=(3,),
            dtype="float32",
            columns=COLUMNS,
        ),
        FieldInfo(
            name="categories",
            role="input",
            kind="categories",
            shape=(1,),
            dtype="int64",
            columns=("colour",),
            vocabularies=(("red", "blue"),),
        ),
        DIGITS.fields[1],
    ),
)
SAMPLES = tuple(
    SampleView(index=at, values={"features": (at, 2 * at, 5), "categories": (1,), "label": (0,)})
    for at in range(3)
)


def surface(plane: Plane, *, outputs: int = 2, is_classified: bool = True) -> Surface:
    values = np.arange(outputs * 9, dtype="<f4").reshape(outputs, 3, 3)
    numbers = plane.samples or (3, 4, 5)
    return Surface(
        step=4,
        x=(0, 1),
        y=(0, 2),
        size=3,
        outputs=outputs,
        is_classified=is_classified,
        values=(values / values.sum(axis=0)).astype("<f4").tobytes(),
        dtype="<f4",
        plane=replace(plane, samples=numbers),
        points=tuple(
            SurfacePoint(x=at / 4, y=at / 2, sample=number, target=at % 2)
            for at, number in enumerate(numbers)
        ),
    )


class PlaneHost(ResultHost):
    """Draws every plane that it is asked for but those of sample 8."""

    def answer(self, request, future) -> None:
        match request:
            case DescribeData():
                future.set_result(self.own[DescribeData])
            case DrawSurface(plane=plane) if 8 in plane.samples:
                future.set_exception(DiagnosticError(Diagnostic(code="V043")))
            case DrawSurface(plane=plane):
                is_of_table = (
                    self.own[DescribeData].source == TABLE.source and plane.kind != "samples"
                )
                chosen = plane.samples or ((2,) if is_of_table else (3 + plane.draw, 4, 5))
                kind = "columns" if is_of_table else "samples"
                drawn = replace(plane, kind=kind, samples=chosen)
                if is_of_table and not plane.axes:
                    axes = (PlaneAxis(field="features"), PlaneAxis(field="features", column=1))
                    drawn = replace(drawn, axes=axes)
                future.set_result(surface(drawn))
            case PreviewData():
                future.set_result(PreviewInfo(split="train", samples=SAMPLES))
            case LookUp(places=places) if self.own[DescribeData].source == TABLE.source:
                found = tuple(replace(SAMPLES[0], index=at) for at in places)
                future.set_result(PreviewInfo(split="", samples=found))
            case _:
                super().answer(request, future)

    def planes(self) -> list[Plane]:
        return [each.plane for each in self.requests if isinstance(each, DrawSurface)]


@pytest.fixture
def host() -> PlaneHost:
    return PlaneHost()


@pytest.fixture
def table(opened, host, qtbot) -> SurfacePage:
    host.own = {DescribeData: TABLE}
    begin(opened, qtbot)
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(lambda: "colour: blue" in page.facts.text())
    return page


@pytest.fixture
def digits(opened, host, qtbot) -> SurfacePage:
    host.own = {DescribeData: DIGITS}
    begin(opened, qtbot)
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(page.thumbnails.isVisible)
    return page


@pytest.mark.row("S226", "S318")
def test_that_two_columns_of_a_table_are_chosen(table, host, qtbot) -> None:
    choices = table.choices
    assert table.plane.view.x_label == "width"
    assert [choices.across.itemText(at) for at in range(choices.across.count())] == [*COLUMNS]
    choices.upward.setCurrentIndex(2)
    choices.upward.activated.emit(2)
    qtbot.waitUntil(lambda: table.plane.view.y_label == "weight")
    assert host.planes()[-1].axes[1] == PlaneAxis(field="features", column=2)
    assert table.plane.view.xy.tolist() == [[0, 5], [1, 5], [2, 5]]
    choices.across.setCurrentIndex(2)  # the axes change places
    choices.across.activated.emit(2)
    qtbot.waitUntil(lambda: table.plane.view.x_label == "weight")
    assert table.plane.view.y_label == "width"


@pytest.mark.row("S226", "S318")
def test_that_the_other_inputs_are_those_of_a_chosen_sample(table, host, qtbot) -> None:
    box, *others = table.choices.samples
    assert (box.value(), box.maximum()) == (2, 8)
    assert not any(other.isVisible() for other in others)
    assert "sample 2" in table.hint.text()
    qtbot.mouseClick(table.choices.next, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "sample 3" in table.hint.text())
    assert host.planes()[-1].samples == (3,)
    box.setValue(8)
    qtbot.waitUntil(lambda: bool(table.refused.text()))
    assert table.plane.isVisible()  # what was drawn before stays
    box.setValue(5)
    qtbot.waitUntil(lambda: "sample 5" in table.hint.text())
    assert not table.refused.isVisible()


@pytest.mark.row("S226", "S318")
def test_that_a_table_is_seen_through_three_samples_too(table, host, qtbot) -> None:
    table.choices.kind.setCurrentIndex(1)
    table.choices.kind.activated.emit(1)
    qtbot.waitUntil(lambda: table.facts.text().startswith("A: "))
    assert not table.choices.across.isVisible()
    assert [box.value() for box in table.choices.samples] == [3, 4, 5]
    assert len(table.plane.view.xy) == 3


@pytest.mark.row("S226", "S318")
def test_that_pictures_lie_on_the_plane_with_their_letters(digits, host, qtbot) -> None:
    assert not any(isinstance(request, PreviewData) for request in host.requests)
    assert not digits.choices.kind.isEnabled()
    words = [item.toPlainText() for item in drawn(digits.plane, pg.TextItem)]
    assert words == ["A", "B", "C"]
    assert len(digits.thumbnails.list.model().images) == 3
    qtbot.mouseClick(digits.choices.next, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: digits.choices.samples[0].value() == 4)
    assert host.planes()[-1] == Plane(kind="samples", draw=1)
    digits.choices.samples[2].setValue(7)
    qtbot.waitUntil(lambda: host.planes()[-1].samples == (4, 4, 7))


def test_that_the_next_run_shows_its_samples_too(digits, opened, host, qtbot) -> None:
    begin(opened, qtbot)
    qtbot.waitUntil(lambda: sum(isinstance(each, LookUp) for each in host.requests) > 1)
    qtbot.waitUntil(digits.thumbnails.isVisible)


def test_that_one_of_several_numbers_is_shown(opened, host, qtbot) -> None:
    target = FieldInfo(
        name="ends",
        role="target",
        kind="vector",
        shape=(2,),
        dtype="float32",
        columns=("low", "high"),
    )
    host.own = {DescribeData: replace(TABLE, task="regression", fields=(*TABLE.fields[:2], target))}
    run = begin(opened, qtbot)
    plane = Plane(kind="samples", samples=(3, 4, 5))
    SURFACES.write(run.artefacts, 4, surface(plane, is_classified=False))
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(page.choices.output.isVisible)
    before = page.step.text()
    assert page.choices.output.itemText(1) == "high"
    page.choices.output.setCurrentIndex(1)
    page.choices.output.activated.emit(1)
    qtbot.waitUntil(lambda: page.step.text() != before)


def test_that_a_run_is_told_the_plane_and_tells_why_it_has_none(
    opened, host, qtbot, monkeypatch
) -> None:
    host.own = {DescribeData: DIGITS}
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    run = begin(opened, qtbot, is_over=False)
    SURFACES.write(run.artefacts, 3, surface(Plane(kind="samples")))
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(page.thumbnails.isVisible)
    reader = CommandReader(run.commands_path)
    told: list[Plane] = []

    def read() -> list[Plane]:
        told.extend(one.plane for one in reader.poll() if isinstance(one, WatchSurface))
        return told

    qtbot.waitUntil(lambda: bool(read()))
    qtbot.mouseClick(page.choices.next, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: read()[-1].draw == 1)
    tell(run, Warned(problem=Diagnostic(code="V043"), step=3))
    qtbot.waitUntil(lambda: "one line" in page.refused.text())


def test_that_an_output_is_chosen_of_several(opened, host, qtbot) -> None:
    place = FieldInfo(name="place", role="target", kind="scalar", shape=(), dtype="float32")
    mask = replace(place, name="mask", kind="mask")
    host.own = {DescribeData: replace(TABLE, fields=(*TABLE.fields, place, mask))}
    terms = [
        LossTerm(loss=Choice(type="MSELoss"), inputs={"input": f"model.{n}", "target": f"data.{n}"})
        for n in ("place", "mask")
    ]
    losses = (CROSS_ENTROPY, *terms)
    begin(opened, qtbot, spec=replace(opened.session.spec, losses=losses))
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(page.choices.judged.isVisible)
    combo = page.choices.judged
    assert [combo.itemData(at) for at in range(combo.count())] == ["", "place"]  # no mask
    combo.setCurrentIndex(1)
    combo.activated.emit(1)
    qtbot.waitUntil(lambda: any(each.output == "place" for each in host.planes()))
    assert combo.currentText() == "place"
    qtbot.waitUntil(page.choices.next.isEnabled)
    page.choices.next_requested.emit()
    qtbot.waitUntil(lambda: bool(host.planes()[-1].samples))
    page.choices.kind_chosen.emit("samples")
    qtbot.waitUntil(lambda: host.planes()[-1].kind == "samples")
    assert host.planes()[-1].output == "place"


@pytest.mark.parametrize(("kind", "word"), [("mask", "pixel"), ("sequence", "token")])
def test_that_what_has_no_surface_says_why(kind, word, opened, host, qtbot) -> None:
    target = replace(DIGITS.fields[1], kind=kind, shape=(8, 8))
    host.own = {DescribeData: replace(DIGITS, fields=(DIGITS.fields[0], target))}
    begin(opened, qtbot)
    page = front(opened, "surface", SurfacePage)
    title = part(page.empty, f"{page.empty.objectName()}.title")
    qtbot.waitUntil(lambda: title.text() == "No plane to draw")
    assert word in part(page.empty, f"{page.empty.objectName()}.text").text()
    assert not host.planes()
