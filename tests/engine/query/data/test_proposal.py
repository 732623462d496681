"""What is proposed for a file or folder can be trained as it is."""

import gzip

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from engine.data.load.load import describe_source, load_split
from engine.diagnostics import DiagnosticError
from engine.query.ask import ask
from engine.query.data.answer import draw_samples
from engine.query.data.proposal import propose_data
from engine.query.data.request import DrawSamples, PeekData, ProposeData
from engine.query.data.source_choice import read_as, source_of
from engine.query.model.answer import check
from engine.query.model.request import Check
from engine.query.results.request import Examine
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.first_model import first_model
from engine.spec.proposal import Answers
from engine.spec.residual_model import is_residual_model
from engine.spec.run import LoaderSpec, SplitSpec
from tests import vision_files
from tests.sound_files import sound_folder, tone, write
from tests.tiny_run import train
from tests.video_files import moving, video_folder
from tests.video_files import write as write_video

pytestmark = pytest.mark.row("P13")
RANDOM = np.random.default_rng(0)


def pictures(folder):
    for name in ("猫", "dog 2"):
        (folder / name).mkdir(parents=True)
        for number in range(12):
            pixels = RANDOM.integers(0, 255, (20 + number, 24, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / name / f"{number}.png")
    return folder


def masks(folder):
    for name in ("images", "masks"):
        (folder / name).mkdir(parents=True)
    for number in range(8):
        pixels = RANDOM.integers(0, 255, (16, 16, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / "images" / f"{number}.png")
        Image.fromarray((pixels[..., 0] > 99).astype(np.uint8)).save(
            folder / "masks" / f"{number}.png"
        )
    return folder


def sounds(folder):
    return sound_folder(folder, count=8, seconds=0.3)


def videos(folder):
    return video_folder(folder, count=5)


def table(folder):
    rows = [f"{n};{n % 5},5;{'a' if n % 3 else 'b'};{n % 2}" for n in range(60)]
    path = folder / "table.csv"
    path.write_text("\n".join(["no;size;kind;label", *rows]))
    return path


def arrays(folder):
    path = folder / "arrays.npz"
    x = RANDOM.integers(0, 255, (40, 9, 9), dtype=np.uint8)
    np.savez(path, x_train=x, y_train=np.arange(40) % 3, x_test=x[:9], y_test=np.arange(9) % 3)
    return path


def running_text(folder):
    path = folder / "story.txt"
    path.write_text("the quick brown fox jumps over the lazy dog\n" * 200)
    return path


def labelled_text(folder):
    path = folder / "lines.txt"
    path.write_text("".join(f"{'good' if n % 2 else 'bad'}\tit was {n % 7}\n" for n in range(60)))
    return path


def pairs(folder):
    path = folder / "pairs.txt"
    path.write_text("".join(f"number {n}\t数 {n}\n" for n in range(60)), encoding="utf-8")
    return path


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize(
    "make", [pictures, masks, sounds, videos, table, arrays, running_text, labelled_text, pairs]
)
def test_that_a_proposal_has_no_problems_and_trains(tmp_path, make, size):
    (tmp_path / "data").mkdir()
    proposal = propose_data(ProposeData(path=str(make(tmp_path / "data")), size=size))
    assert proposal.graph is not None
    report = check(Check(graph=proposal.graph, spec=proposal.spec))
    assert [p for p in report.problems if p.severity == "error"] == []
    data = replace(proposal.spec.data, loader=LoaderSpec())
    spec = replace(proposal.spec, data=data, epochs=1, device="cpu", threads=1)
    state = train(RunFolder.create(tmp_path, proposal.graph, spec))
    assert state.status is RunStatus.FINISHED, state.problem


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (pictures, "stratified"),
        (sounds, "stratified"),
        (videos, "stratified"),
        (arrays, "given"),
        (running_text, "sequential"),
        (labelled_text, "stratified"),
        (pairs, "random"),
    ],
)
def test_that_samples_that_follow_one_another_are_divided_in_their_order(tmp_path, make, kind):
    (tmp_path / "data").mkdir()
    proposal = propose_data(ProposeData(path=str(make(tmp_path / "data"))))
    assert proposal.spec.data.split.kind == kind


