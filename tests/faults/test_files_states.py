"""Checkpoints whose states are not what the run can go on with: told, before a step is taken.

Each was seen to end the process, to write or read beyond its tensors, or to fail with what no user
can read.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from engine.diagnostics import DiagnosticError
from engine.query.ask import answer_for_user
from engine.query.results.request import ListKeptTensors
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice
from engine.train.checkpoint.file import load_checkpoint
from engine.train.checkpoint.restored import fitted, fitted_optimizer
from engine.train.devices import random_state, set_random_state
from tests.tiny_run import curves, make_run, train

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    schedule = Choice(type="StepLR", params={"step_size": 1})
    folder = make_run(tmp_path_factory.mktemp("states"), epochs=1, scheduler=schedule)
    train(folder)
    return folder


def first(content: dict[str, Any]) -> dict[str, Any]:
    return content["optimizer"]["state"][0]


def group(content: dict[str, Any]) -> dict[str, Any]:
    return content["optimizer"]["param_groups"][0]


def other_switch(content: dict[str, Any]) -> None:
    """Have a kernel chosen that does not look at sizes, and give it nothing to write to."""
    group(content)["fused"] = True
    for known in content["optimizer"]["state"].values():
        known["exp_avg"] = torch.zeros(0)


def hidden_method(content: dict[str, Any]) -> None:
    content["scheduler"]["step"] = 5


def hidden_word(content: dict[str, Any]) -> None:
    first(content)["exp_avg"] = "x"


def numpy_place(content: dict[str, Any]) -> None:
    kind, keys, _, *more = content["random"]["numpy"]
    content["random"]["numpy"] = (kind, keys, 1 << 30, *more)


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "weights that are a number": (lambda found: found.update(model=5), "K007"),
    "a weight that is a word": (lambda found: found["model"].update({"head.bias": "x"}), "K007"),
    "a step without end": (lambda found: found["position"].update(step=1 << 70), "K007"),
    "a negative epoch": (lambda found: found["position"].update(epoch=-1), "K007"),
    "a mark without end": (lambda found: found.update(mark=(1 << 70, 0)), "K007"),
    "a time that is no number": (lambda found: found.update(elapsed_s=float("nan")), "K007"),
    "no groups": (lambda found: found["optimizer"].update(param_groups=None), "K012"),
    "a word for a rate": (lambda found: group(found).update(lr="fast"), "K012"),
    "other weights": (lambda found: group(found).update(params=["a"] * 6), "K012"),
    "a state of no weight": (lambda found: found["optimizer"]["state"].update({99: {}}), "K012"),
    "a state that is a word": (hidden_word, "K012"),
    "a state of very many bytes": (lambda found: first(found).update(exp_avg=bytes(1000)), "K012"),
    "numpy's numbers from elsewhere": (numpy_place, "K012"),
    "a word for random numbers": (lambda found: found["random"].update(torch="x"), "K012"),
    "a word for the rate's step": (lambda found: found["scheduler"].update(last_epoch="x"), "K012"),
}


def changed(run: RunFolder, change: Callable[[dict[str, Any]], object]) -> str:
    """Write a changed copy of the last checkpoint and return its name."""
    content = torch.load(max(run.checkpoints.glob("step-*.ckpt")), weights_only=True)
    change(content)
    torch.save(content, run.checkpoints / "changed.ckpt")
    return "changed.ckpt"


@pytest.mark.fault("B05")
@pytest.mark.parametrize("name", CHANGES)
def test_that_a_state_that_does_not_fit_is_told(run, name):
    change, code = CHANGES[name]
    state = train(run, resume=changed(run, change), length=2)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code == code


@pytest.mark.fault("B05")
@pytest.mark.parametrize("change", [numpy_place, hidden_word], ids=["random", "optimizer"])
def test_that_a_state_that_does_not_fit_costs_nothing_of_the_record(tmp_path, change):
    """A run that is resumed from an earlier checkpoint goes back to it; not from one that is
    refused.
    """
    run = make_run(tmp_path, epochs=2)
    train(run)
    begun = min(run.checkpoints.glob("step-*.ckpt"))
    content = torch.load(begun, weights_only=True)
    content["optimizer"] = torch.load(max(run.checkpoints.glob("step-*.ckpt")), weights_only=True)[
        "optimizer"
    ]
    change(content)
    torch.save(content, run.checkpoints / "changed.ckpt")
    before = curves(run)
    state = train(run, resume="changed.ckpt")
    assert state.problem is not None
    assert state.problem.code == "K012"
    assert curves(run) == before
    known = {info.file for info in state.checkpoints}
    assert known == {path.name for path in run.checkpoints.glob("step-*.ckpt")}


@pytest.mark.fault("B05")
@pytest.mark.parametrize("change", [other_switch, hidden_method])
def test_that_switches_and_methods_stay_those_of_the_run(run, change):
    """A kernel of the file's choice would write beyond the tensors: a shape is refused then."""
    name = changed(run, change)
    state = train(run, resume=name, length=2)
    codes = {None if state.problem is None else state.problem.code}
    assert codes <= {None, "K012", "R137"}
    assert load_checkpoint(run.checkpoints / name).epochs


def optimizer_of(layer: nn.Module, **switches: bool) -> torch.optim.Optimizer:
    return torch.optim.AdamW(layer.parameters(), **switches)


def state_with(value: object, name: str = "exp_avg") -> dict[str, Any]:
    """Return the state of an optimizer of a layer with one value exchanged."""
    layer = nn.Linear(2, 3)
    optimizer = optimizer_of(layer)
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    state = optimizer.state_dict()
    state["state"][0][name] = value
    return state


