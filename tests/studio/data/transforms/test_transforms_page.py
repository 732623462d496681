"""The page of the transforms: each change is a step of undo with words; the host is played."""

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from engine.diagnostics import Diagnostic
from engine.query.data.request import PreviewBatch, PreviewTransforms
from engine.query.model.request import Check, CheckReport
from engine.query.reading.request import ReadingDone, ReadingProgress, StatisticsMeasured
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.run import Choice
from engine.spec.statistics import FieldStatistics
from engine.spec.transform_outline import enabled_transforms
from engine.spec.transform_preview import (
    BatchPreview,
    BlendedSample,
    FieldStage,
    TransformPreview,
    TransformStage,
)
from studio.data.transforms.add_dialog import AddDialog
from studio.data.transforms.controller import TransformsController
from studio.data.transforms.offer_presenter import present_offer
from studio.data.transforms.page import TransformsPage
from tests.custom_transforms import CODE
from tests.each import for_each
from tests.named_parts import part
from tests.studio.conftest import DIGITS, IRIS
from tests.studio.fake_job import FakeJobs
from widgets.images.class_color import class_color

PIXELS = np.arange(64, dtype=np.uint8).tobytes()
SAMPLES = 10


def field(**changes) -> FieldStage:
    whole = FieldStage(
        name="image", kind="image", shape=(1, 8, 8), dtype="float32", high=1.0, pixels=PIXELS,
        size=(8, 8, 1),
    )  # fmt: skip
    return replace(whole, **changes)


def preview(request: PreviewTransforms) -> TransformPreview:
    """Return a sample whose lowest value is the draw; a RandomCrop fails."""
    stages = [TransformStage(number=-1, name="", fields=(field(low=float(request.draw)),))]
    chosen = enabled_transforms(request.data.transforms, is_training=request.split == "train")
    for number, step in chosen:
        if step.type == "RandomCrop":
            params = {"number": number + 1, "name": step.type, "index": 7, "reason": "too large"}
            problem = Diagnostic(code="D100", field=f"data.transforms.{number}", params=params)
            stages.append(TransformStage(number=number, name=step.type, problem=problem))
            break
        stages.append(TransformStage(number=number, name=step.type, fields=(field(),)))
    number = min(request.number, SAMPLES - 1)
    return TransformPreview(
        index=7, stages=tuple(stages), number=number, samples=SAMPLES, label="three"
    )


@pytest.fixture
def host(host):
    host.own |= {PreviewTransforms: preview}
    return host


@pytest.fixture
def page(opened, qtbot) -> TransformsPage:
    opened.window.show()
    opened.window.show_page("data", "transforms")
    page = opened.window.findChild(TransformsPage)
    qtbot.waitUntil(lambda: bool(page.strip.cards))
    return page


def types(studio) -> list[str]:
    return [step.type for step in studio.session.spec.data.transforms]


def use(studio, *keys: str) -> None:
    """Have the specification hold transforms, chosen in the dialog like a user would."""
    page = studio.window.findChild(TransformsPage)
    for key in keys:
        page.asked.emit("add")
        dialog = studio.window.findChildren(AddDialog)[-1]
        dialog.search.setText(key)
        assert dialog.key().endswith(f".{key}")
        QTest.keyClick(dialog.search, Qt.Key.Key_Return)


def rows(page) -> list[str]:
    items = [page.list.topLevelItem(at) for at in range(page.list.topLevelItemCount())]
    return [item.text(0) for item in items]


@pytest.mark.row("S142")
@pytest.mark.row("S143")
def test_that_a_transform_is_added_from_the_list_and_taken_back(opened, page, qtbot):
    use(opened, "RandomHorizontalFlip")
    assert types(opened) == ["RandomHorizontalFlip"]
    assert opened.session.undo_label == "Add RandomHorizontalFlip"
    assert rows(page) == ["1  RandomHorizontalFlip"]
    qtbot.waitUntil(lambda: len(page.strip.cards) == 2)
    opened.session.undo()
    assert types(opened) == []


