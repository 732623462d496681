"""What the processes of a run give each other comes as it was, and runs no code."""

import itertools
import math
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
import torch
from torch import Tensor

from engine.train.checkpoint.file import Position
from engine.train.ranks.exchange import Encoded, decode, encode, require_room
from engine.train.ranks.world import Orders, Task

Tree = dict[str, object]
DTYPES = [torch.float64, torch.bfloat16, torch.complex64, torch.bool, torch.int64, torch.uint8]


class Given(NamedTuple):
    """As what a run begins with."""

    model: dict[str, Tensor]
    optimizer: dict[str, object]
    position: Position


def received(value, kind):
    """Return a value as another process has it: with bytes of its own."""
    sent = encode(value)
    return decode(Encoded(sent.content.clone(), sent.sizes.clone()), kind)


def test_that_orders_come_as_they_were() -> None:
    orders = Orders(values=(("lr", 0.1), ("epochs", 3.0)), waits=True, task=Task.SAVE, folder="ö")
    assert received(orders, Orders) == orders
    assert received(Orders(), Orders) == Orders()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)], ids=str)
def test_that_tensors_come_bit_by_bit(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    value = (torch.rand(shape) * 9 - 4).to(dtype)
    found = received({"a": value, "b": [torch.ones(1, dtype=torch.uint8), value]}, Tree)
    for each in (found["a"], found["b"][1]):
        assert (each.dtype, each.shape) == (value.dtype, value.shape)
        assert torch.equal(each, value)


def test_that_a_view_of_a_tensor_comes_as_what_it_shows() -> None:
    value = torch.arange(12.0).reshape(3, 4).requires_grad_()
    assert torch.equal(received({"a": value.t()[1:]}, Tree)["a"], value.detach().t()[1:])


def test_that_what_a_run_begins_with_comes_as_it_was() -> None:
    given = Given(
        model=OrderedDict(a=torch.ones(2)),
        optimizer={
            "state": {0: {"step": torch.tensor(3.0), "none": None}},
            "groups": [{"betas": (0.9, 0.999), "params": [0], "on": True, "best": math.inf}],
        },
        position=Position(step=5, epoch=1, batch=2),
    )
    found = received(given, Given)
    assert found.position == given.position
    assert found.optimizer["groups"] == given.optimizer["groups"]
    assert found.optimizer["state"][0]["step"] == 3
    assert torch.equal(found.model["a"], given.model["a"])


def test_that_what_runs_code_is_not_given() -> None:
    with pytest.raises(TypeError, match="function"):
        encode({"a": lambda: None})


def forged(value: object, tensors: int = 16) -> Encoded:
    """Return a text of somebody who is no process of the run."""
    text = torch.frombuffer(bytearray(msgspec.msgpack.encode(value)), dtype=torch.uint8)
    content = torch.cat([torch.zeros(tensors, dtype=torch.uint8), text])
    return Encoded(content, torch.tensor([tensors, len(text)]))


def tensor(*told: object) -> object:
    return {"a": msgspec.msgpack.Ext(1, msgspec.msgpack.encode(told))}


@pytest.mark.parametrize(
    "value",
    [
        tensor("torch.float32", [5], 0),
        tensor("torch.float32", [1], 16),
        tensor("torch.float32", [-1], 0),
        tensor("torch.float32", [2**40, 2**40], 0),
        tensor("torch.float32", [1], -16),
        tensor("torch.float32", [1], 1),
        tensor("torch.qint8", [1], 0),
        tensor("os.system", [1], 0),
        tensor("torch.float32", "ab", 0),
        tensor(),
        {"a": msgspec.msgpack.Ext(3, b"")},
        {"a": msgspec.msgpack.Ext(2, b"\xc1")},
        [1, 2],
        {1: 2},
    ],
    ids=itertools.count(),
)
def test_that_what_no_process_of_the_run_sends_is_refused(value: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        decode(forged(value), Tree)


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self):
        return Path.touch, (self._path,)


def test_that_a_pickle_runs_no_code(tmp_path: Path) -> None:
    bomb = pickle.dumps(Bomb(tmp_path / "canary"))
    content = torch.frombuffer(bytearray(bomb), dtype=torch.uint8)
    with pytest.raises(ValueError, match="MessagePack"):
        decode(Encoded(content, torch.tensor([0, len(content)])), Tree)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "sizes", [(-16, 1), (8, 1), (0, 0), (0, -1), (0, 1 << 40), (1 << 60, 1)], ids=str
)
def test_that_a_length_that_cannot_be_takes_no_memory(sizes: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="from another process"):
        require_room(torch.tensor(sizes), 1)


def test_that_a_value_of_another_kind_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        received({"stops": True}, Orders)
    with pytest.raises(msgspec.ValidationError):
        received(Orders()._replace(task="run"), Orders)
