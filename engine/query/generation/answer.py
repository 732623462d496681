"""Text that a model writes: from the scores of each next token to the one that is chosen."""

import time

from msgspec.structs import replace
from torch import Tensor

from engine.data.seed import drawn_numbers
from engine.diagnostics import DiagnosticError
from engine.query.generation.beam import is_over, lengthened, ranked
from engine.query.generation.request import MOST_BEAMS, Beam, Generate, GenerationStep, Sampling
from engine.query.results.answer import kept_model
from engine.query.results.prediction import sample_batch, sample_values
from engine.query.results.token_writer import TokenWriter, token_writer
from engine.query.trained import Trained
from engine.train.training import Training


def generate(request: Generate) -> GenerationStep:
    """Return the text of a request after some more tokens. The same request gives the same text, in
    however many steps it is asked for.

    Raises :class:`DiagnosticError`: P069 for a model that writes no text, P070 where there is
    nothing to go on from, and as :func:`~engine.query.results.prediction.predict`.
    """
    trained = kept_model(request.run_folder, request.checkpoint)
    with trained.in_use() as training:
        return _written(request, trained, training)


def _written(request: Generate, trained: Trained, training: Training) -> GenerationStep:
    target = training.data.info.field(training.comparison.field)
    if target is None or target.kind != "sequence":
        raise DiagnosticError.of("P069")
    values, cut = sample_values(training, request.values, request.texts, request.cells, {})
    writer = token_writer(training, sample_batch(training, values))
    if writer is None:
        raise DiagnosticError.of("P069")
    running = writer.running
    given = cut.get(running.name)
    if running.start is not None:
        first: tuple[int, ...] = (running.start,)
    elif given is None or not given.numbers:
        raise DiagnosticError.of("P070")
    else:
        first = given.numbers
    beams: tuple[Beam, ...] = ()
    if request.sampling.beams > 1:
        beams, is_done = _search(writer, first, request)
        written = list(beams[0].written)
    else:
        written, is_done = _go_on(writer, first, request)
    before = "" if running.start is not None else request.texts[running.name]
    if before and running.unit == "words" and not before[-1].isspace():
        before += " "
    return GenerationStep(
        checkpoint=trained.info.file,
        step=trained.info.step,
        before=before,
        text=_text(writer, written, request.sampling.stop)[0],
        written=tuple(written),
        is_done=is_done,
        beams=beams,
    )


def _go_on(
    writer: TokenWriter, first: tuple[int, ...], request: Generate
) -> tuple[list[int], bool]:
    """Return all tokens that are written when the time is over, and whether the text is at its end.
    Raises :class:`DiagnosticError` P069 where the model scores no tokens.
    """
    sampling = request.sampling
    written = list(request.written)
    most = sampling.most_tokens
    end = time.monotonic() + request.seconds
    while len(written) < most and writer.has_room(len(written)):
        scores = writer.scores([(*first, *written)])
        if scores is None:
            raise DiagnosticError.of("P069")
        number = chosen_token(writer.without_marks(scores)[0], sampling, len(written))
        if writer.is_end(number):
            return written, True
        written.append(number)
        if sampling.stop and _text(writer, written, sampling.stop)[1]:
            return written, True
        if time.monotonic() >= end:
            break
    return written, len(written) >= most or not writer.has_room(len(written))


def _search(
    writer: TokenWriter, first: tuple[int, ...], request: Generate
) -> tuple[tuple[Beam, ...], bool]:
    """Return the texts of a beam search when the time is over, the likeliest first, and whether
    they are found. Raises :class:`DiagnosticError` P069 where the model scores no tokens.
    """
    sampling, beams = request.sampling, request.beams
    sampling = replace(sampling, beams=min(sampling.beams, MOST_BEAMS))
    end = time.monotonic() + request.seconds
    while True:
        beams = lengthened(writer, first, beams, sampling)
        is_done = is_over(beams, sampling.beams)
        if is_done or time.monotonic() >= end:
            break
    shown = ranked([beam for beam in beams if beam.is_done] if is_done else beams)
    texts = [_text(writer, list(beam.written), sampling.stop)[0] for beam in shown]
    return tuple(replace(beam, text=text) for beam, text in zip(shown, texts, strict=True)), is_done


def chosen_token(scores: Tensor, sampling: Sampling, position: int) -> int:
    """Return the number of the token that is chosen by scores (tokens,) at a position, from 0:
    the likeliest, or one that is drawn by the softmax of scores / temperature over the ``top_k``
    (A. Fan et al., Hierarchical neural story generation, 2018).
    """
    scores = scores.detach().cpu().double()
    if not sampling.temperature:
        return int(scores.argmax())
    order = scores.argsort(descending=True, stable=True)
    if sampling.top_k:
        order = order[: sampling.top_k]
    chances = (scores[order] / sampling.temperature).softmax(dim=0)
    (drawn,) = drawn_numbers(1, sampling.seed, position)
    reached = chances.cumsum(dim=0) > drawn
    return int(order[int(reached.int().argmax())] if bool(reached.any()) else order[0])


def _text(writer: TokenWriter, written: list[int], stop: str) -> tuple[str, bool]:
    """Return the text of tokens up to where it stops, and whether it does."""
    text = writer.text(written)
    at = text.find(stop) if stop else -1
    return (text, False) if at < 0 else (text[:at], True)