def test_that_the_page_says_that_it_is_loading_until_a_sample_is_there(opened, host, qtbot):
    host.is_holding = True
    opened.window.show_page("data", "transforms")
    page = opened.window.findChild(TransformsPage)
    qtbot.waitUntil(lambda: any(isinstance(each, PreviewTransforms) for each, _ in host.held))
    assert page.empty.isVisible()
    assert "Loading…" in [label.text() for label in page.empty.findChildren(QLabel)]
    host.is_holding = False
    for request, future in host.held:
        host.answer(request, future)
    qtbot.waitUntil(lambda: not page.empty.isVisible())


def test_that_a_size_goes_before_the_conversion_and_normalize_behind_it(opened, page):
    use(opened, "ToDtype")
    opened.session.undo()
    use(opened, "ToDtype")
    page.list.chosen.emit("")
    use(opened, "Resize")
    page.list.chosen.emit("")
    use(opened, "Normalize")
    assert types(opened) == ["Resize", "ToDtype", "Normalize"]
    assert opened.session.spec.data.transforms[0].params["size"] == (8, 8)
    use(opened, "ColorJitter")  # while Normalize, which was added last, is chosen
    assert types(opened) == ["Resize", "ToDtype", "ColorJitter", "Normalize"]
    opened.session.undo()
    assert types(opened) == ["Resize", "ToDtype", "Normalize"]


@for_each(
    "key, expected, words",
    [
        ((Qt.Key.Key_Up, "Alt"), ["Grayscale", "RGB", "RandomInvert"], "Move Grayscale"),
        ((Qt.Key.Key_Down, "Alt"), ["RGB", "RandomInvert", "Grayscale"], "Move Grayscale"),
        ((Qt.Key.Key_D, "Control"), ["RGB", "Grayscale", "Grayscale", "RandomInvert"],
         "Duplicate Grayscale"),
        ((Qt.Key.Key_Delete, "No"), ["RGB", "RandomInvert"], "Remove Grayscale"),
    ],
)  # fmt: skip
def test_that_keys_of_the_list_change_it(request, page, key, expected, words):
    opened, qtbot = map(request.getfixturevalue, ("opened", "qtbot"))
    key, modifier = key
    if not types(opened):  # the one before was undone
        use(opened, "RGB", "Grayscale", "RandomInvert")
    page.list.setCurrentItem(page.list.topLevelItem(1))
    qtbot.keyClick(page.list, key, getattr(Qt.KeyboardModifier, f"{modifier}Modifier"))
    assert types(opened) == expected
    assert opened.session.undo_label == words
    opened.session.undo()
    assert types(opened) == ["RGB", "Grayscale", "RandomInvert"]


def test_that_a_row_that_is_dragged_takes_the_place_of_another(opened, page):
    use(opened, "RGB", "Grayscale", "RandomInvert")
    page.list.moved.emit("transforms.0", "transforms.2", "below")
    assert types(opened) == ["Grayscale", "RandomInvert", "RGB"]
    assert page.list.current_key() == "transforms.2"


def outline(studio) -> list[str]:
    return ["  " * step.level + step.type for step in studio.session.spec.data.transforms]


