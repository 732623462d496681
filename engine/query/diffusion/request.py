"""Question for the samples that a diffusion model makes, and how it goes about it."""

import msgspec

from engine.query.request import Request

MOST_STEPS = 1000
"""In how many steps noise is taken away at most."""
MOST_SAMPLES = 1000
"""How many samples are made at once at most."""


class Denoising(msgspec.Struct, frozen=True, kw_only=True):
    """How samples are made: of noise that follows from ``seed``, in ``steps`` equal ones of time.
    ``eta`` is the share of the noise that is added again in each step: with 1 it is the sampler of
    DDPM, with 0 that of DDIM, which adds none.
    """

    samples: int = 200
    steps: int = 50
    seed: int = 0
    eta: float = 1.0


class DenoisingStep(msgspec.Struct, frozen=True, kw_only=True):
    """How far samples are: ``done`` of all steps. ``state`` is what to go on from, as the model
    sees it, ``values`` the same in the numbers of the data, and ``held_out`` samples of the data
    that the model did not learn from, at most as many, with the first answer and the last; each
    float32, the samples one after the other, each of ``shape``. ``step`` is that of the weights of
    ``checkpoint``, a file.

    Once done, ``distance`` is the energy distance between the samples and those held out, and
    ``distance_of_data`` that between as many training samples and those held out; None where there
    is nothing to compare with.
    """

    checkpoint: str
    step: int
    field: str
    shape: tuple[int, ...]
    done: int
    state: bytes
    values: bytes
    held_out: bytes
    is_done: bool
    distance: float | None = None
    distance_of_data: float | None = None


class Denoise(Request[DenoisingStep], frozen=True, kw_only=True):
    """Go on making samples for about ``seconds``, after the steps ``done`` before, from the
    ``state`` then; ask again with those until it is done. ``checkpoint`` is ``best``, ``last`` or a
    file name.
    """

    run_folder: str
    checkpoint: str = "best"
    denoising: Denoising = Denoising()
    done: int = 0
    state: bytes = b""
    seconds: float = 0.15

    handler = "engine.query.diffusion.answer.denoise"
    custom_code = "run"
    is_slow = True
    supersedes = True
