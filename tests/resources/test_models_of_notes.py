"""The models that courses and tutorials use: state_dict, counts and shapes as in their classes."""

import math

import pytest
import torch
from torch import Tensor, nn

from engine.data.source.phrases import french_words
from engine.export.job import ExportJob
from engine.export.python_file import write_python
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import to_source
from engine.train.training import build_training
from tests.resources.test_templates import NAMES, document_of

Shapes = dict[str, tuple[int, ...]]


def dense(name: str, into: int, out: int) -> Shapes:
    return {f"{name}.weight": (out, into), f"{name}.bias": (out,)}


def conv(name: str, into: int, out: int, kernel: int) -> Shapes:
    return {f"{name}.weight": (out, into, kernel, kernel), f"{name}.bias": (out,)}


def norm(name: str, channels: int) -> Shapes:
    vectors = ("weight", "bias", "running_mean", "running_var")
    return {
        **{f"{name}.{vector}": (channels,) for vector in vectors},
        f"{name}.num_batches_tracked": (),
    }


def gru(name: str, size: int) -> Shapes:
    return {
        f"{name}.weight_ih_l0": (3 * size, size),
        f"{name}.weight_hh_l0": (3 * size, size),
        f"{name}.bias_ih_l0": (3 * size,),
        f"{name}.bias_hh_l0": (3 * size,),
    }


def numbers(shapes: Shapes) -> int:
    """Return how many numbers weights of these shapes have."""
    return sum(math.prod(shape) for shape in shapes.values())


LENET_DENSE = dense("fc1", 400, 120) | dense("fc2", 120, 84) | dense("fc3", 84, 10)
ENGLISH, FRENCH = 512, len(french_words())
ENCODER = {"encoder.embedding.weight": (ENGLISH, 256)} | gru("encoder.gru", 256)
DECODER = {"decoder.embedding.weight": (FRENCH + 1, 256)} | gru("decoder.gru", 256)
DECODER |= dense("decoder.out", 256, FRENCH)
ENCODER_RNN = ENCODER | dense("classifier", 256, 4)
ATTENTION = dense("decoder.attn", 512, 10) | dense("decoder.attn_combine", 512, 256)

MODELS = [
    pytest.param(
        "two-layer-raw",
        {"w1": (1000, 100), "w2": (100, 10)},
        101_000,
        marks=pytest.mark.row("S102"),
    ),
    pytest.param(
        "mnist-cnn",
        conv("conv1", 1, 32, 3)
        | conv("conv2", 32, 64, 3)
        | conv("conv3", 64, 64, 3)
        | dense("dense1", 576, 64)
        | dense("dense2", 64, 10),
        93_322,
        marks=pytest.mark.row("S104"),
    ),
    pytest.param(
        "cnn-net",
        conv("conv1", 1, 32, 3)
        | conv("conv2", 32, 64, 3)
        | dense("fc1", 9216, 128)
        | dense("fc2", 128, 10),
        1_199_882,
        marks=pytest.mark.row("S105"),
    ),
    pytest.param(
        "lenet-colour",
        conv("conv1", 3, 6, 5) | conv("conv2", 6, 16, 5) | LENET_DENSE,
        62_006,
        marks=pytest.mark.row("S106"),
    ),
    pytest.param(
        "lenet",
        conv("conv1", 1, 6, 5) | conv("conv2", 6, 16, 5) | LENET_DENSE,
        61_706,
        marks=pytest.mark.row("S107"),
    ),
    pytest.param(
        "my-network",
        conv("features.conv", 3, 64, 3)
        | norm("features.bn", 64)
        | dense("features.fc", 64 * 14 * 14, 512)
        | dense("classifier", 512, 10),
        6_430_090,
        marks=pytest.mark.row("S108"),
    ),
    pytest.param(
        "conv-net",
        conv("layer1.0", 1, 16, 5)
        | norm("layer1.1", 16)
        | conv("layer2.0", 16, 32, 5)
        | norm("layer2.1", 32)
        | dense("fc", 7 * 7 * 32, 10),
        29_034,
        marks=pytest.mark.row("S109"),
    ),
    pytest.param(
        "fashion-mlp",
        dense("linear_relu_stack.0", 784, 512)
        | dense("linear_relu_stack.2", 512, 512)
        | dense("linear_relu_stack.4", 512, 10),
        669_706,
        marks=pytest.mark.row("S110"),
    ),
    pytest.param(
        "mlp-two-ways",
        dense("net.0", 20, 256)
        | dense("net.2", 256, 10)
        | dense("mlp.hidden", 20, 256)
        | dense("mlp.out", 256, 10),
        15_892,
        marks=pytest.mark.row("S111"),
    ),
    pytest.param(
        "nest-mlp",
        dense("chimera.0.net.0", 4, 64)
        | dense("chimera.0.net.2", 64, 32)
        | dense("chimera.0.linear", 32, 16)
        | dense("chimera.1", 16, 20)
        | dense("chimera.2.linear", 20, 20),
        3_688,
    ),
    pytest.param(
        "two-layer-sigmoid",
        {"w1": (4, 32), "w2": (32, 1)},
        160,
        marks=pytest.mark.row("S114"),
    ),
    pytest.param(
        "encoder-rnn",
        ENCODER_RNN,
        numbers(ENCODER_RNN),
        marks=pytest.mark.row("S115"),
    ),
    pytest.param(
        "decoder-rnn",
        ENCODER | DECODER,
        numbers(ENCODER | DECODER),
        marks=pytest.mark.row("S116"),
    ),
    pytest.param(
        "attention-decoder",
        ENCODER | DECODER | ATTENTION,
        numbers(ENCODER | DECODER | ATTENTION),
        marks=pytest.mark.row("S117"),
    ),
    pytest.param(
        "bilinear-pooling",
        conv("conv1", 3, 16, 3) | conv("conv2", 16, 32, 3) | dense("fc", 32 * 32, 10),
        15_338,
        marks=pytest.mark.row("S126"),
    ),
]


