"""Take the pictures of the window that the documents show.

python -m tools.take_screenshots              write docs/screenshots/*.png
python -m tools.take_screenshots --to DIR     write them elsewhere
python -m tools.take_screenshots data- map-   take only those whose names begin so

Projects are made from templates and from data that is drawn here, and trained for a few epochs, so
that there are curves and predictions to see; each only when a picture of it is wanted. All of them
lie in a folder called pictures among the temporary files, whose path is seen in the pictures.
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.source.phrases import END, PhraseSource
from engine.data.source.registry import load_source
from engine.events import (
    Breakpoint,
    CaptureGraph,
    CaptureTensor,
    ProfileSteps,
    SetBreakpoints,
    Stop,
)
from engine.graph.edit.edits import SetParam, apply
from engine.graph.model import Initial
from engine.graph.node_state.initialization import SetInitial
from engine.project import Project
from engine.project.breakpoint_file import write_breakpoints
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LossTerm, RunSpec
from engine.spec.transform import TransformSpec
from engine.train.worker import run_in_thread

ROOT = Path(__file__).parents[1]
TEMPLATE = "digits-cnn"
LIMIT_BYTES = 300_000
POINTS = 1_000_000
_LIMIT_S = 600.0
SIDE = 64  # of the images that the models are given: enough for a picture
MODELS: dict[str, tuple[str, ...]] = {  # by picture the command that makes the project
    "resnet18": ("import", "resnet18", "--input", f"3x{SIDE}x{SIDE}"),
    "unet": ("import", "tools/unet.py::UNet", "--input", f"3x{SIDE}x{SIDE}"),
    "attention-decoder": ("new", "--template", "attention-decoder"),
}
LIGHT, DARK, CHINESE = ("light", "en"), ("dark", "en"), ("dark", "zh_CN")
ALL, TWO = (LIGHT, DARK, CHINESE), (LIGHT, CHINESE)


@dataclass(frozen=True, kw_only=True)
class Shot:
    """Pictures of one page: ``project`` is what is made for them, ``looks`` are pairs of theme and
    language, which the names of files end with; without any it is taken once, light and English.
    ``press`` is what is pressed before.
    """

    name: str
    project: str
    page: str
    looks: tuple[tuple[str, str], ...] = ()
    press: tuple[str, ...] = ()
    size: str = "1440x900"

    def pictures(self) -> Iterator[tuple[str, str, str]]:
        """Yield file name, theme and language: ``model-light.png``, ``model-light.zh_CN.png``."""
        for theme, language in self.looks:
            end = "" if language == "en" else f".{language}"
            yield f"{self.name}-{theme}{end}.png", theme, language
        if not self.looks:
            yield f"{self.name}.png", "light", "en"


WIZARD = (
    "welcome.data",
    "dialog.data.path={place}/shapes",
    "dialog.data.balance",  # there once the folder is read
    "dialog.data.steps.transforms",
    "dialog.data.augmentation=photographs",
    "dialog.data.drawn.pictures",
    "dialog.data.project=~/Trellis/shapes",
)
SHOTS: tuple[Shot, ...] = (
    *(
        Shot(name=name, project="digits", page=name, looks=(LIGHT, DARK))
        for name in ("welcome", "runs", "export")
    ),
    Shot(name="model", project="digits", page="model", looks=(LIGHT, DARK, ("light", "zh_CN"))),
    Shot(name="train", project="digits", page="train", looks=ALL),
    Shot(
        name="map",
        project="digits",
        page="data.map",
        looks=ALL,
        press=("map.what=layer", "map.method=tsne", "map.select.class 3"),
    ),
    Shot(
        name="map-density",
        project="stars",
        page="data.map",
        looks=TWO,
        press=("map.method=columns",),
    ),
    Shot(name="inspect", project="digits", page="inspect", looks=TWO),
    Shot(name="lab", project="digits", page="inspect.lab", looks=TWO),
    *(
        Shot(name=f"data-{page}", project="pictures", page=f"data.{page}", looks=ALL)
        for page in ("samples", "pipeline", "health")
    ),
    Shot(
        name="data-transforms",
        project="pictures",
        page="data.transforms",
        looks=ALL,
        press=("transforms.strip",),
    ),
    Shot(name="data-wizard", project="pictures", page="welcome", looks=ALL, press=WIZARD),
    Shot(name="data-table", project="table", page="data.samples", looks=ALL),
    Shot(name="data-statistics", project="table", page="data.statistics", looks=TWO),
    Shot(name="data-boxes", project="boxes", page="data.samples", looks=TWO),
    Shot(
        name="data-text",
        project="sentences",
        page="data.samples",
        looks=TWO,
        press=("data.forms=text",),
    ),
    Shot(
        name="data-vocabulary",
        project="sentences",
        page="data.statistics",
        looks=TWO,
        press=("statistics.tabs=2",),
    ),
    Shot(name="gan-surface", project="gan", page="inspect.surface", looks=(LIGHT,)),
    Shot(name="gan-train", project="gan", page="train", looks=(CHINESE,)),
    Shot(
        name="gan-playground",
        project="gan-digits",
        page="inspect.playground",
        looks=TWO,
        press=("playground.denoise",),
    ),
    Shot(
        name="translation-playground", project="translation", page="inspect.playground", looks=TWO
    ),
    Shot(name="diffusion-playground", project="diffusion", page="inspect.playground", looks=TWO),
    Shot(name="latent-playground", project="latent", page="inspect.playground", looks=TWO),
    *(
        Shot(name=f"inspect-{name}", project=project, page=f"inspect.{page}", size="1280x800")
        for name, project, page in (
            *((page, "digits", page) for page in ("layers", "tensors", "results", "playground")),
            *((page, "digits", page) for page in ("memory", "profile", "landscape")),
            ("surface", "spiral", "surface"),
            ("doctor", "ill", "doctor"),
            ("mask-results", "masks", "results"),
            ("mask-playground", "masks", "playground"),
            ("text-playground", "plays", "playground"),
            ("debugger", "standing", "debugger"),
        )
    ),
    *(
        Shot(name=f"model-{name}", project=name, page="model", size="1680x945")
        for name in ("resnet18", "unet", "attention-decoder")
    ),
)


def trellis(*arguments: str) -> None:
    """Run a command of the program; its error ends this script."""
    subprocess.run([sys.executable, str(ROOT / "main.py"), *arguments], cwd=ROOT, check=True)


def make_model(name: str, place: Path) -> Path:
    """Make the project of a picture and give it data, so that it says what goes in."""
    verb, *rest = MODELS[name]
    project = place / name
    trellis(verb, *([rest.pop(0)] if verb == "import" else []), str(project), *rest)
    if verb == "import":
        made = Project.open(project)
        node = next(node for node in made.graph.nodes.values() if node.type == "Input")
        made.graph = apply(SetParam(id=node.id, name="field", value="image"), made.graph)
        shape = {"shape": (3, SIDE, SIDE), "samples": 200}
        source = DataSpec(source=Choice(type="random", params=dict(shape)), batch_size=16)
        inputs = {"input": "model.output", "target": "data.label"}
        loss = LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=inputs)
        made.spec = RunSpec(data=source, losses=(loss,) if name == "resnet18" else ())
        made.save()
    return project


def train_watched(project: Path) -> None:
    """Train a run that is looked into from its first step on."""
    made = Project.open(project)
    often = CheckpointSpec(every_steps=20, keep_last=20)
    spec = replace(made.spec, epochs=8, checkpoint=often)
    run = RunFolder.create(project, made.graph, spec, "Watched")
    run.send(CaptureGraph())
    run.send(ProfileSteps())
    run.send(CaptureTensor(kind="activation", name="conv2"))
    run_in_thread(Launch(folder=str(run.path))).join(_LIMIT_S)


@contextmanager
def standing(project: Path) -> Generator[None]:
    """Let a run stand before a layer, at a breakpoint of the project, until this is over."""
    trellis("new", str(project), "--template", TEMPLATE)
    points = (
        Breakpoint(kind="layer", place="conv2"),
        Breakpoint(kind="gradient", value=100.0),
        Breakpoint(kind="not_finite"),
    )
    made = Project.open(project)
    write_breakpoints(made.state_folder, points)
    run = RunFolder.create(project, made.graph, made.spec, "Standing")
    run.send(SetBreakpoints(breakpoints=points))
    thread = run_in_thread(Launch(folder=str(run.path)))
    deadline = time.monotonic() + _LIMIT_S
    while read_state(run).stop is None and time.monotonic() < deadline:
        time.sleep(0.1)
    try:
        yield
    finally:
        run.send(Stop())
        thread.join(_LIMIT_S)


def make_digits(place: Path) -> None:
    """Train a few runs on digits, the last of which was looked into."""
    project = str(place / "digits")
    trellis("new", project, "--template", TEMPLATE)
    trellis("train", project, "--epochs", "8", "--name", "First", "--quiet")
    trellis("train", project, "--epochs", "8", "--set", "optimizer=SGD", "--quiet")
    train_watched(Path(project))


def make_trained(template: str, name: str, *options: str) -> Callable[[Path], None]:
    """Return what trains a template in a project of a name."""

    def make(place: Path) -> None:
        trellis("new", str(place / name), "--template", template)
        trellis("train", str(place / name), "--quiet", *options)

    return make


def make_ill(place: Path) -> None:
    """Make a model whose first layer is silent."""
    ill = place / "ill"
    trellis("new", str(ill), "--template", "digits-mlp")
    made = Project.open(ill)
    dead = Initial(type="constant_", params={"val": -50.0})
    made.graph = apply(SetInitial(ids=("hidden1",), weight="bias", initial=dead), made.graph)
    made.save()


def make_pictures(place: Path) -> None:
    """Train on a folder of pictures in which some are copies, damaged, or in the wrong class."""
    folder, shapes = place / "photos", place / "shapes"
    drawn = load_source(Choice(type="shapes", params={"samples": 240, "classes": 4, "size": 96}))
    batch = drawn.read(range(drawn.samples))
    for index, (image, label) in enumerate(zip(batch["image"], batch["label"], strict=True)):
        file = shapes / drawn.infos[1].classes[int(label)] / f"{index:03}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((image * 255).to(torch.uint8).permute(1, 2, 0).numpy()).save(file)
    shutil.copytree(shapes, folder)
    first, second, *_ = (sorted(each.iterdir()) for each in sorted(folder.iterdir()))
    for file in first[:3]:
        shutil.copy(file, file.with_stem(f"{file.stem}-copy"))
    shutil.copy(second[0], first[0].with_stem("other"))
    first[4].write_bytes(first[4].read_bytes()[:200])
    trellis("new", str(place / "pictures"), "--data", str(folder))
    made = Project.open(place / "pictures")
    steps = (
        TransformSpec(type="RandomResizedCrop", params={"size": 96, "scale": (0.5, 1.0)}),
        TransformSpec(type="RandomHorizontalFlip"),
        TransformSpec(type="ColorJitter", params={"brightness": 0.3, "hue": 0.1}),
    )
    data = made.spec.data
    source = replace(data.source, params=data.source.params | {"on_damaged": "replace"})
    loader = replace(data.loader, num_workers=2)
    data = replace(data, source=source, transforms=steps, loader=loader)
    made.spec = replace(made.spec, data=data)
    made.save()
    trellis("train", str(place / "pictures"), "--epochs", "6", "--quiet")


def make_table(place: Path) -> None:
    """Train on a table of wines."""
    wines = load_source(Choice(type="wine"))
    batch = wines.read(range(wines.samples))
    numbers, growers = (torch.stack(list(batch[field.name])).tolist() for field in wines.infos)
    columns = (*(f"measure {number}" for number in range(1, len(numbers[0]) + 1)), "grower")
    rows = zip(numbers, growers, strict=True)
    lines = (
        ",".join([*(f"{value:.4g}" for value in row), f"grower {grower + 1}"])
        for row, grower in rows
    )
    table = place / "wines.csv"
    table.write_text("\n".join([",".join(columns), *lines]), encoding="utf-8")
    trellis("new", str(place / "table"), "--data", str(table))
    trellis("train", str(place / "table"), "--quiet")


def make_stars(place: Path) -> None:
    """Make a million points in three groups, more than a map draws."""
    draw = np.random.default_rng(0)
    groups = draw.integers(0, 3, POINTS)
    centers = np.array([[0.0, 0.0], [4.0, 1.5], [1.5, 5.0]])
    widths = np.array([[1.2, 0.7], [0.8, 1.4], [1.6, 0.5]])
    points = centers[groups] + draw.normal(size=(POINTS, 2)) * widths[groups]
    np.savez(place / "stars.npz", position=points.astype(np.float32), label=groups)
    trellis("new", str(place / "stars"), "--data", str(place / "stars.npz"))


def make_translation(place: Path) -> None:
    """Train the model that is proposed for pairs of sentences: English phrases and their French."""
    phrases = load_source(Choice(type="phrases", params={"samples": 8000}))
    assert isinstance(phrases, PhraseSource)
    *_, label = phrases.infos
    words = phrases.read(range(phrases.samples))["label"].tolist()
    french: dict[str, str] = {}
    for index, (number, word) in enumerate(zip(phrases.phrase.tolist(), words, strict=True)):
        line = f"{phrases.text('sequence', index)}\t"
        following = label.classes[word]
        french.setdefault(f"{number} {line}", "")
        if following != END:
            french[f"{number} {line}"] += f"{following} "
    lines = {f"{key.partition(' ')[2]}{value.strip()}" for key, value in french.items()}
    pairs = place / "phrases.tsv"
    pairs.write_text("\n".join(sorted(lines)), encoding="utf-8")
    trellis("new", str(place / "translation"), "--data", str(pairs))
    trellis("train", str(place / "translation"), "--quiet")


MAKERS: dict[str, Callable[[Path], object]] = {  # by project
    "digits": make_digits,
    "pictures": make_pictures,
    "table": make_table,
    "stars": make_stars,
    "ill": make_ill,
    "boxes": lambda place: trellis("new", str(place / "boxes"), "--template", "detect-shapes"),
    "sentences": make_trained("sentence-classifier", "sentences"),
    "gan": make_trained("gan-moons", "gan"),
    "diffusion": make_trained("diffusion-moons", "diffusion"),
    "latent": make_trained("vae-digits", "latent"),
    "spiral": make_trained("spiral-mlp", "spiral", "--epochs", "40"),
    "translation": make_translation,
    "gan-digits": make_trained("gan-digits", "gan-digits"),
    "plays": make_trained("character-gpt", "plays"),
    "masks": make_trained("unet-shapes", "masks"),
    **{name: partial(make_model, name) for name in MODELS},
}


def main() -> int:
    """Make projects, train them and take the pictures; 1 where one is too large."""
    parser = argparse.ArgumentParser(description="Take the pictures of the documents.")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "screenshots")
    parser.add_argument("--keep", action="store_true", help="keep the projects for the next time")
    parser.add_argument("begins", nargs="*", help="how the names of the wanted pictures begin")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    place = Path(gettempdir()) / "pictures"
    place.mkdir(exist_ok=options.keep)  # never what somebody else keeps there
    try:
        return take_all(place, options.to.absolute(), tuple(options.begins) or ("",))
    finally:
        if not options.keep:
            shutil.rmtree(place)


def take_all(place: Path, folder: Path, begins: tuple[str, ...]) -> int:
    """Take the pictures whose names begin so; 1 where one is too large."""
    failed = 0
    for shot in SHOTS:
        wanted = [each for each in shot.pictures() if each[0].startswith(begins)]
        project = place / shot.project
        if wanted and shot.project in MAKERS and not project.exists():
            MAKERS[shot.project](place)
        with standing(project) if wanted and shot.project == "standing" else nullcontext():
            for name, theme, language in wanted:
                failed |= take(shot, place, folder / name, theme, language)
    return failed


def take(shot: Shot, place: Path, output: Path, theme: str, language: str) -> int:
    """Take a picture; 1 where it is too large."""
    look = ("--theme", theme, "--lang", language, "--size", shot.size)
    presses = (f"--press={step.format(place=place)}" for step in shot.press)
    wanted = ("--workspace", shot.page, "--output", str(output))
    trellis("screenshot", str(place / shot.project), *wanted, *look, *presses)
    return is_too_large(output)


def is_too_large(picture: Path) -> int:
    """Return 1 and say so for a picture that would make the repository heavy. One with photographs
    gets a palette of 256 colors first.
    """
    if picture.stat().st_size > LIMIT_BYTES:
        Image.open(picture).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(picture)
    if picture.stat().st_size <= LIMIT_BYTES:
        return 0
    sys.stdout.write(f"{picture.name}: more than {LIMIT_BYTES} bytes\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
