"""Arrays as data: kinds by shape and type, names, parts, and a run that learns from them."""

import pickle

import numpy as np
import pytest
import torch

from engine.data.load.load import load_data
from engine.data.source import arrays as arrays_module
from engine.data.source.registry import forget_sources, load_source
from engine.diagnostics import DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.runs.record.state import RunStatus
from engine.spec.defaults import has_labels
from engine.spec.run import Choice, DataSpec
from tests.tiny_run import CROSS_ENTROPY, chain, make_run, node, train
from tests.user_data import idx_files


def source_of(path, **params):
    return load_source(Choice(type="arrays", params={"path": str(path), **params}))


def saved(tmp_path, name="data.npz", **arrays):
    np.savez(tmp_path / name, **arrays)
    return tmp_path / name


@pytest.mark.parametrize(
    ("values", "kind", "shape", "dtype"),
    [
        (np.full((4, 5, 6), 255, np.uint8), "image", (1, 5, 6), "float32"),
        (np.full((4, 5, 6, 3), 255, np.uint8), "image", (3, 5, 6), "float32"),
        (np.full((4, 3, 5, 6), 255, np.uint8), "image", (3, 5, 6), "float32"),
        (np.full((4, 5, 6, 1), 1.0), "image", (1, 5, 6), "float32"),
        (np.full((4, 3, 4, 4), 255, np.uint8), "image", (3, 4, 4), "float32"),
        (np.full((4, 7), 1.0), "vector", (7,), "float32"),
        (np.full((4, 7), 1, np.float16), "vector", (7,), "float32"),
        (np.ones((4, 7), bool), "vector", (7,), "float32"),
        (np.full((4, 7), 1, np.int32), "sequence", (7,), "int64"),
        (np.full((4, 7, 2), 1.0), "sequence", (7, 2), "float32"),
        (np.full(4, 1.0), "scalar", (1,), "float32"),
        (np.full(4, 1, np.uint16), "scalar", (), "int64"),
    ],
)
def test_that_shape_and_type_decide_what_an_input_is(tmp_path, values, kind, shape, dtype):
    source = source_of(saved(tmp_path, x=values, y=np.arange(4) / 4))
    info = source.infos[0]
    assert (info.kind, info.shape, info.dtype) == (kind, shape, dtype)
    read = source.read([0, 3])["x"]
    assert read.shape == (2, *shape)
    assert bool((read == 1).all())  # 255 is white


@pytest.mark.parametrize(
    ("values", "kind", "classes", "expected"),
    [
        (np.array([2, 0, 1, 2]), "class", ("0", "1", "2"), [2, 0, 1, 2]),
        (np.array([[2], [0], [1], [2]], np.uint8), "class", ("0", "1", "2"), [2, 0, 1, 2]),
        (np.array([10, 30, 20, 10]), "class", ("10", "20", "30"), [0, 2, 1, 0]),
        (np.array([-1, 1, 1, -1]), "class", ("-1", "1"), [0, 1, 1, 0]),
        (np.array(["b", "ä", "b", "b"]), "class", ("b", "ä"), [0, 1, 0, 0]),
        (np.array([True, False, True, True]), "class", ("0", "1"), [1, 0, 1, 1]),
        (np.eye(3)[[2, 0, 1, 2]], "class", ("0", "1", "2"), [2, 0, 1, 2]),
        (np.array([0.5, 1, 2, 3]), "scalar", (), [[0.5], [1], [2], [3]]),
        (np.full((4, 2), 0.5), "vector", (), [[0.5, 0.5]] * 4),
        (np.array([[0, 1], [1, 2], [2, 0], [1, 1]]), "sequence", ("0", "1", "2"),
         [[0, 1], [1, 2], [2, 0], [1, 1]]),
    ],
)  # fmt: skip
def test_that_shape_and_type_decide_what_a_target_is(tmp_path, values, kind, classes, expected):
    source = source_of(saved(tmp_path, x=np.ones((4, 2)), y=values))
    info = source.infos[1]
    assert (info.role, info.kind, info.classes) == ("target", kind, classes)
    assert info.name == ("label" if kind == "class" else "target")
    assert source.read(range(4))[info.name].tolist() == expected
    assert [item.name for item in source.infos[2:]] == (["target"] if len(classes) == 2 else [])


