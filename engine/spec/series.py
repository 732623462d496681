"""The curves that a run draws, by name, as ``checkpoint.monitor`` refers to them."""

from engine.spec.data import DataInfo
from engine.spec.defaults import auto_metrics
from engine.spec.run import RunSpec


def chosen_metrics(spec: RunSpec, task: str) -> tuple[str, ...]:
    """Return the keys of the metrics of a run, "auto" resolved by the task, each once."""
    keys: list[str] = []
    for name in spec.metrics:
        keys.extend(auto_metrics(task) if name == "auto" else (name,))
    return tuple(dict.fromkeys(keys))


def monitored_series(spec: RunSpec, info: DataInfo) -> tuple[str, ...]:
    """Return the series that are known at the end of every epoch: losses and metrics of the
    training part and, where it has samples, of the validation part.
    """
    validation = info.part("validation")
    parts = (
        ("train",)
        if validation is not None and validation.samples == 0
        else (
            "train",
            "validation",
        )
    )
    names = ("loss", *chosen_metrics(spec, info.task))
    return tuple(f"{part}.{name}" for part in parts for name in names)
