"""Exported training code has the losses of its run, bit for bit, with all that is drawn for it."""

import ast
import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from engine.api import export
from engine.archive.weights import write_weights
from engine.custom.trust import set_trust
from engine.graph.edit.edits import apply
from engine.graph.edit.lora import AddLora
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.spec.data_edits import DataEdits, SampleEdit
from engine.spec.data_path import data_key
from engine.spec.run import Choice, ComputeSpec, DataSpec, RunSpec, SplitSpec
from engine.spec.technique import AccumulationSpec, AveragingSpec, UnfreezingSpec, ViewSpec
from engine.spec.transform import BatchTransformSpec, TransformSpec
from engine.train.worker import run_in_thread
from tests import custom_data, custom_transforms, face_files
from tests.engine.data.load.test_custom_batches import BATCHES
from tests.engine.data.load.test_own_sampler import FILE, SAMPLERS
from tests.exported_kinds import KINDS, Kind, proposed
from tests.tiny_run import PATIENCE_S, iris_graph, make_run, train

EPOCHS = 2
CODE = """
import importlib.util
import json
import sys


def told(folder, data, epochs):
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location("net", folder + "/net.py")
    net = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(net)
    losses = []

    class Told(net.TrainableModel):
        def batch_result(self, loss, outputs, batch):
            result = super().batch_result(loss, outputs, batch)
            if self.training:
                losses.append((result["loss"], result["samples"]))
            return result

    net.TrainableModel = Told
    sys.argv = ["net.py", "--data", data, "--epochs", str(epochs)]
    assert net.train()
    print("LOSSES" + json.dumps(losses), flush=True)


for case in json.loads(sys.argv[1]):
    told(*case)
assert not any(name == "engine" or name.startswith("engine.") for name in sys.modules)
"""
Change = Callable[[RunSpec], RunSpec]


def changed(spec: RunSpec, params: Mapping[str, object] | None = None, **data: object) -> RunSpec:
    """Return a specification with other settings of its data, and parameters of the source."""
    source = spec.data.source
    source = replace(source, params={**source.params, **(params or {})})
    return replace(spec, data=replace(spec.data, source=source, **data))


def steps(*steps: tuple[str, dict[str, object]]) -> tuple[TransformSpec, ...]:
    return tuple(TransformSpec(type=kind, params=params) for kind, params in steps)


def of_pictures(spec: RunSpec) -> RunSpec:
    """Return a run with transforms, blending, a sampler, edits, techniques and a damaged file."""
    (term,) = spec.losses
    loss = replace(term.loss, params={"label_smoothing": 0.1, "weight": (1.0, 3.0)})
    edits = {"cats/0.jpg": SampleEdit(excluded=True), "cats/2.jpg": SampleEdit(label="dogs")}
    spec = replace(
        spec,
        losses=(replace(term, loss=loss),),
        accumulation=AccumulationSpec(batches=2),
        averaging=AveragingSpec(kind="ema", decay=0.7),
        unfreezing=UnfreezingSpec(schedule="*.bias=2"),
        test_time=ViewSpec(views=3, kind="training"),
    )
    folder = Path(str(spec.data.source.params["path"]))
    (folder / "dogs" / "3.webp").write_bytes(b"RIFF no picture")
    return changed(
        spec,
        {"on_damaged": "replace"},
        transforms=(
            *steps(("RandomResizedCrop", {"size": (20, 16)}), ("RandomApply", {"p": 0.8})),
            TransformSpec(type="RandomHorizontalFlip", level=1),
            TransformSpec(type="RandomChoice", params={"p": (2.0, 1.0)}, level=1),
            TransformSpec(type="ColorJitter", params={"brightness": 0.4, "hue": 0.1}, level=2),
            TransformSpec(type="RandomInvert", level=2),
            TransformSpec(type="RandomErasing", params={"p": 0.7}),
        ),
        batch_transforms=(
            BatchTransformSpec(type="MixUp", params={"alpha": 0.4}),
            BatchTransformSpec(type="CutMix"),
        ),
        sampler="balanced",
        batch_size=4,
        drop_last=True,
        edits=DataEdits(source=data_key(spec.data.source), samples=edits),
    )


def of_masks(spec: RunSpec) -> RunSpec:
    spec = replace(spec, compute=ComputeSpec(channels_last=True))
    turned = ("RandomRotation", {"degrees": (-30, 30)})
    return changed(spec, transforms=steps(turned, ("RandomHorizontalFlip", {})))


