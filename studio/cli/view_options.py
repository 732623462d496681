"""Options of the commands that ask a model about several views of each sample."""

import argparse
from typing import get_args

from engine.spec.technique import ViewKind


def add_view_options(command: argparse.ArgumentParser) -> None:
    """Add how many views there are, and of which kind."""
    command.add_argument(
        "--views",
        type=int,
        choices=range(1, 257),
        default=0,
        metavar="N",
        help="mean over N views of each sample, 1 for the sample alone (default: as in the run)",
    )
    command.add_argument(
        "--view-kind",
        choices=get_args(ViewKind),
        help="draws of the random transforms of the training, mirrored pictures, or crops of them "
        "(default: as in the run)",
    )
