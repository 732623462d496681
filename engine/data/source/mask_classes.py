"""Classes of masks: what the values or colors of a mask stand for."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.catalog.spec import AUTO, Value
from engine.data.read.mask_form import MaskClasses, color_text
from engine.data.source.parameter import int_param
from engine.diagnostics import DiagnosticError

VOID = 255
"""The value of pixels without a class, as the borders in Pascal VOC."""

_COLOR = re.compile(r"#?([0-9a-fA-F]{6})")
_MOST_CLASSES = 1000
_LONGEST = 60
_NAMES = "data.source.names"

NAME_FILES = ("classes.txt", "class_names.txt", "labels.txt", "codes.txt")
"""Files beside masks that list the names of classes, one a line."""
COLOR_FILES = ("label_colors.txt", "class_dict.csv", "labelmap.txt", "colors.txt")
"""Files beside masks that list classes with their colors."""


IGNORED_OF_TABLE = "ignored_pixels"
"""What the setting ``ignored`` of masks is called in a table, which ignores columns, too."""


def mask_classes(params: Mapping[str, Value], ignored: str = "ignored") -> MaskClasses:
    """Return the classes that the settings ``classes``, ``names``, ``colors`` and ``ignored`` say,
    the last of which may have another name.

    Raises :class:`DiagnosticError`: D232 for what is no color or stands there twice, D233 for names
    that are not as many as the classes, D603 for a name of two classes, D234 for an ignored value
    that is no number.
    """
    colors = _colors(params, "colors")
    count = len(colors) or int_param(params, "classes")
    names = [name.strip() for name in str(params.get("names") or "").split(",")]
    names = names if any(names) else []
    if names and len(names) != count:
        raise DiagnosticError.of("D233", field=_NAMES, names=len(names), classes=count)
    named = tuple(name or str(number) for number, name in enumerate(names or [""] * count))
    if len(set(named)) < count:  # a prediction or an edit could not say which of the two is meant
        twice = next(name for number, name in enumerate(named) if name in named[:number])
        raise DiagnosticError.of("D603", field=_NAMES, name=twice[:_LONGEST])
    return MaskClasses(
        names=named,
        colors=colors,
        ignored=_ignored(params, ignored, colors, count),
    )


def require_size_of_picture(file: Path, mask: Sequence[int], picture: Sequence[int]) -> None:
    """Raise :class:`DiagnosticError` D077 for a mask in a file that has not the height and width of
    its picture.
    """
    if tuple(mask) != tuple(picture):
        raise DiagnosticError.of(
            "D077", file=str(file), mask=_size_text(mask), picture=_size_text(picture)
        )


def _colors(params: Mapping[str, Value], name: str) -> tuple[int, ...]:
    words = str(params.get(name) or "").replace(",", " ").split()
    codes: list[int] = []
    for word in words:
        match = _COLOR.fullmatch(word)
        code = int(match[1], 16) if match else -1
        if match is None or code in codes or len(codes) == _MOST_CLASSES:
            field = f"data.source.{name}"
            raise DiagnosticError.of("D232", field=field, color=word[:_LONGEST])
        codes.append(code)
    return tuple(codes)


def _ignored(
    params: Mapping[str, Value], name: str, colors: tuple[int, ...], count: int
) -> tuple[int, ...]:
    text = str(params.get(name, AUTO) or "").strip()
    if text == AUTO:
        return (VOID,) if not colors and 2 < count <= VOID else ()
    if colors:
        found = _colors({name: text}, name)
        twice = set(found) & set(colors)
        if twice:
            color = color_text(min(twice))
            raise DiagnosticError.of("D232", field=f"data.source.{name}", color=color)
        return found
    words = text.replace(",", " ").split()
    if not all(word.isdecimal() and len(word) <= len("65535") for word in words):
        raise DiagnosticError.of("D234", field=f"data.source.{name}", text=text[:_LONGEST])
    return tuple(int(word) for word in words)


def _size_text(size: Sequence[int]) -> str:
    height, width = size
    return f"{width} × {height}"
