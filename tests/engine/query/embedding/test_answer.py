"""Maps of samples beside plain scripts."""

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.browse.predicted import PredictedSamples, keep_predictions
from engine.data.load.load import load_data
from engine.data.source.tensors import TensorSource
from engine.diagnostics import DiagnosticError
from engine.query.ask import ask
from engine.query.embedding.request import MapActivations, MapSamples, MapSpec
from engine.query.trained import open_trained
from engine.spec.browse import LOSS
from engine.spec.run import Choice, DataSpec

IRIS = DataSpec(source=Choice(type="iris"))


def make(request):
    """Return the map that comes of a request, and its last step."""
    step = ask(replace(request, is_new=True))
    found = step.map
    while not step.is_done:
        step = ask(request)
        found = step.map or found
    return found, step


def points(data, columns=2):
    return np.frombuffer(data, np.float32).reshape(-1, columns)


def values_of(data, dtype=np.int32):
    return np.frombuffer(data, dtype)


def up_to_sign(matrix):
    return np.abs(matrix)


@pytest.fixture
def pictures(tmp_path):
    """Return a folder of red and of blue pictures of many sizes, one of them damaged."""
    generator = np.random.default_rng(0)
    for name, color in (("blue", (20, 40, 220)), ("red", (220, 40, 20))):
        (tmp_path / name).mkdir()
        for number in range(8):
            pixels = generator.normal(color, 15, (20 + number, 30, 3)).clip(0, 255)
            Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / name / f"{number}.png")
    (tmp_path / "red" / "3.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing more")
    return tmp_path


def test_that_a_table_lies_by_the_components_of_its_standardized_columns():
    found, step = make(MapSamples(data=IRIS))
    assert step.is_done
    values = load_data(IRIS).source.column("features").double()
    values = (values - values.mean(0)) / values.std(0, correction=0)
    left, sizes, _ = torch.linalg.svd(values, full_matrices=False)
    indices = values_of(found.indices, np.int64)
    wanted = (left * sizes)[:, :2].numpy()[indices]
    assert up_to_sign(points(found.xy)) == pytest.approx(up_to_sign(wanted), abs=1e-4)
    shares = (sizes.square() / sizes.square().sum())[:2]
    assert found.shares == pytest.approx(tuple(shares.tolist()), abs=1e-5)


def test_that_a_map_tells_class_part_and_columns_of_every_sample():
    found, _ = make(MapSamples(data=IRIS))
    data = load_data(IRIS)
    indices = values_of(found.indices, np.int64)
    assert sorted(indices) == list(range(150))
    assert (found.total, found.unreadable, found.classes) == (150, 0, data.info.fields[1].classes)
    labels = data.source.column("label").numpy()
    assert (values_of(found.labels) == labels[indices]).all()
    parts = values_of(found.parts, np.int8)
    for number, part in enumerate(("train", "validation", "test")):
        assert set(indices[parts == number]) == set(data.indices[part].tolist())
    features = data.source.column("features").numpy()
    for at, column in enumerate(found.columns):
        assert column.name == data.info.fields[0].columns[at]
        assert (values_of(column.values, np.float32) == features[indices, at]).all()


def test_that_a_drawn_column_has_the_ends_of_all_its_samples(tmp_path):
    values = np.random.default_rng(0).normal(size=(400, 3))
    path = tmp_path / "many.csv"
    np.savetxt(path, values, fmt="%.5f", delimiter=",", header="a,b,y", comments="")
    data = DataSpec(source=Choice(type="table", params={"path": str(path)}))
    found, _ = make(MapSamples(data=data, spec=MapSpec(count=10)))
    assert (len(points(found.xy)), found.total) == (10, 400)
    assert [column.name for column in found.columns] == ["a", "b", "y"]
    for column, numbers in zip(found.columns, values.T, strict=True):
        assert column.ends == pytest.approx((numbers.min(), numbers.max()), abs=1e-4)


def test_that_samples_of_a_map_have_the_columns_of_their_table_and_of_a_run(pictures):
    data = DataSpec(source=Choice(type="image_folder", params={"path": str(pictures)}))
    samples = load_data(data).source.samples
    loss = np.arange(samples, dtype=np.float32)
    keep_predictions("0" * 32, PredictedSamples(samples=samples, classes=(), arrays={LOSS: loss}))
    found, _ = make(MapSamples(data=data, predictions="0" * 32))
    columns = {column.key: values_of(column.values, np.float32) for column in found.columns}
    indices = values_of(found.indices, np.int64)
    assert (columns[LOSS] == loss[indices]).all()
    assert set(columns["width"]) == {30}
    assert columns["height"].min() >= 20
    lost, _ = make(MapSamples(data=data, predictions="1" * 32))
    assert LOSS not in {column.key for column in lost.columns}


