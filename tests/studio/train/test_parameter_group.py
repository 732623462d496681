"""Groups of parameters in the recipe, typed in as a user does, and their learning rates."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit

from engine.events import SetValue
from engine.query.rate.request import GroupsPreview, LrPreview, PreviewGroups, PreviewLr
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.state import RunState, RunStatus
from engine.spec.painting import rate_of
from engine.spec.run import Choice, ParameterGroup, PhaseSpec
from engine.spec.trained_group import TrainedGroup
from studio.session.run_follower import RunUpdate
from studio.view.curve import present_rates
from studio.view.recipe import present_train_form
from studio.view.run import present_live
from tests.studio.played_run import PlayedWatch
from tests.studio.played_run import follow as follow_played
from widgets.plots.legend import Legend


@pytest.fixture
def host(host):
    """Return a host that plans a tenth of the rate for each further group."""

    def plan(request: PreviewLr) -> LrPreview:
        rates = [0.125 / 10**number for number in range(1 + len(request.spec.groups))]
        return LrPreview(steps=(1, 2, 3), values=tuple((rate,) * 3 for rate in rates))

    host.own[PreviewLr] = plan
    return host


@pytest.fixture
def follow(opened):
    """Return a function that shows a run with some learning rates, the rest first."""
    session = opened.session
    folders: dict[str, RunFolder] = {}
    watches: dict[str, PlayedWatch] = {}

    def show(run: str, *rates: float, spec=None, status=RunStatus.RUNNING) -> None:
        if run not in folders:
            path = session.project.path
            folders[run] = RunFolder.create(path, session.graph, spec or session.spec, run)
            watches[run] = follow_played(opened, folders[run])
        names = ["lr"] if len(rates) == 1 else [f"lr.{number}" for number in range(len(rates))]
        curves = {
            name: (np.array([1]), np.array([rate])) for name, rate in zip(names, rates, strict=True)
        }
        state = RunState(status=status, step=len(rates), epochs=20, pid=1)
        watches[run].tell(RunUpdate(folder=folders[run], state=state, curves=curves, starts=1))

    return show


@pytest.fixture
def shown(opened):
    """Return a function that tells title and last rate, or rates by name, of the chart."""
    opened.window.show_workspace("train")
    page = opened.window.page("train")
    title = page.findChild(QLabel, "train.rate.title")

    def tell() -> tuple[str, object]:
        legend = page.rate_preview.findChild(Legend)
        if legend.isHidden():
            series = page.rate_preview.series
            return title.text(), [float(one.values[-1]) for one in series]
        rows = [legend.topLevelItem(at) for at in range(legend.topLevelItemCount())]
        return title.text(), {row.text(0): row.text(1) for row in rows}

    return tell


def with_group(session):
    group = ParameterGroup(match="hidden1", params={"lr": 0.1 * rate_of(session.spec, 0)})
    return msgspec.structs.replace(session.spec, groups=(group,))


@pytest.fixture
def train(opened):
    opened.window.show_workspace("train")
    return opened.window.page("train")


def write(qtbot, train, name, text):
    qtbot.waitUntil(lambda: train.form.findChild(QLineEdit, f"field.{name}") is not None)
    editor = train.form.findChild(QLineEdit, f"field.{name}")
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, Qt.Key.Key_Return)


@pytest.mark.row("S170")
def test_that_a_group_is_typed_in_and_has_the_rate_of_the_optimizer_until_it_has_its_own(
    opened, train, qtbot
):
    session = opened.session
    write(qtbot, train, "groups.0.match", "hidden1, *.bias")
    qtbot.waitUntil(lambda: session.spec.groups == (ParameterGroup(match="hidden1, *.bias"),))
    form = present_train_form(opened.services.editor.recipe())
    (group,) = [group for group in form.groups if group.name == "group0"]
    fields = {view.name: view for view in group.fields}
    rest = next(v for g in form.groups for v in g.fields if v.name == "optimizer.lr")
    assert fields["groups.0.lr"].is_auto
    assert fields["groups.0.lr"].resolved == rest.text
    write(qtbot, train, "groups.0.lr", "0.25")
    qtbot.waitUntil(lambda: session.spec.groups[0].params == {"lr": 0.25})


@pytest.mark.row("S223")
def test_that_the_rate_that_is_shown_is_that_of_the_rest_and_each_group_has_its_curve(opened):
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, with_group(session), "first")
    steps = np.array([1, 2])
    curves = {"lr.0": (steps, np.array([0.1, 0.1])), "lr.1": (steps, np.array([1.0, 1.0]))}
    update = RunUpdate(folder=folder, state=RunState(), curves=curves, starts=1)
    assert present_live(update, "").values["optimizer.lr"] == "0.1"
    labels = [series.label for series in present_rates(update)]
    assert labels == ["Other parameters", "Group 1 (hidden1)"]


def test_that_plan_and_run_show_the_rate_of_each_group_by_its_name(
    opened, train, follow, shown, qtbot
):
    write(qtbot, train, "groups.0.match", "hidden1, *.bias")
    names = ("Other parameters", "Group 1 (hidden1, *.bias)")
    planned = dict(zip(names, ("0.125", "0.0125"), strict=True))
    qtbot.waitUntil(lambda: shown() == ("Planned learning rate", planned))
    follow("first", 0.5, 0.25)
    measured = dict(zip(names, ("0.5", "0.25"), strict=True))
    qtbot.waitUntil(lambda: shown() == ("Learning rate of the run", measured))
    write(qtbot, train, "groups.0.match", "")  # the plan is another one, the run goes on
    qtbot.wait(1200)
    assert shown() == ("Learning rate of the run", measured)


def test_that_a_new_run_shows_its_plan_until_its_first_step(opened, train, follow, shown, qtbot):
    qtbot.waitUntil(lambda: shown() == ("Planned learning rate", [0.125]))
    follow("first", 1000.0)
    qtbot.waitUntil(lambda: shown() == ("Learning rate of the run", [1000.0]))
    follow("first", 1000.0, status=RunStatus.FINISHED)
    opened.session.find(is_checked=False)
    opened.services.runs.start()  # when the check is there
    assert opened.services.runs.is_waiting
    qtbot.waitUntil(lambda: shown() == ("Planned learning rate", [0.125]))
    opened.services.runs.stop()
    qtbot.waitUntil(lambda: shown() == ("Learning rate of the run", [1000.0]))
    follow("second")
    qtbot.waitUntil(lambda: shown() == ("Planned learning rate", [0.125]))
    follow("second", 0.5)
    qtbot.waitUntil(lambda: shown() == ("Learning rate of the run", [0.5]))


def test_that_a_recipe_that_is_changed_after_a_run_shows_what_is_planned(
    opened, train, follow, shown, qtbot
):
    follow("first", 0.5, status=RunStatus.FINISHED)
    qtbot.waitUntil(lambda: shown() == ("Learning rate of the run", [0.5]))
    write(qtbot, train, "epochs", "7")
    qtbot.waitUntil(lambda: shown() == ("Planned learning rate", [0.125]))
    follow("second", 0.25)
    qtbot.waitUntil(lambda: shown() == ("Learning rate of the run", [0.25]))


def test_that_the_live_field_says_that_it_changes_all_groups(opened, train, follow, qtbot):
    title = train.findChild(QLabel, "train.live.optimizer.lr.title")
    field = train.findChild(QLineEdit, "train.live.optimizer.lr")
    follow("plain", 0.5)
    qtbot.waitUntil(lambda: title.isVisible() and title.text() == "Learning rate")
    assert "group" not in field.toolTip()
    follow("grouped", 0.5, 0.05, spec=with_group(opened.session))
    qtbot.waitUntil(lambda: title.text() == "Learning rate (all groups)")
    assert field.text() == "0.5"
    assert "Group 1 (hidden1) × 0.1" in field.toolTip()
    assert field.accessibleName() == title.text()


def test_that_the_recipe_tells_how_much_is_in_each_group_and_draws_a_rate_for_each_layer(
    opened, train, host, shown, qtbot
):
    def divide(request: PreviewGroups) -> GroupsPreview:
        assert request.spec.no_decay.biases_and_norms or request.spec.layer_rates.is_on
        groups = (
            TrainedGroup(tensors=1, parameters=30, parts=("head",)),
            TrainedGroup(depth=1, tensors=2, parameters=1200, parts=("first",), ratio=0.5),
            TrainedGroup(decays=False, tensors=2, parameters=4, parts=("head",)),
        )
        return GroupsPreview(groups=groups)

    def plan(request: PreviewLr) -> LrPreview:
        rates = [0.25 * group.ratio for group in request.groups] or [0.25]
        return LrPreview(steps=(1, 2), values=tuple((rate,) * 2 for rate in rates))

    host.own |= {PreviewGroups: divide, PreviewLr: plan}
    opened.services.editor.set("no_decay.biases_and_norms", "true")
    opened.services.editor.set("layer_rates.decay", "0.5")

    def note(name: str) -> str:
        label = train.form.findChild(QLabel, f"field.{name}.message")
        return label.text() if label is not None and not label.isHidden() else ""

    decay = "With weight decay: 1,230 parameters in 3 tensors\nWithout: 4 parameters in 2 tensors"
    qtbot.waitUntil(lambda: note("no_decay.biases_and_norms") == decay)
    lines = "× 1: head (34 parameters)\n× 0.5: first (1,200 parameters)"
    qtbot.waitUntil(lambda: note("layer_rates.decay") == lines)
    planned = {"head": "0.25", "first": "0.125"}
    qtbot.waitUntil(lambda: shown() == ("Planned learning rate", planned))


def test_that_each_phase_has_a_field_for_its_rate(opened, train, follow, qtbot):
    phase = PhaseSpec(name="matrices", match="hidden1", optimizer=Choice(type="AdamW"))
    spec = msgspec.structs.replace(opened.session.spec, phases=(phase,))
    follow("phases", 0.5, 0.25, spec=spec)
    name = "train.live.phases.0.optimizer.lr"
    qtbot.waitUntil(lambda: train.findChild(QLineEdit, name) is not None)
    field, title = train.findChild(QLineEdit, name), train.findChild(QLabel, f"{name}.title")
    qtbot.waitUntil(field.isVisible)
    assert (field.text(), title.text()) == ("0.25", "matrices")
    assert field.accessibleName() == "Learning rate (matrices)"
    assert train.findChild(QLineEdit, "train.live.optimizer.lr").text() == "0.5"
    commands = CommandReader(opened.session.run.folder.commands_path)
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "0.125")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert commands.poll() == [SetValue(name="phases.0.optimizer.lr", value=0.125)]
    follow("plain", 0.5)
    qtbot.waitUntil(lambda: not field.isVisible())
