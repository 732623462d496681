"""Options of the command ``new``."""

import argparse

NEW = (
    "Create a project from a template or for your data. Its path is the first line; then comes "
    "what was proposed."
)
"""What the command does."""


def add_new_options(new: argparse.ArgumentParser) -> None:
    """Add the options: what the project is made of, and what is proposed otherwise."""
    start = new.add_mutually_exclusive_group(required=True)
    start.add_argument("--template", metavar="NAME", help="see “templates”")
    start.add_argument(
        "--data",
        metavar="PATH",
        help="a folder of pictures, sounds or videos, a table, arrays or a text: source, split, "
        "loss and a first model are proposed",
    )
    new.add_argument(
        "--target", metavar="COLUMN", help="what to predict (with a table or a time series)"
    )
    new.add_argument(
        "--kind",
        dest="kinds",
        action="append",
        default=[],
        metavar="COLUMN=KIND",
        help="what a column of a table is, if not as proposed: number, category, binary, date, "
        "text, ignored, ... (can be repeated)",
    )
    new.add_argument(
        "--encoding",
        metavar="NAME",
        help="of the text of a table or text, if not as proposed: utf-8, gb18030, cp1251, ...",
    )
    new.add_argument(
        "--as",
        dest="source",
        metavar="KIND",
        help="what the data are read as, if not as proposed: table, series, text, arrays, "
        "image_folder, ..., or a published data set that lies in the folder: MNIST, CIFAR10, ... "
        "(with --data)",
    )
    new.add_argument(
        "--size", choices=("small", "large"), default="small", help="size of the first model"
    )
    new.add_argument("--quiet", action="store_true", help="print the path of the project alone")
