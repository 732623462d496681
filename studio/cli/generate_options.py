"""Options of the command ``generate``."""

import argparse

from engine.query.generation.request import MOST_TOKENS, Sampling

GENERATE = (
    "Continue a text with a language model, or translate one with a model of sentence pairs. "
    "Ctrl+C ends it."
)
"""What the command does."""


def add_generate_options(generate: argparse.ArgumentParser) -> None:
    """Add the options: what is continued, with which weights, and how tokens are chosen."""
    standard = Sampling()
    generate.add_argument("text", metavar="TEXT", help="the text that the model reads")
    generate.add_argument(
        "--run", default="latest", metavar="RUN|latest", help="run to use (default: latest)"
    )
    generate.add_argument(
        "--temperature",
        type=float,
        default=standard.temperature,
        metavar="T",
        help="below 1 likely tokens become likelier, 0 always takes the likeliest (default: 1)",
    )
    generate.add_argument(
        "--top-k",
        type=int,
        default=standard.top_k,
        metavar="K",
        help="draw among the K likeliest tokens only (default: 0, all)",
    )
    generate.add_argument(
        "--seed",
        type=int,
        default=standard.seed,
        metavar="N",
        help="the same seed and settings write the same text (default: 0)",
    )
    generate.add_argument(
        "--tokens",
        type=int,
        default=standard.tokens,
        metavar="N",
        help=f"tokens to write at most, up to {MOST_TOKENS:,} (default: {standard.tokens})",
    )
    generate.add_argument(
        "--stop", default=standard.stop, metavar="TEXT", help="end before this text is written"
    )
