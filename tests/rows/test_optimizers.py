"""Rows of the capability table about optimizers, schedulers and the order of a step."""

import inspect

import msgspec
import pytest
import torch
from torch import nn, optim
from torch.optim import Optimizer

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.query.ask import ask
from engine.query.rate.request import PreviewLr
from engine.runs.record.store import RunStore
from engine.spec.fields import fields, set_text, set_value
from engine.spec.run import Choice, RunSpec
from engine.spec.scheduler_rule import check_scheduler
from engine.train import phase
from engine.train.optim import build_optimizer, learning_rates, set_learning_rate
from tests.tiny_run import iris_spec, make_run, train

SGD_KEYS = {
    "params", "lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize", "foreach",
    "differentiable", "fused",
}  # fmt: skip


HIDDEN = {"params", "differentiable"}  # the second is for gradients of the optimizer itself


def form_of(spec: RunSpec, part: str) -> set[str]:
    """Return the parameters that the form of a choice shows."""
    return {name.partition(".")[2] for name in fields(spec) if name.startswith(f"{part}.")}


@pytest.mark.row("S163")
def test_that_the_form_of_sgd_has_every_key_of_its_parameter_groups() -> None:
    params = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01, "nesterov": True}
    choice = Choice(type="SGD", params=params)
    (group,) = build_optimizer(choice, nn.Linear(2, 1)).param_groups
    assert group.keys() == SGD_KEYS
    assert form_of(iris_spec(optimizer=choice), "optimizer") == SGD_KEYS - HIDDEN
    assert {name: group[name] for name in params} == params
    assert group["dampening"] == 0


@pytest.mark.row("S164")
@pytest.mark.parametrize("key", ["Adam", "AdamW"])
@pytest.mark.parametrize("rate", [1e-4, 1e-3])
def test_that_adam_and_adamw_take_the_steps_of_torch(key: str, rate: float) -> None:
    mine = nn.Linear(3, 2)
    theirs = nn.Linear(3, 2)
    theirs.load_state_dict(mine.state_dict())
    chosen = build_optimizer(Choice(type=key, params={"lr": rate}), mine)
    twin = getattr(optim, key)(theirs.parameters(), lr=rate)
    for model, optimizer in ((mine, chosen), (theirs, twin)):
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(4, 3)).square().sum().backward()
            optimizer.step()
    assert all(
        torch.equal(a, b) for a, b in zip(mine.parameters(), theirs.parameters(), strict=True)
    )
    assert {"betas", "eps", "weight_decay", "amsgrad"} <= form_of(
        iris_spec(optimizer=Choice(type=key)), "optimizer"
    )


@pytest.mark.row("S165")
def test_that_every_optimizer_of_torch_is_offered() -> None:
    there = {
        name
        for name, kind in vars(optim).items()
        if inspect.isclass(kind) and issubclass(kind, Optimizer) and kind is not Optimizer
    }
    assert {entry.key for entry in catalog().group(EntryGroup.OPTIMIZER)} == there
    assert len(there) >= 15
    for key in ("Adagrad", "Adadelta", "RMSprop", "SGD"):
        run = iris_spec(optimizer=Choice(type=key), metrics=())
        assert learning_rates(build_optimizer(run.optimizer, nn.Linear(2, 1)))


@pytest.mark.row("S166")
def test_that_a_step_forgets_gradients_then_goes_back_then_moves(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def spied(owner: object, name: str) -> None:
        original = getattr(owner, name)

        def called(*arguments: object, **options: object) -> object:
            calls.append(name)
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, called)

    spied(phase, "clear_gradients")
    spied(torch.Tensor, "backward")
    spied(optim.SGD, "step")
    run = make_run(tmp_path, optimizer=Choice(type="SGD"), epochs=1, metrics=())
    assert train(run).step == 4
    assert calls == ["clear_gradients", "backward", "step"] * 4


