"""Options of the commands that search for a learning rate and for the largest batch."""

from argparse import ArgumentParser

FIND_RATE = (
    "Search for a learning rate: train a copy of the model while the rate rises; nothing of the "
    "project changes."
)
FIND_BATCH = (
    "Search for the largest batch that fits the device, and how fast each size is; nothing of the "
    "project changes."
)


def add_rate_options(command: ArgumentParser) -> None:
    """Add what a search for a rate can be told."""
    command.add_argument("--lowest", type=float, default=1e-7, metavar="RATE")
    command.add_argument("--highest", type=float, default=10.0, metavar="RATE")
    command.add_argument(
        "--tries", type=int, default=100, metavar="N", help="rates to try, a step each"
    )
    command.add_argument(
        "--phase",
        default="",
        metavar="NAME",
        help="the phase, by name or number, whose learning rate it is (default: the first)",
    )
