import dataclasses
import json
import resource
import zipfile
from pathlib import Path

import msgspec
import pytest
import torch

from engine.api import evaluate, export
from engine.archive.weights import read_metadata
from engine.custom.source_module import load_source
from engine.custom.trust import set_trust
from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.export import formats
from engine.export.job import ExportJob, build_job
from engine.export.python_file import source_text
from engine.export.training_file import write_training_class
from engine.export.verify import largest_difference, random_batches, require_equal
from engine.model.module import to_module
from engine.project.project import read_template
from engine.runs.follow import read_state
from engine.spec.run import Choice, ClipSpec, DataSpec, LossTerm, ParameterGroup
from engine.train.losses import LossTerms
from engine.train.optim import build_optimizer
from tests.tiny_run import chain, iris_graph, make_run, node, train

ROUNDED = ("state-dict-half", "safetensors-half", "safetensors-bfloat16", "int8")
TABLES = ("csv", "parquet")  # with nothing that computes
APART = tuple(name for name, each in formats.FORMATS.items() if each.is_apart)


@pytest.mark.row("N22")
@pytest.mark.parametrize("name", [name for name in formats.FORMATS if name not in ROUNDED + APART])
def test_that_what_is_written_gives_the_same_outputs(trained, tmp_path, name):
    output = tmp_path / f"my model{formats.FORMATS[name].suffix}"
    report = export(trained.folder.path, name, output)
    assert report.largest_difference == 0
    assert report.batches == (0 if name in TABLES else 2)
    assert report.checkpoint == read_state(trained.folder).best.file
    assert sorted(report.files) == sorted(str(path) for path in tmp_path.iterdir())
    assert report.size_bytes == sum(path.stat().st_size for path in tmp_path.iterdir())


@pytest.mark.row("P27")
def test_that_the_preparation_is_inside_the_file_or_beside_it(trained, tmp_path):
    export(trained.folder.path, "safetensors", tmp_path / "w.safetensors")
    report = export(trained.folder.path, "state-dict", tmp_path / "w.pt")
    assert report.files == (str(tmp_path / "w.pt"), str(tmp_path / "w.json"))
    beside = json.loads((tmp_path / "w.json").read_text())
    assert json.loads(read_metadata(tmp_path / "w.safetensors")["preparation"]) == beside
    (given,), (answer,) = beside["inputs"], beside["outputs"]
    assert (given["name"], given["shape"], given["dtype"]) == ("features", ["batch", 4], "float32")
    assert len(given["normalization"]["shift"]) == 4
    assert answer == {
        "name": "logits",
        "activation": "softmax",
        "classes": ["setosa", "versicolor", "virginica"],
    }
    with pytest.raises(DiagnosticError) as error:
        export(trained.folder.path, "state-dict", tmp_path / "w.json")
    assert error.value.problems[0].code == "X048"


@pytest.mark.real
@pytest.mark.row("S229", "S247")
def test_that_plain_python_gets_the_accuracy_of_the_studio_from_all_formats(
    trained, tmp_path, plain_python
):
    for name, file in (
        ("python", "m.py"),
        ("state-dict", "w.pt"),
        ("safetensors", "w.safetensors"),
        ("huggingface", "hub.zip"),
    ):
        export(trained.folder.path, name, tmp_path / file)
    with zipfile.ZipFile(tmp_path / "hub.zip") as archive:
        archive.extractall(tmp_path)
    config = json.loads((tmp_path / "hub" / "config.json").read_text())
    assert config["label2id"] == {"setosa": 0, "versicolor": 1, "virginica": 2}
    card = (tmp_path / "hub" / "README.md").read_text()
    assert card.startswith("---\nlibrary_name: pytorch\n")
    assert "| test.accuracy |" in card
    document = trained.folder.document
    raw = load_data(document.spec.data)
    places = raw.indices["test"]
    features, labels = (
        next(f.values[places] for f in raw.source.fields if f.info.name == name)
        for name in ("features", "label")
    )
    torch.save({"x": features, "y": labels}, tmp_path / "data.pt")
    code = (
        "import sys; sys.path[:0] = ['.', 'hub']\n"
        "import m, modeling, torch\n"
        "from safetensors.torch import load_file\n"
        "data = torch.load('data.pt')\n"
        "for weights in (None, torch.load('w.pt'), load_file('w.safetensors'), 'hub'):\n"
        "    model = (modeling if weights == 'hub' else m).load_model()\n"
        "    if isinstance(weights, dict): model.load_state_dict(weights)\n"
        "    correct = model(*m.scale(data['x'])).argmax(1) == data['y']\n"
        "    print(float(correct.float().mean()))\n"
        "assert not any(name.split('.')[0] in ('engine', 'studio') for name in sys.modules)\n"
    )
    found = [float(line) for line in plain_python.output(code, folder=tmp_path).split()]
    expected = evaluate(trained.folder.path).metrics["test.accuracy"]
    assert found == pytest.approx([expected] * 4, abs=1e-6)


