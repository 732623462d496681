"""The picture of the way to the model: it says what is set, and leads to where it is set."""

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QApplication

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.data.request import PreviewTransforms
from engine.query.model.request import Check, CheckReport
from engine.spec.data import BatchCounts, SplitInfo
from engine.spec.fields import set_value
from engine.spec.run import LoaderSpec
from engine.spec.transform import BatchTransformSpec, TransformSpec
from engine.spec.transform_preview import FieldStage, TransformPreview, TransformStage
from studio.data.loading.dialog import LoadingDialog
from studio.data.pipeline.page import PipelinePage
from tests.each import for_each
from tests.named_parts import part
from tests.studio.conftest import DIGITS

SPLITS = (
    SplitInfo(name="train", samples=70),
    SplitInfo(name="validation", samples=20),
    SplitInfo(name="test", samples=10),
)


def stage(number: int, side: int) -> TransformStage:
    image = FieldStage(name="image", kind="image", shape=(1, side, side), dtype="float32")
    label = FieldStage(name="label", kind="class", shape=(), dtype="int64")
    return TransformStage(number=number, name="", fields=(image, label))


def preview(request: PreviewTransforms) -> TransformPreview:
    """Return a sample that is read with 8 pixels and has 6 in training."""
    stages = [stage(-1, 8)]
    if request.split == "train":
        stages += [stage(number, 6) for number in range(len(request.data.transforms))]
    return TransformPreview(index=0, stages=tuple(stages), samples=70)


@pytest.fixture
def host(host):
    info = replace(DIGITS, splits=SPLITS, samples=100, is_in_memory=True)
    host.own |= {
        PreviewTransforms: preview,
        Check: lambda request: CheckReport(
            analysis=host.analysis(request.graph), data=info, problems=host.problems
        ),
    }
    return host


@pytest.fixture
def page(opened, qtbot) -> PipelinePage:
    opened.window.show()
    opened.window.show_page("data", "pipeline")
    page = opened.window.findChild(PipelinePage)
    qtbot.waitUntil(lambda: "image 1×8×8 float32" in shown(page)["Fetcher"].flow)
    return page


def shown(page) -> dict:
    return {each.view.title: each.view for each in page.flow.boxes}


def press(page, title: str) -> None:
    next(each for each in page.flow.boxes if each.view.title == title).click()


def change(studio, **changes) -> None:
    session = studio.session
    data = replace(session.spec.data, **changes)
    session.change(session.graph, replace(session.spec, data=data), "change")


@pytest.mark.row("S140")
@pytest.mark.row("S137")
def test_that_the_way_is_told_from_the_settings(opened, page, qtbot):
    change(opened, batch_size=16, shuffle=False, drop_last=True)
    qtbot.waitUntil(lambda: shown(page)["Sampler"].value == "in order")
    boxes = shown(page)
    assert list(boxes) == [
        "Source", "Split", "Sampler", "BatchSampler", "Fetcher", "Transforms", "collate_fn",
        "Pinned memory", "Device", "Model", "Loss",
    ]  # fmt: skip
    assert boxes["Source"].value == "Handwritten digits"
    assert boxes["Split"].notes[0] == "70 samples"
    assert boxes["BatchSampler"].value == "16 indices per batch"
    assert boxes["collate_fn"].flow == ("image 16×1×8×8 float32", "label 16 int64")
    assert boxes["Model"].flow == ("image 16×1×8×8 float32",)
    assert boxes["Loss"].flow == ("label 16 int64",)
    text = "An epoch: 70 samples in 4 batches of 16; the last 6 samples are left out"
    assert page.summary.text() == text


@pytest.mark.row("S136")
def test_that_a_batch_sampler_stands_for_sampler_and_size_in_training(opened, page, qtbot, host):
    own = BatchCounts(count=8, least=1, most=9)
    info = replace(DIGITS, splits=SPLITS, samples=100, custom_batches=own)
    host.own[Check] = lambda request: CheckReport(
        analysis=host.analysis(request.graph), data=info, problems=()
    )
    change(opened, batch_sampler="own.FewBatchSampler")
    qtbot.waitUntil(lambda: page.summary.text() == "An epoch: 8 batches of 1 to 9")
    boxes = shown(page)
    assert "Sampler" not in boxes
    assert boxes["BatchSampler"].value == "FewBatchSampler"
    assert boxes["Loss"].flow == ("label n int64",)
    part(page, "pipeline.part").setCurrentIndex(1)
    qtbot.waitUntil(lambda: "Sampler" in shown(page))
    assert shown(page)["BatchSampler"].value == "32 indices per batch"


