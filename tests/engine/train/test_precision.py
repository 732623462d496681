"""Mixed precision and the switches for speed, on the CPU; what needs a GPU is told there."""

import math

import pytest
import torch

from engine.api import check
from engine.archive.weights import copy_fitting
from engine.diagnostics import DiagnosticError
from engine.export.formats import find_format
from engine.export.job import build_job, load_trained
from engine.inspect.observer import Observer
from engine.model.module import to_module
from engine.query.memory.answer import estimate
from engine.query.results.prediction import predict
from engine.query.trace.answer import trace_forward
from engine.query.trace.request import TraceForward
from engine.query.trained import open_trained
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, ClipSpec, ComputeSpec, DataSpec, LossTerm
from engine.train.checkpoint.file import load_checkpoint
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.loop import train_epoch
from engine.train.precision import Precision, require_double
from engine.train.ranks.world import World
from engine.train.training import build_training
from tests.tiny_run import (
    CROSS_ENTROPY,
    RANDOM_LAYERS,
    chain,
    curves,
    iris_graph,
    iris_spec,
    make_run,
    node,
    train,
)

HALF = ComputeSpec(precision="float16")
BRAIN = ComputeSpec(precision="bfloat16")


def training_of(compute, graph=None, **changes):
    torch.manual_seed(0)
    graph = graph or iris_graph()
    return build_training(graph, iris_spec(compute=compute, **changes), to_module(graph))


def take_steps(training, count=2):
    steps = train_epoch(training, 0, 0, training.new_meter())
    return [result for _, result in zip(range(count), steps, strict=False)]


class Dtypes(Observer):
    """Notes in which numbers each layer answers, and how large the gradients are."""

    def __init__(self):
        self.seen, self.norms, self._handles = {}, [], []

    def begin(self, batch):
        self._batch = batch

    def gradients(self, model):
        self.norms.append(max(float(p.grad.abs().max()) for p in model.parameters()))


@pytest.mark.row("S259", "P25")
@pytest.mark.parametrize(("compute", "dtype"), [(HALF, torch.float16), (BRAIN, torch.bfloat16)])
def test_that_matrix_products_are_computed_in_16_bits_and_the_loss_in_32(compute, dtype):
    training = training_of(compute)
    seen = []
    training.model.head.register_forward_hook(lambda *made: seen.append(made[2].dtype))
    result = take_steps(training, 1)[0]
    assert seen == [dtype]
    assert math.isfinite(result.loss)
    assert {weight.dtype for weight in training.model.parameters()} == {torch.float32}


@pytest.mark.row("S259")
def test_that_a_loss_that_a_model_leaves_out_does_not_end_a_run_in_16_bits():
    layer = torch.nn.Linear(4, 3)
    inputs = [torch.ones(2, 4)]
    logits, loss = Precision(BRAIN, torch.device("cpu")).forward(lambda x: (layer(x), None), inputs)
    assert logits.dtype == torch.float32
    assert loss is None


@pytest.mark.row("S008")
def test_that_float64_is_the_type_of_weights_data_loss_and_gradients():
    def wide_loss(precision):
        graph, compute = iris_graph(*RANDOM_LAYERS), ComputeSpec(precision=precision)
        term = LossTerm(
            loss=Choice(type="CrossEntropyLoss", params={"weight": (0.5, 1.0, 2.0)}),
            inputs=CROSS_ENTROPY.inputs,
        )
        torch.manual_seed(0)
        spec = iris_spec(compute=compute, losses=(term,))
        training = build_training(graph, spec, to_module(graph))
        batch = next(training.epoch_batches(0, 0))
        outputs = training.precision.forward(training.network, (batch["features"],))
        loss, _ = training.loss(outputs, batch)
        loss.backward()
        return training, batch, loss.detach()

    training, batch, loss = wide_loss("float64")
    model = training.model
    wide = [batch["features"], loss, model.norm.running_mean, *model.parameters()]
    assert {value.dtype for value in wide} == {torch.float64}
    assert {weight.grad.dtype for weight in model.parameters()} == {torch.float64}
    assert batch["label"].dtype is torch.int64
    _, narrow_batch, narrow = wide_loss("float32")
    assert narrow.dtype is torch.float32
    assert torch.equal(batch["features"], narrow_batch["features"].double())
    assert float(loss) != float(narrow)
    assert float(loss) == pytest.approx(float(narrow), rel=1e-5)
    kept = [
        estimate(iris_graph(), iris_spec(compute=ComputeSpec(precision=each))).rows
        for each in ("float32", "float64")
    ]
    assert [row.parameters for row in kept[1]] == [2 * row.parameters for row in kept[0]]
    assert torch.get_default_dtype() is torch.float32


