"""Values made of what a process said that was taken over: it can say anything."""

from itertools import product
from pathlib import Path

import pytest
import torch

from engine.archive.plain_values import PlainValues
from engine.sandbox.inert import Kept, Made, Named, Pairs, PickleError

ROOT = Path(__file__).parents[3]
PATIENCE_S = 240
IS_LEAF = False
MODULUS = (1 << 61) - 1  # whole numbers that differ by it have one hash


def called(path: str, *arguments: object) -> Made:
    module, _, name = path.rpartition(".")
    return Made(Named(module, name), arguments, is_new=False)


def storage(kind: str) -> Kept:
    return Kept(("storage", Named("torch", f"{kind}Storage"), "0", "cpu", 0))


def tensor(kind: str, *sizes: int) -> Made:
    steps = tuple(1 for _ in sizes)
    return called("torch._utils._rebuild_tensor_v2", storage(kind), 0, sizes, steps, IS_LEAF, None)


def sparse_of_quantized() -> Made:
    layout = called("torch.serialization._get_layout", "torch.sparse_coo")
    parts = tensor("Long", 1, 2), tensor("QInt8", 2), (4,)
    return called("torch._utils._rebuild_sparse_tensor", layout, parts)


def quantized_by_fractions(scheme: str) -> Made:
    how = (Named("torch", scheme), tensor("Float", 2), tensor("Double", 2), 0)
    parts = storage("QInt32"), 0, (2, 1), (1, 1), how, IS_LEAF, None
    return called("torch._utils._rebuild_qtensor", *parts)


ENDING = {
    "a sparse tensor of quantized numbers": "sparse_of_quantized()",
    "zero points that are no whole numbers": "quantized_by_fractions('per_channel_affine')",
    "a scheme that is not for the dtype": (
        "quantized_by_fractions('per_channel_affine_float_qparams')"
    ),
}


def numbers(key: str, dtype: torch.dtype, count: int) -> torch.UntypedStorage:
    del key, dtype, count
    return torch.zeros(64, dtype=torch.uint8).untyped_storage()


def made(value: object) -> object:
    return PlainValues(numbers, 64).make(value)


@pytest.mark.real
@pytest.mark.fault("B06")
@pytest.mark.parametrize("name", ENDING)
def test_that_no_tensor_ends_the_process(name, plain_python):
    """Each was seen to end it: so another process tries."""
    code = f"""
from tests.engine.archive.test_plain_values import *
try:
    repr(made({ENDING[name]}))
except PickleError:
    print("refused")
"""
    done = plain_python.run(code=code, folder=ROOT, path=[ROOT])
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr


def colliding(count: int) -> list[object]:
    """Return tuples that are different and have one hash."""
    alike = [5 + turn * MODULUS for turn in range(8)]
    found = [one for one, _ in zip(product(alike, repeat=6), range(count), strict=False)]
    assert len({hash(one) for one in found}) == 1
    return list(found)


def pairs(keys: list[object]) -> Pairs:
    found = Pairs()
    found.items = [(key, None) for key in keys]
    return found


@pytest.mark.fault("B06")
@pytest.mark.parametrize("kind", ["a dictionary", "a set", "many dictionaries"])
def test_that_keys_with_one_hash_are_refused_before_they_are_compared(kind):
    keys = colliding(100_000 if kind != "many dictionaries" else 1000)
    value = {
        "a dictionary": lambda: pairs(keys),
        "a set": lambda: called("builtins.set", keys),
        "many dictionaries": lambda: [pairs(keys) for _ in range(1000)],
    }[kind]()
    with pytest.raises(PickleError):
        made(value)


def test_that_as_many_keys_as_files_of_weights_have_are_read():
    names = [f"layers.{one}.weight" for one in range(100_000)]
    assert len(made(pairs([*names]))) == 100_000
    assert len(made(pairs([*range(3, 200_000)]))) == 200_000 - 3
    assert len(made(pairs([one * 7919 for one in range(2000)]))) == 2000
    assert len(made(pairs([(one, "a") for one in range(1000)]))) == 1000
    assert made(called("builtins.set", [1, "a", (2, 3)])) == {1, "a", (2, 3)}


def test_that_a_name_imports_nothing(monkeypatch):
    """PyTorch imports some of its parts when they are asked for."""
    asked: list[str] = []
    monkeypatch.setattr(torch, "__getattr__", asked.append)
    for name in ("_inductor", "onnx", "no_such_thing"):
        with pytest.raises(PickleError):
            made(Named("torch", name))
    assert asked == []


def test_that_counting_a_dictionary_again_and_again_is_refused():
    counted = pairs([f"{one}" for one in range(1000)])
    counted.items = [(key, 1) for key, _ in counted.items]
    with pytest.raises(PickleError):
        made([called("collections.Counter", counted) for _ in range(10_000)])


@pytest.mark.parametrize("version", ["2", 1.5, [1]])
def test_that_versions_of_modules_are_numbers(version):
    ordered = called("collections.OrderedDict")
    ordered.state = Pairs()
    inner = Pairs()
    outer = Pairs()
    inner.items = [("version", version)]
    outer.items = [("", inner)]
    ordered.state.items = [("_metadata", outer)]
    with pytest.raises(PickleError):
        made(ordered)