def test_that_only_so_many_samples_of_the_chosen_parts_are_drawn_always_the_same():
    spec = MapSpec(parts=("validation", "test"), count=12)
    found, _ = make(MapSamples(data=IRIS, spec=spec))
    again, _ = make(MapSamples(data=replace(IRIS, batch_size=7), spec=spec))
    other, _ = make(MapSamples(data=IRIS, spec=replace(spec, seed=1)))
    assert len(points(found.xy)) == 12
    data = load_data(IRIS)
    assert found.total == data.samples("validation") + data.samples("test")
    assert set(values_of(found.parts, np.int8)) == {1, 2}
    assert (again.indices, again.xy) == (found.indices, found.xy)
    assert other.indices != found.indices


def test_that_the_nearest_neighbors_are_those_in_the_full_space():
    found, _ = make(MapSamples(data=DataSpec(source=Choice(type="wine"))))
    columns = np.stack([values_of(each.values, np.float32) for each in found.columns], 1)
    values = torch.from_numpy((columns - columns.mean(0)) / columns.std(0)).double()
    distances = torch.cdist(values, values).fill_diagonal_(torch.inf)
    wanted = distances.argsort(dim=1)[:, : found.neighbor_count]
    shown = values_of(found.neighbors).reshape(-1, found.neighbor_count)
    assert (shown == wanted.numpy()).mean() > 0.99  # of equally near ones either may be first


def test_that_pictures_of_all_sizes_lie_by_color_and_a_damaged_one_is_left_out(pictures):
    params = {"path": str(pictures)}
    data = DataSpec(source=Choice(type="image_folder", params=params))
    found, _ = make(MapSamples(data=data))
    labels, first = values_of(found.labels), points(found.xy)[:, 0]
    assert (found.unreadable, len(labels)) == (1, 15)
    assert max(first[labels == 0]) < min(first[labels == 1]) or max(first[labels == 1]) < min(
        first[labels == 0]
    )
    assert found.pictures is not None
    small = values_of(found.pictures.pixels, np.uint8).reshape(found.pictures.shape)
    middle = small[:, :, small.shape[2] // 2, small.shape[3] // 2].astype(int)
    assert ((middle[:, 0] > middle[:, 2]) == (labels == 1)).all()
    assert all(
        text.split("/")[0] == found.classes[at]
        for text, at in zip(found.texts, labels, strict=True)
    )


def test_that_samples_are_read_a_few_at_a_time(monkeypatch):
    sizes = []
    read = TensorSource.read

    def counted(self, indices):
        sizes.append(len(indices))
        return read(self, indices)

    monkeypatch.setattr(TensorSource, "read", counted)
    params = {"samples": 1000, "shape": (3, 64, 64)}
    make(MapSamples(data=DataSpec(source=Choice(type="random", params=params))))
    assert sum(sizes) == 1000
    assert max(sizes) * 3 * 64 * 64 < 1000 * 3 * 64 * 64 / 3


def test_that_a_map_goes_on_where_it_was_and_tells_how_far_it_is():
    request = MapSamples(data=DataSpec(source=Choice(type="digits")), seconds=0)
    first = ask(replace(request, is_new=True))
    second = ask(request)
    assert (first.phase, first.map, first.is_done) == ("read", None, False)
    assert 0 < first.done < second.done <= second.total == 1797


def test_that_neighbors_lie_together_after_tsne():
    request = MapSamples(data=IRIS, spec=MapSpec(method="tsne", count=90))
    found, step = make(request)
    assert (step.done, step.total) == (750, 750)
    xy, labels = torch.from_numpy(points(step.xy).copy()), values_of(found.labels)
    nearest = torch.cdist(xy, xy).fill_diagonal_(torch.inf).argmin(dim=1)
    assert (labels[nearest.numpy()] == labels).mean() > 0.8
    assert points(found.xy).std() != pytest.approx(xy.std().item())
    assert make(request)[1].xy == step.xy


def test_that_too_few_samples_are_told():
    with pytest.raises(DiagnosticError) as caught:
        make(MapSamples(data=IRIS, spec=MapSpec(count=2)))
    assert caught.value.problems[0].code == "D270"


@pytest.mark.parametrize("layer", ["act", ""])
def test_that_activations_are_those_of_the_model_in_eval_mode(run, layer):
    found, _ = make(MapActivations(run_folder=str(run.path), layer=layer, checkpoint="last"))
    training = open_trained(run, "last").training
    model = training.model.eval()
    indices = torch.from_numpy(values_of(found.indices, np.int64).copy())
    scaled = training.data.scalings["features"].apply(
        training.data.source.column("features")[indices]
    )
    with torch.no_grad():
        logits = model(scaled)
        values = model.act(model.hidden(scaled)) if layer else logits
    values = values.double() - values.double().mean(0)
    left, sizes, _ = torch.linalg.svd(values, full_matrices=False)
    assert up_to_sign(points(found.xy)) == pytest.approx(
        up_to_sign((left * sizes)[:, :2].numpy()), abs=1e-4
    )
    assert (values_of(found.predictions) == logits.argmax(1).numpy()).all()
    assert (found.step, found.width) == (48, 8 if layer else 3)


def test_that_a_layer_that_is_not_there_is_told(run):
    with pytest.raises(DiagnosticError) as caught:
        make(MapActivations(run_folder=str(run.path), layer="nowhere"))
    assert caught.value.problems[0].code == "D272"
