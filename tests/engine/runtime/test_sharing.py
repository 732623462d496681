"""Runs side by side, each on a GPU of its own where there are several."""

import msgspec
import pytest

from engine.runtime.run import RunHandle
from engine.runtime.sharing import spread
from engine.spec.run import ComputeSpec
from tests.tiny_run import iris_spec, make_run


def living(project, *devices):
    return [RunHandle(make_run(project, device=device)) for device in devices]


@pytest.mark.row("P21")
@pytest.mark.parametrize(
    ("taken", "device"),
    [
        ((), "cuda:0"),
        (("cuda:0",), "cuda:1"),
        (("cuda:1",), "cuda:0"),
        (("cuda:0", "cuda:1"), "cuda:0"),
    ],
)
def test_that_a_run_takes_a_gpu_that_no_other_has(tmp_path, taken, device):
    spec = iris_spec(device="auto")
    assert spread(spec, living(tmp_path, *taken), 2).device == device


@pytest.mark.parametrize(
    ("changes", "gpus"),
    [
        ({"device": "cpu"}, 2),
        ({"mode": "ddp"}, 2),
        ({"compute": ComputeSpec(gpus="0")}, 2),
        ({}, 1),
        ({}, 0),
    ],
)
def test_that_a_recipe_that_says_where_keeps_it(tmp_path, changes, gpus):
    spec = msgspec.structs.replace(iris_spec(device="auto"), **changes)
    assert spread(spec, (), gpus) == spec
