"""Every source of the catalogue: fields, sizes, determinism, and agreement with scikit-learn."""

import pytest
import torch

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.data.source.registry import LOADERS, forget_sources, load_source
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice

ENTRIES = catalog().group(EntryGroup.DATA)
SOURCES = [entry.key for entry in ENTRIES if entry.param("path") is None]
"""Those that need no file of the user."""


def test_that_every_source_of_the_catalogue_has_a_loader_and_the_other_way_round():
    assert {entry.key for entry in ENTRIES} == set(LOADERS)


@pytest.mark.parametrize("key", SOURCES)
def test_that_a_source_is_what_its_fields_say(key):
    source = load_source(Choice(type=key))
    entry = catalog().entry(EntryGroup.DATA, key)
    assert entry is not None
    assert source.task in entry.tasks
    roles = [info.role for info in source.infos]
    assert "input" in roles
    assert "target" in roles
    read = source.read(range(source.samples))
    for info in source.infos:
        values = read[info.name]
        assert values.shape == (source.samples, *info.shape)
        assert str(values.dtype) == f"torch.{info.dtype}"
        assert len(info.columns) in (0, info.shape[0] if info.shape else 0)
        if info.kind == "class":
            assert len(torch.unique(values)) == len(info.classes)
        else:
            assert bool(values.isfinite().all())


@pytest.mark.parametrize(
    "key",
    [
        "spiral",
        "moons",
        "circles",
        "blobs",
        "shapes",
        "sin",
        "random_regression",
        "random",
        "sentences",
    ],
)
def test_that_made_data_follows_its_seed_and_its_parameters(key):
    first = load_source(Choice(type=key, params={"seed": 3, "samples": 30}))
    forget_sources()
    again = load_source(Choice(type=key, params={"seed": 3, "samples": 30}))
    other = load_source(Choice(type=key, params={"seed": 4, "samples": 30}))
    assert first.samples == 30
    assert torch.equal(first.fields[-1].values, again.fields[-1].values)
    assert torch.equal(first.fields[0].values, again.fields[0].values)
    changed = [
        not torch.equal(a.values, b.values) for a, b in zip(first.fields, other.fields, strict=True)
    ]
    assert any(changed)


def test_that_the_bundled_sets_are_those_of_scikit_learn():
    from sklearn import datasets

    expected = {
        "digits": datasets.load_digits(),
        "iris": datasets.load_iris(),
        "wine": datasets.load_wine(),
        "breast_cancer": datasets.load_breast_cancer(),
        "diabetes": datasets.load_diabetes(scaled=False),
    }
    for key, bunch in expected.items():
        inputs, target = load_source(Choice(type=key)).fields[:2]
        scale = 16 if key == "digits" else 1
        values = torch.tensor(bunch.data, dtype=torch.float32) / scale
        assert torch.equal(inputs.values.flatten(1), values)
        assert torch.equal(target.values.flatten(), torch.tensor(bunch.target).to(target.values))
        if key != "digits":
            columns = [name.replace("_", " ") for name in bunch.feature_names]
            assert list(inputs.info.columns) == columns
        if target.info.classes and key != "digits":
            assert list(target.info.classes) == [str(name) for name in bunch.target_names]


@pytest.mark.real
def test_that_reading_the_bundled_sets_does_not_import_scikit_learn(python):
    import subprocess

    code = (
        "import sys; from engine.data.source.registry import load_source; "
        "from engine.spec.run import Choice; load_source(Choice(type='digits')); "
        "print('sklearn' in sys.modules)"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_that_a_source_is_loaded_once():
    first = load_source(Choice(type="moons", params={"noise": 0.1}))
    assert load_source(Choice(type="moons")) is first  # 0.1 is the default
    assert load_source(Choice(type="moons", params={"noise": 0.2})) is not first


@pytest.mark.parametrize("key", ["nothing", "os.system", "engine.data.source.toy.load_moons", ""])
def test_that_an_unknown_source_is_refused_by_name(key):
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type=key))
    assert caught.value.problems[0].code == "D003"
    assert caught.value.problems[0].field == "data.source"


def test_that_a_parameter_that_is_no_number_is_named():
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="moons", params={"noise": "loud"}))
    assert caught.value.problems[0].code == "D002"
    assert caught.value.problems[0].field == "data.source.noise"


@pytest.mark.fault("B09")
def test_that_more_numbers_than_memory_holds_are_refused_before_they_are_made():
    params = {"samples": 1_000_000, "features": 100_000}
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="random_regression", params=params))
    assert caught.value.problems[0].code == "D005"


def test_that_two_classes_come_with_a_decimal_target_for_binary_losses():
    source = load_source(Choice(type="breast_cancer"))
    label, target = source.fields[1:]
    assert source.task == "binary"
    assert target.info.shape == (1,)
    assert torch.equal(label.values.to(torch.float32), target.values[:, 0])


@pytest.mark.row("S134", "S135")
@pytest.mark.parametrize("kind", ["image", "vector", "sequence"])
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_that_random_samples_hold_something_that_new_samples_hold_too(kind, target):
    shape = {"image": (1, 12, 12), "vector": (40,), "sequence": (20,)}[kind]
    params = {"kind": kind, "target": target, "shape": shape, "classes": 4, "vocabulary": 50}
    seen = load_source(Choice(type="random", params={**params, "samples": 1000}))
    unseen = load_source(Choice(type="random", params={**params, "seed": 1}))
    assert seen.fields[0].info.shape == shape
    assert not torch.equal(seen.fields[0].values[:600], unseen.fields[0].values)
    if target == "classes":
        names = seen.fields[-1].info.classes
        known = torch.nn.functional.one_hot(seen.fields[-1].values, len(names)).to(torch.float32)
    else:
        known = seen.fields[-1].values
    solved = torch.linalg.lstsq(flat(seen, kind), known).solution
    told = flat(unseen, kind) @ solved
    truth = unseen.fields[-1].values
    if target == "classes":
        assert float((told.argmax(dim=1) == truth).float().mean()) > 0.9
    else:
        assert float((told - truth).var() / truth.var()) < 0.6


def flat(source, kind) -> torch.Tensor:
    """Return the first field as rows for a linear fit: how often each word comes, or numbers."""
    values = source.fields[0].values
    if kind == "sequence":
        values = torch.nn.functional.one_hot(values, 50).sum(dim=1).to(torch.float32)
    return values.flatten(1)


def test_that_two_random_classes_come_with_a_target_for_binary_losses():
    source = load_source(Choice(type="random", params={"classes": 2, "shape": (3, 8, 8)}))
    assert source.task == "binary"
    assert [field.info.name for field in source.fields] == ["image", "label", "target"]


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"kind": "vector"}, "D006"),
        ({"shape": (28, 28)}, "D006"),
        ({"kind": "sequence", "shape": (1, 10)}, "D006"),
        ({"shape": (3, 100_000, 100_000)}, "D005"),
    ],
)
def test_that_random_samples_of_no_shape_or_too_large_are_refused(params, code):
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="random", params=params))
    assert caught.value.problems[0].code == code
