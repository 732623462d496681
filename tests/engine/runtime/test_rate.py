import msgspec
import pytest
import torch

from engine.diagnostics import DiagnosticError
from engine.runtime import lr_preview
from engine.spec.run import Choice, RunSpec


def preview(scheduler: Choice | None, **changes):
    spec = RunSpec(
        optimizer=Choice(type="SGD", params={"lr": 0.1}),
        scheduler=scheduler,
        epochs=4,
    )
    return lr_preview(msgspec.structs.replace(spec, **changes), 5)


def test_that_without_a_scheduler_the_rate_stays():
    found = preview(None)
    assert found.steps == tuple(range(1, 21))
    assert set(found.values) == {0.1}


def test_that_a_scheduler_by_epoch_changes_at_the_epochs():
    found = preview(Choice(type="StepLR", params={"step_size": 2, "gamma": 0.1}))
    assert found.values[:10] == (0.1,) * 10
    assert found.values[10:] == pytest.approx((0.01,) * 10)


def test_that_a_scheduler_by_step_changes_at_every_step():
    cosine = Choice(type="CosineAnnealingLR", params={"T_max": 20})
    found = preview(cosine, scheduler_interval="step")
    assert list(found.values) == sorted(found.values, reverse=True)
    assert len(set(found.values)) == 20


def test_that_long_runs_are_thinned_and_cut():
    found = preview(None, epochs=1_000_000)
    assert len(found.steps) < 10_000
    assert 10_000 < found.steps[-1] < 1_000_000


def test_that_a_plateau_and_every_optimizer_can_be_shown():
    assert preview(Choice(type="ReduceLROnPlateau")).values
    for name in ("Adam", "LBFGS", "Muon"):
        assert preview(None, optimizer=Choice(type=name)).values


def test_that_a_preview_leaves_the_global_generator_alone():
    before = torch.get_rng_state()
    preview(None)
    assert torch.equal(torch.get_rng_state(), before)


def test_that_a_scheduler_that_cannot_be_built_is_told():
    with pytest.raises(DiagnosticError):
        preview(Choice(type="os.system"))
