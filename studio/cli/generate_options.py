"""Options of the command ``generate``."""

import argparse

from engine.query.diffusion.request import MOST_SAMPLES, MOST_STEPS, Denoising
from engine.query.generation.request import MOST_BEAMS, MOST_TOKENS, Sampling
from studio.cli.wording import said

GENERATE = (
    "Continue a text with a language model, or translate one with a model of sentence pairs. "
    "A diffusion model and the generator of a GAN make samples of noise, a variational autoencoder "
    "of random latent variables, and write them to a file. Ctrl+C ends it."
)
"""What the command does."""

OF_TEXT = ("temperature", "top-k", "seed", "beams", "tokens", "stop")
OF_DECODER = ("samples", "seed", "output")
OF_DIFFUSION = (*OF_DECODER, "steps", "eta")
"""The options that each kind of model has. What is not given is None, or empty."""


def add_generate_options(generate: argparse.ArgumentParser) -> None:
    """Add the options: what is continued, with which weights, and how tokens are chosen."""
    generate.add_argument(
        "text",
        nargs="?",
        metavar="TEXT",
        help="the text that a language model reads (a model that makes samples reads none)",
    )
    generate.add_argument(
        "--run", default="latest", metavar="RUN|latest", help="run to use (default: latest)"
    )
    generate.add_argument(
        "--temperature",
        type=float,
        metavar="T",
        help="below 1 likely tokens become likelier, 0 always takes the likeliest (default: 1)",
    )
    generate.add_argument(
        "--top-k",
        type=int,
        metavar="K",
        help="draw among the K likeliest tokens only (default: 0, all)",
    )
    generate.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="the same seed and settings generate the same again (default: 0)",
    )
    generate.add_argument(
        "--beams",
        type=int,
        metavar="K",
        help=said(
            "beam search: K texts grow side by side, up to {most}, and the likeliest as a whole is "
            "printed; nothing is drawn then (default: 1)",
            most=MOST_BEAMS,
        ),
    )
    _add_length(generate)
    _add_denoising(generate)


def _add_length(generate: argparse.ArgumentParser) -> None:
    """Add where a text ends."""
    standard = Sampling()
    generate.add_argument(
        "--tokens",
        type=int,
        metavar="N",
        help=said(
            "tokens to write at most, up to {most} (default: {standard})",
            most=f"{MOST_TOKENS:,}",
            standard=standard.tokens,
        ),
    )
    generate.add_argument("--stop", metavar="TEXT", help="end before this text is written")


def _add_denoising(generate: argparse.ArgumentParser) -> None:
    """Add how a diffusion model makes samples, and where they go."""
    standard = Denoising()
    samples = generate.add_argument_group("samples of a model that makes some")
    samples.add_argument(
        "--samples",
        type=int,
        metavar="N",
        help=said(
            "samples to make, up to {most} (default: {standard})",
            most=f"{MOST_SAMPLES:,}",
            standard=standard.samples,
        ),
    )
    samples.add_argument(
        "--steps",
        type=int,
        metavar="N",
        help=said(
            "steps in which noise is removed, to {most} (default: {standard})",
            most=f"{MOST_STEPS:,}",
            standard=standard.steps,
        ),
    )
    samples.add_argument(
        "--eta",
        type=float,
        metavar="E",
        help="noise that each step adds again: 1 as in DDPM, 0 none, as in DDIM (default: 1)",
    )
    samples.add_argument(
        "--output",
        default="",
        metavar="FILE",
        help="a .npy file, or a .png with the pictures side by side; an existing one is replaced",
    )
