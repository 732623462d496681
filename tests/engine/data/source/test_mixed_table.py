"""Tables whose columns name files or hold texts, beside numbers and categories."""

import csv
import random

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.load.load import load_data
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.model.analysis import analyse
from engine.query.ask import ask
from engine.query.data.request import BrowseSamples, ListColumns, LookAtSample, ProposeData
from engine.query.results.request import DescribeModel
from engine.runs.record.state import RunStatus
from engine.spec.browse import SampleQuery
from engine.spec.first_model import first_model
from engine.spec.run import Choice, DataSpec, LoaderSpec
from engine.spec.transform import TransformSpec
from tests.tiny_run import curves, make_run, train

GOOD = ("a lovely bright flat with a view", "wonderful garden with many flowers")
BAD = ("a dark and noisy place near roads", "terrible smell and broken windows")
KINDS = {"kinds": "photo=image, described=text", "size": 16, "length": 8}


def homes(folder, rows=48, **changes):
    """Write a table of homes with photos; ``changes`` are cells of its second row."""
    (folder / "photos").mkdir(parents=True, exist_ok=True)
    draw, noise = random.Random(0), np.random.default_rng(0)
    written = []
    for row in range(rows):
        is_good = row % 2 == 0
        pixels = noise.integers(0, 80, (24, 30, 3)).astype(np.uint8)
        if is_good:
            pixels[6:20, 6:20, 0] = 230
        Image.fromarray(pixels).save(folder / "photos" / f"{row}.png")
        cells = {
            "photo": f"photos/{row}.png",
            "described": f"{draw.choice(GOOD if is_good else BAD)} {row}",
            "rooms": draw.randint(1, 6),
            "city": draw.choice(("Bern", "Köln", "Lyon")),
            "size": draw.choice(("small", "large", "huge", "tiny", "vast")),
            "sold": "yes" if is_good else "no",
        }
        written.append(cells | (changes if row == 1 else {}))
    with (folder / "homes.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, written[0])
        writer.writeheader()
        writer.writerows(written)
    return folder / "homes.csv"


def spec_of(path, **params):
    return DataSpec(source=Choice(type="table", params={"path": str(path), **KINDS, **params}))


def problem_of(spec):
    with pytest.raises(DiagnosticError) as caught:
        load_data(spec)
    return caught.value.problems[0]


def test_that_columns_of_files_and_texts_are_fields_of_their_own(tmp_path):
    path = homes(tmp_path)
    data = load_data(spec_of(path))
    found = {info.name: (info.role, info.kind, info.shape) for info in data.info.fields}
    assert found == {
        "photo": ("input", "image", (3, 16, 16)),
        "described": ("input", "sequence", (8,)),
        "features": ("input", "vector", (1,)),
        "categories": ("input", "categories", (2,)),
        "label": ("target", "class", ()),
        "target": ("target", "scalar", (1,)),
    }
    values = data.raw([0, 1])
    red = values["photo"].mean(dim=(2, 3))[:, 0]
    assert red[0] > 2 * red[1]
    words = data.info.field("described").vocabulary
    assert words.decode(values["described"][0].tolist())[0] in {"a", "wonderful"}
    assert data.source.text("photo", 1) == "photos/1.png"
    assert data.source.file("photo", 1) == tmp_path / "photos/1.png"
    plain = load_data(spec_of(path, kinds=""))
    assert {info.name for info in plain.info.fields} == {
        "features",
        "categories",
        "label",
        "target",
    }


def test_that_a_table_of_nothing_but_pictures_or_texts_is_enough(tmp_path):
    path = homes(tmp_path)
    photos = load_data(spec_of(path, inputs="photo"))
    assert [info.name for info in photos.info.fields if info.role == "input"] == ["photo"]
    texts = load_data(spec_of(path, inputs="described", tokens="bpe", vocabulary_size=280))
    assert texts.info.field("described").unit == "bpe"
    assert set(texts.fit.tokenizers) >= {"described"}
    assert photos.source.input_keys([0, 1])[0] != photos.source.input_keys([0, 1])[1]


@pytest.mark.fault("F05")
@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("photos/none.png", "D316"),
        ("../secret.png", "D315"),
        ("photos/../../secret.png", "D315"),
        ("linked.png", "D315"),
        ("elsewhere/secret.png", "D315"),
        ("inside.png", ""),
    ],
)
def test_that_a_file_outside_of_the_folder_or_missing_is_told_with_its_row(tmp_path, cell, code):
    folder = tmp_path / "data"
    path = homes(folder, photo=cell)
    (tmp_path / "secret.png").write_bytes((folder / "photos/0.png").read_bytes())
    (folder / "linked.png").symlink_to(tmp_path / "secret.png")
    (folder / "elsewhere").symlink_to(tmp_path)
    (folder / "inside.png").symlink_to(folder / "photos/0.png")
    if not code:
        assert load_data(spec_of(path)).info.samples == 48
        return
    problem = problem_of(spec_of(path))
    assert problem.code == code
    assert (problem.params["row"], problem.params["column"]) == (3, "photo")
    if cell == "../secret.png":
        path.write_text(path.read_text().replace("photos/", "data/photos/").replace("../", ""))
        assert load_data(spec_of(path, folder=str(tmp_path))).info.samples == 48


