"""Predictions of a run among the samples: they come by themselves; the host is played."""

import pytest
from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import CheckpointSaved, RunEnded, RunStarted
from engine.query.data.request import BrowseSamples, ListColumns
from engine.query.results.request import PredictionStep, PredictSamples
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from engine.spec.browse import (
    CORRECT,
    NEW,
    PART,
    PARTS_OF_RUN,
    PREDICTION,
    SampleColumn,
    SampleColumns,
    SampleRow,
)
from engine.spec.data import DataInfo, FieldInfo, SplitInfo
from engine.spec.run import Choice, LossTerm
from studio.data.samples.presenter import present_rows
from studio.session.data_editor import DataEditor
from tests.studio.data.samples.played import PlayedSamples
from tests.tiny_run import CROSS_ENTROPY

COUNT = 5000
LABEL = FieldInfo(
    name="label", role="target", kind="class", shape=(), dtype="int64", classes=("a", "b", "c")
)
LABELED = DataInfo(
    source="image_folder",
    samples=9,
    task="classification",
    fields=(LABEL,),
    splits=(SplitInfo(name="train", samples=9, class_counts=(5, 2, 2)),),
)
FILE = "step-4.ckpt"


@pytest.fixture
def played():
    return PlayedSamples(COUNT)


@pytest.fixture
def asked(host, played) -> list[PredictSamples]:
    """Return what a host was asked that predicts half of the samples with the first question."""
    questions: list[PredictSamples] = []

    def predict(request):
        questions.append(request)
        step = PredictionStep(checkpoint=FILE, sha256="1", done=COUNT // 2, total=COUNT)
        return replace(step, done=COUNT, key="first") if request.sha256 else step

    host.own |= {**played.answers(), PredictSamples: predict}
    return questions


def tell(run: RunFolder, *events) -> None:
    journal = RunJournal(run.path)
    for event in events:
        journal.append(event)
    journal.commit()
    journal.close()


def saved(file: str, step: int) -> CheckpointSaved:
    return CheckpointSaved(file=file, sha256="", step=step, epoch=1, tags=("last", "best"))


def begin(opened, qtbot, *, is_over: bool = True, spec=None) -> RunFolder:
    session = opened.session
    spec = spec or session.spec
    folder = RunFolder.create(session.project.path, session.graph, spec, "first")
    begun = RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5)
    over = (RunEnded(reason="finished", step=6, epoch=2),) if is_over else ()
    tell(folder, begun, saved(FILE, 4), *over)
    opened.services.runs.follow(folder)
    qtbot.waitUntil(lambda: session.run is not None and session.run.folder.id == folder.id)
    return folder


def titles(page) -> list[str]:
    return [column.title for column in page.browser.model.columns]


def told(page) -> str:
    """Return what the chart of the classes shows, in words."""
    return page.balance.chart.accessibleDescription()


def has_columns(page) -> bool:
    return "Loss" in titles(page) and page.browser.model.row(0) is not None


@pytest.fixture
def predicted(opened, asked, page, qtbot):
    """Return the page with the predictions of a run."""
    begin(opened, qtbot)
    qtbot.waitUntil(lambda: has_columns(page))
    return page


def test_that_without_a_run_there_is_no_line_about_predictions(asked, page):
    assert not page.predictions.isVisible()
    assert not asked


def test_that_after_a_run_its_columns_appear_by_themselves(predicted, asked, played):
    assert titles(predicted)[-2:] == ["Loss", "Correct"]
    assert predicted.predictions.isVisible()
    assert not predicted.predictions.progress.isVisible()
    assert asked[1].sha256 == "1"  # the second question goes on with the file of the first
    assert played.of(ListColumns)[-1].predictions == "first"
    assert {request.predictions for request in played.of(BrowseSamples)[-1:]} == {"first"}


def test_that_the_columns_are_those_of_the_output_that_is_chosen(opened, asked, page, qtbot):
    place = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.place", "target": "data.place"}
    )
    begin(opened, qtbot, spec=replace(opened.session.spec, losses=(CROSS_ENTROPY, place)))
    qtbot.waitUntil(lambda: has_columns(page))
    combo = page.predictions.output
    assert combo.isVisible()
    combo.setCurrentIndex(combo.findData("place"))
    combo.activated.emit(combo.currentIndex())
    qtbot.waitUntil(lambda: len(asked) == 4)
    assert [each.output for each in asked] == ["", "", "place", "place"]
    assert combo.currentText() == "place"