@pytest.mark.row("S008")
def test_that_a_run_in_float64_is_checked_and_traced_in_it():
    spec = iris_spec(compute=ComputeSpec(precision="float64"))
    checked = check(iris_graph(), spec)
    assert not [problem for problem in checked.problems if problem.severity == "error"]
    reports = checked.analysis.nodes.values()
    assert {kind.dtype for node in reports for kind in node.outputs.values()} == {"float64"}
    traced = trace_forward(TraceForward(graph=iris_graph(), precision="float64"))
    assert {line.dtype for line in traced.lines} == {"float64"}


@pytest.mark.row("S008")
def test_that_a_run_in_float64_is_resumed_asked_and_exported_in_it(tmp_path):
    run = make_run(tmp_path, compute=ComputeSpec(precision="float64"), epochs=1)
    assert train(run).status is RunStatus.FINISHED
    assert train(run, resume="latest", length=2).status is RunStatus.FINISHED
    stored = open_checkpoint(run, "last").model
    assert {value.dtype for value in stored.values()} == {torch.float64, torch.int64}
    given = {"features": (5.1, 3.5, 1.4, 0.2)}
    assert len(predict(open_trained(run, "last"), given).values) == 3
    module, _ = load_trained(run, "last")
    assert all(torch.equal(value, stored[name]) for name, value in module.state_dict().items())
    job, _ = build_job(run.path, "last")
    for name in ("state-dict", "state-dict-half", "safetensors", "python"):
        form = find_format(name)
        _, difference = form.writer()(job, tmp_path / f"{name}{form.suffix}")
        assert difference < 1e-2 if "half" in name else difference == 0


@pytest.mark.row("S008")
def test_that_float64_takes_weights_of_float32_and_is_refused_where_there_is_none():
    model = to_module(iris_graph())
    found = {name: value.clone() for name, value in model.state_dict().items()}
    assert copy_fitting(model.double(), found, "weights.safetensors") is None
    assert torch.equal(model.head.weight, found["head.weight"].double())
    require_double(torch.device("cpu"))
    with pytest.raises(DiagnosticError) as refusal:
        require_double(torch.device("mps"))
    assert refusal.value.problems[0].code == "R189"


@pytest.mark.row("S260")
@pytest.mark.row("S261")
def test_that_gradients_are_seen_and_clipped_without_their_scale():
    plain, scaled = training_of(ComputeSpec()), training_of(HALF, clip=ClipSpec(kind="norm"))
    seen = [Dtypes(), Dtypes()]
    for training, observer in zip((plain, scaled), seen, strict=True):
        training.probe.add(observer)
        result = take_steps(training, 1)[0]
    assert seen[1].norms[0] == pytest.approx(seen[0].norms[0], rel=0.02)
    assert result.scale == 65536.0
    assert result.norm < 100


@pytest.mark.row("S260")
def test_that_a_step_whose_gradients_overflow_is_left_out_and_the_scale_halved():
    training = training_of(HALF)
    before = {name: weight.clone() for name, weight in training.model.named_parameters()}
    training.model.head.weight.register_hook(lambda gradient: gradient * math.inf)
    take_steps(training, 1)
    assert training.precision.scale == 32768.0
    after = dict(training.model.named_parameters())
    assert all(torch.equal(value, after[name]) for name, value in before.items())


@pytest.mark.row("S245")
@pytest.mark.row("S263")
@pytest.mark.fault("F21")
@pytest.mark.parametrize("compute", [HALF, BRAIN], ids=["float16", "bfloat16"])
def test_that_a_resume_in_mixed_precision_is_bit_for_bit_the_run_never_stopped(tmp_path, compute):
    graph = iris_graph(*RANDOM_LAYERS)
    whole = make_run(tmp_path / "a", graph, compute=compute, epochs=2)
    assert train(whole).status is RunStatus.FINISHED
    first = make_run(tmp_path / "c", graph, compute=compute, epochs=1)
    assert train(first).status is RunStatus.FINISHED
    assert train(first, resume="latest", length=2).status is RunStatus.FINISHED
    assert curves(first)["train.loss"] == curves(whole)["train.loss"]
    assert ("train.scale" in curves(whole)) == (compute is HALF)
    state = open_checkpoint(first, "last").scaler
    assert bool(state) == (compute is HALF)
    assert state == open_checkpoint(whole, "last").scaler


