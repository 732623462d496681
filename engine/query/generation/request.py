"""Question for the text that a model writes, and how the next token is chosen."""

import msgspec

from engine.query.request import Request

MOST_TOKENS = 2000
"""How many tokens a text is continued with at most."""

MOST_BEAMS = 32
"""How many texts grow side by side at most."""


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    """How each token is chosen: scores are divided by ``temperature`` (0: always the likeliest),
    and of the likeliest ``top_k`` (0: all) one is drawn. Its random number follows from ``seed``
    and the position alone. With more than one of ``beams`` nothing is drawn: that many texts grow
    side by side, and the likeliest as a whole is the answer (beam search). It ends after
    ``tokens``, or before ``stop``, where that is written.
    """

    temperature: float = 1.0
    top_k: int = 0
    seed: int = 0
    tokens: int = 200
    stop: str = ""
    beams: int = 1

    @property
    def most_tokens(self) -> int:
        """How many tokens are written at most."""
        return min(self.tokens, MOST_TOKENS)


class Beam(msgspec.Struct, frozen=True, kw_only=True):
    """A text of a beam search: its tokens, their ``text``, and the natural logarithm of the
    probability of its ``length`` tokens together, with that of its end.
    """

    written: tuple[int, ...] = ()
    text: str = ""
    log_probability: float = 0.0
    length: int = 0
    is_done: bool = False

    @property
    def mean(self) -> float:
        """The mean log-probability of a token, by which texts of any length are compared."""
        return self.log_probability / max(self.length, 1)


class GenerationStep(msgspec.Struct, frozen=True, kw_only=True):
    """How far a text is: the numbers of the tokens ``written`` so far and their ``text``.
    ``before`` is the text that they go on from, empty where they are a text of their own; ``step``
    is that of the weights of ``checkpoint``, a file. ``beams`` are all texts of a beam search, the
    likeliest first: the one that is told.
    """

    checkpoint: str
    step: int
    before: str
    text: str
    written: tuple[int, ...]
    is_done: bool
    beams: tuple[Beam, ...] = ()


class Generate(Request[GenerationStep], frozen=True, kw_only=True):
    """Go on writing for about ``seconds``, after the tokens ``written`` (and ``beams``) before; ask
    again with those until it is done. ``texts``, ``values`` and ``cells`` are what the model reads,
    as in :class:`~engine.query.results.request.Predict`. ``checkpoint`` is ``best``, ``last`` or a
    file name.
    """

    run_folder: str
    checkpoint: str = "best"
    texts: dict[str, str] = msgspec.field(default_factory=dict)
    values: dict[str, tuple[float, ...]] = msgspec.field(default_factory=dict)
    cells: dict[str, str] = msgspec.field(default_factory=dict)
    sampling: Sampling = Sampling()
    written: tuple[int, ...] = ()
    beams: tuple[Beam, ...] = ()
    seconds: float = 0.15

    handler = "engine.query.generation.answer.generate"
    custom_code = "run"
    is_slow = True
    supersedes = True
