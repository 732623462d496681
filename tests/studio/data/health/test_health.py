"""The Health page in the window; the host is played by canned answers."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.repair.case import RepairProposal, words
from engine.query.health.request import CheckDataHealth, HealthStep
from engine.spec.data import FieldInfo
from engine.spec.data_edits import DataEdits
from engine.spec.health import (
    THUMBNAIL_SIDE,
    CheckResult,
    HealthFinding,
    HealthReport,
    SampleEvidence,
)
from engine.spec.transform import TransformSpec
from studio.data.health.page import HealthPage
from studio.data.health.presenter import HealthState, present_evidence, present_health, question
from studio.data.samples.edit_dialog import RelabelDialog
from studio.data.workspace import DataWorkspace
from tests.studio.conftest import DIGITS
from widgets.tables.repair_button import RepairButton
from widgets.tables.view_model import TableData

PICTURE = bytes([200]) * (3 * THUMBNAIL_SIDE**2)
LEAK = HealthFinding(
    problem=Diagnostic.of(
        "D201", severity=Severity.WARNING, field="data.split.group_equal", count=2
    ),
    total=2,
    samples=(
        SampleEvidence(index=4, label="0", part="train", group=0, pixels=PICTURE),
        SampleEvidence(index=9, label="0", part="test", group=0),
    ),
    surplus=(9,),
    repairs=(RepairProposal(words=words("F051"), settings={"data.split.group_equal": True}),),
)
ODD = HealthFinding(
    problem=Diagnostic.of("D216", severity=Severity.HINT, count=1, columns="pressure"),
    total=1,
    samples=(SampleEvidence(index=7, text="pressure=-999", part="train"),),
    surplus=(7,),
)


def report(*findings: HealthFinding, **changes) -> HealthReport:
    checks = (CheckResult(check="duplicates", findings=findings), CheckResult(check="balance"))
    return HealthReport(samples=10, checks=checks, **changes)


@pytest.fixture
def host(host):
    steps = {"count": 0}

    def check(request: CheckDataHealth):
        steps["count"] += 1
        if steps["count"] % 2:  # one step on the way
            return HealthStep(done=5, total=10)
        is_healed = request.data.split.group_equal
        return HealthStep(done=10, total=10, report=report(*(() if is_healed else (LEAK, ODD))))

    host.own |= {CheckDataHealth: check}
    return host


@pytest.fixture
def page(opened) -> HealthPage:
    opened.window.show_workspace("data")
    opened.window.findChild(DataWorkspace).show_page("health")
    return opened.window.findChild(HealthPage)


def checked(page, qtbot):
    qtbot.mouseClick(page.empty.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.findings.isVisible)


def empty_text(page) -> str:
    return "\n".join(label.text() for label in page.empty.findChildren(QLabel))


def rows(page) -> list[str]:
    model = page.findings.list.model()
    return [model.index(row, 2).data() for row in range(model.rowCount())]


@pytest.mark.row("N31")
def test_that_a_check_lists_findings_with_samples_and_leads_to_the_setting(page, opened, qtbot):
    assert "copies" in empty_text(page)
    checked(page, qtbot)
    assert rows(page) == ["D201", "D216"]
    assert "10 samples" in page.summary.text()
    assert "class imbalance" in page.summary.text()
    assert page.gallery.isVisible()  # of the worst, which is chosen
    page.findings.select(1)
    assert page.table.isVisible()
    assert page.table.model.rowCount() == 1
    place = page.findings.list.visualRect(page.findings.list.model().index(0, 0)).center()
    qtbot.mouseClick(page.findings.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(page.findings.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.window.workspace == "data"


@pytest.mark.row("N31")
def test_that_a_finding_is_repaired_by_one_click_checked_again_and_undone(page, opened, qtbot):
    session = opened.session
    checked(page, qtbot)
    page.findings.select(0)
    button = page.findings.findChild(RepairButton)
    qtbot.waitUntil(lambda: button.isVisible() and bool(button.text()))  # laid out
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert session.spec.data.split.group_equal
    qtbot.waitUntil(lambda: "Nothing found" in empty_text(page))
    assert not page.findings.isVisible()
    session.undo()
    assert not session.spec.data.split.group_equal
    assert page.stale.isVisible()
    session.redo()
    assert not page.stale.isVisible()


def test_that_settings_which_change_no_sample_leave_the_findings_current(page, opened, qtbot):
    checked(page, qtbot)
    assert not page.stale.isVisible()
    set_field(opened, "data.batch_size", 8)
    assert not page.stale.isVisible()
    set_field(opened, "data.split.seed", 3)
    assert page.stale.isVisible()
    assert rows(page) == ["D201", "D216"]  # they stay


def set_field(opened, name, value):
    from engine.spec.fields import set_value

    session = opened.session
    session.change(session.graph, set_value(session.spec, name, value), name)


def test_that_a_check_shows_how_far_it_is_and_can_be_cancelled(page, opened, host, qtbot):
    host.own[CheckDataHealth] = HealthStep(done=3, total=10)
    host.is_holding = True
    qtbot.mouseClick(page.empty.button, Qt.MouseButton.LeftButton)
    assert page.progress.isVisible()
    assert not page.check.isEnabled()
    (request, future), *_ = [held for held in host.held if isinstance(held[0], CheckDataHealth)]
    host.answer(request, future)
    qtbot.waitUntil(lambda: page.progress.bar.value() == 300)
    qtbot.mouseClick(page.progress.cancel, Qt.MouseButton.LeftButton)
    assert not page.progress.isVisible()
    assert "Stopped" in empty_text(page)
    before = len(host.requests)
    for held in [held for held in host.held if isinstance(held[0], CheckDataHealth)][1:]:
        host.answer(*held)
    qtbot.waitUntil(page.check.isEnabled)
    assert len(host.requests) == before  # nothing goes on by itself


def test_that_data_which_cannot_be_read_is_told_and_can_be_tried_again(page, host, qtbot):
    gone = Diagnostic.of("D050", field="data.source.path", folder="/gone", detail="")
    host.own[CheckDataHealth] = DiagnosticError(gone)
    qtbot.mouseClick(page.empty.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "/gone" in empty_text(page))
    host.own[CheckDataHealth] = HealthStep(done=1, total=1, report=report(ODD))
    qtbot.mouseClick(page.empty.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.findings.isVisible)


@pytest.mark.row("N31")
def test_that_cross_validation_is_offered_until_all_labels_were_compared(page, host, qtbot, opened):
    checked(page, qtbot)
    assert "cross-validate" in page.labels.text()
    qtbot.mouseClick(page.cross_validate, Qt.MouseButton.LeftButton)
    dialog = opened.window.findChild(QDialog, "dialog.folds")
    assert dialog is not None
    dialog.reject()
    whole = report(ODD, label_basis="folds", label_samples=10)
    host.own[CheckDataHealth] = HealthStep(done=1, total=1, report=whole)
    qtbot.mouseClick(page.check, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.labels.text().startswith("10 labels"))
    assert not page.cross_validate.isVisible()


def test_that_label_errors_show_what_the_models_hold_them_for():
    sample = SampleEvidence(index=3, label="cat", predicted="dog", part="test", text="a.png")
    wrong = HealthFinding(problem=Diagnostic.of("D220", count=1, samples=9), samples=(sample,))
    table = present_evidence(wrong, DataEdits())
    assert isinstance(table, TableData)
    assert [column.key for column in table.columns] == [
        "index",
        "part",
        "label",
        "predicted",
        "text",
    ]
    assert table.rows[0].cells == (3, "Test", "cat", "dog", "a.png")


@pytest.mark.row("N31")
def test_that_a_wrong_label_is_corrected_or_its_sample_left_out_and_both_undone(
    page, opened, host, qtbot
):
    session = opened.session
    samples = tuple(
        SampleEvidence(index=at, name=str(at), label="1", predicted="0", pixels=PICTURE)
        for at in (4, 7)
    )
    wrong = HealthFinding(problem=Diagnostic.of("D220", count=2, samples=10), samples=samples)
    host.own[CheckDataHealth] = HealthStep(done=1, total=1, report=report(wrong))
    checked(page, qtbot)
    assert not page.relabel.isEnabled()
    page.gallery.select(0)
    assert "0" in page.relabel.text()
    qtbot.mouseClick(page.relabel, Qt.MouseButton.LeftButton)
    assert session.spec.data.edits.samples["4"].label == "0"
    assert "now 0" in words_of(page)[0]
    assert page.stale.isVisible()
    assert page.gallery.selected_index() == 0  # the next one is a key away
    page.gallery.select(1)
    qtbot.mouseClick(page.exclude, Qt.MouseButton.LeftButton)
    assert session.spec.data.edits.samples["7"].excluded
    assert "excluded" in words_of(page)[1]
    session.undo()
    session.undo()
    assert not session.spec.data.edits.samples
    assert not any("now" in text for text in words_of(page))


def test_that_equal_samples_with_different_labels_get_a_class_from_the_list(
    page, opened, host, qtbot
):
    session = opened.session
    samples = tuple(
        SampleEvidence(index=at, name=str(at), label=label, group=0, pixels=PICTURE)
        for at, label in ((4, "1"), (7, "0"))
    )
    unlike = HealthFinding(problem=Diagnostic.of("D204", count=2), samples=samples)
    host.own[CheckDataHealth] = HealthStep(done=1, total=1, report=report(unlike))
    checked(page, qtbot)
    assert not page.relabel.isVisible()  # no model was asked
    assert not page.choose_class.isEnabled()
    page.gallery.select(0)
    qtbot.mouseClick(page.choose_class, Qt.MouseButton.LeftButton)
    dialog = opened.window.findChild(RelabelDialog)
    dialog.search.setText("0")
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert session.spec.data.edits.samples["4"].label == "0"
    assert "now 0" in words_of(page)[0]
    session.undo()
    assert not session.spec.data.edits.samples


def words_of(page) -> list[str]:
    model = page.gallery.list.model()
    role = Qt.ItemDataRole.AccessibleTextRole
    return [model.index(row, 0).data(role) for row in range(model.rowCount())]


def test_that_the_question_names_the_project_and_nothing_that_does_not_matter(opened):
    session = opened.session
    asked = question(session.spec, session.graph, "/project")
    assert asked.project == "/project"
    assert asked.code == session.graph.code
    assert asked.data.source == session.spec.data.source
    state = HealthState(current=asked, asked=asked, report=report(LEAK))
    assert not present_health(state, session.graph, session.spec, "en").stale


def test_that_transforms_are_checked_where_they_can_take_boxes_away(page, opened, host, qtbot):
    session = opened.session
    crop = TransformSpec(type="CenterCrop", params={"size": (4, 4)})
    data = replace(session.spec.data, transforms=(crop,))
    session.change(session.graph, replace(session.spec, data=data), "Crop")
    assert question(session.spec, session.graph, "/project").data.transforms == ()
    boxes = FieldInfo(name="boxes", role="target", kind="boxes", shape=(-1, 4), dtype="float32")
    session.find(data=replace(DIGITS, fields=(*DIGITS.fields, boxes)))
    checked(page, qtbot)
    asked = [each for each in host.requests if isinstance(each, CheckDataHealth)]
    assert asked[-1].data.transforms == (crop,)
