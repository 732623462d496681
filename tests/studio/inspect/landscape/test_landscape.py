"""The Loss landscape page; its process is played by canned messages."""

import numpy as np
import pytest
from msgspec import structs
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QToolButton, QWidget

from engine.diagnostics import Diagnostic, sentence
from engine.project import Project
from engine.query.landscape.request import (
    DrawLandscape,
    LandscapeDone,
    LandscapeFailed,
    LandscapePlane,
    LandscapeProgress,
    LandscapeValues,
    RaceFunction,
    RaceLosses,
    RaceModel,
    RacerOut,
    Way,
    WayAxis,
)
from engine.spec.run import Choice, PhaseSpec
from studio.inspect.landscape.controller import LandscapeController
from studio.inspect.landscape.drawing import Drawing, fold
from studio.inspect.landscape.function_lesson import function_lesson, function_titles
from studio.inspect.landscape.page import LandscapePage
from studio.inspect.landscape.presenter import (
    present_description,
    present_landscape,
    present_losses,
)
from studio.inspect.landscape.race import RacerRow
from studio.inspect.workspace import InspectWorkspace
from tests.named_parts import part
from tests.studio.fake_job import FakeJob, FakeJobs
from tests.studio.inspect.conftest import put_together
from tests.studio.inspect.results.test_results import begin
from widgets.common.theme import current_theme

AXIS = WayAxis(low=-1, high=1, kind="principal", share=0.5)
VALUES = LandscapeValues(start=0, values=(4.0, 3.0, 2.0, 3.0, 1.0, 3.0, 4.0, None, 9.0))


@pytest.fixture
def jobs(monkeypatch) -> FakeJobs:
    """Return the jobs that were started, the newest last; a test says what they tell."""
    jobs = FakeJobs()
    monkeypatch.setitem(LandscapeController.__init__.__kwdefaults__, "make_job", jobs)
    return jobs


@pytest.fixture
def page(jobs, bench, qtbot) -> LandscapePage:
    made = LandscapePage()
    put_together(made, qtbot)
    LandscapeController(bench, made)
    made.show()
    made.activateWindow()
    return made


def front(opened) -> LandscapePage:
    opened.window.show_workspace("inspect")
    opened.window.findChild(InspectWorkspace).show_page("landscape")
    return opened.window.findChild(LandscapePage)


def choose(page: LandscapePage, name: str, key: str) -> None:
    combo = page.findChild(QComboBox, name)
    combo.setCurrentIndex(combo.findData(key))
    combo.activated.emit(combo.currentIndex())


def click(qtbot, button) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def plane(*ways: Way, size: int = 3, samples: int = 0) -> LandscapePlane:
    return LandscapePlane(size=size, x=AXIS, y=AXIS, ways=ways, samples=samples)


def way(number: int) -> Way:
    return Way(steps=(0, 1, 2), x=(-0.5, 0.0, 0.5), y=(0.0, 0.1, 0.2), racer=number)


def finish(job: FakeJob, *messages) -> None:
    for message in (*messages, LandscapeDone()):
        job.tell(message)


@pytest.mark.row("N17")
def test_that_a_race_on_a_function_is_drawn_and_played(page, jobs, qtbot):
    choose(page, "landscape.subject", "rosenbrock")
    assert "(1 − x)²" in page.description.text()
    click(qtbot, page.empty.button)
    job = jobs[-1]
    assert isinstance(job.request, RaceFunction)
    assert job.is_started
    assert len(job.request.racers) == 4
    assert not page.start.isEnabled()
    job.tell(LandscapeProgress(phase="race", done=1, total=2))
    qtbot.waitUntil(lambda: "1 of 2" in page.progress.bar.accessibleName())
    for number in range(4):  # the only legend of the losses, while nothing can be chosen
        swatch = page.findChild(QWidget, f"landscape.racer{number}.color")
        seen = swatch.grab().toImage().pixelColor(5, 5).name()
        assert (swatch.isEnabled(), seen) == (False, current_theme().series_color(number).lower())
    losses = RaceLosses(first=1, losses=((3.0, 2.0), (3.0, 1.0), (3.0,), (3.0, 2.5)))
    out = RacerOut(number=2, step=1, problem=Diagnostic(code="V021", params={"step": 1}))
    finish(job, losses, out, plane(*map(way, range(4))), VALUES)
    qtbot.waitUntil(page.chart.isVisible)
    qtbot.waitUntil(page.start.isEnabled)
    assert [one.label for one in page.chart.view.ways][1] == "SGD, momentum 0.9 · 0.0005"
    assert "SGD, momentum 0.9 · 0.0005, mean loss 2" in page.description.text()
    assert page.chart.view.ways[1].end == 2  # as the sentence has it, not the last loss alone
    assert page.out.text().startswith("RMSprop · 0.02: Eliminated after step 1")
    assert not page.take.isVisible()  # there is no recipe to learn from it
    qtbot.waitUntil(lambda: page.shown_step == 2 and not page.play.isChecked())
    click(qtbot, page.play)
    assert page.play.isChecked()
    part(page, "landscape.way").setValue(1)
    assert not page.play.isChecked()
    assert part(page, "landscape.step").text() == "Step 1"
    page.chart.pointed.emit(0.0, 0.0, 1.0)
    assert page.pointed.text() == "(0, 0): 1"


