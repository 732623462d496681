"""Look at the masks of a folder: which values or colors occur, and what settings fit them."""

import re
from collections.abc import Sequence
from pathlib import Path

from engine.catalog.spec import Value
from engine.data.read.image import decode_colors, decode_mask, read_bytes
from engine.data.read.mask_form import color_text
from engine.data.source.mask_classes import COLOR_FILES, NAME_FILES, VOID
from engine.diagnostics import DiagnosticError
from engine.files import read_file

_MOST_MASKS = 400
_MOST_PIXELS = 200_000_000  # of all masks together
_MOST_COLORS = 64
_VOID_COLOR = 0xE0E0C0  # of the palette of Pascal VOC
_LEAST_LEVEL, _MOST_LEVELS = 20, 12  # shades of gray that stand for classes
_NAMED_COLOR = re.compile(
    r"([^\d,:;#]*)[\s,:;]*(\d{1,3})[\s,;]+(\d{1,3})[\s,;]+(\d{1,3})\b[\s,:;]*(.*)"
)
_VOID_NAMES = ("void", "unlabeled", "unlabelled", "ignore", "ignored")
_LONGEST_LINE = 200
_LONGEST_NAMES = 1 << 16  # bytes


def mask_settings(root: Path, masks: Sequence[Path]) -> dict[str, Value]:
    """Return settings of the source that fit some of the masks in a folder.

    Raises :class:`DiagnosticError` D236 for a mask of more colors than classes can have, and what
    decoding raises.
    """
    values: set[int] = set()
    codes: set[int] = set()
    pixels = 0
    for file in masks[:: max(len(masks) // _MOST_MASKS, 1)]:
        content = read_bytes(file)
        try:
            found = decode_mask(content, str(file))
            values |= set(found.unique().tolist())
        except DiagnosticError as error:
            if error.problems[0].code != "D230":
                raise
            found = decode_colors(content, str(file))
            codes |= set(found.unique().tolist())
        if max(len(values), len(codes)) > _MOST_COLORS and codes:
            raise DiagnosticError.of("D236", file=str(file), most=_MOST_COLORS)
        pixels += found.numel()
        if pixels > _MOST_PIXELS:
            break
    if codes:
        return _of_colors(root, codes | {_gray(value) for value in values if value <= VOID})
    return _of_values(root, values)


def _of_colors(root: Path, codes: set[int]) -> dict[str, Value]:
    """Return settings for colors: as a list beside the masks names them, else in the order of the
    palette of Pascal VOC where they are all of it.
    """
    listed = _listed_colors(root)
    if codes <= set(listed):
        ignored = [code for code, name in listed.items() if name.lower() in _VOID_NAMES]
        kept = [code for code in listed if code not in ignored]
        names = _setting([listed[code] for code in kept])
    else:
        ignored = sorted(codes & {_VOID_COLOR})
        places = {code: number for number, code in enumerate(_voc_palette())}
        rest = codes - set(ignored)
        is_voc = rest <= set(places)
        kept = sorted(rest, key=lambda code: places[code] if is_voc else code)
        names = _names(root, len(kept)) if is_voc else {}  # else nobody knows which is which
    settings: dict[str, Value] = {"colors": " ".join(map(color_text, kept))}
    if ignored:
        settings["ignored"] = " ".join(map(color_text, ignored))
    return settings | names


def _voc_palette() -> list[int]:
    """Return the colors of Pascal VOC: the bits of a number in turn are bits of red, green, blue,
    from the highest on.
    """
    palette: list[int] = []
    for number in range(VOID):
        shares = [0, 0, 0]
        for place in range(8):
            shares[place % 3] |= (number >> place & 1) << (7 - place // 3)
        palette.append(shares[0] << 16 | shares[1] << 8 | shares[2])
    return palette


def _listed_colors(root: Path) -> dict[int, str]:
    """Return the names of colors in a file such as those of CamVid (``64 128 64 Animal``) or of
    annotation programs (``cat,64,128,64``); none without one.
    """
    for name in COLOR_FILES:
        found: dict[int, str] = {}
        for line in _lines(root / name):
            match = _NAMED_COLOR.match(line)
            if match is not None:
                red, green, blue = (min(int(match[at]), 255) for at in (2, 3, 4))
                text = (match[1].strip() or match[5].strip()).replace(",", " ")
                found[red << 16 | green << 8 | blue] = text
        if 1 < len(found) <= _MOST_COLORS:
            return found
    return {}


def _lines(file: Path) -> list[str]:
    try:
        text = read_file(file, _LONGEST_NAMES).decode("utf-8-sig")
    except (OSError, ValueError):
        return []
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if 0 < len(line) <= _LONGEST_LINE]


def _of_values(root: Path, values: set[int]) -> dict[str, Value]:
    """Return settings for numbers of classes, or for shades of gray."""
    rest = sorted(values - {0})
    if len(rest) <= 1:  # with two classes every value but 0 is the second
        return _names(root, 2)
    if rest[0] >= _LEAST_LEVEL and len(rest) < _MOST_LEVELS and rest[-1] <= VOID:
        return _of_colors(root, {_gray(value) for value in values | {0}})
    classes = max(value for value in rest if value != VOID) + 1
    ignored: dict[str, Value] = {"ignored": str(VOID)} if classes == 2 else {}
    names = _names(root, classes)
    if not names and len(voc := _voc_names(root)) >= classes:
        classes, names = len(voc), _setting(voc)
    return {"classes": classes, **ignored} | names


def _voc_names(root: Path) -> list[str]:
    """Return the classes of a folder such as that of Pascal VOC by its lists of each class
    (``ImageSets/Main/cat_train.txt``), which are numbered by their letters after the background;
    none where there are no such lists.
    """
    for lists in (root / "ImageSets" / "Main", *sorted(root.glob("*/ImageSets/Main"))):
        found = sorted({file.name.rpartition("_")[0] for file in lists.glob("?*_train*.txt")})
        if found and len(found) < _MOST_COLORS:
            return ["background", *found]
    return []


def _names(root: Path, classes: int) -> dict[str, Value]:
    """Return the names in a file that lists as many as there are classes."""
    for name in NAME_FILES:
        names = [re.sub(r"^\d+[\s:,;]+", "", line) for line in _lines(root / name)]
        if len(names) == classes and not any("," in each for each in names):
            return _setting(names)
    return {}


def _setting(names: list[str]) -> dict[str, Value]:
    """Return the setting of class names; none where two classes have the same."""
    named = [name or str(number) for number, name in enumerate(names)]
    return {"names": ", ".join(names)} if len(set(named)) == len(named) else {}


def _gray(value: int) -> int:
    return value << 16 | value << 8 | value