@pytest.mark.real
def test_that_the_python_file_runs_by_itself(trained, tmp_path, plain_python):
    file = tmp_path / "digits of mine.py"
    export(trained.folder.path, "python", file)
    done = plain_python.run(str(file), folder=Path("/"))
    assert (done.returncode, done.stdout) == (0, "(1, 3) torch.float32\n"), done.stderr


@pytest.mark.fault("S08")
def test_that_a_hostile_title_stays_a_title(trained):
    job, _ = build_job(trained.folder.path, "best")
    title = 'x"""; import os; os.abort()\n"""\\'
    evil = ExportJob(title=title, graph=job.graph, source=job.source, module=job.module)
    text = source_text(evil, '");import os;("')
    compile(text, "evil.py", "exec")
    assert text.split('"""')[2].lstrip().startswith("from pathlib import Path")


def test_that_a_format_that_is_not_offered_names_those_that_are(trained, tmp_path):
    with pytest.raises(DiagnosticError) as error:
        export(trained.folder.path, "mlmodel", tmp_path / "m.mlmodel")
    assert error.value.problems[0].code == "X003"
    assert "safetensors" in str(error.value)


@pytest.mark.fault("S06")
def test_that_nothing_is_overwritten_unless_wanted_and_links_are_replaced(trained, tmp_path):
    target = tmp_path / "precious.txt"
    target.write_text("mine")
    output = tmp_path / "weights.pt"
    output.symlink_to(target)
    with pytest.raises(DiagnosticError) as error:
        export(trained.folder.path, "state-dict", output, overwrite=False)
    assert error.value.problems[0].code == "X004"
    export(trained.folder.path, "state-dict", output)
    assert target.read_text() == "mine"
    assert not output.is_symlink()
    with pytest.raises(DiagnosticError) as error:  # the weights beside it count too
        export(trained.folder.path, "python", tmp_path / "weights.py", overwrite=False)
    assert error.value.problems[0].params == {"file": "weights.pt"}


@pytest.mark.fault("S06")
def test_that_an_export_never_takes_the_place_of_what_the_project_lives_from(trained):
    run = trained.folder.path
    own = (run.parents[1] / "project.json", run / "events.db", run / "checkpoints" / "x.pt")
    for output in own:
        before = output.read_bytes() if output.exists() else None
        with pytest.raises(DiagnosticError) as error:
            export(run, "state-dict", output)
        assert error.value.problems[0].code == "X005"
        assert (output.read_bytes() if output.exists() else None) == before


def test_that_a_folder_in_the_way_leaves_no_weights_behind(trained, tmp_path):
    (tmp_path / "model").mkdir()
    with pytest.raises(DiagnosticError) as error:
        export(trained.folder.path, "python", tmp_path / "model")
    assert error.value.problems[0].code == "P006"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.fault("F05")
@pytest.mark.parametrize("name", ["state-dict", "safetensors", "python"])
def test_that_a_full_disk_is_told_as_such(trained, tmp_path, name):
    write, job = formats.find_format(name).writer(), build_job(trained.folder.path, "best")[0]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        with pytest.raises(DiagnosticError) as error:
            write(job, tmp_path / "model.x")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert error.value.problems[0].code == "P002"
    assert list(tmp_path.iterdir()) == []


def test_that_a_folder_that_is_not_there_or_a_folder_as_output_is_told(trained, tmp_path):
    for output in (tmp_path / "missing" / "w.pt", tmp_path):
        with pytest.raises(DiagnosticError) as error:
            export(trained.folder.path, "state-dict", output)
        assert error.value.problems[0].code in ("P004", "P006")
    with pytest.raises(DiagnosticError) as error:
        export(trained.folder.path, "python", tmp_path / "model.pt")
    assert error.value.problems[0].code == "X011"
    assert list(tmp_path.iterdir()) == []


def test_that_a_difference_is_found_and_the_file_not_kept(trained, tmp_path, monkeypatch):
    job, _ = build_job(trained.folder.path, "best")
    other = to_module(job.graph)
    batches = random_batches(job.graph)
    assert largest_difference(job.module, job.module, batches) == 0
    assert largest_difference(job.module, other.eval(), batches) > 0
    with pytest.raises(DiagnosticError):
        require_equal(job.module, other, batches, "w.pt")
    monkeypatch.setattr("engine.export.state_dict.apply_weights", lambda *_: None)
    with pytest.raises(DiagnosticError) as error:
        export(trained.folder.path, "state-dict", tmp_path / "w.pt")
    assert error.value.problems[0].code == "X010"
    assert list(tmp_path.iterdir()) == []


