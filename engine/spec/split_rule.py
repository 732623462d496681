"""Rules of the split: what its settings mean, and which do not go together."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic
from engine.spec.run import SplitSpec

_TOLERANCE = 1e-6  # of the sum of the fractions
_FEWEST_FOLDS = 2
WITH_COLUMN = ("group", "column", "time")
"""The kinds that need a column; ``stratified`` takes the class where none is named."""
ASSIGNED = ("column", "given")
"""The kinds where the data says the part; the fractions are for the parts that it does not name."""

_WORDS: dict[int, tuple[str, ...]] = {
    0: ("train", "training", "trn", "train set", "training set", "训练", "训练集"),
    1: (
        *("validation", "validate", "valid", "val", "dev", "development", "eval", "evaluation"),
        *("validation set", "验证", "验证集", "开发集"),
    ),
    2: ("test", "testing", "tst", "test set", "holdout", "hold-out", "测试", "测试集"),
}
_PART_OF_WORD = {word: part for part, words in _WORDS.items() for word in words}


def part_of_word(word: str) -> int | None:
    """Return the part that a word names (0 training, 1 validation, 2 test); None for no part."""
    return _PART_OF_WORD.get(word.strip().casefold())


def split_fractions(split: SplitSpec) -> tuple[float, float, float]:
    """Return the fractions of training, validation and test part that a split goes by.

    With folds the validation part is one of them; where the data says the parts, what is not split
    off stays in the training part.
    """
    if split.folds:
        return 1 - split.test, 0.0, split.test
    if split.kind in ASSIGNED:
        return 1 - split.validation - split.test, split.validation, split.test
    return split.train, split.validation, split.test


def check_split(split: SplitSpec) -> Iterator[Diagnostic]:
    """Yield what is wrong with the settings of a split, whatever the data is."""
    fractions = split_fractions(split)
    if split.folds or split.kind in ASSIGNED:
        if min(fractions) < 0 or fractions[0] < _TOLERANCE:
            field = "data.split.test"
            yield Diagnostic.of("R029", field=field, sum=round(sum(fractions[1:]), 6))
    elif min(fractions) < 0 or abs(sum(fractions) - 1) > _TOLERANCE:
        yield Diagnostic.of("R020", field="data.split.train", sum=round(sum(fractions), 6))
    elif split.train == 0:
        yield Diagnostic(code="R021", field="data.split.train")
    if split.kind in WITH_COLUMN and not split.column.strip():
        yield Diagnostic(code="R025", field="data.split.column")
    yield from _check_folds(split)


def _check_folds(split: SplitSpec) -> Iterator[Diagnostic]:
    if not split.folds:
        return
    if split.folds < _FEWEST_FOLDS:
        yield Diagnostic.of("R026", field="data.split.folds", folds=split.folds)
    elif not 0 <= split.fold < split.folds:
        params: dict[str, str | int | float] = {"fold": split.fold, "highest": split.folds - 1}
        yield Diagnostic(code="R027", field="data.split.fold", params=params)
    elif split.kind == "time":
        yield Diagnostic(code="R028", field="data.split.folds")
