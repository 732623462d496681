"""A run hands out any tensor that it is asked for, and computes the same."""

import numpy as np
import pytest
import torch
from torch import nn

from engine.diagnostics import DiagnosticError
from engine.events import CaptureTensor, ListTensors
from engine.inspect.node_path import NodePaths
from engine.inspect.tensor_observer import TensorObserver, capture_tensor, list_tensors
from engine.inspect.word_tick import with_words
from engine.runs.record.tensor_capture import TensorKind, as_array, listing_files, tensor_files
from engine.spec.vocabulary import Vocabulary
from tests.tiny_run import chain, iris_graph, make_run, node, train


def attributes(tensor: torch.Tensor) -> dict[str, str]:
    return dict(capture_tensor("parameter", "x", tensor).attributes)


@pytest.mark.row("S251")
def test_that_the_device_of_each_parameter_buffer_and_state_is_told() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    optimizer = torch.optim.SGD(model.parameters(), momentum=0.9)
    model(torch.ones(4, 2)).sum().backward()
    optimizer.step()
    model[1].to("meta", non_blocking=True)
    listed = list_tensors(model, optimizer, (), ())
    told = {(each.kind, each.name): each.device for each in listed}
    assert told["parameter", "0.weight"] == told["state", "0.weight:momentum_buffer"] == "cpu"
    assert told["parameter", "1.weight"] == told["buffer", "1.running_mean"] == "meta"


@pytest.mark.row("S001")
def test_that_every_kind_of_tensor_can_be_taken_and_nothing_changes(tmp_path) -> None:
    run = make_run(tmp_path / "a", epochs=1)
    wanted: tuple[tuple[TensorKind, str], ...] = (
        ("parameter", "hidden.weight"),
        ("buffer", "norm.running_mean"),
        ("activation", "act"),
        ("batch", "features"),
    )
    for kind, name in wanted[:2]:
        run.send(CaptureTensor(kind=kind, name=name))
    run.send(ListTensors())
    run.send(CaptureTensor(kind="activation", name="act"))
    state = train(run)
    plain = train(make_run(tmp_path / "b", epochs=1))
    assert state.metrics == plain.metrics
    found = [tensor_files.read(path) for path in tensor_files.files(run.artefacts)]
    assert [(each.kind, each.name) for each in found] == list(wanted[:3])
    assert found[0].shape == (8, 4)
    assert found[2].step == 1
    assert found[2].shape[1] == 8
    assert as_array(found[2]).min() == 0
    assert state.tensor is not None
    assert state.tensor.name == "act"
    assert state.tensors is not None
    listed = listing_files.read(run.artefacts / state.tensors.file).tensors
    kinds = {(each.kind, each.name): each for each in listed}
    assert kinds["parameter", "head.bias"].shape == (3,)
    assert {("gradient", "hidden.weight"), ("activation", "drop"), *wanted} <= set(kinds)


@pytest.mark.row("S001")
def test_that_batch_gradient_and_state_of_the_optimizer_can_be_taken(tmp_path) -> None:
    run = make_run(tmp_path, epochs=1)
    run.send(CaptureTensor(kind="gradient", name="hidden.weight"))
    run.send(CaptureTensor(kind="batch", name="features"))
    train(run)
    run.send(CaptureTensor(kind="gradient", name="head.weight"))
    run.send(CaptureTensor(kind="state", name="head.weight:exp_avg"))
    state = train(run, resume="latest", length=2)
    found = [tensor_files.read(path) for path in tensor_files.files(run.artefacts)]
    batch = found[0]
    assert (batch.kind, batch.name, batch.shape[1:]) == ("batch", "features", (4,))
    assert {problem.code for problem in state.warnings} <= {"A021"}


def test_that_all_that_was_asked_for_comes_with_one_step_and_what_is_missing_is_told(
    tmp_path,
) -> None:
    run = make_run(tmp_path, epochs=1)
    for name in ("act", "nothing", "head"):
        run.send(CaptureTensor(kind="activation", name=name))
    state = train(run)
    found = [tensor_files.read(path) for path in tensor_files.files(run.artefacts)]
    assert {(each.name, each.step) for each in found} == {("act", 1), ("head", 1)}
    assert [problem.params["name"] for problem in state.warnings] == ["nothing"]


def test_that_the_output_of_an_operator_can_be_taken(tmp_path) -> None:
    run = make_run(tmp_path, iris_graph(node("tanh", "squash")), epochs=1)
    run.send(CaptureTensor(kind="activation", name="squash"))
    train(run)
    (found,) = [tensor_files.read(path) for path in tensor_files.files(run.artefacts)]
    assert dict(found.attributes)["grad_fn"] == "<TanhBackward0>"


def taken(folder, kind: TensorKind, name: str, *, inplace: bool = False) -> np.ndarray:
    """Return a tensor of the first step of a run."""
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "hidden", out_features=8),
        node("ReLU", "act", inplace=inplace),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    run = make_run(folder, graph, epochs=1)
    run.send(CaptureTensor(kind=kind, name=name))
    train(run)
    (found,) = [tensor_files.read(path) for path in tensor_files.files(run.artefacts)]
    assert found.step == 1
    return as_array(found)


@pytest.mark.row("S055")
def test_that_the_gradient_of_an_activation_is_that_before_a_layer_changed_it(tmp_path) -> None:
    after = taken(tmp_path / "a", "activation_gradient", "act")
    values = taken(tmp_path / "b", "activation", "act")
    before = taken(tmp_path / "c", "activation_gradient", "hidden")
    assert np.abs(after).max() > 0
    assert np.array_equal(before, after * (values > 0))
    changed = taken(tmp_path / "d", "activation_gradient", "hidden", inplace=True)
    assert np.array_equal(changed, before)