def test_that_the_arrays_of_keras_come_with_their_parts(tmp_path):
    rng = np.random.default_rng(0)
    parts = {"train": 6, "test": 3}
    arrays = {f"x_{part}": rng.integers(0, 255, (n, 4, 4), np.uint8) for part, n in parts.items()}
    arrays |= {f"y_{part}": np.arange(n) % 3 for part, n in parts.items()}
    source = source_of(saved(tmp_path, **arrays))
    given = source.given_parts()
    assert given is not None
    assert given.tolist() == [0] * 6 + [2] * 3
    whole = np.concatenate([arrays["x_train"], arrays["x_test"]]).astype(np.float32) / 255
    assert torch.equal(source.column("input")[:, 0], torch.tensor(whole))


@pytest.mark.parametrize(
    "names", [("X", "Y"), ("images", "labels"), ("data", "target"), ("a", "b")]
)
def test_that_arrays_are_chosen_by_their_names(tmp_path, names):
    first, second = names
    arrays = {first: np.ones((4, 2)), second: np.arange(4)}
    infos = source_of(saved(tmp_path, **arrays)).infos
    assert [info.name for info in infos] == [first, "label"]
    infos = source_of(saved(tmp_path, **arrays), input=second, target=first).infos
    assert (infos[0].dtype, infos[1].dtype) == ("int64", "float32")


def test_that_input_and_target_may_be_in_two_files_or_without_target(tmp_path):
    np.save(tmp_path / "in.npy", np.ones((4, 2)))
    np.save(tmp_path / "out.npy", np.arange(4))
    source = source_of(tmp_path / "in.npy", target_path=str(tmp_path / "out.npy"))
    assert [info.role for info in source.infos] == ["input", "target"]
    alone = source_of(tmp_path / "in.npy")
    assert [info.role for info in alone.infos] == ["input"]


@pytest.mark.parametrize(
    ("arrays", "params", "code"),
    [
        ({"x": np.ones((4, 2)), "y": np.arange(3)}, {}, "D149"),
        ({"a": np.ones(4), "b": np.ones(4), "c": np.ones(4)}, {}, "D146"),
        ({"x": np.ones((4, 2)), "y": np.arange(4)}, {"target": "z"}, "D145"),
        ({"x": np.array(["a", "b"]), "y": np.arange(2)}, {}, "D147"),
        ({"x": np.float32(3), "y": np.arange(2)}, {}, "D147"),
        ({"x": np.ones((0, 2)), "y": np.ones(0)}, {}, "D147"),
        ({"x": np.ones((4, 2)), "y": np.arange(4)}, {"kind": "image"}, "D147"),
        ({"x": np.ones((4, 2)), "y": np.full((4, 2, 2), 1 << 40)}, {}, "D147"),
    ],
)
@pytest.mark.fault("B10")
def test_that_arrays_that_do_not_fit_are_named(tmp_path, arrays, params, code):
    with pytest.raises(DiagnosticError) as caught:
        source_of(saved(tmp_path, **arrays), **params)
    assert caught.value.problems[0].code == code


@pytest.mark.fault("B10")
def test_that_values_that_are_no_numbers_are_found_before_the_run(tmp_path):
    values = np.ones((20, 2))
    values[3, 1] = np.nan
    path = saved(tmp_path, x=values, y=np.arange(20) % 2)
    with pytest.raises(DiagnosticError) as caught:
        load_data(DataSpec(source=Choice(type="arrays", params={"path": str(path)})))
    problem = caught.value.problems[0]
    assert (problem.code, problem.params["row"]) == ("D010", 4)


def test_that_no_path_asks_for_one_and_a_changed_file_is_read_anew(tmp_path):
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="arrays"))
    assert caught.value.problems[0].code == "D140"
    path = saved(tmp_path, x=np.ones((4, 2)), y=np.arange(4))
    assert source_of(path).samples == 4
    saved(tmp_path, x=np.ones((5, 2)), y=np.arange(5))
    assert source_of(path).samples == 5


@pytest.fixture
def streamed(monkeypatch):
    monkeypatch.setattr(arrays_module, "is_small", lambda numbers: False)