def test_that_transforms_are_named_with_the_shape_they_leave_in_their_part_only(
    opened, page, qtbot
):
    steps = (TransformSpec(type="RandomCrop", params={"size": (6, 6)}),)
    change(opened, transforms=steps, batch_transforms=(BatchTransformSpec(type="MixUp"),))
    qtbot.waitUntil(lambda: "image 1×6×6 float32" in shown(page)["Transforms"].flow)
    assert shown(page)["Transforms"].notes == ("1  RandomCrop",)
    assert "image 32×1×6×6 float32" in shown(page)["collate_fn"].flow
    assert shown(page)["Blending"].value == "MixUp"
    part(page, "pipeline.part").setCurrentIndex(1)
    qtbot.waitUntil(lambda: "image 32×1×8×8 float32" in shown(page)["collate_fn"].flow)
    assert shown(page)["Transforms"].is_off
    assert "Blending" not in shown(page)
    assert shown(page)["Sampler"].value == "in order"
    assert page.summary.text().startswith("An evaluation: 20 samples in 1 batch")


@pytest.mark.row("S151")
def test_that_workers_and_what_speaks_for_them_are_told(opened, page, qtbot, host):
    assert "stay in memory" in page.volume.text()
    info = replace(DIGITS, splits=SPLITS, samples=100)
    host.own[Check] = lambda request: CheckReport(
        analysis=host.analysis(request.graph), data=info, problems=()
    )
    change(opened, loader=LoaderSpec(num_workers=3, prefetch_factor=4))
    qtbot.waitUntil(lambda: "would take" in page.volume.text())
    assert shown(page)["Fetcher"].notes == ("3 workers",)
    lane = page.flow.lanes[1]
    assert lane.title == "Reading: in 3 workers"
    assert "at most 12 batches wait" in lane.note
    assert "18.5 kB" in page.volume.text()  # 70 samples of 64 float32 and an int64
    page.measure.click()
    assert opened.window.findChild(LoadingDialog).isVisible()


@for_each(
    "title, setting",
    [
        ("Source", "data.source"),
        ("BatchSampler", "data.batch_size"),
        ("Sampler", "data.shuffle"),
        ("Fetcher", "data.loader.num_workers"),
        ("collate_fn", "data.collate"),
        ("Pinned memory", "compute.pin_memory"),
        ("Device", "device"),
        ("Loss", "losses.0.loss"),
    ],
)
def test_that_a_box_leads_to_its_setting(opened, page, qtbot, title, setting):
    opened.window.show_page("data", "pipeline")
    press(page, title)

    def has_focus() -> bool:
        widget = QApplication.focusWidget()
        names = []
        while widget is not None:
            names.append(widget.objectName())
            widget = widget.parentWidget()
        return any(name.endswith(setting) for name in names)

    qtbot.waitUntil(has_focus)
    is_of_training = setting in ("device", "losses.0.loss")
    assert opened.window.workspace == ("train" if is_of_training else "data")


def test_that_transforms_and_model_lead_to_where_they_are_made(opened, page):
    press(page, "Transforms")
    assert opened.window.page("data").page == "transforms"
    press(page, "Model")
    assert opened.window.workspace == "model"


def test_that_a_sample_that_cannot_be_read_is_told_at_the_fetcher(opened, page, qtbot, host):
    host.own[PreviewTransforms] = DiagnosticError(Diagnostic(code="E011"))
    change(opened, batch_size=8)
    qtbot.waitUntil(lambda: shown(page)["Fetcher"].severity == "error")
    assert shown(page)["Fetcher"].notes[0]


def test_that_a_problem_of_a_setting_marks_its_box(opened, page, qtbot, host):
    host.problems = (Diagnostic(code="D080", field="data.collate", params={"name": "image"}),)
    host.own.pop(Check)
    change(opened, batch_size=8)
    qtbot.waitUntil(lambda: shown(page)["collate_fn"].severity == "error")
    assert "image" in shown(page)["collate_fn"].tip


def test_that_ranks_share_the_batches(opened, page, qtbot):
    spec = set_value(opened.session.spec, "mode", "ddp", opened.session.graph.code)
    opened.session.change(opened.session.graph, replace(spec, nproc=4), "change")
    qtbot.waitUntil(lambda: "Processes" in shown(page))
    assert shown(page)["Processes"].value == "4 ranks"
    assert shown(page)["Processes"].notes == ("each reads 8 samples of every batch",)