def test_that_float16_is_refused_where_gradients_cannot_be_scaled():
    with pytest.raises(DiagnosticError) as refusal:
        Precision(HALF, torch.device("mps"))
    assert refusal.value.problems[0].code == "R182"


IMAGES = DataSpec(source=Choice(type="digits"))
CONVOLUTION = chain(
    node("Input", "image", field="image", shape=(1, 8, 8)),
    node("Conv2d", "conv", out_channels=4, kernel_size=3),
    node("ReLU", "act"),
    node("Flatten", "flat"),
    node("Linear", "head", out_features=10),
    node("Output", "logits"),
)


def test_that_channels_last_orders_weights_and_images_and_keeps_the_numbers():
    plain = training_of(ComputeSpec(), CONVOLUTION, data=IMAGES)
    ordered = training_of(ComputeSpec(channels_last=True), CONVOLUTION, data=IMAGES)
    seen = []
    ordered.model.conv.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    losses = [[result.loss for result in take_steps(each)] for each in (plain, ordered)]
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)
    assert all(image.is_contiguous(memory_format=torch.channels_last) for image in seen)
    assert ordered.model.conv.weight.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.row("S329", "S172")
def test_that_the_optimizer_has_the_parameters_of_the_model_where_it_was_placed():
    was = torch.__future__.get_overwrite_module_params_on_conversion()
    torch.__future__.set_overwrite_module_params_on_conversion(True)  # as on a device of XLA
    try:
        model = to_module(CONVOLUTION)
        given = {id(parameter) for parameter in model.parameters()}
        spec = iris_spec(compute=ComputeSpec(channels_last=True), data=IMAGES)
        training = build_training(CONVOLUTION, spec, model)
    finally:
        torch.__future__.set_overwrite_module_params_on_conversion(was)
    placed = {id(parameter) for parameter in training.model.parameters()}
    assert placed - given  # moved ones are others
    groups = training.optimizer.param_groups
    assert {id(parameter) for group in groups for parameter in group["params"]} == placed
    before = training.model.conv.weight.detach().clone()
    take_steps(training, 1)
    assert not torch.equal(training.model.conv.weight, before)


def test_that_a_watched_step_of_a_compiled_run_goes_the_ordinary_way(monkeypatch):
    monkeypatch.setattr(torch, "compile", lambda network: network)
    training = training_of(ComputeSpec(compile=True))
    assert training.forward_network() is training.compiled
    training.probe.add(Observer())
    assert training.forward_network() is training.network


def test_that_a_run_goes_on_uncompiled_where_the_compiler_gives_up(monkeypatch):
    from torch._dynamo.exc import TorchDynamoException

    def refuse(*_inputs):
        raise TorchDynamoException("no compiler")

    monkeypatch.setattr(torch, "compile", lambda _network: refuse)
    training = training_of(ComputeSpec(compile=True))
    assert all(math.isfinite(result.loss) for result in take_steps(training))
    assert training.compiled.take_problem().code == "R184"
    assert training.compiled.take_problem() is None


def test_that_a_checkpoint_from_before_mixed_precision_is_still_read(tmp_path):
    run = make_run(tmp_path, iris_graph(), epochs=1)
    train(run)
    path = max(run.checkpoints.iterdir())
    content = torch.load(path, weights_only=True)
    assert content.pop("format") == 2
    assert content.pop("scaler") == {}
    old = tmp_path / "old.ckpt"
    torch.save({**content, "format": 1}, old)
    assert load_checkpoint(old).scaler == {}


@pytest.mark.row("S262")
def test_that_a_model_is_wrapped_for_several_processes_on_its_device_and_inside_autocast():
    order = []

    class Several(World):
        def place(self, model, device):
            order.append("place")
            return super().place(model, device)

        def wrap(self, model, *, is_fixed):
            order.append("wrap")

            def wrapped(*inputs):
                order.append(torch.is_autocast_enabled("cpu"))
                return model(*inputs)

            return wrapped

    graph = iris_graph()
    training = build_training(graph, iris_spec(compute=BRAIN), to_module(graph), Several())
    take_steps(training, 1)
    assert order == ["place", "wrap", True]
