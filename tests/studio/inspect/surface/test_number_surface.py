"""The decision surface of a model that answers with numbers."""

import numpy as np
import pyqtgraph as pg
import pytest
from msgspec.structs import replace

from engine.query.data.request import DescribeData
from engine.runs.record.surface import SURFACES, SurfacePoint
from engine.spec.data import FieldInfo, PreviewInfo, SampleView
from engine.spec.plane import Plane
from studio.inspect.surface.page import SurfacePage
from studio.inspect.surface.samples import present_samples
from tests.plot_parts import drawn
from tests.studio.inspect.results.test_results import (
    PLANE,
    ResultHost,
    begin,
    front,
    surface,
)
from widgets.plots.ground import Ground


@pytest.fixture
def host() -> ResultHost:
    return ResultHost()


@pytest.mark.row("S226")
def test_that_points_of_numbers_look_like_the_surface_where_it_answers_them(opened, host, qtbot):
    host.is_plane = True
    target = FieldInfo(name="label", role="target", kind="scalar", shape=(1,), dtype="float32")
    host.own = {DescribeData: replace(PLANE, task="regression", fields=(PLANE.fields[0], target))}
    run = begin(opened, qtbot)
    right = np.asarray([[0, 0, 0.5], [0, 1, 0.5], [9, -9, 0.5]], "<f4")
    prices = replace(surface(3), outputs=1, is_classified=False, dtype="<f4")
    SURFACES.write(run.artefacts, 3, replace(prices, values=right.tobytes()))
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(lambda: page.step.text() == "Step 3: from 0 (blue) to 1 (red)")
    low, high = (
        point[0].brush().color()
        for point in np.split(drawn(page.plane, pg.ScatterPlotItem)[0].points(), 2)
    )
    assert low.blue() > low.red()
    assert high.red() > high.blue()
    shades = drawn(page.plane, Ground)[0].image
    assert shades[2, 0].tolist() == shades[1, 1].tolist()  # beyond the data is no redder
    assert not shades[:, 2, 3].any()


@pytest.mark.parametrize("is_classified", [False, True])  # True in files of earlier versions
def test_that_each_of_several_labels_has_a_surface_of_its_own(opened, host, qtbot, is_classified):
    host.is_plane = True
    target = FieldInfo(
        name="target",
        role="target",
        kind="vector",
        shape=(2,),
        dtype="float32",
        columns=("crash", "late"),
    )
    host.own = {DescribeData: replace(PLANE, task="binary", fields=(PLANE.fields[0], target))}
    run = begin(opened, qtbot)
    values = np.stack([np.full((3, 3), 0.1), np.full((3, 3), 0.9)]).astype("<f4")
    drawing = replace(surface(3), outputs=2, is_classified=is_classified, dtype="<f4")
    SURFACES.write(run.artefacts, 3, replace(drawing, values=values.tobytes()))
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(lambda: "crash" in page.step.text())
    blue = drawn(page.plane, Ground)[0].image[0, 0].tolist()
    assert blue[2] > blue[0]
    page.choices.output_chosen.emit(1)
    qtbot.waitUntil(lambda: page.step.text() == "Step 3: “late” from no (blue) to yes (red)")
    red = drawn(page.plane, Ground)[0].image[0, 0].tolist()
    assert red[0] > red[2]


def test_that_windows_of_a_series_have_their_columns_and_what_they_predict():
    series = FieldInfo(name="series", role="input", kind="sequence", shape=(8, 2), dtype="float32")
    target = FieldInfo(name="target", role="target", kind="scalar", shape=(1,), dtype="float32")
    info = replace(PLANE, task="regression", fields=(series, target))
    points = (SurfacePoint(x=0, y=0, sample=7),)
    shown = replace(surface(3), plane=Plane(kind="samples", samples=(7,)), points=points)
    values = {"series": tuple(map(float, range(16))), "target": (42.0,)}
    names = tuple(f"{name} [{at}]" for at in range(-7, 1) for name in ("load", "temp"))
    looked = PreviewInfo(
        split="",
        samples=(SampleView(index=7, values=values),),
        names={"series": names, "target": ("load",)},
        time_kind="time",
        times=("2023-01-30 07:00",),
    )
    lines = present_samples(info, shown, looked).splitlines()
    assert lines[:3] == ["A: Sample 7", "Predicts from 2023-01-30 07:00", "…"]
    assert lines[-3:] == ["load [0]: 14", "temp [0]: 15", "load: 42"]
    numbered = replace(looked, time_kind="row", times=("9",))
    assert "Predicts from row 9" in present_samples(info, shown, numbered)
