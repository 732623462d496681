"""Options of the command that trains: where, and what is proven afterwards."""

from argparse import ArgumentParser


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
