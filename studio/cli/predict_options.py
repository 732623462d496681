"""Options of the command ``predict``."""

import argparse
from typing import get_args

from engine.query.predicting.request import DecimalChoice

PREDICT = (
    "Predict a folder, a file, a table or arrays with a checkpoint, or a set of the project’s own "
    "data. Ctrl+C stops without writing a file."
)
"""What the command does."""


def add_predict_options(predict: argparse.ArgumentParser) -> None:
    """Add the options: what is predicted, with which weights, and where it is written."""
    predict.add_argument(
        "data",
        nargs="?",
        default="",
        metavar="DATA",
        help="a folder of pictures, sounds, videos or texts, one such file, a table with the "
        "columns of training (a target column is kept), arrays (npy, npz, safetensors, pt, idx), "
        "the folder of an npy or idx set or of a set of torchvision such as MNIST (labels are not "
        "needed), or a text with a sample per line",
    )
    predict.add_argument(
        "--part",
        choices=("train", "validation", "test"),
        help="predict a set of the project’s own data instead (of texts that the model writes, "
        "each token given the true ones before it; give it a file for what it writes alone)",
    )
    predict.add_argument(
        "--run", default="latest", metavar="RUN|latest", help="run to use (default: latest)"
    )
    predict.add_argument(
        "--output",
        default="",
        metavar="FILE",
        help="output file ending in .csv, .parquet, .npy, .npz or .jsonl (default: print CSV; "
        "with --json, a JSON object per line); “sample” is the name of each file, or the line of a "
        "table, whose header is line 1",
    )
    predict.add_argument("--overwrite", action="store_true", help="replace an existing file")
    predict.add_argument(
        "--batch-size", type=int, default=0, metavar="N", help="samples per batch (default: run’s)"
    )
    predict.add_argument("--device", default="", metavar="cpu|cuda|auto")
    predict.add_argument(
        "--on-damaged",
        default="project",
        choices=("project", "skip", "stop"),
        help="what to do with samples that cannot be read (default: as set in the project)",
    )
    predict.add_argument(
        "--decimal",
        default="auto",
        choices=get_args(DecimalChoice),
        help="decimal mark of the numbers of a table (default: found for each column, and told "
        "where it can be doubted)",
    )
    predict.add_argument("--quiet", action="store_true", help="do not show progress")