@pytest.mark.parametrize("order", ["up", "down", "mixed", "one"])
def test_that_rows_in_the_order_of_time_are_divided_by_it(tmp_path, order):
    days = [f"2026-{1 + n // 28:02}-{1 + n % 28:02}" for n in range(60)]
    days = {"up": days, "down": days[::-1], "mixed": days[1:] + days[:1], "one": days[:1] * 60}[
        order
    ]
    rows = [f"{day},{n % 7}.5,{n % 2}" for n, day in enumerate(days)]
    file = tmp_path / "sales.csv"
    file.write_text("\n".join(["day,price,sold", *rows]), encoding="utf-8")
    found = propose_data(ProposeData(path=str(file), target="sold"))
    split = found.spec.data.split
    if order in ("mixed", "one"):
        assert (split.kind, found.time_column) == ("stratified", "")
        return
    assert (split.kind, split.column, found.time_column) == ("time", "day", "day")
    source, parts = load_split(found.spec.data)
    latest = {source.text("day", index) for index in parts["test"].tolist()}
    assert latest == set(sorted(days)[-len(latest) :])
    chosen = Answers(split=SplitSpec(kind="random"))
    assert propose_data(ProposeData(path=str(file), answers=chosen)).time_column == ""


@pytest.mark.parametrize("place", [0, 2], ids=["first", "last"])
def test_that_a_column_of_parts_is_the_split_and_no_input(tmp_path, place):
    words = ["Train", "Train", "val", "test", "train"]
    rows = [[f"{n % 7}.5", "yn"[n % 2]] for n in range(60)]
    for n, row in enumerate(rows):
        row.insert(place, words[n % len(words)])
    names = ["size", "kind"]
    names.insert(place, "fold")
    file = tmp_path / "parts.csv"
    file.write_text("\n".join(map(",".join, [names, *rows])), encoding="utf-8")
    found = propose_data(ProposeData(path=str(file)))
    assert found.target == "kind"
    assert {column.name: column.role for column in found.table}["fold"] == "ignored"
    source, parts = load_split(found.spec.data)
    for part, word in (("validation", "val"), ("test", "test")):
        assert {source.text("fold", index) for index in parts[part].tolist()} == {word}
    roles = Answers(params={"inputs": "fold"})
    kept = propose_data(ProposeData(path=str(file), answers=roles))
    assert {column.name: column.role for column in kept.table}["fold"] == "input"


def test_that_words_that_are_no_parts_alone_are_an_input(tmp_path):
    words = ["train", "bus", "test", "tram"]
    file = tmp_path / "rides.csv"
    rows = [f"{words[n % 4]},{n % 9},{'yn'[n % 2]}" for n in range(60)]
    file.write_text("\n".join(["by,minutes,late", *rows]), encoding="utf-8")
    found = propose_data(ProposeData(path=str(file)))
    assert {column.name: column.role for column in found.table}["by"] == "input"
    assert found.spec.data.split.kind == "stratified"


def test_that_the_column_to_predict_can_be_chosen(tmp_path):
    path = str(table(tmp_path))
    assert propose_data(ProposeData(path=path)).target == "label"
    proposal = propose_data(ProposeData(path=path, target="size"))
    assert proposal.info.task == "regression"
    assert proposal.spec.losses[0].loss.type == "MSELoss"
    assert "size" in proposal.columns


@pytest.mark.fault("B10")
def test_that_a_single_picture_or_an_empty_folder_is_told(tmp_path):
    (tmp_path / "nothing").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "one.png")
    write(tmp_path / "one.wav", tone(500))
    for name, code in (
        ("nothing", "D150"),
        ("one.png", "D151"),
        ("one.wav", "D366"),
        ("gone", "D020"),
    ):
        with pytest.raises(DiagnosticError) as caught:
            propose_data(ProposeData(path=str(tmp_path / name)))
        assert caught.value.problems[0].code == code


@pytest.mark.row("S130")
def test_that_the_variant_of_a_published_set_that_is_there_is_what_is_read(tmp_path):
    folder = tmp_path / "EMNIST" / "raw"
    folder.mkdir(parents=True)
    for part in ("train", "test"):
        images = np.zeros((60, 28, 28), np.uint8)
        (folder / f"emnist-letters-{part}-images-idx3-ubyte").write_bytes(vision_files.idx(images))
        labels = (np.arange(60) % 26 + 1).astype(np.uint8)
        (folder / f"emnist-letters-{part}-labels-idx1-ubyte").write_bytes(vision_files.idx(labels))
    proposal = propose_data(ProposeData(path=str(tmp_path)))
    assert proposal.spec.data.source.type == "EMNIST"
    assert proposal.spec.data.source.params["variant"] == "letters"
    assert proposal.info.samples == 120


