"""Another kind of split with --set does not go by the column of the one before."""

import pytest
from msgspec.structs import replace

from engine.spec.run import DataSpec, RunSpec, SplitSpec
from studio.cli.train_command import changed_spec


def _spec(kind: str, column: str) -> RunSpec:
    return replace(RunSpec(), data=DataSpec(split=SplitSpec(kind=kind, column=column)))


@pytest.mark.parametrize("kind", ["group", "column", "time"])
def test_that_a_stratified_split_goes_by_the_classes_then(kind):
    spec = changed_spec(_spec(kind, "patient"), [("data.split.kind", "stratified")])
    assert (spec.data.split.kind, spec.data.split.column) == ("stratified", "")


@pytest.mark.parametrize(
    "changes",
    [
        [("data.split.kind", "stratified"), ("data.split.column", "sex")],
        [("data.split.column", "sex"), ("data.split.kind", "stratified")],
    ],
)
def test_that_a_column_named_with_it_is_taken_in_any_order(changes):
    assert changed_spec(_spec("group", "patient"), changes).data.split.column == "sex"


def test_that_the_column_stays_where_the_kind_does_or_did_not_use_it():
    assert changed_spec(_spec("group", "p"), [("epochs", "2")]).data.split.column == "p"
    same = changed_spec(_spec("group", "p"), [("data.split.kind", "group")])
    assert same.data.split.column == "p"
    idle = changed_spec(_spec("random", "p"), [("data.split.kind", "group")])
    assert idle.data.split.column == "p"


def test_that_the_rhythm_of_a_schedule_holds_in_any_order() -> None:
    changes = [("scheduler_interval", "epoch"), ("scheduler", "DrawnCurve")]
    spec = _spec("group", "p")
    assert changed_spec(spec, changes) == changed_spec(spec, changes[::-1])
    assert changed_spec(spec, changes).scheduler_interval == "epoch"
    assert changed_spec(spec, changes[1:]).scheduler_interval == "step"