def test_that_transforms_go_into_containers_and_out_of_them(opened, page, qtbot):
    use(opened, "RandomChoice", "RGB", "RandomInvert")
    assert outline(opened) == ["RandomChoice", "  RGB", "  RandomInvert"]
    held = page.list.topLevelItem(0)
    assert [held.child(at).text(0) for at in range(held.childCount())] == [
        "2  RGB",
        "3  RandomInvert",
    ]
    page.form.value_changed.emit("data.transforms.0.p", "1, 3")
    page.list.setCurrentItem(page.list.topLevelItem(0).child(1))
    names = [view.name for group in page.form.view.groups for view in group.fields]
    assert names == ["data.transforms.2.p"]  # its container says in which parts
    qtbot.keyClick(page.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert outline(opened) == ["RandomChoice", "  RandomInvert", "  RGB"]
    assert opened.session.spec.data.transforms[0].params["p"] == (3, 1)
    qtbot.keyClick(page.list, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert outline(opened) == ["RandomChoice", "  RGB", "RandomInvert"]
    qtbot.keyClick(page.list, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert outline(opened) == ["RandomChoice", "  RGB", "  RandomInvert"]
    page.list.moved.emit("transforms.1", "", "below")
    assert outline(opened) == ["RandomChoice", "  RandomInvert", "RGB"]
    page.list.moved.emit("transforms.2", "transforms.0", "inside")
    assert outline(opened) == ["RandomChoice", "  RandomInvert", "  RGB"]
    page.list.setCurrentItem(page.list.topLevelItem(0))
    qtbot.keyClick(page.list, Qt.Key.Key_Delete)
    assert outline(opened) == []
    opened.session.undo()
    assert outline(opened) == ["RandomChoice", "  RandomInvert", "  RGB"]


def test_that_frames_are_offered_for_videos_alone():
    def offered(kind: str) -> bool:
        info = FieldInfo(name="x", role="input", kind=kind, shape=(3, 4, 8, 8), dtype="uint8")
        data = DataInfo(source="x", samples=1, task="classification", fields=(info,))
        groups = present_offer("", "en", data)
        keys = {each.key for group in groups for each in group.items}
        assert "transforms.RandomApply" in keys
        return "transforms.UniformTemporalSubsample" in keys

    assert [offered(kind) for kind in ("video", "image", "sound")] == [True, False, False]


def test_that_the_box_switches_a_transform_off_and_keeps_its_settings(opened, page, qtbot):
    use(opened, "Grayscale")
    page.list.topLevelItem(0).setCheckState(0, Qt.CheckState.Unchecked)
    qtbot.waitUntil(lambda: not opened.session.spec.data.transforms[0].enabled)
    assert opened.session.undo_label == "Switch Grayscale off"
    qtbot.waitUntil(lambda: len(page.strip.cards) == 1)
    assert page.list.topLevelItem(0).text(2) == "Off"


@pytest.mark.row("P14")
def test_that_validation_is_told_what_applies_to_it(opened, page, qtbot):
    use(opened, "RandomInvert", "Grayscale")
    qtbot.waitUntil(lambda: len(page.strip.cards) == 3)
    assert part(page, "transforms.words").text().startswith("Training gets 2 of 2 transforms.")
    part(page, "transforms.part").setCurrentIndex(1)
    qtbot.waitUntil(lambda: len(page.strip.cards) == 2)
    assert part(page, "transforms.words").text() == (
        "Validation gets 1 of 2 transforms: those applied to all parts, or to evaluation. Random "
        "ones are left out, so that results can be compared."
    )
    page.form.value_changed.emit("data.transforms.0.parts", "all")
    qtbot.waitUntil(lambda: "RandomInvert at random" in part(page, "transforms.words").text())


def test_that_the_settings_of_the_chosen_transform_are_a_form(opened, page, qtbot):
    use(opened, "RandomRotation")
    names = [view.name for group in page.form.view.groups for view in group.fields]
    assert names[0] == "data.transforms.0.parts"
    assert "data.transforms.0.degrees" in names
    page.form.value_changed.emit("data.transforms.0.degrees", "30")
    assert opened.session.spec.data.transforms[0].params["degrees"] == 30
    page.form.value_changed.emit("data.transforms.0.interpolation", "wrong")
    assert opened.session.spec.data.transforms[0].params["degrees"] == 30
    qtbot.waitUntil(
        lambda: any(view.error for group in page.form.view.groups for view in group.fields)
    )


def test_that_keys_draw_again_and_walk_through_the_samples(opened, page, qtbot):
    use(opened, "RandomInvert")
    qtbot.waitUntil(lambda: "float32  0 … 1" in page.strip.cards[0].view.lines)
    opened.window.activateWindow()
    page.list.setFocus()
    qtbot.waitUntil(page.list.hasFocus)
    qtbot.keyClick(page.list, Qt.Key.Key_R)
    qtbot.waitUntil(lambda: "float32  1 … 1" in page.strip.cards[0].view.lines)
    assert part(page, "transforms.sample").text() == "Sample 1 of 10 · three"
    qtbot.keyClick(page.list, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: part(page, "transforms.sample").text() == "Sample 2 of 10 · three")
    qtbot.keyClick(page.list, Qt.Key.Key_P)
    qtbot.waitUntil(lambda: part(page, "transforms.sample").text() == "Sample 1 of 10 · three")
    assert not part(page, "transforms.previous").isEnabled()


def test_that_the_failing_step_is_marked_and_repaired_with_a_button(opened, page, qtbot):
    use(opened, "RandomCrop")
    qtbot.waitUntil(lambda: page.strip.cards[-1].view.error != "")
    card = page.strip.cards[-1]
    assert "too large" in card.view.error
    assert card.view.repair == "Add a Resize to 8 × 8"
    card.repair.click()
    assert types(opened) == ["Resize", "RandomCrop"]
    assert opened.session.undo_label == "Add a Resize to 8 × 8"


@pytest.mark.row("S142")
def test_that_presets_replace_the_list_and_normalize(opened, page):
    page.asked.emit("photographs")
    assert types(opened) == [
        "RandomResizedCrop", "RandomHorizontalFlip", "Resize", "CenterCrop", "ToDtype", "Normalize",
    ]  # fmt: skip
    where = [page.list.topLevelItem(at).text(2) for at in range(page.list.topLevelItemCount())]
    assert where == ["Training", "Training", "Evaluation", "Evaluation", "All parts", "All parts"]
    told = page.findChild(QLabel, "transforms.words").text()
    assert "Training: RandomResizedCrop → RandomHorizontalFlip → ToDtype → Normalize." in told
    assert "Evaluation: Resize → CenterCrop → ToDtype → Normalize." in told
    assert len(opened.session.spec.data.transforms[-1].params["mean"]) == 1  # the images are gray
    page.asked.emit("imagenet")
    assert types(opened).count("Normalize") == 1
    opened.session.undo()
    assert types(opened) == []


@pytest.mark.row("S142")
def test_that_functions_of_the_code_are_offered_with_their_settings(opened, page, qtbot):
    session = opened.session
    session.change(replace(session.graph, code=CODE), session.spec, "Code")
    use(opened, "shift", "brighten")
    assert rows(page) == ["1  shift", "2  brighten"]
    assert opened.session.undo_label == "Add brighten"
    assert [step.parts for step in session.spec.data.transforms] == ["train", "all"]
    page.form.value_changed.emit("data.transforms.1.strength", "0.3")
    assert session.spec.data.transforms[1].params == {"strength": 0.3}
    qtbot.waitUntil(lambda: len(page.strip.cards) == 3)
    assert page.strip.cards[2].view.title == "2  brighten"


def test_that_a_finding_leads_to_its_transform(opened, page):
    use(opened, "RandomInvert", "Grayscale")
    opened.window.show_workspace("model")
    page.show_setting("data.transforms.1.parts")
    assert page.list.current_key() == "transforms.1"


def test_that_data_without_images_say_so(opened, page, host, qtbot):
    host.own |= {Check: lambda r: CheckReport(analysis=host.analysis(r.graph), data=IRIS)}
    session = opened.session
    session.find(data=IRIS)
    qtbot.waitUntil(page.empty.isVisible)
    session.find(data=DIGITS)
    qtbot.waitUntil(lambda: not page.empty.isVisible())


def test_that_sounds_are_offered_transforms_of_sounds_and_a_preset(opened, page, host, qtbot):
    sound = FieldInfo(name="sound", role="input", kind="sound", shape=(1, 8, 20), dtype="float32")
    info = replace(IRIS, fields=(sound, *IRIS.fields[1:]))
    host.own |= {Check: lambda r: CheckReport(analysis=host.analysis(r.graph), data=info)}
    opened.session.find(data=info)
    qtbot.waitUntil(lambda: page.findChild(QAction, "transforms.preset.sounds") is not None)
    assert page.findChild(QAction, "transforms.preset.photographs") is None
    page.asked.emit("sounds")
    assert types(opened) == ["TimeShift", "RandomGain", "FrequencyMasking", "TimeMasking"]
    page.asked.emit("add")
    offered = opened.window.findChildren(AddDialog)[-1].keys()
    assert "transforms.TimeMasking" in offered
    assert "transforms.Resize" not in offered
    opened.session.undo()
    assert types(opened) == []


def test_that_batches_are_blended_in_a_list_of_their_own(opened, page):
    use(opened, "RandomInvert", "MixUp")
    assert rows(page) == ["1  RandomInvert", "MixUp"]
    assert [each.type for each in opened.session.spec.data.batch_transforms] == ["MixUp"]
    page.list.moved.emit("batch_transforms.0", "transforms.0", "above")
    assert types(opened) == ["RandomInvert"]


@pytest.fixture
def jobs(monkeypatch):
    """Return the jobs that were started; a test says what they tell."""
    jobs = FakeJobs()
    monkeypatch.setitem(TransformsController.__init__.__kwdefaults__, "make_job", jobs)
    return jobs


def statistics(samples: int = 7) -> StatisticsMeasured:
    found = FieldStatistics(
        name="image", mean=(0.30421,), std=(0.0,), low=(0.0,), high=(1.0,), samples=samples,
        total=10,
    )  # fmt: skip
    return StatisticsMeasured(fields=(found,))


@pytest.mark.row("S145")
def test_that_a_button_fills_normalize_with_the_values_of_the_data(jobs, opened, page, qtbot):
    use(opened, "Normalize")
    assert page.fill.isVisible()
    page.fill.click()
    (job,) = jobs
    assert job.request.data == opened.session.spec.data
    qtbot.waitUntil(page.progress.isVisible)
    job.tell(ReadingProgress(done=3, count=7))
    qtbot.waitUntil(
        lambda: page.progress.bar.accessibleName() == "Reading training samples: 3 of 7"
    )
    job.tell(statistics())
    job.tell(ReadingDone())
    qtbot.waitUntil(lambda: not page.progress.isVisible())
    (step,) = [each for each in opened.session.spec.data.transforms if each.type == "Normalize"]
    assert step.params == {"mean": (0.3042,), "std": (1.0,)}  # a constant is only shifted
    assert opened.session.undo_label == "Normalize with the values of this data"
    assert "7 of the 10 training samples" in opened.window.status.currentMessage()


def test_that_measuring_can_be_cancelled(jobs, opened, page, qtbot):
    use(opened, "Normalize")
    before = opened.session.spec
    page.asked.emit("measure")
    page.progress.cancel.click()
    assert jobs[0].is_cancelled
    jobs[0].tell(statistics())
    qtbot.waitUntil(lambda: not page.progress.isVisible())
    assert opened.session.spec == before


def test_that_values_of_data_that_was_left_are_not_taken(jobs, opened, page, qtbot):
    page.asked.emit("measure")
    spec = opened.session.spec
    other = replace(spec, data=replace(spec.data, source=Choice(type="iris")))
    opened.session.change(opened.session.graph, other, "Other data")
    jobs[0].tell(statistics())
    jobs[0].tell(ReadingDone())
    qtbot.waitUntil(lambda: not page.progress.isVisible())
    assert opened.session.spec.data.transforms == ()


@pytest.mark.row("P14")
def test_that_a_blended_batch_is_shown_with_its_labels(opened, page, host, qtbot):
    samples = (
        BlendedSample(image=field(), shares=(("cat", 0.7), ("dog", 0.3))),
        BlendedSample(image=field(), number=2.5),
    )
    batch = BatchPreview(samples=samples, batch_size=32, name="MixUp", weight=0.7)
    host.own |= {PreviewBatch: batch}
    use(opened, "MixUp")
    qtbot.waitUntil(lambda: len(page.strip.cards) == 2 and page.strip.cards[1].view.title != "")
    qtbot.waitUntil(lambda: page.strip.cards[0].view.lines == ("cat  0.70", "dog  0.30"))
    assert page.strip.cards[1].view.lines == ("2.5",)
    assert (
        part(page, "transforms.words").text().startswith("MixUp: each sample keeps 70% of itself")
    )
    assert part(page, "transforms.sample").text() == "First 2 of a training batch of 32"
    draws = [each.draw for each in host.requests if isinstance(each, PreviewBatch)]
    page.asked.emit("draw")
    qtbot.waitUntil(
        lambda: draws[-1] < [e.draw for e in host.requests if isinstance(e, PreviewBatch)][-1]
    )
    use(opened, "CutMix")
    qtbot.waitUntil(lambda: part(page, "transforms.words").text().startswith("Of MixUp, CutMix, "))
    qtbot.waitUntil(  # the one that is chosen is shown
        lambda: [e.number for e in host.requests if isinstance(e, PreviewBatch)][-1] == 1
    )
    use(opened, "Grayscale")
    qtbot.waitUntil(lambda: part(page, "transforms.sample").text().startswith("Sample "))


def test_that_the_setting_of_normalization_is_told_beside_the_transforms(opened, page, qtbot):
    session = opened.session
    data = replace(session.spec.data, normalization="standard")
    session.change(session.graph, replace(session.spec, data=data), "Normalize")
    qtbot.waitUntil(
        lambda: (
            "the setting Normalization (standard) scales" in part(page, "transforms.words").text()
        )
    )
    page.asked.emit("imagenet")  # which takes its place
    qtbot.waitUntil(lambda: "setting Normalization" not in part(page, "transforms.words").text())
    assert session.spec.data.normalization == "none"


def test_that_a_mask_has_the_colors_of_its_classes_and_boxes_are_drawn(opened, page, host, qtbot):
    classes = np.zeros((8, 8), np.uint8)
    classes[2:4] = 2
    mask = field(name="mask", kind="mask", shape=(8, 8), dtype="int64", pixels=classes.tobytes())
    boxes = field(name="boxes", kind="boxes", shape=(1, 4), pixels=b"", values=(1.0, 1.0, 6.0, 5.0))
    labels = field(
        name="labels", kind="box_classes", shape=(1,), dtype="int64", pixels=b"", values=(1.0,)
    )
    stage = TransformStage(number=-1, name="", fields=(field(), mask, boxes, labels))
    host.own |= {PreviewTransforms: TransformPreview(index=0, stages=(stage,), samples=1)}
    page.asked.emit("draw")
    qtbot.waitUntil(lambda: len(page.strip.cards[0].view.images) == 2)
    image, shown = page.strip.cards[0].view.images
    shown = shown.pixels
    assert tuple(shown[:, 3, 0]) == class_color(2)
    assert tuple(shown[:, 0, 0]) == (0, 0, 0)
    assert image.overlay.corners.tolist() == [[1 / 8, 1 / 8, 6 / 8, 5 / 8]]
    assert image.overlay.numbers.tolist() == [1]
    assert "1 box" in page.strip.cards[0].view.lines


def test_that_measuring_ends_with_the_page(jobs, opened, page, qtbot):
    page.asked.emit("measure")
    page.deleteLater()
    qtbot.waitUntil(lambda: jobs[0].is_cancelled)