def test_that_a_folder_of_torchvision_is_known_with_its_own_sets(tmp_path):
    place = tmp_path / "MNIST" / "raw"
    place.mkdir(parents=True)
    labels = np.arange(40, dtype=np.uint8) % 10
    for word in ("train", "t10k"):
        images = vision_files.pictures(40, 28)
        (place / f"{word}-images-idx3-ubyte").write_bytes(vision_files.idx(images))
        (place / f"{word}-labels-idx1-ubyte").write_bytes(vision_files.idx(labels))
    proposal = propose_data(ProposeData(path=str(tmp_path)))
    assert proposal.spec.data.source.type == "MNIST"
    split = proposal.spec.data.split
    assert (split.kind, split.stratified) == ("given", True)  # it has no validation set
    assert proposal.graph is not None
    assert proposal.info.samples == 80


def test_that_rate_and_duration_of_sounds_are_proposed_from_the_files(tmp_path):
    sound_folder(tmp_path / "short", count=4, seconds=0.52)
    params = propose_data(ProposeData(path=str(tmp_path / "short"))).spec.data.source.params
    assert (params["rate"], params["seconds"]) == (8000, 0.6)
    for name in ("a", "b"):
        write(tmp_path / "long" / name / "1.wav", tone(500, 9, rate=96_000), 96_000)
    params = propose_data(ProposeData(path=str(tmp_path / "long"))).spec.data.source.params
    assert params["rate"] <= 48_000
    assert 1 <= params["seconds"] < 9


@pytest.mark.parametrize("size", ["small", "large"])
def test_that_the_first_model_for_waveforms_trains(tmp_path, size):
    proposal = propose_data(ProposeData(path=str(sounds(tmp_path / "data"))))
    source = proposal.spec.data.source
    source = replace(source, params={**source.params, "form": "waveform"})
    data = replace(proposal.spec.data, source=source, loader=LoaderSpec())
    graph = first_model(describe_source(data, *load_split(data)), size)
    assert graph is not None
    spec = replace(proposal.spec, data=data, epochs=1, device="cpu", threads=1)
    assert train(RunFolder.create(tmp_path, graph, spec)).status is RunStatus.FINISHED


def test_that_answers_take_the_place_of_what_is_proposed(tmp_path):
    path = table(tmp_path)
    answers = Answers(
        params={"kinds": "label=number", "missing": "drop"},
        split=SplitSpec(kind="group", column="size"),
        scaling="minmax",
    )
    proposal = propose_data(ProposeData(path=str(path), answers=answers))
    assert proposal.info.task == "regression"
    data = proposal.spec.data
    assert (data.split.kind, data.normalization) == ("group", "minmax")
    assert data.source.params["missing"] == "drop"
    roles = {column.name: column.role for column in proposal.table}
    assert roles["label"] == "target"
    assert roles["no"] == "ignored"


