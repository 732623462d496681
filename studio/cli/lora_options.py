"""Options of the command ``lora``."""

import argparse

LORA = (
    "Low-rank adaptation: add LAYER… (freezes the layers and trains small pairs beside them) · "
    "remove [LAYER…] (without what was learned) · merge (adds the pairs of a run to its weights) · "
    "save FILE (the pairs of a run) · load FILE · unfreeze (trains the other layers again, which "
    "add froze)."
)
"""What the command does."""


def add_lora_options(lora: argparse.ArgumentParser) -> None:
    """Add the options: what is done, to which layers, and where the weights are."""
    lora.add_argument("action", choices=("add", "remove", "merge", "save", "load", "unfreeze"))
    lora.add_argument(
        "arguments",
        nargs="*",
        metavar="LAYER|FILE",
        help="layers or blocks by name, such as blocks.0.attention or *.query; or the adapter file",
    )
    lora.add_argument(
        "--rank", type=int, default=8, metavar="N", help="rows of lora_A (default: 8)"
    )
    lora.add_argument(
        "--alpha", type=float, metavar="X", help="the factor is alpha / rank (default: 2 x rank)"
    )
    lora.add_argument(
        "--dropout", type=float, default=0.0, metavar="P", help="dropout before lora_A (default: 0)"
    )
    lora.add_argument(
        "--train-rest", action="store_true", help="do not freeze the other layers of the model"
    )
    lora.add_argument(
        "--run",
        metavar="RUN|latest",
        help="run to merge or save (default: the weights that the project starts from)",
    )
