"""Questions for the latent variables of a model, and for what it draws from them."""

import msgspec

from engine.query.request import Request

MOST_KNOWN = 500
"""How many samples of the data are encoded at most."""


class LatentSpace(msgspec.Struct, frozen=True, kw_only=True):
    """What a model with ``size`` latent variables draws: samples of ``field``, each of ``shape``.

    ``means`` (float32, ``size`` numbers for each) tell where samples lie that the model did not
    learn from, if there are some, ``values`` (float32) are these samples in the numbers of the
    data, and ``labels`` their classes, by number, of which ``classes`` are the names; there are no
    labels where the data have none. ``step`` is that of the weights of ``checkpoint``, a file.
    """

    checkpoint: str
    step: int
    field: str
    size: int
    shape: tuple[int, ...]
    means: bytes = b""
    values: bytes = b""
    labels: tuple[int, ...] = ()
    classes: tuple[str, ...] = ()


class DescribeLatent(Request[LatentSpace], frozen=True, kw_only=True):
    """Tell what a model draws, and where samples of the data lie. ``checkpoint`` is ``best``,
    ``last`` or a file name.
    """

    run_folder: str
    checkpoint: str = "best"

    handler = "engine.query.latent.answer.describe_latent"
    custom_code = "run"
    is_slow = True


class Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """Samples (float32, each of ``shape``) in the numbers of the data, drawn from the points
    ``latents`` (float32).
    """

    checkpoint: str
    step: int
    field: str
    shape: tuple[int, ...]
    latents: bytes
    values: bytes


class Decode(Request[Decoded], frozen=True, kw_only=True):
    """Draw samples from the points ``latents`` (float32, one after the other). Without any, from
    as many as ``samples``, normally distributed, that follow from ``seed``.
    """

    run_folder: str
    checkpoint: str = "best"
    latents: bytes = b""
    samples: int = 1
    seed: int = 0

    handler = "engine.query.latent.answer.decode"
    custom_code = "run"
    is_slow = True