def test_that_a_file_is_read_as_the_user_says(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("a,b\n" + "".join(f"{n},{n % 9}\n" for n in range(200)))
    assert propose_data(ProposeData(path=str(path))).spec.data.source.type == "table"
    answers = Answers(source="series", params={"length": 8, "targets": "b"})
    proposal = propose_data(ProposeData(path=str(path), answers=answers))
    assert proposal.spec.data.source.params["length"] == 8
    assert proposal.spec.data.split.kind == "sequential"
    assert "series" in proposal.sources


@pytest.mark.parametrize("size", ["small", "large"])
def test_that_several_columns_of_a_series_are_forecast(tmp_path, size):
    path = tmp_path / "weather.csv"
    path.write_text("warm,wet\n" + "".join(f"{n % 24},{n % 7 / 2}\n" for n in range(90)))
    answers = Answers(source="series", params={"length": 8, "horizon": 3})
    proposal = propose_data(ProposeData(path=str(path), size=size, answers=answers))
    assert proposal.graph is not None
    report = check(Check(graph=proposal.graph, spec=proposal.spec))
    assert [p for p in report.problems if p.severity == "error"] == []
    spec = replace(proposal.spec, epochs=1, device="cpu", threads=1)
    run = RunFolder.create(tmp_path, proposal.graph, spec)
    state = train(run)
    assert state.status is RunStatus.FINISHED, state.problem
    place = str(run.path)
    report = ask(Examine(run_folder=place, checkpoint="last", split="test", seconds=60)).report
    assert report is not None
    assert report.outputs == 3 * 2  # steps of the horizon, each of both columns
    assert len(report.predictions) == len(report.targets) == report.outputs * len(report.losses)
    assert report.metrics["r2"] == pytest.approx(state.metrics["test.r2"], rel=1e-5)


@pytest.mark.parametrize("name", ["light", "strong", "photographs"])
def test_that_presets_of_transforms_train(tmp_path, name):
    answers = Answers(augmentation=name, scaling="imagenet")
    folder = pictures(tmp_path / "data")
    proposal = propose_data(ProposeData(path=str(folder), answers=answers))
    assert proposal.graph is not None
    report = check(Check(graph=proposal.graph, spec=proposal.spec))
    assert [p for p in report.problems if p.severity == "error"] == []
    types = [step.type for step in proposal.spec.data.transforms]
    assert types.count("Normalize") == 1
    if name == "photographs":  # crops are of the picture as it is, not of a smaller one
        assert proposal.spec.data.source.params["size"] is None
    data = replace(proposal.spec.data, loader=LoaderSpec())
    spec = replace(proposal.spec, data=data, epochs=1, device="cpu", threads=1)
    state = train(RunFolder.create(tmp_path, proposal.graph, spec))
    assert state.status is RunStatus.FINISHED, state.problem


def test_that_columns_that_settings_can_name_are_told(tmp_path):
    info = propose_data(ProposeData(path=str(table(tmp_path)))).info
    kinds = {column.name: column.kind for column in info.columns}
    assert kinds == {"no": "id", "size": "number", "kind": "binary", "label": "binary"}
    assert info.file_columns == info.columns


def test_that_videos_get_frames_and_a_size_that_fit_them_and_a_single_one_is_told(tmp_path):
    folder = tmp_path / "v"
    for name in "ab":
        for number in range(6):
            write_video(folder / name / f"{number}.mp4", moving((0, 1), 5, 80, 120, seed=number))
    (folder / "a" / "0.mp4").write_bytes(b"no video")
    proposal = propose_data(ProposeData(path=str(folder)))
    params = proposal.spec.data.source.params
    assert (params["frames"], params["size"]) == (5, 64)
    assert proposal.sources[0] == "video_folder"
    with pytest.raises(DiagnosticError) as caught:
        propose_data(ProposeData(path=str(folder / "b" / "0.mp4")))
    assert caught.value.problems[0].code == "D366"


def texts_of(tmp_path, header, rows):
    path = tmp_path / "table.csv"
    path.write_text("\n".join([header, *rows]))
    proposal = propose_data(ProposeData(path=str(path)))
    kinds = {field.name: field.kind for field in proposal.info.fields if field.role == "input"}
    return [name for name, kind in kinds.items() if kind == "sequence"], proposal


def test_that_names_of_people_are_read_only_where_there_is_nothing_else(tmp_path):
    names = [f"Lee Mr Jo Ann {n}" for n in range(60)]
    with_more = [f"{name},{n % 7},{n % 2}" for n, name in enumerate(names)]
    assert texts_of(tmp_path, "Name,size,label", with_more)[0] == []
    alone = [f"Lee{n},{'ab'[n % 2]}" for n in range(60)]
    found, proposal = texts_of(tmp_path, "Name,country", alone)
    assert found == ["Name"]
    assert proposal.graph is not None


def test_that_sentences_that_come_again_are_read_as_text(tmp_path):
    rows = [
        f"{'ab'[n % 2]},are you coming at {n % 12} ok" if n % 4 else f"b,call now {n} to win cash"
        for n in range(700)
    ]
    found, proposal = texts_of(tmp_path, "v1,v2", rows)
    assert found == ["v2"]
    assert proposal.target == "v1"


@pytest.mark.row("P14")
def test_that_sounds_are_augmented(tmp_path):
    path = str(sounds(tmp_path / "data"))

    def chain(name):
        answers = Answers(augmentation=name)
        data = propose_data(ProposeData(path=path, answers=answers)).spec.data
        return {step.type for step in data.transforms}

    assert chain("none") == set()
    assert chain("light") < chain("strong")
    assert chain("light")


@pytest.mark.row("P14")
@pytest.mark.parametrize("make", [pictures, masks, sounds, videos])
@pytest.mark.parametrize("name", ["light", "strong"])
def test_that_samples_of_each_kind_are_drawn_anew(tmp_path, make, name):
    path = str(make(tmp_path / "data"))
    answers = Answers(augmentation=name)
    data = propose_data(ProposeData(path=path, answers=answers)).spec.data

    def pixels(draw):
        drawn = draw_samples(DrawSamples(data=data, count=4, draw=draw))
        assert drawn.problems == ()
        assert all(sample.stages[-1].problem is None for sample in drawn.samples)
        return [sample.stages[-1].fields[0].pixels for sample in drawn.samples]

    assert len(pixels(0)) == 4
    assert all(pixels(0))
    assert pixels(0) == pixels(0)
    assert pixels(0) != pixels(1)


@pytest.mark.parametrize(
    ("inputs", "targets"),
    [("x", "y"), ("X_train", "y_train"), ("train-images", "train-labels"), ("features", "target")],
)
def test_that_targets_in_a_file_beside_the_inputs_are_found(tmp_path, inputs, targets):
    np.save(tmp_path / f"{inputs}.npy", np.random.default_rng(0).normal(size=(40, 3)))
    np.save(tmp_path / f"{targets}.npy", np.arange(40) % 2)
    proposal = propose_data(ProposeData(path=str(tmp_path / f"{inputs}.npy")))
    assert proposal.spec.data.source.params["target_path"] == str(tmp_path / f"{targets}.npy")
    assert proposal.graph is not None
    target = proposal.info.target
    assert target is not None
    assert target.kind == "class"
    lone = tmp_path / "export.npy"  # no name of inputs, although its letters have one
    np.save(lone, np.zeros((40, 3)))
    assert "target_path" not in propose_data(ProposeData(path=str(lone))).spec.data.source.params


def test_that_a_table_of_two_columns_of_sentences_is_pairs(tmp_path):
    names = [f"{word} {number}" for word in ("cat", "dog", "sun") for number in range(20)]
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"the {name}\tle {name}\n" for name in names), encoding="utf-8")
    source = propose_data(ProposeData(path=str(pairs))).spec.data.source
    assert (source.type, source.params["task"]) == ("text", "pairs")
    for start in ("", "2024-01-01 10:"):
        numbers = tmp_path / "numbers.tsv"
        rows = [f"{start}{at}\t{at} {at}" for at in range(10, 60)]
        numbers.write_text("x\ty\n" + "\n".join(rows), encoding="utf-8")
        assert source_of(numbers).type != "text"
    labels = tmp_path / "labels.tsv"
    labels.write_text("".join(f"{name}\t{name[:3]}\n" for name in names), encoding="utf-8")
    assert source_of(labels).type == "table"
    assert read_as(labels, "text").params["task"] == "classification"