def of_boxes(spec: RunSpec) -> RunSpec:
    moved = ("RandomAffine", {"degrees": (-20, 20), "translate": (0.3, 0.3)})
    inner = (replace(each, level=1) for each in steps(("RandomHorizontalFlip", {}), moved))
    return changed(spec, transforms=(TransformSpec(type="RandomOrder"), *inner))


def of_sounds(spec: RunSpec) -> RunSpec:
    always = TransformSpec(type="RandomGain", parts="all")
    drawn = steps(("TimeShift", {}), ("FrequencyMasking", {"width": 0.3}), ("TimeMasking", {}))
    return changed(spec, {"piece": "random"}, transforms=(always, *drawn))


def of_videos(spec: RunSpec) -> RunSpec:
    cut = steps(
        ("RandomCrop", {"size": (16, 16)}),
        ("CenterCrop", {"size": (16, 16)}),
        ("UniformTemporalSubsample", {"num_samples": 3}),
    )
    return changed(spec, {"sampling": "random"}, transforms=cut)


def of_table(spec: RunSpec) -> RunSpec:
    split = SplitSpec(kind="stratified", folds=4, fold=2)
    spec = replace(spec, weights="start.safetensors")
    path = Path(str(spec.data.source.params["path"]))
    head, *rows = path.read_text().splitlines()
    mark = ";" if ";" in head else ","
    weighed = (f"{row}{mark}{at % 5 / 2}" for at, row in enumerate(rows))
    path.write_text("\n".join([f"{head}{mark}importance", *weighed]) + "\n")
    (term,) = spec.losses
    by_class = replace(term.loss, params={**term.loss.params, "weight": (1.0, 3.0, 0.5)})
    spec = replace(spec, losses=(replace(term, loss=by_class),))
    weight = {"weight": "importance"}
    return changed(spec, weight, split=split, sampler="weighted", sampler_column="height")


def of_labels(spec: RunSpec) -> RunSpec:
    (term,) = spec.losses
    heavy = replace(term.loss, params={**term.loss.params, "pos_weight": (1.0, 2.0, 0.5)})
    return replace(spec, losses=(replace(term, loss=heavy),))


def of_words(spec: RunSpec) -> RunSpec:
    return changed(spec, sampler="bucketed")


def of_digits(spec: RunSpec) -> RunSpec:
    spec = replace(
        spec,
        scheduler=Choice(type="OneCycleLR", params={"max_lr": 0.05}),
        scheduler_interval="step",
        averaging=AveragingSpec(kind="swa", start=1),
        test_time=ViewSpec(views=4, kind="flips"),
    )
    return changed(spec, transforms=steps(("RandomHorizontalFlip", {})))


def of_own_transforms(spec: RunSpec) -> RunSpec:
    more = (*custom_transforms.RANDOM, *steps(("RandomHorizontalFlip", {})))
    return changed(spec, transforms=(*spec.data.transforms, *more))


def faces(folder: Path) -> Path:
    """Write faces with landmarks."""
    face_files.lay_out(folder, 12)
    return folder


def of_faces(spec: RunSpec) -> RunSpec:
    moved = steps(("RandomHorizontalFlip", {}), ("RandomRotation", {"degrees": (-20, 20)}))
    return changed(spec, transforms=moved)


FACES = Kind(make=faces, params={"variant": "landmarks", "size": (32,)})
CASES: dict[str, Change] = {
    "pictures": of_pictures,
    "masks": of_masks,
    "boxes": of_boxes,
    "sounds": of_sounds,
    "videos": of_videos,
    "table_of_classes": of_table,
    "tags": of_labels,
    "labels": of_labels,
    "words": of_words,
    "built_in_pictures": of_digits,
    "own_transforms": of_own_transforms,
    "faces": of_faces,
}


