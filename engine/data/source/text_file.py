"""Source of texts in files: to go on with (language model), to classify, or in pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import torch

from engine.catalog.spec import Value
from engine.data.read.text import joined_files, line_spans, read_file_text, text_files
from engine.data.source.parameter import found_param, int_param, path_param, text_param
from engine.data.source.source import Source
from engine.data.source.subword_windows import SubwordWindowSource
from engine.data.source.subwords import subword_plan
from engine.data.source.text_corpus import Corpus, text_corpus
from engine.data.source.text_folder import text_folder
from engine.data.source.text_samples import TextColumn, TextSource
from engine.data.source.windows import WindowSource, window_count
from engine.diagnostics import DiagnosticError
from engine.files import is_folder
from engine.spec.data import Task
from engine.spec.vocabulary import Letters, with_letters

_MOST_CLASSES = 1000

Span = tuple[int, int]
Params = Mapping[str, Value]
PLAIN_WORDS: Params = {
    "tokens": "words",
    "letters": "lowercase",
    "fill": "length",
    "prefixes": "",
    "reverse": False,
    "drop_long": False,
}
"""Pairs as they are, in words; their ``length`` is to be said."""
Windows = WindowSource | SubwordWindowSource


def load_text(params: Params) -> Source:
    """Return the texts of a file or folder: as windows with the token that follows
    (:class:`WindowSource`), or as samples (:class:`TextSource`) with a ``label`` or in pairs.

    Raises ``DiagnosticError``: D130 where no file is chosen, D131 to D137 and D400 for what cannot
    be used, D050 to D072 for a folder that cannot be listed.
    """
    path, encoding = path_param(params, "path", "D130"), found_param(params, "encoding")
    if is_folder(path) and params["task"] != "pairs":
        if params["task"] == "classification":
            return _of_folders(params, path, encoding)
        return text_windows(params, _written(path, joined_files(_all_files(path), encoding)[0]))
    file = read_file_text(path, encoding)
    source = _of_file(params, path, _written(path, file.text))
    return replace(source, file_encoding=file.encoding)


def _of_file(params: Params, path: Path, text: str) -> TextSource | Windows:
    if params["task"] == "classification":
        spans, labels = _of_lines(text)
        return _classified(params, path, text, spans, labels)
    return paired_texts(params, text) if params["task"] == "pairs" else text_windows(params, text)


def _written(path: Path, text: str) -> str:
    """Return a text. Raises ``DiagnosticError`` D400 for one without a letter."""
    if not text or text.isspace():
        raise DiagnosticError.of("D400", field="data.source.path", file=str(path))
    return text


def text_windows(params: Params, text: str) -> Windows:
    """Return windows of one text, each with the token that follows every one of its own. Raises
    ``DiagnosticError`` D137 where none is so short.
    """
    length = int_param(params, "length")
    stride = int_param(params, "stride") or length
    plan = subword_plan(params)
    if plan is not None:
        return SubwordWindowSource(content=text, plan=plan, length=length, stride=stride)
    corpus = text_corpus(params, text, np.array([[0, len(text)]], np.int64), is_kept=False)
    count = len(corpus.tokens.ids)
    if window_count(count, length + 1, stride) == 0:
        raise DiagnosticError.of("D137", field="data.source.length", count=count, length=length)
    return WindowSource(
        tokens=corpus.tokens, encoding=corpus.encoding, length=length, stride=stride
    )


def _classified(
    params: Params, path: Path, text: str, spans: np.ndarray, labels: Sequence[str]
) -> TextSource:
    classes = sorted(set(labels))
    if len(classes) < 2:
        raise DiagnosticError.of("D135", field="data.source.path", file=path.name)
    number = {name: index for index, name in enumerate(classes)}
    task: Task = "binary" if len(classes) == 2 else "classification"
    return TextSource(
        task=task,
        corpora=(text_corpus(params, text, spans),),
        columns=(TextColumn(name="text", corpus=0),),
        length=int_param(params, "length"),
        keeps_length=params["fill"] == "batch",
        labels=torch.tensor([number[label] for label in labels], dtype=torch.int64),
        classes=tuple(classes),
    )


def _of_folders(params: Params, path: Path, encoding: str) -> TextSource:
    """Return the files of class folders, which may be in folders of the parts."""
    folder = text_folder(path, is_inner=params["class_folders"] == "inner")
    text, spans = joined_files(folder.files, encoding)
    return replace(
        _classified(params, path, text, spans, folder.labels),
        parts=folder.parts,
        files=folder.names,
        folder=folder,
    )


def _of_lines(text: str) -> tuple[np.ndarray, list[str]]:
    """Return the texts of lines with a label, which is on the side that has fewer values."""
    left, right = _columns(text)
    sides = [_distinct(text, spans) for spans in (left, right)]
    is_left = sides[0] <= sides[1]
    if min(sides) > _MOST_CLASSES:
        raise DiagnosticError.of("D135", field="data.source.path", file="")
    spans, labels = (right, left) if is_left else (left, right)
    names = [text[start:end].strip() for start, end in labels]
    return np.array(spans, np.int64).reshape(-1, 2), names


def _distinct(text: str, spans: Sequence[Span]) -> int:
    return len({text[start:end] for start, end in spans})


def _columns(text: str) -> tuple[list[Span], list[Span]]:
    """Return the first two columns of lines with tabs. Raises D134 for a line without one."""
    left: list[Span] = []
    right: list[Span] = []
    for start, end in line_spans(text):
        tab = text.find("\t", start, end)
        if tab < 0:
            line = text.count("\n", 0, start) + 1
            raise DiagnosticError.of("D134", field="data.source.task", line=line)
        stop = text.find("\t", tab + 1, end)
        left.append((start, tab))
        right.append((tab + 1, end if stop < 0 else stop))
    return left, right


def paired_texts(params: Params, text: str) -> TextSource:
    """Return the pairs of the lines of a text, between a tab: ``source``, ``previous`` (the target
    after a start, which a decoder reads) and ``target``. Raises ``DiagnosticError`` D136 where
    none is left.
    """
    length = int_param(params, "length")
    left, right = _columns(text)
    starts = tuple(
        with_letters(each.strip(), _letters(params))
        for each in text_param(params, "prefixes").split(",")
        if each.strip()
    )
    rows = [
        row
        for row, (start, end) in enumerate(left)
        if not starts or with_letters(text[start:end], _letters(params)).startswith(starts)
    ]
    first, second = (right, left) if params["reverse"] else (left, right)
    corpora = tuple(
        text_corpus(params, text, np.array([side[row] for row in rows], np.int64).reshape(-1, 2),
               name=name, is_generated=is_generated)
        for side, name, is_generated in ((first, "source", False), (second, "target", True))
    )  # fmt: skip
    if params["drop_long"]:
        corpora = _short_pairs(params, text, corpora, length)
    if not len(corpora[0].spans):
        raise DiagnosticError.of("D136", field="data.source.prefixes", pairs=len(left))
    return TextSource(
        task="classification",
        corpora=corpora,
        columns=(
            TextColumn(name="source", corpus=0),
            TextColumn(name="previous", corpus=1, form="previous"),
            TextColumn(name="target", corpus=1, form="next"),
        ),
        length=length,
        keeps_length=params["fill"] == "batch",
        filtered=len(left) - len(corpora[0].spans),
    )


def _short_pairs(
    params: Params, text: str, corpora: tuple[Corpus, ...], length: int
) -> tuple[Corpus, ...]:
    """Return the pairs that are not truncated."""
    sizes = [each.tokens.ends - each.tokens.starts + each.is_generated for each in corpora]
    is_short = np.logical_and.reduce([size <= length for size in sizes])
    return tuple(
        replace(each, spans=each.spans[is_short], before=each.tokens.tokenizer)
        if each.plan is not None
        else text_corpus(params, text, each.spans[is_short], is_generated=each.is_generated)
        for each in corpora
    )


def _letters(params: Params) -> Letters:
    return cast("Letters", params["letters"])


def _all_files(path: Path) -> list[Path]:
    files = text_files(path)
    if not files:
        raise DiagnosticError.of("D131", field="data.source.path", file=str(path / "*.txt"))
    return files