@pytest.mark.row("S175")
@pytest.mark.parametrize(
    ("key", "params", "expected"),
    [
        ("ExponentialLR", {"gamma": 0.5}, [0.1, 0.05, 0.025, 0.0125]),
        ("MultiStepLR", {"milestones": (1, 3), "gamma": 0.1}, [0.1, 0.01, 0.01, 0.001]),
        ("StepLR", {"step_size": 2, "gamma": 0.1}, [0.1, 0.1, 0.01, 0.01]),
        ("CosineAnnealingLR", {"T_max": 2}, [0.1, 0.05, 0.0, 0.05]),
    ],
)
def test_that_a_schedule_is_seen_before_the_run_and_is_the_one_of_the_run(
    tmp_path, key: str, params: dict, expected: list[float]
) -> None:
    changes = {
        "optimizer": Choice(type="SGD", params={"lr": 0.1}),
        "scheduler": Choice(type=key, params=params),
        "epochs": 4,
        "metrics": (),
    }
    curve = ask(PreviewLr(spec=iris_spec(**changes), steps_per_epoch=4))
    (values,) = curve.values  # all parameters are in one group
    seen = dict(zip(curve.steps, values, strict=True))
    assert [seen[step] for step in (1, 5, 9, 13)] == pytest.approx(expected, abs=1e-12)
    run = make_run(tmp_path, **changes)
    train(run)
    with RunStore.open(run.path) as store:
        points = store.scalars("lr")
    assert {step: seen[step] for step in points.steps.tolist()} == dict(
        zip(points.steps.tolist(), points.values.tolist(), strict=True)
    )


@pytest.mark.row("S175")
def test_that_a_plateau_lowers_the_rate_of_a_run_that_gets_no_better(tmp_path) -> None:
    params = {"patience": 0, "factor": 0.5, "threshold": 1e9, "threshold_mode": "abs"}
    run = make_run(
        tmp_path,
        optimizer=Choice(type="SGD", params={"lr": 0.1}),
        scheduler=Choice(type="ReduceLROnPlateau", params=params),
        epochs=4,
    )
    train(run)
    with RunStore.open(run.path) as store:
        rates = store.scalars("lr").values.tolist()
    assert rates[0] == 0.1
    assert rates[-1] < 0.1
    form = form_of(run.document.spec, "scheduler")
    assert {"mode", "patience", "factor", "threshold", "cooldown", "min_lr"} <= form


@pytest.mark.row("S175")
def test_that_the_schedulers_of_pytorch_are_offered_and_a_function_is_an_expression() -> None:
    offered = {entry.key for entry in catalog().group(EntryGroup.SCHEDULER)}
    assert {"ExponentialLR", "MultiStepLR", "StepLR", "CosineAnnealingLR"} <= offered
    assert {"ReduceLROnPlateau", "OneCycleLR", "CyclicLR"} <= offered
    assert {"LambdaLR", "MultiplicativeLR"} <= offered
    spec = set_value(iris_spec(metrics=()), "scheduler", "LambdaLR")
    spec = set_text(spec, "scheduler.lr_lambda", "0.5 ** step")
    spec = set_value(spec, "optimizer.lr", 0.25)
    assert ask(PreviewLr(spec=spec, steps_per_epoch=1)).values[0][:3] == (0.25, 0.125, 0.0625)
    spec = set_text(spec, "scheduler.lr_lambda", "__import__('os').getcwd()")
    assert [problem.severity for problem in check_scheduler(spec, None)] == ["error"]


@pytest.mark.row("S180")
def test_that_the_rate_of_every_group_is_read_and_told(tmp_path) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    groups = [
        {"params": model[0].parameters(), "lr": 0.1},
        {"params": model[1].parameters(), "lr": 0.02},
    ]
    optimizer = optim.SGD(groups, lr=1.0)
    assert learning_rates(optimizer) == [0.1, 0.02]
    set_learning_rate(optimizer, 0.5)
    assert learning_rates(optimizer) == pytest.approx([0.5, 0.1])
    spec = set_value(iris_spec(metrics=()), "optimizer.lr", 0.25)
    run = make_run(tmp_path, **msgspec.structs.asdict(spec))
    train(run)
    with RunStore.open(run.path) as store:
        assert set(store.scalars("lr").values.tolist()) == {0.25}
