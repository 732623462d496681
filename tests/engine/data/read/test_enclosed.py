"""Pictures and sounds inside Parquet and Arrow files."""

import io
import json
import wave
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from PIL import Image
from pyarrow import ipc, parquet

from engine.catalog.spec import Value
from engine.data.load.load import load_split
from engine.data.read import enclosed
from engine.data.read.enclosed import read_enclosed
from engine.data.read.image import read_size
from engine.data.read.table import read_head, read_table
from engine.data.read.video import VideoForm, read_video
from engine.data.source.mixed_table import MixedTableSource
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError, sentence
from engine.query.ask import ask
from engine.query.data.request import LookAtSample, ProposeData, TakePictures
from engine.spec.run import Choice

NAMES = ["pillar", "beam"]
BYTES = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_ORIENTATION = 0x0112


def picture(number: int, *, kind: str = "PNG", turn: int = 0) -> bytes:
    """Return a picture, 8 pixels high and 6 wide, all of the color of its number."""
    content = io.BytesIO()
    exif = Image.Exif()
    if turn:
        exif[_ORIENTATION] = turn
    Image.new("RGB", (6, 8), (number, 0, 255 - number)).save(content, kind, exif=exif)
    return content.getvalue()


def described(contents: list[bytes | None], start: int = 0) -> pa.Table:
    """Return rows with files in them as those of the hub, and a class."""
    files = [None if each is None else {"bytes": each, "path": "a"} for each in contents]
    labels = [(start + at) % 2 for at in range(len(contents))]
    table = pa.table({"image": pa.array(files, BYTES), "label": labels})
    features = {"image": {"_type": "Image"}, "label": {"names": NAMES, "_type": "ClassLabel"}}
    metadata = json.dumps({"info": {"features": features}})
    return table.replace_schema_metadata({"huggingface": metadata})


def hub(folder: Path) -> Path:
    """Write a data set as it comes from the hub: parts in several files, a few rows a group."""
    (folder / "data").mkdir(parents=True)
    names = ("train-00000-of-00002", "train-00001-of-00002", "validation-00000-of-00001")
    for at, name in enumerate(names):
        rows = described([picture(20 * at + row) for row in range(20)])
        parquet.write_table(rows, folder / "data" / f"{name}.parquet", row_group_size=6)
    return folder


def choice(path: Path, **params: Value) -> Choice:
    return Choice(
        type="table",
        params={"path": str(path), "kinds": "image=image", "size": (8, 6)} | params,
    )


def loaded(path: Path, **params: Value) -> MixedTableSource:
    source = load_source(choice(path, **params))
    assert isinstance(source, MixedTableSource)
    return source


def told(path: Path) -> tuple[str, str]:
    with pytest.raises(DiagnosticError) as caught:
        loaded(path, target="label").read(range(20))
    problem = caught.value.problems[0]
    return problem.code, sentence(problem)


def test_that_a_data_set_of_the_hub_is_proposed_with_its_pictures_classes_and_parts(tmp_path):
    proposal = ask(ProposeData(path=str(hub(tmp_path / "set"))))
    image, label, _ = proposal.info.fields
    assert (image.kind, image.shape, label.classes) == ("image", (3, 8, 6), ("beam", "pillar"))
    assert proposal.graph is not None
    source, parts = load_split(proposal.spec.data)
    assert parts["validation"].tolist() == list(range(40, 60))
    values = source.read([0, 21, 45])
    reds = (values["image"][:, 0, 0, 0] * 255).round().tolist()
    assert reds == [0, 21, 45]
    assert values["label"].tolist() == [1, 0, 0]
    window = TakePictures(data=proposal.spec.data, indices=(21,), side=4)
    (shown,) = ask(window).samples
    assert shown.pictures[0].pixels[:3] == bytes((21, 0, 234))
    details = ask(LookAtSample(data=proposal.spec.data, index=21, side=8))
    assert details.texts["image"] == "data/train-00001-of-00002.parquet/2/image.png"
    assert details.files == (str(tmp_path / "set" / "data" / "train-00001-of-00002.parquet"),)


@pytest.mark.parametrize("form", ["plain bytes", "feather", "stream", "saved"])
def test_that_pictures_are_read_of_each_kind_of_file(tmp_path, form):
    rows = described([picture(at) for at in range(12)])
    file = tmp_path / "rows.arrow"
    if form == "plain bytes":
        column = pa.array([picture(at) for at in range(12)], pa.binary())
        plain = pa.table({"image": column, "label": ["a", "b"] * 6})
        parquet.write_table(plain, file := tmp_path / "rows.parquet", row_group_size=5)
    elif form == "feather":
        with ipc.new_file(file, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=5)
    else:
        with ipc.new_stream(file, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=5)
    if form == "saved":
        (tmp_path / "state.json").write_text('{"_data_files": [{"filename": "rows.arrow"}]}')
        file = tmp_path
    values = loaded(file, target="label").read([11, 0, 7])["image"]
    assert isinstance(values, torch.Tensor)
    assert (values[:, 0, 0, 0] * 255).round().tolist() == [11, 0, 7]


