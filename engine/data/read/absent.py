"""Words that stand in a column of numbers where a value is missing."""

from collections import Counter
from collections.abc import Sequence

_WORDS = """
    na, n a, not available, not applicable, not known, not measured, not reported, no data, no value
    unknown, unspecified, undefined, missing, none, null, nil, nan, empty, blank, tbd, ukn, unk
    ka, keine angabe, keine angaben, keine daten, kein wert, unbekannt, unbek, fehlt, fehlend, nv
    nicht bekannt, nicht verfügbar, nicht vorhanden, nicht gemessen, entfällt, nb, ohne angabe, oa
    nc, nd, nr, non disponible, non renseigné, inconnu, inconnue, manquant, aucun, aucune
    so, sd, sin datos, sin dato, no disponible, desconocido, desconocida, ninguno, no aplica
    non disponibile, sconosciuto, mancante, onbekend, geen, brak, neznámé, okänd, saknas, ukjent
    desconhecido, não disponível, sem dados, не известно, неизвестно, нет, нет данных
    无, 未知, 不详, 缺失, 暂无, 暂无数据, 没有, 空, 空值, 无数据, 未提供
    未填, 不明, なし, 不詳, 欠損, 없음
"""
_LEFT_OUT = str.maketrans(dict.fromkeys("./_-–—−*()[]<>#\\\"'…", " "))
_MOST_OTHERS = 3
_MOST_SHARE = 0.5


def _folded(cell: str) -> str:
    """Return a word without what it may be written with: ``k. A.`` and ``K.A.`` are ``ka``."""
    parts = cell.casefold().translate(_LEFT_OUT).split()
    return "".join(parts) if all(len(part) == 1 for part in parts) else " ".join(parts)


_KNOWN = frozenset(
    _folded(word) for line in _WORDS.strip().splitlines() for word in line.split(",")
)


def says_missing(cell: str) -> bool:
    """Return whether a cell that is no number says in words or marks that there is none."""
    return not any(map(str.isalnum, cell)) or _folded(cell) in _KNOWN


def missing_words(wrong: Sequence[str], present: int) -> dict[str, int]:
    """Return what stands for "missing" among the cells ``wrong``, which are no numbers, of so many
    that are not empty, with how often: known words and marks, and up to three other words that come
    again. Nothing where there are no numbers, or where the other words are most of the cells.
    """
    if len(wrong) >= present:
        return {}
    counts = Counter(wrong)
    found = {cell: count for cell, count in counts.items() if says_missing(cell)}
    others = {cell: count for cell, count in counts.items() if cell not in found and _is_word(cell)}
    again = {cell: count for cell, count in others.items() if count > 1}
    is_usual = sum(others.values()) <= _MOST_SHARE * (present - sum(found.values()))
    return found | again if len(again) <= _MOST_OTHERS and is_usual else found


def _is_word(cell: str) -> bool:
    return not any(map(str.isdigit, cell))
