"""Kinds of data that a model is exported with: what is chosen, and the raw samples of each."""

import csv
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from engine.catalog.spec import Value
from engine.custom.trust import set_trust
from engine.data.load.load import load_data
from engine.events import CaptureTensor, ListTensors, MeasureMemory
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.runs.folder import RunFolder, runs_of
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.spec.choice import NO_CODE, Code
from engine.spec.defaults import default_spec
from engine.spec.first_model import first_model
from engine.spec.proposal import Answers, ModelSize
from engine.spec.run import Choice, DataSpec, LoaderSpec, RunSpec
from engine.spec.transform import TransformSpec
from engine.train.worker import run_in_thread
from tests import custom_data, custom_transforms, mask_table, sound_files, user_data, video_files
from tests.once import made_once
from tests.tiny_run import PATIENCE_S

_CHANGES = {"epochs": 1, "device": "cpu", "threads": 1, "scheduler": None}

Raw = Callable[[int], Any]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of data: ``make`` returns what is chosen, or ``source`` (with ``code``) is it;
    ``params`` and ``transforms`` are settings, ``raw`` gives what stands for a sample where no
    file, row or text does. ``size`` is that of the first model.
    """

    make: Callable[[Path], Path] | None = None
    source: Choice | None = None
    code: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, Value] = field(default_factory=dict)
    transforms: tuple[TransformSpec, ...] = ()
    normalization: Literal["", "none", "standard", "minmax"] = ""
    target: str = ""
    size: ModelSize = "small"
    raw: Raw | None = None


COLORS = ("red", "green", "blue", "")


def mixed_columns(folder: Path) -> Path:
    """Write a table with numbers, a decimal comma, dates, categories, two values, and gaps."""
    chance = np.random.default_rng(3)
    file = folder / "t.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream, delimiter=";")
        rows.writerow(("age", "height", "since", "color", "member", "price"))
        for number in range(80):
            age = "" if number % 9 == 0 else str(int(chance.integers(18, 90)))
            height = f"{chance.normal(1.7, 0.1):.2f}".replace(".", ",")
            day = "NA" if number % 11 == 0 else f"{1 + number % 28:02}.{1 + number % 12:02}.2024"
            member = "" if number % 13 == 0 else ("no", "yes")[number % 2]
            price = f"{chance.normal(100, 20):.2f}".replace(".", ",")
            rows.writerow((age, height, day, COLORS[number % 4], member, price))
    return file


def photographs(folder: Path) -> Path:
    """Write pictures of many sizes and formats, gray and turned ones among them."""
    chance = np.random.default_rng(0)
    for number in range(24):
        label = ("cats", "dogs")[number % 2]
        (folder / "photos" / label).mkdir(parents=True, exist_ok=True)
        height, width = (40 + 3 * number, 90 - 2 * number) if number % 3 else (400, 300 + number)
        small = chance.integers(0, 255, (8, 8, 3)).astype(np.uint8)
        image = Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC)
        name = f"{number}.{('jpg', 'png', 'jpg', 'webp')[number % 4]}"
        place = folder / "photos" / label / name
        if number % 8 == 4:
            exif = Image.Exif()
            exif[0x0112] = 6
            image.save(place, exif=exif)
        else:
            (image.convert("L") if number % 5 == 0 else image).save(place)
    return folder / "photos"


def of(name: str) -> Callable[[Path], Path]:
    """Return what makes data of ``tests.user_data``."""
    return lambda folder: user_data.SOURCES[name](folder)[0]


LABELS = ("round", "red", "large")


def labelled(folder: Path, *, is_one_column: bool = True) -> Path:
    """Write a table with any number of labels a row: in one column of tags, or a column each."""
    chance = np.random.default_rng(5)
    heads = ("tags",) if is_one_column else LABELS
    lines = [",".join(("a", "b", "c", *heads))]
    for numbers in chance.normal(size=(60, 3)):
        names = [name for name, number in zip(LABELS, numbers, strict=True) if number > 0]
        cells = [";".join(names)] if is_one_column else [str(int(x in names)) for x in LABELS]
        lines.append(",".join([*(f"{number:.3f}" for number in numbers), *cells]))
    (folder / "labels.csv").write_text("\n".join(lines) + "\n")
    return folder / "labels.csv"


ENDINGS = {"sound": "wav", "video": "mp4", "array": "npy", "text": "txt"}


def table_of(kind: str) -> Callable[[Path], Path]:
    """Return what writes a table that names sounds, videos, arrays or texts beside a text and
    numbers.
    """

    def make(folder: Path) -> Path:
        rows = [("file", "note", "n", "kind")]
        for number in range(40):
            name = f"{number}.{ENDINGS[kind]}"
            path = folder / name
            if kind == "sound":
                sound_files.write(path, sound_files.tone(300 + 40 * (number % 2), 0.3, seed=number))
            elif kind == "video":
                ways = list(video_files.WAYS.values())
                video_files.write(path, video_files.moving(ways[number % 2], 6, seed=number % 5))
            elif kind == "text":
                path.write_text(f"it is {('odd', 'even')[number % 2]}, as\nany number {number % 9}")
            else:
                np.save(path, np.random.default_rng(number).normal(size=7))
            note = f"the {('small', 'large')[number % 2]} one of row number {number % 6}, as seen"
            rows.append((name, note, str(number % 7), ("odd", "even")[number % 2]))
        with (folder / "t.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows(rows)
        return folder / "t.csv"

    return make


def pairs(folder: Path) -> Path:
    words = ("go", "stay", "run", "wait", "look", "come")
    lines = [f"{a} {b} now\t{b.upper()} et {a}" for a in words for b in words if a != b]
    (folder / "pairs.txt").write_text("\n".join(lines) + "\n")
    return folder / "pairs.txt"


def series(folder: Path) -> Path:
    lines = ["day,load,heat"]
    for number in range(120):
        day = np.datetime64("2024-01-01") + number
        lines.append(f"{day},{np.sin(number / 5):.4f},{number % 7}")
    (folder / "s.csv").write_text("\n".join(lines) + "\n")
    return folder / "s.csv"


def outlined(folder: Path) -> Path:
    """Write pictures with objects and their outlines, as COCO has them."""
    root, file = user_data.coco(folder)
    document = json.loads(file.read_text())
    for each in document["annotations"]:
        each["segmentation"] = [[5, 5, 25, 5, 25, 25]]
    file.write_text(json.dumps(document))
    return root


CHANNELS_LAST = np.random.default_rng(1).integers(0, 255, (40, 12, 12, 3)).astype(np.uint8)


def channels_last(folder: Path) -> Path:
    np.savez(folder / "i.npz", x=CHANNELS_LAST, y=np.arange(40) % 3)
    return folder / "i.npz"


def idx_row(index: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, (60, 8, 8), np.uint8)[index]


RESIZED = (
    TransformSpec(type="Resize", params={"size": (24, 20)}),
    TransformSpec(type="CenterCrop", params={"size": (16, 16)}),
)
KINDS: dict[str, Kind] = {
    "table": Kind(make=mixed_columns, target="price"),
    "built_in": Kind(source=Choice(type="iris"), normalization="standard"),
    "built_in_pictures": Kind(source=Choice(type="digits"), normalization="minmax"),
    "built_in_sentences": Kind(source=Choice(type="sentences", params={"samples": 60}),
                               normalization="none"),
    "own_code": Kind(
        source=Choice(type="code.data.Points"),
        code={"data.py": custom_data.HEAD + custom_data.POINTS},
        normalization="standard",
    ),
    "own_transforms": Kind(
        source=Choice(type="shapes", params={"samples": 60, "size": 12}),
        code={"aug.py": custom_transforms.TEXT},
        transforms=custom_transforms.FIXED,
        normalization="minmax",
    ),
    "table_one_hot": Kind(
        make=mixed_columns,
        target="price",
        params={"categories": "one_hot", "missing": "median", "dates": "both"},
    ),
    "table_of_classes": Kind(make=mixed_columns, target="color", params={"missing": "drop"}),
    "sqlite": Kind(make=of("sqlite")),
    "tags": Kind(make=labelled),
    "labels": Kind(make=partial(labelled, is_one_column=False), target=",".join(LABELS)),
    "pictures": Kind(make=photographs, params={"size": (20, 16)}),
    "pictures_padded": Kind(
        make=photographs, params={"size": (24,), "fit": "pad", "mode": "gray"}, normalization="none"
    ),
    "pictures_transformed": Kind(
        make=photographs, params={"size": None}, transforms=RESIZED, normalization="minmax"
    ),
    "pictures_of_a_table": Kind(make=of("mixed_table")),
    "sounds_of_a_table": Kind(make=table_of("sound")),
    "videos_of_a_table": Kind(make=table_of("video"), params={"frames": 6, "size": (16,)}),
    "texts_of_a_table": Kind(make=table_of("text")),
    "arrays_of_a_table": Kind(make=table_of("array")),
    "arrays": Kind(make=of("npz"), raw=lambda index: user_data.VALUES[index]),
    "arrays_of_pictures": Kind(make=channels_last, raw=lambda index: CHANNELS_LAST[index]),
    "idx": Kind(make=of("idx_files"), raw=idx_row),
    "words": Kind(make=of("text_folder"), params={"task": "classification", "tokens": "words"}),
    "small_characters": Kind(
        make=of("text_folder"),
        params={"task": "classification", "tokens": "characters", "letters": "lowercase"},
    ),
    "subwords": Kind(
        make=of("text_folder"),
        params={"task": "classification", "tokens": "bpe", "vocabulary_size": 300},
    ),
    "language_model": Kind(make=of("text"), params={"tokens": "characters", "length": 16}),
    "language_model_of_bytes": Kind(make=of("text"), params={"tokens": "bytes", "length": 16}),
    "language_model_of_subwords": Kind(
        make=of("text"), params={"tokens": "bpe", "length": 8, "vocabulary_size": 300}
    ),
    "pairs": Kind(make=pairs),
    "pairs_of_subwords": Kind(make=pairs, params={"tokens": "bpe", "vocabulary_size": 300}),
    "captions": Kind(make=of("captions"), params={"size": (16,)}),
    "series": Kind(make=series),
    "masks": Kind(make=of("masks"), params={"size": (16,), "fit": "pad"}),
    "boxes": Kind(make=of("coco"), params={"size": (48,)}),
    "objects": Kind(make=outlined, params={"masks": True, "size": (32,)}, size="large"),
    "masks_of_a_table": Kind(make=mask_table.scans, params={"size": (16, 24)}, target="site"),
    "sounds": Kind(make=of("sounds"), params={"piece": "middle"}),
    "waveforms": Kind(
        make=of("sounds"),
        params={"piece": "middle", "form": "waveform", "channels": "stereo", "rate": 6000,
                "seconds": 0.3},
    ),
    "videos": Kind(
        make=lambda folder: video_files.video_folder(folder / "clips", 4),
        params={"sampling": "middle", "frames": 4, "size": (24, 20)},
        transforms=(TransformSpec(type="CenterCrop", params={"size": (16, 16)}),),
    ),
}  # fmt: skip


def proposed(kind: Kind, place: Path) -> tuple[Graph, RunSpec]:
    """Return what is proposed for a kind of data, trained without what is drawn at random."""
    if kind.source is not None:
        set_trust(kind.code, trusted=True)
        data = DataSpec(
            source=kind.source,
            batch_size=8,
            shuffle=False,
            transforms=kind.transforms,
            normalization=kind.normalization,
        )
        return _first_run(data, kind.code)
    assert kind.make is not None
    answers = Answers(params=dict(kind.params))
    path = str(kind.make(place))
    proposal = propose_data(
        ProposeData(path=path, target=kind.target, size=kind.size, answers=answers)
    )
    data = replace(
        proposal.spec.data,
        loader=LoaderSpec(),
        shuffle=False,
        batch_size=8,
        transforms=kind.transforms or proposal.spec.data.transforms,
        normalization=kind.normalization or proposal.spec.data.normalization,
    )
    graph, spec = proposal.graph, proposal.spec
    if kind.transforms:
        return _first_run(data)
    assert graph is not None
    return graph, replace(spec, data=data, **_CHANGES)


def _first_run(data: DataSpec, code: Code = NO_CODE) -> tuple[Graph, RunSpec]:
    info = load_data(data, code).info
    graph = first_model(info)
    assert graph is not None
    graph = replace(graph, code=dict(code))
    return graph, replace(default_spec(info, graph, analyse(graph), data), **_CHANGES)


def trained_once(factory: pytest.TempPathFactory, name: str) -> RunFolder:
    """Return a finished run on what is proposed for a kind of data, with its tensors and its memory
    recorded: one for all tests of a session, which only read it.
    """
    folder = made_once(factory, f"kind-{name}", partial(_train, name))
    set_trust(KINDS[name].code, trusted=True)
    (run,) = runs_of(folder / "project")
    return run


def _train(name: str, folder: Path) -> None:
    (folder / "data").mkdir()
    graph, spec = proposed(KINDS[name], folder / "data")
    run = RunFolder.create(folder / "project", graph, spec)
    given = [str(node.params["field"]) for node in graph.nodes.values() if node.type == "Input"]
    for command in (MeasureMemory(), ListTensors(), CaptureTensor(kind="batch", name=given[0])):
        run.send(command)
    assert run_in_thread(Launch(folder=str(run.path), trusted=True)).join(PATIENCE_S)
    state = read_state(run)
    assert state.status is RunStatus.FINISHED, (name, state.problem)