def test_that_pictures_inside_are_turned_by_their_tag_and_rows_without_one_left_out(tmp_path):
    contents = [picture(at, kind="JPEG", turn=6) for at in range(6)]
    parquet.write_table(described([None, *contents[1:]]), tmp_path / "t.parquet")
    source = loaded(tmp_path / "t.parquet", target="label")
    assert source.samples == 5
    assert source.sample_numbers.tolist() == [2, 3, 4, 5, 6]
    assert read_size(source.files[0].path(0)) == (6, 8)
    sizes = choice(tmp_path / "t.parquet", target="label", size=None)
    whole = load_source(sizes).read([0])["image"]
    assert whole[0].shape == (3, 6, 8)


def test_that_what_is_wrong_inside_is_told_with_file_and_row(tmp_path):
    file = tmp_path / "t.parquet"
    contents: list[bytes | None] = [picture(at) for at in range(20)]
    contents[13] = picture(13)[:40]
    parquet.write_table(described(contents), file, row_group_size=4)
    code, words = told(file)
    assert code == "D052"
    assert "t.parquet/14/image.png" in words
    assert "row 14" in words.lower()


def test_that_a_damaged_file_around_pictures_is_told_with_its_row(tmp_path):
    file = tmp_path / "t.parquet"
    parquet.write_table(
        described([picture(at) for at in range(20)]), file, row_group_size=4, compression="snappy"
    )
    source = loaded(file, target="label")
    content = bytearray(file.read_bytes())
    group = parquet.ParquetFile(file).metadata.row_group(3)
    leaf = next(
        group.column(at)
        for at in range(group.num_columns)
        if group.column(at).path_in_schema == "image.bytes"
    )
    start = leaf.dictionary_page_offset or leaf.data_page_offset
    content[start : start + leaf.total_compressed_size] = b"\xff" * leaf.total_compressed_size
    file.write_bytes(content)
    source.read([0])
    with pytest.raises(DiagnosticError) as caught:
        source.read([13])
    assert caught.value.problems[0].code == "D505"
    assert "row 14" in sentence(caught.value.problems[0])
    parquet.write_table(described([picture(0)]), file)
    with pytest.raises(DiagnosticError) as caught:
        source.read([13])
    assert caught.value.problems[0].code == "D506"
    file.unlink()
    assert not source.is_current()
    with pytest.raises(DiagnosticError) as caught:
        source.read([0])
    assert caught.value.problems[0].code == "D054"


def test_that_no_more_row_groups_are_kept_than_allowed(tmp_path, monkeypatch):
    groups = enclosed.RowGroups()
    monkeypatch.setattr(enclosed, "_groups", groups)
    monkeypatch.setattr(enclosed, "_KEPT", 3 * 6 * len(picture(0)))
    monkeypatch.setattr(enclosed, "copy_place", lambda *_: None)
    folder = hub(tmp_path / "set")
    source = loaded(folder, target="label")
    order = np.random.default_rng(0).permutation(60).tolist()
    values = [source.read([at])["image"][0, 0, 0, 0].item() for at in order]
    assert [round(value * 255) for value in values] == order
    assert 1 < len(groups) <= 3
    monkeypatch.setattr(enclosed, "_LARGEST_GROUP", 10)
    monkeypatch.setattr(enclosed, "_groups", enclosed.RowGroups())
    with pytest.raises(DiagnosticError) as caught:
        source.read([0])
    assert caught.value.problems[0].code == "D507"


def test_that_a_place_in_a_table_of_texts_names_no_row_of_another_file(tmp_path):
    parquet.write_table(described([picture(0)] * 4), tmp_path / "t.parquet")
    inner = tmp_path / "t.parquet" / "1" / "image.png"
    assert read_enclosed(inner) == picture(0)
    lines = [f"t.parquet/{row}/image.png,{row % 2}" for row in range(1, 5)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["image,label", *lines]))
    with pytest.raises(DiagnosticError) as caught:
        loaded(table, target="label")
    assert caught.value.problems[0].code == "D316"


def test_that_columns_called_as_strangers_like_lead_nowhere(tmp_path):
    name = "../../secret"
    rows = pa.table({name: [picture(1), picture(2)] * 3, "label": ["a", "b"] * 3})
    file = tmp_path / "t.parquet"
    parquet.write_table(rows, file)
    table = read_table(file)
    cell = table.column(name).cell(1)
    assert cell.count("/") == 2
    assert read_enclosed(tmp_path / cell) == picture(2)