@pytest.mark.real
@pytest.mark.usefixtures("unconfined")
@pytest.mark.row("P19", "S099")
@pytest.mark.timeout(900)
def test_that_exported_training_has_the_losses_of_the_run_with_all_that_is_drawn(
    tmp_path, plain_python
):
    runs = {name: trained(name, change, tmp_path) for name, change in CASES.items()}
    places = [
        (str(tmp_path / name / "out"), str(run.document.spec.data.source.params.get("path", "")),
         EPOCHS)
        for name, run in runs.items()
    ]  # fmt: skip
    told = plain_python.output(CODE, json.dumps(places), folder=tmp_path)
    lines = [line[6:] for line in told.splitlines() if line.startswith("LOSSES")]
    for (name, run), line in zip(runs.items(), lines, strict=True):
        with RunStore.open(run.path) as store:
            expected = store.scalars("train.loss").values
        losses = of_steps(json.loads(line), run.document.spec.accumulation.batches)
        assert np.asarray(losses, expected.dtype).tolist() == expected.tolist(), name
        readme = (tmp_path / name / "out" / "net.README.md").read_text()
        assert "differ" not in readme, name
    viewed = [run for run in runs.values() if run.document.spec.test_time.is_on]
    lines = [line[12:] for line in told.splitlines() if line.startswith("test_views: ")]
    for run, line in zip(viewed, lines, strict=True):
        tested, found = read_state(run).metrics, ast.literal_eval(line)
        assert found["loss"] == tested["test_views.loss"] != tested["test.loss"]
        assert found["metric"] == pytest.approx(tested["test_views.accuracy"], abs=1e-6)
    assert (tmp_path / "built_in_pictures" / "out" / "net.samples.npz").stat().st_size < 100_000


def trained(name: str, change: Change, folder: Path) -> RunFolder:
    """Return a finished run with its exported training code beside."""
    data = folder / name / "data"
    data.mkdir(parents=True)
    (folder / name / "out").mkdir()
    kind = FACES if name == "faces" else KINDS[name]
    graph, spec = proposed(kind, data)
    spec = change(replace(spec, data=replace(spec.data, shuffle=True), epochs=EPOCHS))
    project = folder / name / "project"
    if spec.weights:  # of the model before it has low-rank blocks
        project.mkdir()
        write_weights(to_module(graph).state_dict(), project / spec.weights)
        graph = apply(AddLora(places=tuple(graph.nodes), rank=2, dropout=0.2), graph)
    run = RunFolder.create(project, graph, spec)
    launch = Launch(folder=str(run.path), trusted=bool(kind.code))
    assert run_in_thread(launch).join(PATIENCE_S)
    state = read_state(run)
    assert state.status is RunStatus.FINISHED, state.problem
    export(run.path, "python-class", folder / name / "out" / "net.py", checkpoint="last")
    return run


