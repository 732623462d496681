"""Options of the command that trains: where, and what is proven afterwards."""

from argparse import ArgumentParser

SETTING_NAMES = (
    "settings to explain, with those below them: optimizer, data.split, epochs, ...; without a "
    "name all, a line each"
)


def add_certify_options(train: ArgumentParser) -> None:
    """Add what has a run certified."""
    train.add_argument(
        "--certify",
        type=int,
        metavar="K",
        help="afterwards prove, in two processes, that the K steps after a resume are the same "
        "bits (exit code 1: they are not)",
    )
    train.add_argument(
        "--run", metavar="RUN|latest", help="with --certify: certify this run instead of training"
    )


def add_repeat_options(command: ArgumentParser) -> None:
    """Add what trains a recipe several times."""
    several = command.add_mutually_exclusive_group()
    several.add_argument(
        "--folds",
        type=int,
        metavar="N",
        help="cross-validation: one run for each of N folds; “runs --folds” sums them up",
    )
    several.add_argument(
        "--seeds",
        type=int,
        metavar="N",
        help="one run for each of N seeds, from the seed on; “runs --seeds” sums them up",
    )


def add_remote_options(command: ArgumentParser) -> None:
    """Add what says on which machine a run trains."""
    command.add_argument(
        "--on",
        default="",
        metavar="[USER@]HOST[:PORT]",
        help="train on another machine over SSH and follow the run here",
    )
    command.add_argument("--key", default="", metavar="FILE", help="private key for that machine")
    command.add_argument(
        "--python", default="", metavar="PATH", help="remote Python (default: python3)"
    )
    command.add_argument(
        "--folder", default="", metavar="DIR", help="remote folder (default: ~/trellis)"
    )


def add_replay_option(train: ArgumentParser) -> None:
    """Add what has a run repeated."""
    train.add_argument(
        "--replay",
        metavar="RUN|latest",
        help="repeat a run: its model, recipe and seed, and each change made while it went on, at "
        "its step",
    )


def add_set_options(command: ArgumentParser) -> None:
    """Add what the command ``set`` takes."""
    command.add_argument("run", metavar="RUN|latest")
    command.add_argument(
        "values",
        nargs="+",
        metavar="KEY=VALUE",
        help="such as optimizer.lr=0.001, optimizer.weight_decay=0.1, clip.limit=0.5, "
        "losses.0.weight=2, model.drop.p=0.2 or model.features.frozen=true",
    )


def add_roots(command: ArgumentParser) -> None:
    """Add what says where named folders with data are."""
    command.add_argument(
        "--data",
        action="append",
        default=[],
        dest="roots",
        metavar="ROOT=PATH",
        help="where a folder with data is, which paths of the project name as ${ROOT}; with --on: "
        "where it is there",
    )


def add_setting_options(command: ArgumentParser) -> None:
    """Add what sets a setting for this time."""
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a setting for this run: epochs=3, optimizer.lr=0.01, "
        "data.batch_size=32, ... (“settings” lists all)",
    )