def test_that_masks_inside_of_several_parts_are_learned_with_their_ignored_pixels(tmp_path):
    def file(pixels: np.ndarray) -> dict[str, object]:
        content = io.BytesIO()
        Image.fromarray(pixels.astype(np.uint8)).save(content, "PNG")
        return {"bytes": content.getvalue(), "path": None}

    draw = np.random.default_rng(0)
    mask = np.zeros((32, 32), int)
    mask[8:20, 8:20], mask[0] = 1, 255
    for part in ("train", "validation"):
        pictures = [file(draw.integers(0, 255, (32, 32, 3))) for _ in range(8)]
        rows = {"image": pa.array(pictures, BYTES), "mask": pa.array([file(mask)] * 8, BYTES)}
        parquet.write_table(pa.table(rows), tmp_path / f"{part}-00000-of-00001.parquet")
    proposal = ask(ProposeData(path=str(tmp_path)))
    params = proposal.spec.data.source.params
    assert (params["ignored"], params["ignored_pixels"]) == ("split", "255")
    target = proposal.info.target
    assert target is not None
    assert (target.kind, len(target.classes)) == ("mask", 2)
    source, parts = load_split(proposal.spec.data)
    assert parts["validation"].tolist() == list(range(8, 16))
    values = source.read([0])[target.name]
    assert sorted(set(values[0].flatten().tolist())) == [-100, 0, 1]


def test_that_sounds_inside_are_heard(tmp_path):
    pytest.importorskip("soundfile")

    def sound(number: int) -> bytes:
        content = io.BytesIO()
        with wave.open(content, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(4000)
            file.writeframes(np.full(2000, 1000 * number, "<i2").tobytes())
        return content.getvalue()

    rows = [{"bytes": sound(at), "path": None} for at in range(12)]
    table = pa.table({"audio": pa.array(rows, BYTES), "label": ["low", "high"] * 6})
    file = tmp_path / "sounds.parquet"
    parquet.write_table(table, file, row_group_size=5)
    proposal = ask(ProposeData(path=str(file)))
    field = next(each for each in proposal.info.fields if each.role == "input")
    assert field.kind == "sound"
    assert proposal.graph is not None
    assert proposal.spec.data.source.params["seconds"] == 0.5
    source, _ = load_split(proposal.spec.data)
    first, last = source.read([0, 11])[field.name]
    assert float(last.mean()) > float(first.mean())


def test_that_head_and_whole_read_no_pictures_where_the_file_tells_how_many_there_are(
    tmp_path,
):
    contents = [picture(at) for at in range(40)]
    file = tmp_path / "t.parquet"
    parquet.write_table(described(contents), file, row_group_size=10)
    assert [row[0] for row in read_head(file).rows[:2]] == [
        "t.parquet/1/image.png",
        "t.parquet/2/image.png",
    ]
    assert read_table(file).rows == 40


@pytest.mark.parametrize("ending", ["mp4", "mkv"])
def test_that_videos_inside_are_proposed_seen_and_read_as_in_files(tmp_path, ending):
    pytest.importorskip("torchcodec")
    from tests.video_files import moving, write

    ways = {"left": (0, -1), "right": (0, 1)}
    rows = []
    for at in range(14):
        name = ("left", "right")[at % 2]
        file = write(tmp_path / "files" / f"{at}.{ending}", moving(ways[name], seed=at))
        rows.append({"video": {"bytes": file.read_bytes(), "path": None}, "label": name})
    file = tmp_path / "videos.parquet"
    parquet.write_table(pa.Table.from_pylist(rows), file, row_group_size=6)
    proposal = ask(ProposeData(path=str(file)))
    field = next(each for each in proposal.info.fields if each.role == "input")
    assert field.kind == "video"
    assert proposal.graph is not None
    assert proposal.info.target is not None
    assert proposal.info.target.classes == ("left", "right")
    source, _ = load_split(proposal.spec.data)
    _, frames, height, width = field.shape
    form = VideoForm(frames=frames, size=(height, width))
    for at in (0, 13):
        (value,) = source.read([at])[field.name]
        assert torch.equal(value, read_video(tmp_path / "files" / f"{at}.{ending}", form))
    (shown,) = ask(TakePictures(data=proposal.spec.data, indices=(13,), side=16)).samples
    assert set(shown.pictures[0].pixels) != {0}
    cut = tmp_path / "cut.parquet"
    rows[3]["video"]["bytes"] = rows[3]["video"]["bytes"][:40]
    parquet.write_table(pa.Table.from_pylist(rows), cut)
    params = proposal.spec.data.source.params | {"path": str(cut)}
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="table", params=params)).read([3])
    assert caught.value.problems[0].code == "D391"
    assert "row 4" in sentence(caught.value.problems[0]).lower()