def module_of(name: str) -> nn.Module:
    torch.manual_seed(0)
    return to_module(document_of(name).graph)


def shape_after(graph: Graph, node: str) -> tuple[int | str, ...]:
    """Return what comes out of a node, without the batch axis."""
    return next(iter(analyse(graph).nodes[node].outputs.values())).shape[1:]


@pytest.mark.parametrize(("name", "shapes", "parameters"), MODELS)
def test_that_names_and_shapes_of_weights_are_those_of_the_class(name, shapes, parameters):
    module = module_of(name)
    assert {key: tuple(value.shape) for key, value in module.state_dict().items()} == shapes
    assert sum(weight.numel() for weight in module.parameters()) == parameters
    assert analyse(document_of(name).graph).parameters == parameters


@pytest.mark.row("S105")
def test_that_the_shapes_on_the_wires_of_cnn_net_are_the_printed_ones():
    graph = document_of("cnn-net").graph
    nodes = ("image", "conv1", "conv2", "pool", "flatten", "fc1", "fc2")
    assert [shape_after(graph, node) for node in nodes] == [
        (1, 28, 28), (32, 26, 26), (64, 24, 24), (64, 12, 12), (9216,), (128,), (10,),
    ]  # fmt: skip


@pytest.mark.row("S107")
def test_that_lenet_has_ten_parameters_and_ten_scores():
    module = module_of("lenet")
    assert len(list(module.parameters())) == 10
    assert module(torch.randn(1, 1, 32, 32)).shape == (1, 10)


@pytest.mark.row("S106")
def test_that_the_pooling_of_lenet_in_colour_is_one_layer_at_two_places():
    assert [name for name, _ in module_of("lenet-colour").named_children()] == [
        "conv1", "pool", "conv2", "fc1", "fc2", "fc3",
    ]  # fmt: skip


@pytest.mark.row("S104")
def test_that_the_mnist_network_gives_probabilities_beside_its_scores():
    logits, probabilities = module_of("mnist-cnn")(torch.randn(3, 1, 28, 28))
    torch.testing.assert_close(probabilities, logits.softmax(dim=1))


@pytest.mark.row("S111")
def test_that_both_ways_of_one_network_take_two_rows():
    module = module_of("mlp-two-ways")
    assert [scores.shape for scores in module(torch.randn(2, 20))] == [(2, 10), (2, 10)]


@pytest.mark.row("S102")
def test_that_two_plain_matrices_compute_what_is_written_by_hand():
    module = module_of("two-layer-raw")
    w1, w2 = (weight.detach() for weight in module.parameters())
    x = torch.randn(64, 1000)
    torch.testing.assert_close(module(x), x.mm(w1).clamp(min=0).mm(w2))
    spec = document_of("two-layer-raw").spec
    assert (spec.optimizer.type, spec.optimizer.params, spec.epochs) == ("SGD", {"lr": 1e-6}, 500)


@pytest.mark.row("S112", "S073")
def test_that_the_fixed_weights_inside_blocks_are_no_weights_and_one_layer_serves_twice():
    module = module_of("nest-mlp")
    fixed = module.get_submodule("chimera.2")
    before = fixed.get_buffer("rand_weight").clone()
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    module(torch.randn(8, 4)).sum().backward()
    optimizer.step()
    assert torch.equal(fixed.get_buffer("rand_weight"), before)
    x = torch.randn(8, 20)
    linear = fixed.get_submodule("linear")
    by_hand = linear(torch.relu(linear(x) @ before + 1))
    while by_hand.abs().mean() > 1:  # as often as these numbers need
        by_hand = by_hand / 2
    by_hand = by_hand.sum(dim=1, keepdim=True)
    torch.testing.assert_close(fixed(x), by_hand)