def test_that_an_absolute_path_outside_is_not_read_either(tmp_path):
    folder = tmp_path / "data"
    path = homes(folder, photo=str(tmp_path / "secret.png"))
    (tmp_path / "secret.png").write_bytes((folder / "photos/0.png").read_bytes())
    assert problem_of(spec_of(path)).code == "D315"


def test_that_rows_without_a_file_are_left_out_and_missing_texts_are_empty(tmp_path):
    data = load_data(spec_of(homes(tmp_path, photo="")))
    assert data.info.samples == 47
    assert [problem.code for problem in data.info.problems] == ["D045"]
    data = load_data(spec_of(homes(tmp_path, described="")))
    assert data.info.samples == 48
    assert data.raw([1])["described"].tolist() == [[0] * 8]


def test_that_arrays_are_read_and_have_one_shape(tmp_path):
    path = homes(tmp_path)
    for row in range(48):
        np.save(tmp_path / "photos" / f"{row}.npy", np.full((3, 5), row, np.int16))
    path.write_text(path.read_text().replace(".png", ".npy"))
    spec = spec_of(path, kinds="photo=array")
    data = load_data(spec)
    info = data.info.field("photo")
    assert (info.kind, info.shape, info.dtype) == ("sequence", (3, 5), "float32")
    assert data.raw([7])["photo"].unique().tolist() == [7.0]
    np.save(tmp_path / "photos/7.npy", np.zeros((3, 6), np.int16))
    with pytest.raises(DiagnosticError) as caught:
        load_data(spec).raw([7])
    assert caught.value.problems[0].code == "D318"
    np.save(tmp_path / "photos/7.npy", np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(DiagnosticError) as caught:
        load_data(spec).raw([7])
    assert caught.value.problems[0].code == "D143"


@pytest.mark.parametrize("size", ["small", "large"])
def test_that_a_table_of_all_kinds_is_proposed_and_trained_at_once(tmp_path, size):
    path = homes(tmp_path / "here", rows=64)
    found = ask(ProposeData(path=str(path), size=size))
    assert found.spec.data.source.params["kinds"] == "photo=image, described=text"
    assert not [problem for problem in found.info.problems if problem.severity == "error"]
    kinds = [node.type for node in found.graph.nodes.values()]
    assert {"Conv2d", "GRU", "cat", "Linear"} <= set(kinds)
    assert analyse(found.graph).is_ok()
    changes = {name: getattr(found.spec, name) for name in ("losses", "optimizer")}
    data = replace(found.spec.data, loader=LoaderSpec())
    epochs = 8 if size == "small" else 1
    run = make_run(tmp_path / "p", found.graph, data=data, epochs=epochs, **changes)
    state = train(run)
    assert state.status is RunStatus.FINISHED
    if size == "small":
        assert state.metrics["validation.accuracy"] > 0.8
    described = ask(DescribeModel(run_folder=str(run.path)))
    assert [field.info.name for field in described.fields][:2] == ["photo", "described"]


def test_that_each_category_has_an_embedding_as_wide_as_it_needs(tmp_path):
    data = load_data(spec_of(homes(tmp_path), kinds=""))
    graph = first_model(data.info)
    tables = {
        node.params["num_embeddings"]: node.params["embedding_dim"]
        for node in graph.nodes.values()
        if node.type == "Embedding"
    }
    sizes = [len(values) for values in data.info.field("categories").vocabularies]
    assert sorted(tables) == sorted(sizes)
    assert tables[max(sizes)] > tables[min(sizes)]


def test_that_files_in_a_folder_beside_the_table_are_found(tmp_path):
    path = homes(tmp_path)
    path.write_text(path.read_text().replace("photos/", ""))
    found = ask(ProposeData(path=str(path)))
    assert found.spec.data.source.params["folder"] == str(tmp_path / "photos")
    path.write_text(path.read_text().replace(".png", ".jpg"))
    found = ask(ProposeData(path=str(path)))
    assert "image" not in str(found.spec.data.source.params)


def test_that_transforms_of_pictures_apply_to_a_column_of_them(tmp_path):
    spec = spec_of(homes(tmp_path))
    crop = TransformSpec(type="Resize", params={"size": (8, 8)})
    data = load_data(replace(spec, transforms=(crop,)))
    assert data.info.field("photo").shape == (3, 8, 8)
    assert data.raw([0])["photo"].shape == (1, 3, 8, 8)


def test_that_samples_show_picture_text_and_all_columns(tmp_path):
    spec = spec_of(homes(tmp_path))
    listed = ask(ListColumns(data=spec))
    assert listed.pictures == ("photo",)
    titles = {column.name: column.role for column in listed.columns}
    assert titles["described"] == titles["photo"] == titles["rooms"] == "input"
    rows = ask(BrowseSamples(data=spec, query=SampleQuery(), start=0, count=3)).rows
    assert any("photos/2.png" in map(str, row.cells) for row in rows)
    details = ask(LookAtSample(data=spec, index=0, side=64))
    assert len(details.pictures) == 1
    assert details.texts["described"].split()[0] == details.tokens["described"][0].text
    assert details.files == (str(tmp_path / "photos/0.png"),)


@pytest.mark.real
def test_that_a_mixed_run_is_the_same_with_workers_and_after_a_resume(tmp_path):
    path = homes(tmp_path / "here")
    found = ask(ProposeData(path=str(path)))
    flip = TransformSpec(type="RandomHorizontalFlip", params={})
    losses = []
    for workers, resumes in ((0, False), (2, False), (0, True)):
        data = replace(found.spec.data, loader=LoaderSpec(num_workers=workers), transforms=(flip,))
        run = make_run(
            tmp_path / f"p{workers}{resumes}",
            found.graph,
            data=data,
            losses=found.spec.losses,
            epochs=1 if resumes else 2,
        )
        assert train(run).status is RunStatus.FINISHED
        if resumes:
            assert train(run, resume="latest", length=2).status is RunStatus.FINISHED
        losses.append(curves(run)["train.loss"])
    assert losses[0] == losses[1] == losses[2]


def test_that_a_source_is_read_anew_when_another_folder_is_chosen(tmp_path):
    path = homes(tmp_path)
    source = load_source(spec_of(path).source)
    assert torch.equal(
        source.read([3])["photo"], load_source(spec_of(path).source).read([3])["photo"]
    )
    before = source.version()
    Image.new("RGB", (9, 9)).save(tmp_path / "photos/3.png")
    assert source.version() != before
