import msgspec
import pytest
import torch

from engine.diagnostics import DiagnosticError
from engine.query.rate.answer import learning_rate_curve
from engine.query.rate.request import PreviewLr
from engine.spec.run import Choice, ParameterGroup, RunSpec


def preview(scheduler: Choice | None, **changes):
    spec = RunSpec(
        optimizer=Choice(type="SGD", params={"lr": 0.1}),
        scheduler=scheduler,
        epochs=4,
    )
    return learning_rate_curve(
        PreviewLr(spec=msgspec.structs.replace(spec, **changes), steps_per_epoch=5)
    )


def test_that_without_a_scheduler_the_rate_stays():
    found = preview(None)
    assert found.steps == tuple(range(1, 21))
    assert [set(rates) for rates in found.values] == [{0.1}]


def test_that_a_scheduler_by_epoch_changes_at_the_epochs():
    found = preview(Choice(type="StepLR", params={"step_size": 2, "gamma": 0.1}))
    (rates,) = found.values
    assert rates[:10] == (0.1,) * 10
    assert rates[10:] == pytest.approx((0.01,) * 10)


def test_that_a_scheduler_by_step_changes_at_every_step():
    cosine = Choice(type="CosineAnnealingLR", params={"T_max": 20})
    found = preview(cosine, scheduler_interval="step")
    (rates,) = found.values
    assert list(rates) == sorted(rates, reverse=True)
    assert len(set(rates)) == 20


def test_that_long_runs_are_thinned_and_cut():
    found = preview(None, epochs=1_000_000)
    assert len(found.steps) < 10_000
    assert 10_000 < found.steps[-1] < 1_000_000


def test_that_a_plateau_and_every_optimizer_can_be_shown():
    assert preview(Choice(type="ReduceLROnPlateau")).values[0]
    for name in ("Adam", "LBFGS", "Muon"):
        assert preview(None, optimizer=Choice(type=name)).values[0]


def test_that_a_preview_leaves_the_global_generator_alone():
    before = torch.get_rng_state()
    preview(None)
    assert torch.equal(torch.get_rng_state(), before)


def test_that_a_scheduler_that_cannot_be_built_is_told():
    with pytest.raises(DiagnosticError):
        preview(Choice(type="os.system"))


@pytest.mark.parametrize("method", ["SGD", "Muon"])
def test_that_each_group_has_its_rate_as_the_run_will_have_it(method):
    groups = (
        ParameterGroup(match="head", params={"lr": 1.0}),
        ParameterGroup(match="*.bias"),  # as the optimizer has it
        ParameterGroup(match="nothing.is.called.so", params={"lr": 0.01}),
    )
    step = Choice(type="StepLR", params={"step_size": 2, "gamma": 0.1})
    optimizer = Choice(type=method, params={"lr": 0.1})
    rest, head, bias, last = preview(step, groups=groups, optimizer=optimizer).values
    assert rest == bias == preview(step).values[0]
    assert head == pytest.approx([10 * rate for rate in rest])
    assert last == pytest.approx([rate / 10 for rate in rest])


def test_that_groups_that_the_optimizer_cannot_have_are_told_and_none_is_shown_of_no_epoch():
    groups = (ParameterGroup(match="head"),)
    with pytest.raises(DiagnosticError) as caught:
        preview(None, groups=groups, optimizer=Choice(type="LBFGS"))
    assert caught.value.problems[0].code == "R059"
    assert preview(None, groups=groups, epochs=0).values == ((), ())