class AttentionStep(nn.Module):
    """A step of the tutorial's decoder with attention, written by hand for one sample."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(FRENCH + 1, 256)
        self.attn = nn.Linear(512, 10)
        self.attn_combine = nn.Linear(512, 256)
        self.gru = nn.GRU(256, 256)
        self.out = nn.Linear(256, FRENCH)

    def forward(
        self, word: Tensor, hidden: Tensor, encoder_outputs: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        embedded = self.embedding(word).view(1, 1, -1)
        weights = torch.softmax(self.attn(torch.cat((embedded[0], hidden[0]), 1)), dim=1)
        applied = torch.bmm(weights.unsqueeze(0), encoder_outputs.unsqueeze(0))
        combined = self.attn_combine(torch.cat((embedded[0], applied[0]), 1)).unsqueeze(0)
        output, hidden = self.gru(combined.relu(), hidden)
        return torch.log_softmax(self.out(output[0]), dim=1), hidden, weights


@pytest.mark.row("S117")
def test_that_the_attention_decoder_computes_what_the_tutorials_class_does():
    module = module_of("attention-decoder").eval()
    step = AttentionStep()
    step.load_state_dict(module.get_submodule("decoder").state_dict())
    words, previous = torch.randint(ENGLISH, (4, 10)), torch.randint(FRENCH + 1, (4,))
    results = module(words, previous)
    assert [tuple(result.shape) for result in results] == [(4, FRENCH), (1, 4, 256), (4, 10)]
    outputs, hidden = module.get_submodule("encoder")(words)
    for row in range(4):
        expected = step(previous[row], hidden[:, row : row + 1], outputs[row])
        torch.testing.assert_close(results[0][row], expected[0][0])
        torch.testing.assert_close(results[1][:, row], expected[1][:, 0])
        torch.testing.assert_close(results[2][row], expected[2][0])


@pytest.mark.row("S115")
def test_that_the_encoder_begins_with_a_hidden_state_of_zeros():
    encoder = module_of("encoder-rnn").get_submodule("encoder")
    words = torch.randint(ENGLISH, (2, 10))
    embedded = encoder.get_submodule("embedding")(words)
    outputs, hidden = encoder.get_submodule("gru")(embedded, torch.zeros(1, 2, 256))
    for given, expected in zip(encoder(words), (outputs, hidden), strict=True):
        torch.testing.assert_close(given, expected)


@pytest.mark.row("S126")
def test_that_bilinear_pooling_is_the_formula():
    x = torch.randn(2, 3, 32, 32)
    module = module_of("bilinear-pooling")
    seen: list[Tensor] = []
    pooling = module.get_submodule("fc")
    pooling.register_forward_pre_hook(lambda _module, args: seen.append(args[0]))
    maps: list[Tensor] = []
    module.get_submodule("pool2").register_forward_hook(lambda _m, _a, out: maps.append(out))
    module(x)
    flat = maps[0].flatten(2)
    product = (flat @ flat.transpose(1, 2) / flat.shape[2]).flatten(1)
    signed = product.sign() * (product.abs() + 1e-5).sqrt()
    torch.testing.assert_close(seen[0], nn.functional.normalize(signed))
    torch.testing.assert_close(seen[0].norm(dim=1), torch.ones(2))


def test_that_the_features_of_every_level_are_outputs():
    shapes = [tuple(out.shape) for out in module_of("feature-levels")(torch.randn(2, 3, 32, 32))]
    assert shapes == [
        (2, 16, 16, 16), (2, 32, 8, 8), (2, 64, 4, 4), (2, 128, 2, 2), (2, 10),
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_that_a_template_takes_two_steps_and_its_loss_goes_down(name):
    document = document_of(name)
    torch.manual_seed(document.spec.seed)
    training = build_training(document.graph, document.spec, to_module(document.graph))
    batch = {key: value[:8] for key, value in next(iter(training.epoch_batches(0, 0))).items()}
    training.model.eval()  # without dropout, so that losses of one batch can be compared
    losses = []
    for _ in range(3):
        torch.manual_seed(document.spec.seed)  # so is the noise of those that draw some
        outputs = training.model(*(batch[field] for field in training.input_fields))
        loss = training.loss(outputs, batch)[0]
        losses.append(loss.item())
        training.optimizer.zero_grad()
        loss.backward()
        training.optimizer.step()
    assert losses[2] < losses[0]


@pytest.mark.real
def test_that_the_exported_python_of_every_template_runs_by_itself(plain_python, tmp_path):
    for name in NAMES:
        graph = document_of(name).graph
        module = to_module(graph).eval()
        job = ExportJob(title=name, graph=graph, source=to_source(graph), module=module)
        write_python(job, tmp_path / f"{name.replace('-', '_')}.py")
    everyone = "import runpy, sys; [runpy.run_path(f, run_name='__main__') for f in sys.argv[1:]]"
    files = sorted(str(path) for path in tmp_path.glob("*.py"))
    assert len(files) == len(NAMES)
    assert "torch.float32" in plain_python.output(everyone, *files, folder=tmp_path)


@pytest.mark.row("S108")
def test_that_each_kind_of_layer_begins_by_a_function_of_its_own() -> None:
    source = to_source(document_of("my-network").graph)
    for line in (
        'nn.init.kaiming_normal_(self.conv.weight, mode="fan_out", nonlinearity="relu")',
        "nn.init.ones_(self.bn.weight)",
        "nn.init.xavier_normal_(self.fc.weight)",
        "nn.init.constant_(self.fc.bias, 0.0)",
    ):
        assert f"        {line}\n" in source