@pytest.mark.row("N17")
def test_that_the_best_of_a_race_is_taken_over_as_one_step_of_undo(bench, page, jobs, qtbot):
    choose(page, "landscape.subject", "model")
    before = bench.session.spec
    click(qtbot, page.start)
    request = jobs[-1].request
    assert isinstance(request, RaceModel)
    assert (request.graph, request.spec) == (bench.session.graph, before)
    assert request.racers[0].is_recipe
    losses = RaceLosses(first=1, losses=((3.0,), (1.0,), (2.0,), (2.5,)))
    finish(jobs[-1], losses, plane(*map(way, range(4)), samples=512), VALUES)
    qtbot.waitUntil(page.take.isVisible)
    assert "mean loss of 512 samples" in page.description.text()
    click(qtbot, page.take)
    assert bench.session.spec.optimizer == Choice(type="SGD", params={"lr": 0.1})
    assert not page.take.isVisible()
    assert "SGD · 0.1" in bench.notifications.lines[-1].text
    bench.session.undo()
    assert bench.session.spec == before
    assert page.take.isVisible()


@pytest.mark.row("N17", "S171")
def test_that_the_optimizer_of_a_chosen_phase_is_raced_and_taken_over(bench, page, jobs, qtbot):
    session = bench.session
    chooser = page.findChild(QComboBox, "landscape.phase")
    choose(page, "landscape.subject", "model")
    assert not chooser.isVisible()
    phase = PhaseSpec(name="matrices", match="hidden1", optimizer=MUON)
    session.change(session.graph, structs.replace(session.spec, phases=(phase,)), "a phase")
    qtbot.waitUntil(chooser.isVisible)
    choose(page, "landscape.phase", "1")
    click(qtbot, page.start)
    request = jobs[-1].request
    assert (request.phase, request.racers[0].optimizer) == (1, MUON)
    losses = RaceLosses(first=1, losses=((3.0,), (1.0,), (2.0,), (2.5,)))
    finish(jobs[-1], losses, plane(*map(way, range(4)), samples=512), VALUES)
    qtbot.waitUntil(page.take.isVisible)
    before = session.spec
    click(qtbot, page.take)
    assert session.spec.phases[0].optimizer == Choice(type="SGD", params={"lr": 0.1})
    assert session.spec.optimizer == before.optimizer
    session.undo()
    assert session.spec == before
    choose(page, "landscape.subject", "bowl")
    assert not chooser.isVisible()


MUON = Choice(type="Muon", params={"lr": 0.02})


@pytest.mark.row("N17")
def test_that_the_landscape_of_a_run_is_that_of_its_checkpoint(opened, jobs, qtbot):
    run = begin(opened, qtbot)
    page = front(opened)
    qtbot.waitUntil(lambda: page.empty.button.text() == "Compute")
    choose(page, "landscape.directions", "random")
    choose(page, "landscape.points", 21)
    click(qtbot, page.start)
    request = jobs[-1].request
    assert isinstance(request, DrawLandscape)
    assert (request.run_folder, request.directions, request.size) == (str(run.path), "random", 21)
    jobs[-1].tell(replace(plane(way(-1)), run="run-0001", step=1266))
    jobs[-1].tell(LandscapeValues(start=0, values=(4.0, 3.0)))
    qtbot.waitUntil(page.chart.isVisible)
    qtbot.waitUntil(lambda: page.description.text().startswith("Around step 1,266 of run-0001. "))
    click(qtbot, page.progress.cancel)
    assert jobs[-1].is_cancelled
    jobs[-1].tell(VALUES)  # said while it was ended
    assert page.start.isEnabled()
    qtbot.waitUntil(lambda: page.chart.view.shades is not None)
    assert np.isfinite(page.chart.view.values).sum() == 2
    assert not page.chart.view.contours.size
    assert "Stopped with 2 of 9 points computed." in page.description.text()
    click(qtbot, page.start)
    assert len(jobs) == 2
    finish(jobs[-1], replace(plane(way(-1)), run="run-0001", step=1266), VALUES)
    qtbot.waitUntil(lambda: "1 to 9" in page.description.text())
    assert "Stopped" not in page.description.text()