def test_that_arrays_that_are_too_large_are_read_by_the_batch(tmp_path, streamed):
    rng = np.random.default_rng(0)
    for name, count in (("x_train", 7), ("x_test", 3)):
        np.save(tmp_path / f"{name}.npy", rng.integers(0, 255, (count, 4, 5, 3), np.uint8))
    np.save(tmp_path / "y_train.npy", np.arange(7) % 3)
    np.save(tmp_path / "y_test.npy", np.arange(3))
    source = source_of(tmp_path)
    assert isinstance(source, arrays_module.ArraySource)
    again = pickle.loads(pickle.dumps(source))
    assert len(pickle.dumps(source)) < 5_000, "no values go to the workers"
    whole = np.concatenate([np.load(tmp_path / f"x_{part}.npy") for part in ("train", "test")])
    expected = torch.tensor(whole.astype(np.float32) / 255).movedim(-1, 1)
    batch = again.read([9, 0, 7, 6])
    assert torch.equal(batch["input"], expected[[9, 0, 7, 6]])
    assert batch["label"].tolist() == [2, 0, 0, 0]
    assert source.column("label").tolist() == [*(i % 3 for i in range(7)), 0, 1, 2]


def quadrants(path):
    """Write pictures whose label is the bright quarter."""
    rng = np.random.default_rng(1)
    label = np.arange(200) % 4
    pictures = rng.integers(0, 60, (200, 8, 8), np.uint8)
    for picture, quarter in zip(pictures, label, strict=True):
        row, column = divmod(int(quarter), 2)
        picture[row * 4 : row * 4 + 4, column * 4 : column * 4 + 4] += 150
    np.savez_compressed(path, images=pictures, labels=label)


@pytest.mark.row("S133")
@pytest.mark.parametrize("is_streamed", [False, True])
def test_that_a_model_learns_pictures_from_a_file(tmp_path, monkeypatch, is_streamed):
    quadrants(tmp_path / "quadrants.npz")
    if is_streamed:
        monkeypatch.setattr(arrays_module, "is_small", lambda numbers: False)
        forget_sources()
    graph = chain(
        node("Input", "images", field="images", shape=(1, 8, 8)),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=4),
        node("Output", "logits"),
    )
    path = str(tmp_path / "quadrants.npz")
    data = DataSpec(source=Choice(type="arrays", params={"path": path}))
    run = make_run(tmp_path / "project", graph, data=data, losses=(CROSS_ENTROPY,), epochs=12)
    state = train(run)
    assert state.status is RunStatus.FINISHED
    assert state.metrics["test.accuracy"] > 0.9


def test_that_an_idx_file_finds_its_labels_without_being_told(tmp_path):
    root, _ = idx_files(tmp_path)
    images = next(path for path in root.iterdir() if "images" in path.name)
    assert [info.kind for info in source_of(images).infos][:2] == ["image", "class"]
    alone = tmp_path / images.name
    alone.write_bytes(images.read_bytes())
    assert [info.role for info in source_of(alone).infos] == ["input"]


LABELS = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]])


@pytest.mark.parametrize("dtype", [np.uint8, bool, np.int64, np.float32])
@pytest.mark.parametrize("is_kept", [True, False])
def test_that_rows_of_yes_and_no_are_labels(tmp_path, monkeypatch, dtype, is_kept):
    if not is_kept:
        monkeypatch.setattr(arrays_module, "is_small", lambda numbers: False)
    source = source_of(saved(tmp_path, x=np.ones((4, 5), np.float32), y=LABELS.astype(dtype)))
    (info,) = [each for each in source.infos if each.role == "target"]
    assert (info.kind, info.shape, info.dtype) == ("vector", (3,), "float32")
    assert info.columns == ("0", "1", "2")
    assert source.task == "binary"
    assert source.read([2, 1])["target"].tolist() == LABELS[[2, 1]].tolist()


def test_that_a_yes_or_no_for_each_step_is_a_class_of_each(tmp_path):
    source = source_of(saved(tmp_path, x=np.ones((4, 3), np.int32), y=LABELS))
    assert (source.infos[1].kind, source.infos[1].classes) == ("sequence", ("0", "1"))
    assert source.task == "classification"


def test_that_a_first_model_learns_labels_of_arrays(tmp_path):
    x = np.random.default_rng(0).normal(size=(200, 4)).astype(np.float32)
    path = saved(tmp_path, x=x, y=(x[:, :3] > 0).astype(np.uint8))
    proposal = propose_data(ProposeData(path=str(path)))
    assert proposal.graph is not None
    (term,) = proposal.spec.losses
    assert (term.loss.type, term.inputs["target"]) == ("BCEWithLogitsLoss", "data.target")
    assert has_labels(proposal.info)
