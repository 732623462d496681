"""Which of several outputs is examined, and which metrics are offered for each."""

from types import SimpleNamespace
from typing import cast

from engine.runs.folder import RunDocument
from engine.spec.choice import NO_CODE
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.fields import fields
from engine.spec.run import Choice, LossTerm, RunSpec
from studio.inspect.results.state import ResultsState, present_results
from studio.view.judged import output_choices
from studio.view.metric_choice import metrics_view
from studio.view.run import series_label
from tests.tiny_run import CROSS_ENTROPY
from widgets.forms.view_model import FieldView

LABEL = FieldInfo(
    name="label", role="target", kind="class", shape=(), dtype="int64", classes=("a", "b", "c")
)
PLACE = FieldInfo(name="place", role="target", kind="vector", shape=(2,), dtype="float32")
INFO = DataInfo(source="", samples=9, task="classification", fields=(LABEL, PLACE))
PLACED = LossTerm(
    loss=Choice(type="MSELoss"), inputs={"input": "model.spot", "target": "data.place"}
)
SPEC = RunSpec(losses=(CROSS_ENTROPY, PLACED))


def choices_of(spec: RunSpec) -> tuple[tuple[str, str], ...]:
    graph = SimpleNamespace(code=NO_CODE)
    return output_choices(cast("RunDocument", SimpleNamespace(spec=spec, graph=graph)))


def test_that_outputs_can_be_chosen_where_there_are_several() -> None:
    assert choices_of(SPEC) == (("", "logits"), ("spot", "spot"))
    assert choices_of(RunSpec(losses=(CROSS_ENTROPY,))) == ()
    view = present_results(ResultsState(outputs=choices_of(SPEC), output="spot"), "en")
    assert (view.outputs[1], view.output) == (("spot", "spot"), "spot")


def test_that_the_form_offers_the_metrics_of_each_output() -> None:
    name = fields(SPEC, NO_CODE)["metrics"].name
    view = metrics_view(FieldView(name=name, label="", kind="several"), SPEC, INFO, NO_CODE, "en")
    offered = dict(view.choices)
    assert "spot:mae" in offered
    assert "spot:accuracy" not in offered
    assert offered["spot:rmse"].endswith(", spot")
    assert series_label("validation.spot:mae") == "validation mae, spot"