def of_steps(losses: list[tuple[float, int]], together: int) -> list[float]:
    """Return the loss of each step: the mean over the samples of its batches."""
    if together == 1:
        return [loss for loss, _ in losses]
    found: list[float] = []
    for start in range(0, len(losses), len(losses) // EPOCHS):
        epoch = losses[start : start + len(losses) // EPOCHS]
        for at in range(0, len(epoch), together):
            group = epoch[at : at + together]
            weighted = [loss * samples for loss, samples in group]
            found.append(sum(weighted[1:], weighted[0]) / sum(samples for _, samples in group))
    return found


def test_that_the_readme_says_where_losses_are_not_those_of_the_run(tmp_path):
    text = custom_data.POINTS.replace("x = self.x[index]", "x = self.x[index] + torch.rand(())")
    assert text != custom_data.POINTS
    drawn = dataclasses.replace(KINDS["own_code"], code={"data.py": custom_data.HEAD + text})
    for kind, is_told in ((KINDS["own_code"], False), (drawn, True)):
        place = tmp_path / str(is_told)
        place.mkdir()
        graph, spec = proposed(kind, place)
        run = RunFolder.create(place / "project", graph, spec)
        assert run_in_thread(Launch(folder=str(run.path), trusted=True)).join(PATIENCE_S)
        export(run.path, "python-class", place / "net.py")
        readme = (place / "net.README.md").read_text()
        assert ("draws anew in every epoch" in readme) is is_told
        assert ("but for what follows" in readme) is is_told


LOOKING = """
class LookingBatchSampler(Sampler):
    def __init__(self, data_source, batch_size):
        self.values = [float(row["features"].sum()) for row in data_source]
        self.batch_size = batch_size

    def __len__(self):
        return 3

    def __iter__(self):
        order = torch.tensor(self.values).argsort(stable=True)
        for start in torch.randperm(len(order) - self.batch_size)[:3].tolist():
            yield order[start : start + self.batch_size + start % 2]
"""
LOOKING_AT_OWN = """
class Looking(Sampler):
    def __init__(self, data_source):
        self.classes = torch.tensor([data_source[at][1] for at in range(len(data_source))])
        self.sums = torch.stack([data_source[at][0].abs().sum() for at in range(len(self.classes))])

    def __iter__(self):
        shuffled = torch.randperm(len(self.classes))
        near = self.sums[shuffled].lt(9).long()
        return iter(shuffled[(2 * self.classes[shuffled] + near).argsort(stable=True)].tolist())
"""
OWN: dict[str, dict[str, object]] = {
    "labels": {"sampler": "own.RareFirst"},
    "samples": {"sampler": "own.ByWidth"},
    "epochs": {"sampler": "own.Reseeding"},
    "batches": {"batch_sampler": "own.Drawn", "batch_size": 9},
    "classes": {"batch_sampler": "own.TwoClasses", "drop_last": True},
    "table": {"batch_sampler": "own.LookingBatchSampler", "batch_size": 4},
    "own_data": {"sampler": "own.Looking"},
}


@pytest.mark.real
@pytest.mark.usefixtures("unconfined")
@pytest.mark.row("S136", "P19")
@pytest.mark.timeout(900)
def test_that_exported_training_draws_by_the_samplers_of_the_code(tmp_path, plain_python):
    code = custom_data.trusted(SAMPLERS + BATCHES + LOOKING + LOOKING_AT_OWN, FILE)
    code["data.py"] = custom_data.HEAD + custom_data.POINTS
    set_trust(code, trusted=True)
    places, runs = [], {}
    for name, changes in OWN.items():
        run = runs[name] = of_own_sampler(name, changes, code, tmp_path)
        path = str(run.document.spec.data.source.params.get("path", ""))
        places.append((str(tmp_path / name), path, EPOCHS))
    told = plain_python.output(CODE, json.dumps(places), folder=tmp_path)
    lines = [line[6:] for line in told.splitlines() if line.startswith("LOSSES")]
    for (name, run), line in zip(runs.items(), lines, strict=True):
        with RunStore.open(run.path) as store:
            expected = store.scalars("train.loss").values
        losses = of_steps(json.loads(line), 1)
        assert np.asarray(losses, expected.dtype).tolist() == expected.tolist(), name
        readme = (tmp_path / name / "net.README.md").read_text()
        assert "but for what follows" not in readme, name
        chosen = str(OWN[name].get("sampler") or OWN[name]["batch_sampler"])
        assert f"drawn by its sampler ({chosen.partition('.')[2]}" in readme


def of_own_sampler(
    name: str, changes: Mapping[str, object], code: Mapping[str, str], folder: Path
) -> RunFolder:
    """Return a finished run with a sampler of the code, its exported training code beside."""
    (folder / name).mkdir()
    points = Choice(type="code.data.Points", params={"count": 30, "scale": 0.75})
    kinds = {
        "table": KINDS["table_of_classes"],
        "own_data": dataclasses.replace(KINDS["own_code"], source=points, code=code),
    }
    if name in kinds:
        (folder / name / "data").mkdir()
        graph, spec = proposed(kinds[name], folder / name / "data")
        graph = replace(graph, code=code)
        data = replace(spec.data, **changes)
        run = RunFolder.create(folder / name, graph, replace(spec, data=data, epochs=EPOCHS))
    else:
        graph = replace(iris_graph(), code=code)
        data = DataSpec(source=Choice(type="iris"), **changes)
        run = make_run(folder / name, graph, data=data, epochs=EPOCHS)
    state = train(run, trusted=True)
    assert state.status is RunStatus.FINISHED, state.problem
    export(run.path, "python-class", folder / name / "net.py", checkpoint="last")
    return run


def test_that_the_readme_says_that_a_sampler_that_looks_at_samples_in_own_files_is_left_out(
    tmp_path,
):
    file = tmp_path / "points.txt"
    file.write_text("20")
    text = custom_data.POINTS.replace("count: int = 20", "path: str").replace(
        "torch.arange(count", "torch.arange(int(np.loadtxt(path))"
    )
    drawn = dataclasses.replace(
        KINDS["own_code"],
        source=Choice(type="code.data.Points", params={"path": str(file)}),
        code={"data.py": custom_data.HEAD + text + LOOKING_AT_OWN},
    )
    graph, spec = proposed(drawn, tmp_path)
    spec = replace(spec, data=replace(spec.data, sampler="data.Looking"), epochs=1)
    run = RunFolder.create(tmp_path / "project", graph, spec)
    assert train(run, trusted=True).status is RunStatus.FINISHED
    export(run.path, "python-class", tmp_path / "net.py")
    readme = (tmp_path / "net.README.md").read_text()
    assert "by a sampler of its own code" in readme
    assert "but for what follows" in readme