def test_that_the_highest_loss_comes_first_when_samples_are_sorted_by_it(predicted, qtbot):
    page = predicted
    page.sort.setCurrentIndex(page.sort.findText("Loss"))
    page.direction.click()
    qtbot.waitUntil(lambda: getattr(page.browser.model.row(0), "id", -1) == 6)


def test_that_a_prediction_that_is_wrong_is_told_below_the_picture():
    columns = (
        SampleColumn(key=PREDICTION, kind="category"),
        SampleColumn(key=CORRECT, kind="truth"),
        SampleColumn(key="data.label", name="label", kind="category", role="target"),
    )
    cells = (("cat", "no", "dog"), ("dog", "yes", "dog"))
    rows = [SampleRow(index=number, cells=each) for number, each in enumerate(cells)]
    wrong, right = present_rows(SampleColumns(samples=2, columns=columns), rows)
    assert wrong.sublabel == "→ cat · #0"  # what it was taken for comes first, it may be cut
    assert wrong.tip == "Label: dog\nPredicted: cat"
    assert (right.sublabel, right.tip) == ("#1", "")
    assert wrong.cells == ("cat", "no", "dog")


def test_that_the_text_that_is_to_be_written_stands_below_the_picture():
    columns = (
        SampleColumn(key="data.image", name="image", kind="text", role="input"),
        SampleColumn(key="data.caption", name="caption", kind="text", role="target"),
    )
    rows = [SampleRow(index=4, cells=("4.png", "a dog on a boat"))]
    (shown,) = present_rows(SampleColumns(samples=9, columns=columns, pictures=("image",)), rows)
    assert (shown.label, shown.sublabel, shown.tip) == ("a dog on a boat", "#4", "a dog on a boat")
    mask = SampleColumn(key="data.mask", name="mask", kind="text", role="target")
    listed = SampleColumns(samples=9, columns=(columns[0], mask), pictures=("image", "mask"))
    assert present_rows(listed, rows)[0].label == ""


def test_that_the_sample_in_view_stays_when_the_columns_come(opened, asked, page, qtbot):
    page.browser.select(2)
    begin(opened, qtbot)
    qtbot.waitUntil(lambda: has_columns(page))
    qtbot.waitUntil(lambda: page.browser.current() == 2)
    assert page.browser.selected_ranges() == ((2, 3),)


def test_that_predictions_are_cancelled_and_go_on(opened, host, asked, page, qtbot):
    steps = host.own[PredictSamples]
    host.own[PredictSamples] = lambda request: replace(steps(request), key="")
    begin(opened, qtbot)
    bar = page.predictions
    qtbot.waitUntil(bar.progress.isVisible)
    bar.progress.cancel.click()
    qtbot.waitUntil(bar.predict.isVisible)
    assert bar.told.text() == "Stopped"
    host.own[PredictSamples] = steps
    bar.predict.click()
    qtbot.waitUntil(lambda: has_columns(page))


def test_that_a_run_that_goes_on_is_not_asked_unless_the_user_says_so(
    opened, asked, page, qtbot, monkeypatch
):
    monkeypatch.setattr(type(opened.services.runs), "is_running", property(lambda _: True))
    begin(opened, qtbot, is_over=False)
    bar = page.predictions
    qtbot.waitUntil(lambda: bool(asked))
    qtbot.waitUntil(lambda: bar.told.text() == "The run is going on")
    assert [request.most for request in asked] == [1]
    bar.predict.click()
    qtbot.waitUntil(lambda: has_columns(page))


def test_that_very_many_samples_are_predicted_only_when_the_user_says_so(
    opened, host, asked, page, qtbot
):
    steps = host.own[PredictSamples]

    def many(request):
        if request.most:
            return PredictionStep(checkpoint=FILE, sha256="1", done=0, total=10**6)
        return steps(request)

    host.own[PredictSamples] = many
    begin(opened, qtbot)
    bar = page.predictions
    qtbot.waitUntil(bar.told.isVisible)
    assert bar.told.text() == "1,000,000 samples, predicted when you ask"
    assert "Loss" not in titles(page)
    bar.predict.click()
    qtbot.waitUntil(lambda: has_columns(page))