@pytest.mark.parametrize(
    "value",
    [
        torch.zeros(0),
        torch.zeros(()),
        torch.zeros(3, 2, 1),
        torch.eye(3, 2).to_sparse(),
        torch.zeros(6),
    ],
    ids=["none", "one", "another order", "sparse", "flat"],
)
def test_that_a_kernel_that_does_not_look_gets_only_what_fits(value):
    optimizer = optimizer_of(nn.Linear(2, 3), fused=True)
    with pytest.raises(ValueError, match="exp_avg"):
        fitted_optimizer(optimizer, state_with(value))


def test_that_numbers_lie_as_those_of_the_weight():
    """A kernel goes through memory: steps of nothing would lead it out of it."""
    optimizer = optimizer_of(nn.Linear(2, 3), fused=True)
    state = state_with(torch.ones(6)[5:].expand(3, 2))
    found = fitted_optimizer(optimizer, state)["state"][0]["exp_avg"]
    assert found.is_contiguous()
    assert torch.equal(found, torch.ones(3, 2))
    assert found.untyped_storage().nbytes() >= 6 * 4


def test_that_a_state_cannot_choose_another_kernel():
    state = state_with(torch.zeros(3, 2))
    for name in ("fused", "foreach", "capturable", "amsgrad", "maximize"):
        state["param_groups"][0][name] = True
    own = optimizer_of(nn.Linear(2, 3))
    found = fitted_optimizer(own, state)["param_groups"][0]
    expected = own.state_dict()["param_groups"][0]
    assert {key: found[key] for key in expected} == expected


def test_that_a_state_tells_numbers_and_nothing_else():
    own = {"last_epoch": 0, "gamma": 0.5, "mode": "min", "_last_lr": [0.1], "is_on": False}
    told = {"last_epoch": 7, "gamma": 2, "mode": "max", "_last_lr": [0.3], "step": 5, "is_on": True}
    assert fitted(told, own) == {
        "last_epoch": 7,
        "gamma": 2.0,
        "mode": "min",
        "_last_lr": [0.3],
        "is_on": False,
    }
    for wrong in ({"gamma": "x"}, {"last_epoch": 1 << 70}, {"_last_lr": [1.0, 2.0]}, {"gamma": []}):
        with pytest.raises(ValueError, match="kind"):
            fitted(wrong, own)


@pytest.mark.parametrize(("left", "place"), [(624, 624), (624, 2), (0, 0), (-1, 5), (1, 1 << 40)])
def test_that_random_numbers_are_not_read_from_elsewhere(left, place):
    state = random_state(CPU)
    numbers = state["torch"]
    assert isinstance(numbers, torch.Tensor)
    content = bytearray(numbers.numpy().tobytes())
    content[8:12] = left.to_bytes(4, "little", signed=True)
    content[16:24] = place.to_bytes(8, "little")
    spoiled = {**state, "torch": torch.frombuffer(content, dtype=torch.uint8)}
    with pytest.raises(ValueError, match="random state"):
        set_random_state(spoiled, CPU)


def numpys(**changed: object) -> Callable[[dict[str, Any]], None]:
    """Return what gives a state of NumPy other values."""

    def change(state: dict[str, Any]) -> None:
        names = ("kind", "keys", "position", "has_gauss", "cached")
        values = dict(zip(names, state["numpy"], strict=True)) | changed
        state["numpy"] = tuple(values.values())

    return change


def torch_zeros(state: dict[str, Any]) -> None:
    state["torch"] = state["torch"].clone()
    state["torch"][24 : 24 + 8 * 624] = 0


WORDS = (1 << 31,) * 624


@pytest.mark.fault("B05")
@pytest.mark.parametrize(
    "change",
    [
        numpys(keys=[0] * 624),
        numpys(keys=[1] + [0] * 623),
        numpys(keys=torch.zeros(624)),
        numpys(keys=[]),
        numpys(keys=[1 << 40] * 624),
        numpys(keys=[-1] * 624),
        numpys(keys=[1] * 3_000_000),
        numpys(has_gauss=1 << 70),
        numpys(cached=10**400),
        lambda state: state.update(python=(3, (0,) * 624 + (624,), None)),
        lambda state: state.update(python=(3, (1 << 200,) * 625, None)),
        lambda state: state.update(python=(3, (*WORDS, 624), "x")),
        lambda state: state.update(python=(3, (*WORDS, 624), torch.zeros(3))),
        lambda state: state.update(python=(2, (*WORDS, 624), None)),
        torch_zeros,
    ],
    ids=[str(number) for number in range(15)],
)
def test_that_random_numbers_of_which_none_comes_are_refused(change):
    state = random_state(CPU)
    change(state)
    with pytest.raises(ValueError, match="random state"):
        set_random_state(state, CPU)


@pytest.mark.parametrize("kept", ["x", 3, torch.zeros(3), torch.zeros(3).to_sparse(), {}])
def test_that_a_state_of_a_device_that_is_not_here_is_passed_over(kept):
    before = random_state(CPU)
    set_random_state(before | {"cuda": kept, "mps": kept}, CPU)
    assert torch.equal(random_state(CPU)["torch"], before["torch"])


def test_that_every_state_of_random_numbers_is_taken_back():
    before = random_state(CPU)
    for draws in range(0, 1300, 7):
        torch.manual_seed(3)
        torch.rand(draws)
        set_random_state(random_state(CPU), CPU)
    set_random_state(before, CPU)


def test_that_looking_at_a_state_that_does_not_fit_is_told(run):
    name = changed(run, lambda found: first(found).update(exp_avg="x"))
    with pytest.raises(DiagnosticError) as caught:
        answer_for_user(ListKeptTensors(run_folder=str(run.path), checkpoint=name))
    assert caught.value.problems[0].code in {"K012", "K013"}
