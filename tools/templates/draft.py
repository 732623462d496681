"""What a template consists of."""

from dataclasses import dataclass

from engine.catalog.spec import Value
from engine.graph.model import Graph
from engine.graph.templates import Group, TemplateTask
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LossTerm, RunSpec, SplitSpec


@dataclass(frozen=True, kw_only=True)
class Template:
    """A ready project and its card; texts are (English, Simplified Chinese). ``weights`` says where
    those come from that it begins with.
    """

    name: str
    group: Group
    order: int
    title: tuple[str, str]
    description: tuple[str, str]
    task: TemplateTask
    minutes: float
    graph: Graph
    spec: RunSpec
    weights: tuple[str, str] = ("", "")


def made_data(source: str, batch_size: int = 32, **params: Value) -> DataSpec:
    """Return samples of a source with parameters, and how they are dealt out."""
    return DataSpec(source=Choice(type=source, params=params), batch_size=batch_size)


def all_for_training(source: Choice, batch_size: int) -> DataSpec:
    """Return data of which every sample is in the training part."""
    split = SplitSpec(train=1.0, validation=0.0, test=0.0)
    return DataSpec(source=source, split=split, batch_size=batch_size)


def term(loss: str, output: str, target: str, **params: Value) -> LossTerm:
    """Return a summand of the loss: an output of the model against a field of the data."""
    return LossTerm(
        loss=Choice(type=loss, params=params),
        inputs={"input": f"model.{output}", "target": f"data.{target}"},
    )


def checkpoints_by_training_loss(every_epochs: int) -> CheckpointSpec:
    """Return checkpoints for runs without a validation part."""
    return CheckpointSpec(every_epochs=every_epochs, monitor="train.loss")
