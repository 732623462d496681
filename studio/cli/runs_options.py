"""Options of the command that lists runs."""

from argparse import ArgumentParser


def add_runs_options(runs: ArgumentParser) -> None:
    """Add what can be said with ``runs``."""
    runs.add_argument("project", metavar="PROJECT", nargs="?", default="")
    runs.add_argument("--all", action="store_true", help="list the runs of all recent projects")
    runs.add_argument(
        "--folds", action="store_true", help="show the cross-validations with mean and deviation"
    )
    runs.add_argument(
        "--seeds", action="store_true", help="show repeated seeds with mean and deviation"
    )
    runs.add_argument(
        "--data",
        action="store_true",
        help="tell how the data of each run differs from the first, and in which samples",
    )
    runs.add_argument(
        "--samples",
        type=int,
        default=20,
        metavar="N",
        help="with --data: how many samples that differ to list for each run (default: 20)",
    )
    runs.add_argument(
        "--skip",
        type=int,
        default=0,
        metavar="N",
        help="with --data: how many of those samples to leave out first (default: 0)",
    )