@pytest.mark.parametrize(("side", "code"), [(20, "D584"), (70, "D583")])
def test_that_a_large_model_for_pictures_says_where_it_comes_from(tmp_path, side, code):
    for name in ("a", "b"):
        (tmp_path / "data" / name).mkdir(parents=True)
        for number in range(3):
            picture = Image.new("RGB", (side, side), (number * 40, 90, 200))
            picture.save(tmp_path / "data" / name / f"{number}.png")
    path = str(tmp_path / "data")
    large = propose_data(ProposeData(path=path, size="large"))
    assert large.graph is not None
    assert is_residual_model(large.graph)
    assert code in {problem.code for problem in large.info.problems}
    small = propose_data(ProposeData(path=path, size="small"))
    assert not {"D583", "D584"} & {problem.code for problem in small.info.problems}


def test_that_a_packed_text_is_read_like_the_text_in_it(tmp_path):
    for content in (
        b"It was dark, and late.\nThe owl called.\n" * 30,
        b"x,y\n" + b"1,2\n3,4\n" * 30,
        b"good\tit was a fine day\nbad\tnothing was right\n" * 20,
        b"the old man sat\tder alte Mann sa\xc3\x9f\nit was a fine day\tes war ein Tag\n" * 20,
    ):
        plain, packed = tmp_path / "story.txt", tmp_path / "packed.TXT.gz"
        plain.write_bytes(content)
        packed.write_bytes(gzip.compress(content))
        found, read = source_of(packed), source_of(plain)
        assert (found.type, {**found.params, "path": ""}) == (
            read.type,
            {**read.params, "path": ""},
        )
        peeks = [ask(PeekData(path=str(path))) for path in (packed, plain)]
        assert peeks[0] == peeks[1]
        assert peeks[0].lines or peeks[0].rows
    (tmp_path / "story.txt").rename(tmp_path / "b.txt")
    assert source_of(tmp_path).type == "text"


@pytest.mark.parametrize("ending", ["xz", "bz2", "zip"])
def test_that_a_text_packed_in_another_way_is_told_to_be_unpacked(ending, tmp_path):
    story = tmp_path / f"story.txt.{ending}"
    story.write_bytes(b"\xfd7zXZ\0" + bytes(range(256)))
    with pytest.raises(DiagnosticError, match="unpack") as caught:
        source_of(story)
    assert caught.value.problems[0].code == "D132"
