"""Options of the command that says what the data of a project is, and edits it."""

from argparse import ArgumentParser


def add_data_options(data: ArgumentParser) -> None:
    """Add what is told of data, and the edits of its samples."""
    data.add_argument(
        "--download",
        action="store_true",
        help="download the data set first, if it is one of torchvision; Ctrl+C keeps what came so "
        "far, and the next download continues there",
    )
    data.add_argument(
        "--health",
        action="store_true",
        help="check all samples: duplicates, leakage, damaged files, odd values, label errors",
    )
    _add_edits(data)


def _add_edits(data: ArgumentParser) -> None:
    """Add the options that edit samples, which go by the path in the folder or the row number."""
    for option, metavar, text in (
        ("--exclude", "NAME", "leave samples out of all sets"),
        ("--include", "NAME", "bring excluded samples back"),
        ("--relabel", "NAME=CLASS", "give samples another class (NAME= for the original)"),
        ("--move", "NAME=SET", "move samples to train, validation or test (NAME= to undo)"),
        ("--tag", "NAME=TAG", "tag samples with a word"),
        ("--untag", "NAME=TAG", "remove a tag from samples"),
    ):
        data.add_argument(option, nargs="+", default=[], metavar=metavar, help=text)
    data.add_argument("--reset", action="store_true", help="remove all edits first")