def test_that_the_keys_go_from_what_begins_a_landscape_to_what_stops_it(page, jobs, qtbot):
    choose(page, "landscape.subject", "bowl")
    page.start.setFocus()
    qtbot.keyClick(page.start, Qt.Key.Key_Space)
    assert page.progress.cancel.hasFocus()
    qtbot.keyClick(page.progress.cancel, Qt.Key.Key_Space)
    assert jobs[-1].is_cancelled
    assert page.start.hasFocus()


def test_that_without_a_checkpoint_the_page_leads_to_training(page, bench, qtbot):
    assert page.empty.button.text() == "Start training"
    click(qtbot, page.empty.button)
    assert (bench.went_to, bench.runs.started) == (["train"], 1)


def test_that_what_keeps_a_race_from_beginning_is_said(page, jobs, qtbot):
    choose(page, "landscape.subject", "model")
    click(qtbot, page.start)
    jobs[-1].tell(LandscapeFailed(problems=(Diagnostic(code="V023"),)))
    qtbot.waitUntil(
        lambda: "lower learning rates" in part(page.empty, f"{page.empty.objectName()}.text").text()
    )
    assert page.start.isEnabled()


def test_that_what_ends_a_race_midway_is_said_beside_what_was_reached(page, bench, jobs, qtbot):
    choose(page, "landscape.subject", "model")
    click(qtbot, page.start)
    jobs[-1].tell(plane(way(0)))
    jobs[-1].tell(LandscapeFailed(problems=(Diagnostic(code="V023"),)))
    qtbot.waitUntil(
        lambda: "lower learning rates" in "".join(line.text for line in bench.notifications.lines)
    )
    assert page.start.isEnabled()


def test_that_racers_are_added_changed_and_taken_out_and_kept_by_subject(page, jobs, qtbot):
    choose(page, "landscape.subject", "beale")
    for count in (5, 6):
        qtbot.waitUntil(page.racers.add.isVisible)
        page.racers.add.click()
        assert len(page.racers.rows) == count
    assert not page.racers.add.isEnabled()
    choose(page, "landscape.racer5.kind", "lbfgs")
    assert page.racers.rows[5] == RacerRow(key="lbfgs", rate=0.5)
    click(qtbot, page.findChild(QToolButton, "landscape.racer0.remove"))
    rows = page.racers.rows
    assert rows[0].key == "momentum"
    choose(page, "landscape.subject", "model")
    assert page.racers.rows[0].key == "recipe"
    choose(page, "landscape.subject", "beale")
    assert page.racers.rows == rows


def test_that_another_project_or_language_ends_what_is_computed(opened, jobs, qtbot, tmp_path):
    page = front(opened)
    choose(page, "landscape.subject", "saddle")
    click(qtbot, page.start)
    opened.services.settings.change(language="zh_CN")
    opened.apply_language()
    qtbot.waitUntil(lambda: jobs[-1].is_cancelled)
    page = front(opened)
    choose(page, "landscape.subject", "model")
    click(qtbot, page.start)
    Project.create(tmp_path / "other", "iris-mlp")
    opened.show(tmp_path / "other")
    qtbot.waitUntil(lambda: jobs[-1].is_cancelled)
    assert page.start.isEnabled()


def test_that_losses_are_shown_on_a_logarithmic_axis_where_they_can_be():
    rows = (RacerRow(key="sgd", rate=0.1),)
    drawing = fold(Drawing(rows=rows), RaceLosses(first=1, losses=((100.0,),)))
    drawing = fold(drawing, RaceLosses(first=2, losses=((1.0,),)))
    view = present_losses(drawing)
    assert view.is_log
    assert list(view.lines[0].y) == [2, 0]
    below = present_losses(fold(drawing, RaceLosses(first=3, losses=((-1.0,),))))
    assert not below.is_log
    assert list(below.lines[0].y) == [100, 1, -1]


def test_that_the_lowest_point_is_the_bluest_and_what_is_not_finite_has_no_colour():
    drawing = fold(fold(Drawing(), plane(way(-1))), VALUES)
    view = present_landscape(drawing)
    alpha = view.shades.pixels[..., 3]
    assert alpha[1, 1] == alpha.max() > 200
    assert alpha[2, 1] == 0
    assert alpha[2, 2] < 10
    assert view.contours.shape[1:] == (2, 2)
    assert view.x_label == "Principal component 1 (50% of the path)"
    assert "1 to 9" in present_description(drawing, "en")


def test_that_a_way_without_its_start_is_told_with_the_reason():
    gone = Diagnostic(code="X025", params={"file": "first.npy"})
    told = present_description(
        fold(fold(Drawing(), replace(plane(way(-1)), missing=(gone,))), VALUES), "en"
    )
    assert "instead of step 0" in told
    assert sentence(gone) in told


def test_that_every_function_has_a_title_and_a_lesson():
    titles = function_titles()
    assert len(set(titles.values())) == len(titles)
    assert all(function_lesson(name).startswith("f = ") for name in titles)
