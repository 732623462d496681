"""Beam search: the text that is likeliest as a whole is found, where the likeliest token each time
leads astray.
"""

import itertools
import math
from collections.abc import Sequence

import pytest
import torch
from msgspec.structs import replace

from engine.query.generation.beam import is_over, lengthened, ranked
from engine.query.generation.request import Beam, Sampling
from engine.query.results.token_writer import TokenWriter

END, LETTERS = 0, "·abc"
CHANCES = {  # after the letters so far: of the end, a, b, c
    "": (0.0, 0.6, 0.4, 0.0),
    "a": (0.1, 0.3, 0.3, 0.3),
    "b": (0.05, 0.05, 0.05, 0.85),
    "bc": (0.9, 0.04, 0.03, 0.03),
}
OTHERS = (0.4, 0.2, 0.2, 0.2)


class Chain(TokenWriter):
    """Stands for a model whose scores are known."""

    def __init__(self) -> None:
        pass

    def scores(self, rows: Sequence[Sequence[int]]) -> torch.Tensor:
        texts = [self.text(row[1:]) for row in rows]
        return torch.tensor([CHANCES.get(text, OTHERS) for text in texts]).log()

    def without_marks(self, scores: torch.Tensor) -> torch.Tensor:
        return scores

    def is_end(self, number: int) -> bool:
        return number == END

    def has_room(self, written: int) -> bool:
        return written < 4

    def text(self, numbers: Sequence[int]) -> str:
        return "".join(LETTERS[number] for number in numbers)


def search(**chosen: object) -> list[Beam]:
    sampling = replace(Sampling(beams=2, tokens=4), **chosen)
    beams: tuple[Beam, ...] = ()
    while not beams or not is_over(beams, sampling.beams):
        beams = lengthened(Chain(), (99,), beams, sampling)
    return [beam for beam in ranked(beams) if beam.is_done]


def texts(beams: list[Beam]) -> list[str]:
    return [Chain().text(beam.written) for beam in beams]


@pytest.mark.row("P19")
def test_that_two_beams_find_what_the_likeliest_token_each_time_misses():
    found = search()[0]
    assert Chain().text(found.written) == "bc"
    assert found.log_probability == pytest.approx(math.log(0.4 * 0.85 * 0.9))
    assert texts(search(beams=1)) != ["bc"]


def test_that_enough_beams_find_the_likeliest_of_all_texts():
    chances = {}
    for length in range(1, 5):
        for letters in itertools.product("abc", repeat=length):
            whole, text = 0.0, "".join(letters)
            for at, letter in enumerate(text):
                row = CHANCES.get(text[:at], OTHERS)
                whole += math.log(row[LETTERS.index(letter)] or 1e-300)
            if length == 4:
                chances[text] = whole / 4
            else:
                chances[text] = (whole + math.log(CHANCES.get(text, OTHERS)[END])) / (length + 1)
    best = sorted(chances, key=lambda text: -chances[text])
    found = search(beams=200)
    assert texts(found)[0] == best[0] == "bc"
    assert [beam.mean for beam in found[:5]] == pytest.approx([chances[text] for text in best[:5]])


def test_that_a_text_ends_at_the_largest_number_of_tokens_or_at_the_text_to_stop_at():
    assert all(len(beam.written) <= 1 for beam in search(tokens=1))
    assert texts(search(tokens=1)) == ["a", "b"]
    stopped = texts(search(stop="b"))
    assert stopped[0] == "ab"
    assert all("b" not in text[:-1] for text in stopped)


def test_that_short_texts_do_not_win_by_being_short():
    short = Beam(written=(1,), log_probability=-2.0, length=1)
    long = Beam(written=(1, 2, 3, 1), log_probability=-4.0, length=4)
    assert ranked([short, long]) == (long, short)
