"""Parts of a model on devices of their own, as a setting of a run."""

import pytest

from engine.diagnostics import DiagnosticError
from engine.spec.fields import set_text
from engine.spec.placement import check_placement, device_of, placements
from engine.spec.run import ComputeSpec, RunSpec
from tests.tiny_run import iris_graph


def codes(**changes: object) -> list[str]:
    compute = ComputeSpec(placement="hidden=cuda:0, head=cuda:1")
    spec = RunSpec(**{"compute": compute} | changes)
    return [each.code for each in check_placement(spec, iris_graph())]


@pytest.mark.row("S284")
def test_that_parts_and_devices_are_read() -> None:
    parts = placements("layer1.*=cuda:1，head = cpu")
    assert parts == {"layer1.*": "cuda:1", "head": "cpu"}
    assert device_of("layer1.0", parts) == "cuda:1"
    assert device_of("head.fc", parts) == "cpu"
    assert device_of("layer2", parts) is None


@pytest.mark.parametrize("text", ["head", "head=gpu1", "=cuda:1", "head=cuda:1;x=cpu", "a b=cpu"])
def test_that_what_is_no_placement_is_refused_at_its_field(text: str) -> None:
    with pytest.raises(DiagnosticError) as refusal:
        set_text(RunSpec(), "compute.placement", text)
    found = refusal.value.problems[0]
    assert (found.code, found.field) == ("R209", "compute.placement")


def test_that_what_a_placement_does_not_go_with_is_told() -> None:
    assert codes() == []
    assert codes(compute=ComputeSpec(placement="tail=cpu")) == ["R210"]
    assert codes(mode="ddp") == ["R212"]
    assert codes(compute=ComputeSpec(placement="head=cpu", compile=True)) == ["R213"]
