"""Columns of how large samples are: the sides of pictures, the lengths of texts."""

from collections.abc import Iterable, Iterator
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from engine.data.browse.column import BrowseColumn, NumberColumn
from engine.data.source.image_index import ImageIndex
from engine.data.source.picture_heads import PictureHeads
from engine.data.source.text_corpus import Corpus
from engine.spec.browse import HEIGHT, WIDTH, SampleColumn


def side_columns(index: ImageIndex, rows: NDArray[np.int64] | None) -> Iterator[BrowseColumn]:
    """Yield width and height of the pictures in files, which ``rows`` (None: all) say the samples
    of; their heads are read for the samples that are shown, and for all to sort and search by them.
    """

    @cache
    def heads() -> PictureHeads:
        return PictureHeads(index)

    def side(at: int, sample: int) -> str:
        return str(heads().of(sample if rows is None else int(rows[sample]))[at] or "")

    def sides(name: str) -> NDArray[np.float64]:
        return heads().sides(name, np.arange(len(index)) if rows is None else rows)

    for key, at in ((WIDTH, 1), (HEIGHT, 0)):
        yield NumberColumn(
            info=SampleColumn(key=key, kind="number"),
            load=partial(sides, key),
            written=partial(side, at),
        )


def length_columns(texts: Iterable[tuple[str, Corpus]]) -> Iterator[BrowseColumn]:
    """Yield how many tokens texts have, those beyond the length of a sample too. Subwords are left
    out: what they are is learnt from the training part.
    """
    for name, corpus in texts:
        if corpus.plan is None:
            info = SampleColumn(key=f"length.{name}", kind="number", name=f"{name} length")
            yield NumberColumn(info=info, load=partial(_counts, corpus))


def _counts(corpus: Corpus) -> NDArray[np.int64]:
    return corpus.tokens.ends - corpus.tokens.starts
