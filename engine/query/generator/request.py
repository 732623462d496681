"""Question for the samples that the generator of a GAN makes of noise."""

import msgspec

from engine.query.request import Request


class Sampled(msgspec.Struct, frozen=True, kw_only=True):
    """Samples of a generator: ``values`` in the numbers of the data and ``held_out`` samples of the
    data that the model did not learn from, at most as many; both float32, each of ``shape``.
    ``step`` is that of the weights of ``checkpoint``, a file. ``distance`` is the energy distance
    between both, and ``distance_of_data`` that between as many training samples and those held
    out; None where there is nothing to compare with.
    """

    checkpoint: str
    step: int
    field: str
    shape: tuple[int, ...]
    values: bytes
    held_out: bytes = b""
    distance: float | None = None
    distance_of_data: float | None = None


class SampleGenerator(Request[Sampled], frozen=True, kw_only=True):
    """Have the generator of a GAN make ``samples`` of noise that follows from ``seed``.
    ``checkpoint`` is ``best``, ``last`` or a file name.
    """

    run_folder: str
    checkpoint: str = "best"
    samples: int = 200
    seed: int = 0

    handler = "engine.query.generator.answer.sample_generator"
    custom_code = "run"
    is_slow = True
    supersedes = True