def test_that_layers_that_draw_numbers_and_whole_numbers_are_compared(tmp_path):
    graph = chain(
        node("Input", "tokens", shape=(5,), dtype="int64"),
        node("Embedding", "embedding", num_embeddings=7, embedding_dim=4),
        node("Dropout", "drop"),
        node("Output", "out"),
    )
    module = to_module(graph)  # in training mode: dropout draws
    state = torch.get_rng_state()
    assert largest_difference(module, module, random_batches(graph)) == 0
    assert torch.equal(torch.get_rng_state(), state)


def test_that_outputs_of_another_shape_or_not_a_number_are_told_apart():
    batches = random_batches(iris_graph())
    linear = torch.nn.Linear(4, 3)
    assert largest_difference(linear, torch.nn.Linear(4, 2), batches) == float("inf")
    broken = torch.nn.Linear(4, 3)
    torch.nn.init.constant_(broken.weight, float("nan"))
    assert largest_difference(broken, broken, batches) == 0
    assert largest_difference(linear, broken, batches) == float("inf")


@pytest.mark.real
@pytest.mark.row("S099")
def test_that_the_class_carries_loss_measure_and_optimizer_and_trains_in_plain_python(
    trained, tmp_path, plain_python
):
    export(trained.folder.path, "python-class", tmp_path / "net.py")
    text = (tmp_path / "net.py").read_text(encoding="utf-8")
    assert "class TrainableModel(" in text
    assert "self.optimizer = torch.optim." in text
    assert 'nn.CrossEntropyLoss()(outputs, batch["label"])' in text
    code = (
        "import sys, torch; sys.path.insert(0, '.'); import net\n"
        "torch.manual_seed(0)\n"
        "model = net.load_model()\n"
        "x = torch.randn(90, 4) * 3 + 4; y = (x[:, 0] > 4).long()\n"
        "batches = [{'features': x[i:i + 30], 'label': y[i:i + 30]} for i in range(0, 90, 30)]\n"
        "before = model.evaluate(batches)\n"
        "history = model.fit(batches, epochs=40)\n"
        "after = model.evaluate(batches)\n"
        "print(before['loss'] > after['loss'], after['metric'] > 0.8, len(history))\n"
    )
    assert plain_python.output(code, folder=tmp_path).split() == ["True", "True", "40"]


OWN_LOSSES = {
    "losses.py": (
        "import torch\nfrom torch import nn\n\nfrom margins import MARGIN\n\n\n"
        "class Remembering(nn.Module):\n"
        "    def __init__(self, rate=0.5):\n"
        "        super().__init__()\n"
        "        self.rate, self.mean = rate, 0.0\n\n"
        "    def forward(self, input, target):\n"
        "        loss = nn.functional.cross_entropy(input, target)\n"
        "        self.mean += self.rate * (loss.item() - self.mean)\n"
        "        return loss * (1 + self.mean)\n\n\n"
        "def hinge(input, target, scale: float = 1.0):\n"
        "    right = input.gather(1, target[:, None])\n"
        "    return scale * torch.relu(input - right + MARGIN).mean()\n"
    ),
    "margins.py": "MARGIN = 0.75\n",
}


@pytest.mark.real
@pytest.mark.row("S097", "S098", "S099", "S170")
def test_that_own_losses_groups_and_clipping_train_outside_as_they_do_here(
    trained, tmp_path, plain_python
):
    set_trust(OWN_LOSSES, trusted=True)
    job, _ = build_job(trained.folder.path, "best")
    bound = dict(job.spec.losses[0].inputs)
    spec = msgspec.structs.replace(
        job.spec,
        losses=(
            LossTerm(
                loss=Choice(type="code.losses.Remembering", params={"rate": 0.25}), inputs=bound
            ),
            LossTerm(
                loss=Choice(type="code.losses.hinge", params={"scale": 2.0}),
                inputs=bound,
                weight=0.5,
            ),
        ),
        optimizer=Choice(type="AdamW", params={"lr": 0.01}),
        groups=(
            ParameterGroup(match="classifier", params={"lr": 0.1, "betas": (0.5, 0.9)}),
            ParameterGroup(match="*.bias", params={"weight_decay": 0.0}),
        ),
        clip=ClipSpec(kind="norm", limit=0.5),
    )
    graph = msgspec.structs.replace(job.graph, code=OWN_LOSSES)
    job = dataclasses.replace(job, spec=spec, graph=graph, scalings=())
    write_training_class(job, tmp_path / "net.py")
    batch = {"features": torch.randn(30, 4), "label": torch.randint(3, (30,))}
    torch.save(batch, tmp_path / "batch.pt")
    code = (
        "import sys, torch; sys.path.insert(0, '.'); import net\n"
        "model = net.load_model()\n"
        "model.fit([torch.load('batch.pt')], epochs=6)\n"
        "torch.save(model.state_dict(), 'after.pt')\n"
    )
    plain_python.output(code, folder=tmp_path)
    trained_here = trained_state(job, batch, steps=6)
    found = torch.load(tmp_path / "after.pt")
    assert found.keys() == trained_here.keys()
    assert all(torch.equal(value, trained_here[name]) for name, value in found.items())


