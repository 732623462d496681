"""Columns of a table that name masks: as what is predicted, and as an input."""

from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.load.load import load_data
from engine.data.load.part import BatchIndex
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError, sentence
from engine.query.ask import ask
from engine.query.data.request import (
    ListColumns,
    ListTableColumns,
    ProposeData,
    TakePictures,
)
from engine.runs.record.state import RunStatus
from engine.spec.data import IGNORED
from engine.spec.proposal import ModelSize
from engine.spec.run import LoaderSpec
from engine.spec.transform import TransformSpec
from tests.mask_table import HEIGHT, WIDTH, scans, spec_of
from tests.tiny_run import make_run, train


def stored(path: Path, row: int) -> torch.Tensor:
    return torch.from_numpy(np.array(Image.open(path.parent / "m" / f"{row}.png"))).long()


def test_that_a_column_of_masks_is_what_is_predicted_beside_other_columns(tmp_path: Path) -> None:
    path = scans(tmp_path)
    source = load_source(spec_of(path, names="nothing, red, blue").source)
    infos = {info.name: info for info in source.infos}
    assert (infos["mask"].role, infos["mask"].kind) == ("target", "mask")
    assert infos["mask"].shape == (HEIGHT, WIDTH)
    assert infos["mask"].classes == ("nothing", "red", "blue")
    values = source.read([5, 2])
    assert torch.equal(values["mask"][0], stored(path, 5))
    assert torch.equal(values["mask"][1], stored(path, 2))
    assert tuple(values["features"][0].shape) == (2,)  # the number and the site, of two values
    equal = source.input_keys([0, 1])
    assert equal[0] != equal[1]


def test_that_masks_as_an_input_are_a_plane_for_each_class(tmp_path: Path) -> None:
    path = scans(tmp_path)
    steps = (TransformSpec(type="RandomRotation", params={"degrees": 90.0}, parts="all"),)
    spec = replace(spec_of(path, target="site"), transforms=steps)
    source = load_source(spec.source)
    info = next(each for each in source.infos if each.name == "mask")
    assert (info.role, info.shape, info.dtype) == ("input", (3, HEIGHT, WIDTH), "float32")
    planes = source.read([3])["mask"][0]
    assert torch.equal(planes.argmax(dim=0), stored(path, 3))
    assert torch.equal(planes.sum(dim=0), torch.ones(HEIGHT, WIDTH))
    local = torch.arange(6)
    part = load_data(replace(spec, normalization="standard")).training
    turned = part.batch(BatchIndex(0, 0, 0, local, local))["mask"]
    assert set(turned.unique().tolist()) == {0.0, 1.0}  # not scaled, not blended
    assert float(turned.sum(dim=1).min()) == 0.0  # the corners are of no class


@pytest.mark.parametrize("size", ["small", "large"])
def test_that_such_a_table_is_proposed_and_trained_at_once(tmp_path: Path, size: ModelSize) -> None:
    proposal = ask(ProposeData(path=str(scans(tmp_path / "data")), size=size))
    params = proposal.spec.data.source.params
    assert params["target"] == "mask"
    assert params["kinds"] == "picture=image, mask=mask"
    assert (params["classes"], params["size"]) == (3, (HEIGHT, WIDTH))
    assert proposal.target == "mask"
    roles = {column.name: column.role for column in proposal.table}
    assert roles == {"picture": "input", "mask": "target", "age": "input", "site": "input"}
    assert proposal.graph is not None
    fields = {node.params.get("field") for node in proposal.graph.nodes.values()}
    assert {"picture", "features"} <= fields
    run = make_run(
        tmp_path,
        proposal.graph,
        data=replace(proposal.spec.data, loader=LoaderSpec()),
        losses=proposal.spec.losses,
        metrics=proposal.spec.metrics,
        epochs=1,
    )
    state = train(run)
    assert state.status is RunStatus.FINISHED
    assert {"train.iou", "validation.iou"} <= set(state.metrics)


def test_that_colors_say_which_column_has_the_masks(tmp_path: Path) -> None:
    path = scans(tmp_path, head=("first", "second", "age", "site"))
    params = ask(ProposeData(path=str(path))).spec.data.source.params
    assert (params["target"], params["kinds"]) == ("second", "first=image, second=mask")


def test_that_a_column_called_as_a_target_is_predicted_and_masks_are_given(tmp_path: Path) -> None:
    path = scans(tmp_path, head=("picture", "mask", "age", "diagnosis"))
    proposal = ask(ProposeData(path=str(path)))
    assert proposal.target == "diagnosis"
    assert {each.name: (each.kind, each.role) for each in proposal.table}["mask"] == (
        "mask",
        "input",
    )
    assert proposal.graph is not None
    chosen = ask(ProposeData(path=str(path), target="mask"))
    assert chosen.target == "mask"
    assert chosen.info.field("mask") is not None


def test_that_samples_show_the_mask_behind_its_picture(tmp_path: Path) -> None:
    path = scans(tmp_path)
    rows = [line.split(",") for line in path.read_text("utf-8").splitlines()]
    path.write_text("\n".join(",".join((row[1], row[0], *row[2:])) for row in rows), "utf-8")
    spec = spec_of(path)
    (sample,) = ask(TakePictures(data=spec, indices=(1,), side=64)).samples
    assert [(each.field, each.kind) for each in sample.pictures] == [
        ("picture", "image"),
        ("mask", "mask"),
    ]
    listed = ask(ListColumns(data=spec))
    assert {each.name: each.role for each in listed.columns if each.name}["mask"] == "target"
    used = ask(ListTableColumns(source=spec.source)).used
    assert {each.name: each.role for each in used}["mask"] == "target"


def test_that_a_mask_of_another_size_is_named_with_its_row(tmp_path: Path) -> None:
    path = scans(tmp_path)
    Image.new("L", (9, 9)).save(tmp_path / "m" / "3.png")
    source = load_source(spec_of(path).source)
    with pytest.raises(DiagnosticError) as caught:
        source.read([3])
    told = caught.value.problems[0]
    assert told.code == "D077"
    assert "3.png" in sentence(told)
    assert "row 5" in sentence(told)


def test_that_masks_cannot_be_predicted_with_other_columns(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as caught:
        load_source(spec_of(scans(tmp_path), target="mask, age").source)
    assert caught.value.problems[0].code == "D049"


def test_that_pixels_beside_a_padded_picture_have_no_class(tmp_path: Path) -> None:
    source = load_source(spec_of(scans(tmp_path), size=24, fit="pad").source)
    mask = source.read([0])["mask"][0]
    assert tuple(mask.shape) == (24, 24)
    assert set(mask[0].tolist()) == {IGNORED}
