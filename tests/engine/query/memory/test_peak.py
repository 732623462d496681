"""The peak of a step, estimated before the run, beside what PyTorch allocates in steps that it
takes: of models of every kind, with the loader that feeds them.
"""

import gc

import pytest
import torch
from msgspec.structs import replace
from torch import nn
from torch.profiler import ProfilerActivity, profile

from engine.api import from_module
from engine.graph.memory_report import GROWTH_OF_PROCESS, MemoryReport, MemoryRow
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.project.project import read_template
from engine.query.memory import room
from engine.query.memory.answer import estimate
from engine.spec.run import Choice, DataSpec, RunSpec
from engine.train.loop import train_epoch
from engine.train.training import Training, build_training
from tests.tiny_run import CROSS_ENTROPY, iris_spec

SIZE = 64  # of the pictures of ResNet-18, on a side
MARK = 12_345_664  # bytes of a tensor that says in the record of allocations where steps begin


def resnet18() -> tuple[Graph, RunSpec]:
    """Return ResNet-18 as torchvision has it, and a recipe for random pictures."""
    import torchvision

    module = torchvision.models.resnet18(num_classes=10)
    graph = from_module(module, (torch.zeros(2, 3, SIZE, SIZE),))
    nodes = {
        key: replace(node, params=node.params | {"field": "image"})
        if node.type == "Input"
        else node
        for key, node in graph.nodes.items()
    }
    (name,) = (node.name for node in nodes.values() if node.type == "Output")
    random = {"kind": "image", "shape": (3, SIZE, SIZE), "samples": 64, "classes": 10}
    data = DataSpec(source=Choice(type="random", params=random))
    loss = replace(CROSS_ENTROPY, inputs=CROSS_ENTROPY.inputs | {"input": f"model.{name}"})
    return replace(graph, nodes=nodes), iris_spec(data=data, losses=(loss,))


def template(name: str) -> tuple[Graph, RunSpec]:
    """Return model and recipe of a template."""
    document = read_template(name)
    return document.graph, document.spec


def allocated(training: Training) -> int:
    """Return the most bytes that the tensors of three steps take, with the model and without what
    the loader keeps of the data.
    """
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        torch.empty(MARK, dtype=torch.uint8)
        for _ in range(3):
            for _ in zip(
                range(1), train_epoch(training, 0, 0, training.epoch_meter()), strict=False
            ):
                pass
    events = [each for each in seen.profiler.kineto_results.events() if each.name() == "[memory]"]
    sizes = [each.nbytes() for each in sorted(events, key=lambda event: event.start_ns())]
    used = most = 0
    for size in sizes[sizes.index(-MARK) + 1 :]:
        used += size
        most = max(most, used)
    model: nn.Module = training.model
    return most + sum(value.nbytes for value in (*model.parameters(), *model.buffers()))


@pytest.mark.row("N12", "S294")
@pytest.mark.parametrize(
    ("name", "batch"),
    [
        ("resnet18", 16),
        ("digits-cnn", 256),
        ("encoder-rnn", 64),
        ("character-gpt", 16),
        ("penguins-tabular", 192),
        ("unet", 128),
    ],
)
def test_that_the_peak_is_within_a_tenth_of_what_pytorch_allocates(name: str, batch: int) -> None:
    graph, spec = resnet18() if name == "resnet18" else template(name)
    data = replace(spec.data, batch_size=batch)
    spec = replace(spec, data=data, device="cpu", threads=1, metrics=())
    expected = estimate(graph, spec)
    training = build_training(graph, spec, to_module(graph))
    gc.collect()
    assert expected.peak == pytest.approx(allocated(training), rel=0.1)


def test_that_a_process_on_a_cpu_is_given_room_for_more_than_its_tensors() -> None:
    least, most = GROWTH_OF_PROCESS
    report = MemoryReport(rows=(MemoryRow(place="a", saved=1000),), peak=2000)
    assert report.most_of_process == (round(2000 * least), round(2000 * most))
    assert room.room_for_tensors(torch.device("cpu"), report.most_of_process[1]) == report.most