def trained_state(job: ExportJob, batch: dict, steps: int) -> dict[str, torch.Tensor]:
    """Return the weights after some steps, with the loss and the optimizer of a run."""
    model, spec = job.module.train(), job.spec
    loss = LossTerms(spec.losses, ["logits"], torch.device("cpu"), job.graph.code)
    optimizer = build_optimizer(spec.optimizer, model, spec.groups)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(model(batch["features"]), batch)[0].backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), spec.clip.limit)
        optimizer.step()
    return model.state_dict()


def test_that_an_own_loss_of_the_name_of_the_models_class_is_told(trained, tmp_path):
    text = "def Model(input, target):\n    return (input - target).mean()\n"
    set_trust({"losses.py": text}, trusted=True)
    job, _ = build_job(trained.folder.path, "best")
    own = LossTerm(loss=Choice(type="code.losses.Model"), inputs=dict(job.spec.losses[0].inputs))
    spec = msgspec.structs.replace(job.spec, losses=(own,))
    graph = msgspec.structs.replace(job.graph, code={"losses.py": text})
    with pytest.raises(DiagnosticError) as caught:
        write_training_class(dataclasses.replace(job, spec=spec, graph=graph), tmp_path / "net.py")
    assert caught.value.problems[0].code == "U005"
    assert list(tmp_path.iterdir()) == []


def test_that_what_the_class_cannot_carry_is_told(trained, tmp_path):
    job, _ = build_job(trained.folder.path, "best")
    missing = LossTerm(loss=Choice(type="code.losses.mine"), inputs={})
    for losses, what in (((missing,), "code.losses.mine"), ((), "loss")):
        spec = msgspec.structs.replace(job.spec, losses=losses)
        with pytest.raises(DiagnosticError) as caught:
            write_training_class(dataclasses.replace(job, spec=spec), tmp_path / "net.py")
        (problem,) = caught.value.problems
        assert (problem.code, problem.params["what"]) == ("X033", what)


def test_that_weights_of_classes_and_several_terms_are_written_as_they_compute(trained, tmp_path):
    job, _ = build_job(trained.folder.path, "best")
    first = msgspec.structs.replace(
        job.spec.losses[0],
        loss=Choice(type="CrossEntropyLoss", params={"weight": (1.0, 2.0, 3.0)}),
        weight=0.5,
    )
    second = LossTerm(loss=Choice(type="MultiMarginLoss"), inputs=dict(first.inputs), weight=2.0)
    spec = msgspec.structs.replace(job.spec, losses=(first, second))
    write_training_class(dataclasses.replace(job, spec=spec), tmp_path / "net.py")
    module = load_source((tmp_path / "net.py").read_text(encoding="utf-8"))
    scores, label = torch.randn(6, 3), torch.tensor([0, 1, 2, 0, 1, 2])
    weights = torch.tensor([1.0, 2.0, 3.0])
    expected = 0.5 * torch.nn.functional.cross_entropy(scores, label, weights)
    expected += 2.0 * torch.nn.functional.multi_margin_loss(scores, label)
    found = module.TrainableModel().loss_func(scores, {"label": label})
    torch.testing.assert_close(found, expected)


@pytest.mark.real
@pytest.mark.row("N22", "P19")
def test_that_the_python_file_reads_a_sentence_as_the_data_does(tmp_path, plain_python):
    graph = read_template("sentence-classifier").graph
    data = DataSpec(source=Choice(type="sentences", params={"samples": 60}))
    folder = make_run(tmp_path, graph=graph, data=data, epochs=1)
    train(folder)
    assert export(folder.path, "python", tmp_path / "m.py").largest_difference == 0
    loaded = load_data(data)
    texts = loaded.source.fields[0].texts
    code = (
        "import json, sys; sys.path.insert(0, '.')\n"
        "import m, torch\n"
        "read = [m.encode(text) for text in json.loads(sys.argv[1])]\n"
        "m.load_model()(read[0])\n"
        "print(json.dumps(torch.cat(read).tolist()))\n"
    )
    found = plain_python.output(code, json.dumps(texts), folder=tmp_path)
    assert json.loads(found) == loaded.source.fields[0].values.tolist()
