"""Encoding of a text file: by its mark, by strict UTF-8, by the common letters of East Asia, by
those of other alphabets, by charset-normalizer, then GB18030.
"""

import codecs
import logging
import re
from collections.abc import Sequence
from pathlib import Path

from engine.data.read.alphabet import alphabet_encoding
from engine.data.read.common_letters import common_shares
from engine.diagnostics import DiagnosticError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE = ("utf-16", "utf-32")
_TELLING = 16  # bytes: of fewer, letters of East Asia in UTF-16 could be UTF-8 by chance
_SHOWN = 1 << 14  # bytes that are enough to tell encodings apart
_EAST_ASIAN = ("gb", "big5", "cp932", "cp949", "cp950", "shift", "euc", "johab", "hz", "iso2022")
_SURE, _LIKELY = 0.6, 0.2  # of the letters are common ones
_CYRILLIC_WORD = re.compile(r"[\u0400-\u04ff]{3,}")
_WIDE_WORD = re.compile(r"[^\x00-\x7f]+")
_WIDE_IN_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]+|[^\x00-\x7f]+(?=[A-Za-z])")
_WESTERN = frozenset("äöüÄÖÜßéèàùâêîôûçëïñáíóúÉÈÀÇÑåÅøØæÆœ€£°²³’“”–…«»")
_CENTRAL = frozenset("ěščřžýáíéúůťďňľĺŕôąćęłńóśźżőűăâîşţŠČŘŽĚŤĎŇŁŚŻŹĆĘĄŐŰ")


def detect_encoding(sample: bytes, path: Path) -> str:
    """Return the encoding of a text from its first bytes, which may end within a letter.

    Raises ``DiagnosticError``: D029 where it cannot be decided, D022 for bytes that are no text.
    """
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return name
    wide = _wide_encoding(sample)
    if wide is not None:
        return wide
    if b"\0" in sample:
        raise DiagnosticError.of("D022", field="data.source.path", file=str(path))
    if decodes(sample, "utf-8"):
        return "utf-8"
    name = _guessed(_telling(sample))
    if name is None:
        raise DiagnosticError.of("D029", field="data.source.encoding", file=str(path))
    return name


def decoded_start(sample: bytes, path: Path) -> str:
    """Return the start of a text, which may end within a letter. Raises as
    :func:`detect_encoding` does.
    """
    return sample.decode(detect_encoding(sample, path), "replace").removeprefix("\ufeff")


def decodes(sample: bytes, encoding: str) -> bool:
    """Return whether bytes are text in an encoding, but for the letter at their end."""
    try:
        codecs.getincrementaldecoder(encoding)("strict").decode(sample, final=False)
    except (UnicodeDecodeError, LookupError):
        return False
    return True


def require_wide(content: bytes, encoding: str, path: Path) -> None:
    """Raise ``DiagnosticError`` (D622) for a text in UTF-8 of which the user has said that it is in
    an ``encoding`` of two or four bytes a letter: where its length allows that, it would be read as
    letters that nobody has written.
    """
    if not codecs.lookup(encoding).name.startswith(_WIDE) or len(content) < _TELLING:
        return
    if b"\0" not in content and decodes(content, "utf-8"):
        field = "data.source.encoding"
        raise DiagnosticError.of(
            "D622", field=field, setting=field, file=str(path), encoding=encoding
        )


def _wide_encoding(sample: bytes) -> str | None:
    """Return UTF-16 without a mark, whose ASCII letters have a zero byte each."""
    pairs = len(sample) // 2
    if pairs == 0 or b"\0" not in sample:
        return None
    low, high = sample[0 : 2 * pairs : 2].count(0), sample[1 : 2 * pairs : 2].count(0)
    for zeros, others, name in ((high, low, "utf-16-le"), (low, high, "utf-16-be")):
        if zeros > 0.3 * pairs and others < 0.02 * pairs and decodes(sample, name):
            return name
    return None


def _telling(sample: bytes) -> bytes:
    """Return the lines that are not plain ASCII, each once: the others say nothing of the
    encoding.
    """
    lines = (line for line in sample.splitlines(keepends=True) if not line.isascii())
    return b"".join(dict.fromkeys(lines))[:_SHOWN]


def _guessed(sample: bytes) -> str | None:
    share, common = next(iter(common_shares(sample)), (0.0, ""))
    if share >= _SURE and not _is_amid_latin(sample, common):
        return common
    alphabet = alphabet_encoding(sample)
    if alphabet is not None:
        return alphabet
    return common if share >= _SURE else _by_library(sample, common if share >= _LIKELY else "")


def _by_library(sample: bytes, common: str) -> str | None:
    """Return the guess of charset-normalizer, or what is likelier than it: ``common`` where it is
    not empty and the text is of East Asia.
    """
    from charset_normalizer import from_bytes

    logging.getLogger("charset_normalizer").setLevel(logging.WARNING)
    guesses = [match.encoding for match in from_bytes(sample)]
    best = guesses[0] if guesses else ""
    if best.startswith(_EAST_ASIAN):
        return common or _east_asian(best, sample)
    if _is_chinese(sample):
        return "gb18030"
    if best and not best.startswith("utf_"):
        return _single_byte(best, sample)
    for encoding in ("gb18030", "cp1252"):
        if decodes(sample, encoding):
            return encoding
    return None


def _is_amid_latin(sample: bytes, encoding: str) -> bool:
    """Return whether most words of East Asia stand beside a letter of ASCII: where they do, a few
    letters with accents have been taken together with what follows them.
    """
    text = sample.decode(encoding, "ignore")
    words = len(_WIDE_WORD.findall(text))
    return len(_WIDE_IN_WORD.findall(text)) > words / 2


def _east_asian(best: str, sample: bytes) -> str:
    """Return the superset of an encoding that programs write today."""
    for start, name in (("gb", "gb18030"), ("hz", "gb18030"), ("big5", "cp950")):
        if best.startswith(start) and decodes(sample, name):
            return name
    return best


def _is_chinese(sample: bytes) -> bool:
    """Return whether bytes are the common characters of Chinese alone, in words of two and more."""
    if not decodes(sample, "gb2312"):
        return False
    text = sample.decode("gb2312", "ignore")
    return len(re.findall(r"[\u4e00-\u9fff]{2,}", text)) > 0


def _single_byte(best: str, sample: bytes) -> str:
    """Return an encoding of an alphabet: short texts are told apart by the letters of languages."""
    text = sample.decode(best, "replace")
    if _CYRILLIC_WORD.search(text):
        return best
    scores: Sequence[tuple[int, str]] = [
        (_count(sample, "cp1252", _WESTERN), "cp1252"),
        (_count(sample, "cp1250", _CENTRAL), "cp1250"),
    ]
    score, name = max(scores, key=lambda pair: pair[0])
    return name if score > 0 and decodes(sample, name) else best


def _count(sample: bytes, encoding: str, letters: frozenset[str]) -> int:
    return sum(letter in letters for letter in sample.decode(encoding, "replace"))