def test_that_another_checkpoint_makes_predictions_out_of_date(predicted, opened, asked, qtbot):
    bar = predicted.predictions
    folder = opened.session.run.folder
    asked.clear()
    tell(folder, saved("step-9.ckpt", 9))
    opened.services.runs.follow(folder)
    qtbot.waitUntil(lambda: bool(asked))
    qtbot.waitUntil(lambda: not bar.told.text())
    assert asked[0].sha256 == ""


def test_that_labels_of_later_are_told(predicted, opened):
    DataEditor(opened.session).relabel(["3"], "1")
    assert predicted.predictions.told.text() == "Loss by the old labels"


def test_that_columns_of_other_data_are_taken_away(predicted, opened, qtbot):
    opened.services.editor.set("data.source", "iris")
    assert predicted.predictions.told.text() == "Trained on other data"
    assert not predicted.predictions.predict.isVisible()
    qtbot.waitUntil(lambda: "Loss" not in titles(predicted))


def test_that_a_model_that_cannot_be_compared_says_so(opened, host, asked, page, qtbot):
    host.own[PredictSamples] = DiagnosticError(Diagnostic(code="V001"))
    begin(opened, qtbot)
    bar = page.predictions
    qtbot.waitUntil(bar.told.isVisible)
    assert bar.told.text().startswith("No predictions: ")
    assert page.browser.model.row(0) is not None


def test_that_predictions_that_are_gone_leave_the_samples(opened, host, asked, page, qtbot):
    columns = host.own[ListColumns]
    host.own[ListColumns] = lambda request: (
        DiagnosticError.of("D280") if request.predictions else columns(request)
    )
    begin(opened, qtbot)
    qtbot.waitUntil(page.predictions.predict.isVisible)
    qtbot.waitUntil(lambda: page.browser.model.row(0) is not None)
    assert not page.empty.isVisible()


@pytest.fixture
def parted(asked, host):
    """Let the host know the parts of the run, too."""
    steps = host.own[PredictSamples]
    host.own[PredictSamples] = lambda request: replace(steps(request), has_parts=True)


@pytest.mark.usefixtures("parted")
def test_that_samples_are_shown_in_the_splits_of_the_run_until_the_user_wants_the_next(
    opened, host, played, page, qtbot
):
    listed = host.own[ListColumns]
    parts = (SplitInfo(name="train", samples=3), SplitInfo(name="new", samples=2))
    parts = tuple(replace(part, class_counts=(part.samples,) * 3) for part in parts)
    host.own[ListColumns] = lambda request: replace(
        listed(request), parts=parts if request.predictions.endswith(PARTS_OF_RUN) else ()
    )
    opened.session.find(data=LABELED)
    next_run = told(page)
    assert not page.predictions.of_run.isVisible()
    begin(opened, qtbot)
    qtbot.waitUntil(lambda: has_columns(page))
    assert told(page) != next_run
    assert "Not in this run 2" in told(page)
    box = page.predictions.of_run
    assert box.isVisible()
    assert box.isChecked()
    assert played.of(BrowseSamples)[-1].predictions == f"first{PARTS_OF_RUN}"
    box.click()
    qtbot.waitUntil(lambda: played.of(BrowseSamples)[-1].predictions == "first")
    assert has_columns(page)
    assert told(page) == next_run  # counted in the same splits as what is listed
    box.click()
    qtbot.waitUntil(lambda: played.of(BrowseSamples)[-1].predictions == f"first{PARTS_OF_RUN}")


def test_that_a_run_that_has_kept_no_splits_does_not_offer_them(predicted, played):
    assert not predicted.predictions.of_run.isVisible()
    assert played.of(BrowseSamples)[-1].predictions == "first"


def test_that_a_sample_that_came_later_is_not_in_this_run():
    columns = (SampleColumn(key=PART, kind="part"),)
    rows = [SampleRow(index=0, cells=(NEW,)), SampleRow(index=1, cells=("test",))]
    new, known = present_rows(SampleColumns(samples=2, columns=columns), rows)
    assert (new.cells, known.cells) == (("Not in this run",), ("Test",))
