"""Options of the command ``import``."""

import argparse


def add_import_options(command: argparse.ArgumentParser) -> None:
    """Add the options: what is imported, into which project, by which inputs and weights."""
    command.add_argument("model", metavar="MODEL", help="a torchvision model or FILE.py::Class")
    command.add_argument("project", metavar="PROJECT", help="new project folder")
    command.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="SIZES[:DTYPE]",
        help="input size without the batch, such as 3x224x224 or 128:int64; repeat for each input",
    )
    command.add_argument(
        "--weights",
        metavar="FILE",
        default="",
        help="file of weights of the model (.pt, .pth, .safetensors); no code in it runs",
    )
