"""Features of the program in the order in which they are built: the names of their folders."""

from studio.command.command import Command, in_order
from studio.command.feature import Feature, features_in
from studio.data.feature import PAGES as DATA_PAGES
from studio.inspect.feature import PAGES as INSPECT_PAGES
from studio.runs.feature import PAGES as RUNS_PAGES

FOLDERS = (
    "window",
    "project",
    "run_control",
    "model.workspace",
    "model.canvas",
    "model.block",
    "model.comparison",
    "model.library",
    "model.palette",
    "model.repair",
    "model.text",
    "model.custom_code",
    "model.inspector",
    "model.gradient",
    "model.importer",
    "model.weights",
    "model.surgery",
    "model.freezing",
    "model.recomputation",
    "model.lora",
    "model.fine_tune",
    "model.outline",
    "data",
    "data.columns",
    "data.loading",
    "data.root",
    *(f"data.{name}" for name in DATA_PAGES),
    "data.download",
    "train",
    "train.devices",
    "train.speed",
    "train.finder",
    "train.certificate",
    "train.cluster",
    "train.remote",
    "train.known_machine",
    "train.fold",
    "inspect",
    *(f"inspect.{name}" for name in INSPECT_PAGES),
    "inspect.predict",
    "runs",
    *(f"runs.{name}" for name in RUNS_PAGES),
    "runs.report",
    "export",
    "export.service",
    "help",
    "log",
    "welcome",
)


def features() -> tuple[Feature, ...]:
    """Return the features in the order in which they are built."""
    return features_in("studio", FOLDERS)


def commands() -> tuple[Command, ...]:
    """Return every command of the program as the menus hold them."""
    return in_order(command for feature in features() for command in feature.commands)
