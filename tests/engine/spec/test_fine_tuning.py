"""Fine-tuning as one change of model and specification."""

import pytest
import torch

from engine.graph.edit.edits import apply
from engine.graph.node_state.freezing import FreezeNodes
from engine.importer.module import from_module
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.spec.fine_tuning import FineTuning, fine_tuned, parts_of, trained_count
from engine.spec.run import Choice, ParameterGroup
from tests.tiny_run import RANDOM_LAYERS, iris_graph, iris_spec


def choice(frozen, classes=10, head_rate=0.01, rate=0.001):
    return FineTuning(frozen=frozen, classes=classes, head_rate=head_rate, rate=rate)


def trained_names(model):
    return [name for name, weight in model.named_parameters() if weight.requires_grad]


@pytest.fixture(scope="module")
def resnet():
    with torch.random.fork_rng(devices=[]):
        import torchvision

        return from_module(torchvision.models.resnet18(), (torch.zeros(1, 3, 32, 32),))


@pytest.mark.row("S119")
def test_that_resnet18_with_all_but_a_new_head_frozen_trains_5130_parameters(resnet):
    analysis = analyse(resnet)
    parts = parts_of(resnet, analysis)
    assert [part.name for part in parts if part.is_head] == ["fc"]
    wanted = choice(len(parts) - 1)
    graph, spec = fine_tuned(resnet, iris_spec(), wanted)
    model = to_module(graph)
    assert trained_names(model) == ["fc.weight", "fc.bias"]
    trained = sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
    total = sum(weight.numel() for weight in model.parameters())
    assert (trained, total) == (5_130, 11_181_642)
    assert trained_count(resnet, analysis, parts, wanted) == (trained, total)
    found = analyse(graph)
    assert (found.parameters, found.frozen) == (total, total - trained)
    assert spec.optimizer == Choice(type="AdamW", params={"lr": 0.01})
    assert spec.groups == ()


@pytest.mark.row("S120")
@pytest.mark.row("S170")
def test_that_resnet18_frozen_until_layer1_has_its_names_and_batch_norms_and_two_rates(resnet):
    parts = parts_of(resnet, analyse(resnet))
    assert [part.name for part in parts[:3]] == ["conv1", "bn1", "layer1"]
    graph, spec = fine_tuned(resnet, iris_spec(), choice(3, rate=0.002))
    model = to_module(graph).train()
    still = [name for name, weight in model.named_parameters() if not weight.requires_grad]
    assert {name.partition(".")[0] for name in still} == {"conv1", "bn1", "layer1"}
    modes = {name: m.training for name, m in model.named_modules() if "bn" in name}
    assert not any(modes[name] for name in modes if name.startswith(("bn1", "layer1")))
    assert all(modes[name] for name in modes if name.startswith(("layer2", "layer4")))
    assert spec.optimizer.params["lr"] == 0.002
    assert spec.groups == (ParameterGroup(match="fc", params={"lr": 0.01}),)


def test_that_the_second_time_what_was_frozen_first_is_trained_again():
    graph = iris_graph(*RANDOM_LAYERS)
    once, spec = fine_tuned(graph, iris_spec(), choice(2, classes=3))
    assert [node.id for node in once.nodes.values() if node.frozen] == ["hidden", "norm"]
    again, after = fine_tuned(once, spec, choice(1, classes=3, head_rate=0.5))
    assert [node.id for node in again.nodes.values() if node.frozen] == ["hidden"]
    assert after.groups == (ParameterGroup(match="head", params={"lr": 0.5}),)


def test_that_a_head_that_was_frozen_is_trained():
    graph = apply(FreezeNodes(ids=("head", "hidden")), iris_graph())
    after, _ = fine_tuned(graph, iris_spec(), choice(0, classes=3))
    assert not any(node.frozen for node in after.nodes.values())