@pytest.mark.row("S055")
def test_that_a_run_hands_out_gradients_of_activations_and_computes_the_same(tmp_path) -> None:
    run = make_run(tmp_path / "a", epochs=1)
    run.send(CaptureTensor(kind="activation_gradient", name="act"))
    state = train(run)
    assert state.metrics == train(make_run(tmp_path / "b", epochs=1)).metrics
    (found,) = [tensor_files.read(path) for path in tensor_files.files(run.artefacts)]
    assert (found.kind, found.name, found.shape[1]) == ("activation_gradient", "act", 8)
    assert np.abs(as_array(found)).max() > 0


@pytest.mark.row("S001")
def test_that_all_attributes_are_told() -> None:
    told = attributes(nn.Parameter(torch.ones(2, 3)))
    wanted = {
        "shape": "(2, 3)",
        "dtype": "float32",
        "device": "cpu",
        "layout": "strided",
        "ndim": "2",
        "requires_grad": "True",
        "is_leaf": "True",
        "grad_fn": "None",
        "grad": "None",
        "output_nr": "0",
        "is_cuda": "False",
        "is_meta": "False",
        "is_quantized": "False",
        "is_sparse": "False",
        "is_mkldnn": "False",
        "stride()": "(3, 1)",
        "numel": "6",
        "nbytes": "24",
    }
    assert wanted.items() <= told.items()
    assert attributes(torch.ones(2, requires_grad=True) * 2)["grad_fn"] == "<MulBackward0>"


@pytest.mark.parametrize(
    "tensor",
    [
        torch.ones(2, 3, dtype=torch.bfloat16),
        torch.eye(3).to_sparse(),
        torch.ones(3, dtype=torch.complex64).conj(),
        torch.tensor(5),
        torch.zeros(0, 4),
        torch.arange(6).reshape(2, 3).t(),
        torch.tensor([True, False]),
    ],
    ids=lambda tensor: f"{tensor.dtype} {tuple(tensor.shape)}",
)
def test_that_elements_of_any_type_come_back(tensor: torch.Tensor) -> None:
    found = as_array(capture_tensor("buffer", "x", tensor))
    plain = tensor.to_dense().resolve_conj()
    plain = plain.float() if tensor.dtype == torch.bfloat16 else plain
    assert np.array_equal(found, plain.numpy())


def test_that_of_a_very_large_tensor_the_first_rows_are_taken() -> None:
    found = capture_tensor("parameter", "x", torch.zeros(3000, 3000))
    assert found.is_part
    assert found.shape[1] == 3000
    assert len(found.data) <= 32 << 20


@pytest.mark.row("S218")
def test_that_attention_is_taken_by_head_without_drawing_random_numbers(tmp_path) -> None:
    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(8, 2, dropout=0.5, batch_first=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.attention(x, x, x, need_weights=False)[0]

    model, x = Reader(), torch.randn(3, 5, 8)
    torch.manual_seed(0)
    plain = model(x)
    state = torch.get_rng_state()
    observer = TensorObserver(
        NodePaths(chain(node("Input", "x")), {}), [("attention", "attention")]
    )
    torch.manual_seed(0)
    with observer.forward(model):
        watched = model(x)
    assert torch.equal(plain, watched)
    assert torch.equal(torch.get_rng_state(), state)
    (found,) = observer.captured
    assert found.shape == (3, 2, 5, 5)
    assert as_array(found).sum(-1) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.row("S218")
def test_that_attention_carries_the_words_of_the_sentences_it_goes_along() -> None:
    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(4, 8)
            self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, words: torch.Tensor) -> torch.Tensor:
            x = self.embedding(words)
            return self.attention(x, x, x)[0]

    known = {"sentence": Vocabulary(("<pad>", "<unk>", "sea", "wind"))}
    batch = {"sentence": torch.tensor([[2, 3, 0], [1, 2, 2]]), "label": torch.tensor([0, 1])}
    wanted = [("attention", "attention"), ("batch", "sentence")]
    observer = TensorObserver(NodePaths(chain(node("Input", "x")), {}), wanted, known)
    observer.begin(batch)
    with observer.forward(model := Reader()):
        model(batch["sentence"])
    found = {each.kind: each for each in observer.captured}
    words = (("sea", "wind", "<pad>"), ("<unk>", "sea", "sea"))
    assert found["attention"].rows == found["attention"].columns == words
    assert found["batch"].rows == ()


def test_that_features_are_not_taken_for_words() -> None:
    sentences = ((("a", "b"), ("c", "d")),)
    square, wide = (capture_tensor("activation", "x", torch.zeros(2, 2, n)) for n in (2, 5))
    assert with_words(square, sentences).columns == sentences[0]
    assert with_words(wide, sentences).rows == ()
    part = capture_tensor("attention", "x", torch.zeros(1, 4, 2, 5))  # the first of two samples
    assert with_words(part, sentences).rows == (("a", "b"),)
    assert with_words(part, sentences).columns == ()


@pytest.mark.parametrize("content", [b"", b"\x81", b"{}"])
def test_that_a_broken_file_is_told(tmp_path, content: bytes) -> None:
    path = tmp_path / "000000001.tensor"
    path.write_bytes(content)
    with pytest.raises(DiagnosticError) as found:
        tensor_files.read(path)
    assert found.value.problems[0].code == "A020"
