"""Beam search: several texts grow side by side, and those that are likeliest as a whole stay."""

from collections.abc import Sequence

import torch
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.query.generation.request import Beam, Sampling
from engine.query.results.token_writer import TokenWriter


def ranked(beams: Sequence[Beam]) -> tuple[Beam, ...]:
    """Return beams with the largest mean log-probability of their tokens first. By the sum short
    texts would always win (Y. Wu et al., Google's neural machine translation system, 2016, section
    7; here with a length penalty of 1).
    """
    return tuple(sorted(beams, key=lambda beam: -beam.mean))


def is_over(beams: Sequence[Beam], count: int) -> bool:
    """Return whether a search of ``count`` beams has found its texts: as many have ended, and none
    that still grows is likelier than the last of those.
    """
    ended = ranked([beam for beam in beams if beam.is_done])
    growing = [beam for beam in beams if not beam.is_done]
    if not growing:
        return bool(ended)
    return len(ended) >= count and ended[count - 1].mean >= ranked(growing)[0].mean


def lengthened(
    writer: TokenWriter, first: tuple[int, ...], beams: Sequence[Beam], sampling: Sampling
) -> tuple[Beam, ...]:
    """Return the beams, none at the beginning, after another token: of all tokens that could follow
    those that grow, the likeliest stay, ``sampling.beams`` of them, and besides the texts that have
    ended, as many at most.

    Raises :class:`DiagnosticError` P069 where the model scores no tokens.
    """
    ended = [beam for beam in beams if beam.is_done]
    before = [beam for beam in beams if not beam.is_done] or [Beam()]
    scores = writer.scores([(*first, *beam.written) for beam in before])
    if scores is None:
        raise DiagnosticError.of("P069")
    chances = writer.without_marks(scores.cpu().double().log_softmax(dim=1))
    sums = chances + torch.tensor([[beam.log_probability] for beam in before], dtype=torch.float64)
    tokens = sums.shape[1]
    # Each beam has two tokens that end it, the mark and what fills up: among three times as many
    # enough go on.
    likeliest = sums.flatten().topk(min(3 * sampling.beams, sums.numel()))
    growing: list[Beam] = []
    for value, place in zip(likeliest.values.tolist(), likeliest.indices.tolist(), strict=True):
        beam, number = before[place // tokens], place % tokens
        if value == -torch.inf or len(growing) == sampling.beams:
            break
        found = _followed(writer, beam, number, value, sampling)
        (ended if found.is_done else growing).append(found)
    return (*ranked(ended)[: sampling.beams], *ranked(growing))


def _followed(
    writer: TokenWriter, beam: Beam, number: int, chance: float, sampling: Sampling
) -> Beam:
    if writer.is_end(number):
        return replace(beam, log_probability=chance, length=beam.length + 1, is_done=True)
    written = (*beam.written, number)
    is_full = len(written) >= sampling.most_tokens or not writer.has_room(len(written))
    is_stopped = bool(sampling.stop) and sampling.stop in writer.text(written)
    return Beam(
        written=written,
        log_probability=chance,
        length=beam.length + 1,
        is_done=is_full or is_stopped,
    )
