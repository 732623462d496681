"""Glyph of each category of node, as strokes on a grid of 16 x 16."""

from functools import cache

from PySide6.QtGui import QPainterPath

_STROKES = {
    "io": "M2 8 L11 8 M8 4.5 L11.5 8 L8 11.5 M14 3 L14 13",
    "convolution": "M3 3 L13 3 L13 13 L3 13 Z M3 6.33 L13 6.33 M3 9.66 L13 9.66 "
    "M6.33 3 L6.33 13 M9.66 3 L9.66 13",
    "linear": "M3 4 L13 4 M3 12 L13 12 M3 4 L13 12 M3 12 L13 4",
    "pooling": "M2 3 L14 3 L9.5 8.5 L9.5 13 L6.5 13 L6.5 8.5 Z",
    "normalization": "M2 13 C6 13 5.5 3.5 8 3.5 C10.5 3.5 10 13 14 13",
    "activation": "M2 12 L7.5 12 L13.5 3.5",
    "recurrent": "M12.5 5 C9.5 1 3 3 3 8 C3 13 9.5 15 12.5 11 M12.9 1.8 L12.7 5.4 L9.2 5.2",
    "attention": "M2 8 C5 3 11 3 14 8 C11 13 5 13 2 8 M8 6.2 L9.8 8 L8 9.8 L6.2 8 Z",
    "transformer": "M2 8 C5 3 11 3 14 8 C11 13 5 13 2 8 M8 6.2 L9.8 8 L8 9.8 L6.2 8 Z",
    "embedding": "M3 3 L6 3 L6 13 L3 13 Z M10 3 L13 3 L13 13 L10 13 Z M6 8 L10 8",
    "sparse": "M3 3 L6 3 L6 13 L3 13 Z M10 3 L13 3 L13 13 L10 13 Z M6 8 L10 8",
    "dropout": "M3 8 C3 1.4 13 1.4 13 8 C13 14.6 3 14.6 3 8 M4.6 4.6 L11.4 11.4",
    "padding": "M2.5 2.5 L13.5 2.5 L13.5 13.5 L2.5 13.5 Z M5.5 5.5 L10.5 5.5 L10.5 10.5 "
    "L5.5 10.5 Z",
    "vision": "M2.5 3.5 L13.5 3.5 L13.5 12.5 L2.5 12.5 Z M2.5 11 L6.5 7 L9 9.5 L11 7.5 L13.5 10",
    "shape": "M2.5 2.5 L8 2.5 L8 8 L2.5 8 Z M9.5 13.5 L13.5 13.5 L13.5 5 M11.3 7 L13.5 4.8 L15.6 7",
    "reduction": "M12.5 4.5 L12.5 3 L3.5 3 L8.5 8 L3.5 13 L12.5 13 L12.5 11.5",
    "join": "M2 4 C7 4 6 8 10 8 M2 12 C7 12 6 8 10 8 L14 8 M11.5 5.5 L14 8 L11.5 10.5",
    "comparison": "M3 5.5 L13 5.5 M3 10.5 L13 10.5",
    "type and copy": "M2.5 5.5 L10.5 5.5 L10.5 13.5 L2.5 13.5 Z M5.5 5.5 L5.5 2.5 L13.5 2.5 "
    "L13.5 10.5 L10.5 10.5",
    "block": "M2.5 5 L8 2.2 L13.5 5 L13.5 11 L8 13.8 L2.5 11 Z M2.5 5 L8 7.8 L13.5 5 "
    "M8 7.8 L8 13.8",
    "own code": "M5 4 L1.5 8 L5 12 M11 4 L14.5 8 L11 12 M9.2 2.8 L6.8 13.2",
    "math": "M8 3 L8 13 M3 8 L13 8",
    "operator": "M8 3 L8 13 M3 8 L13 8",
}
_ALIASES = {
    "my blocks": "block",
    "input and output": "io",
    "activation function": "activation",
    "resize and pool": "pooling",
    "resampling": "vision",
    "reshape": "shape",
    "indexing": "shape",
    "join and split": "join",
    "matrix": "linear",
    "comparison": "comparison",
    "distance": "comparison",
}


@cache
def glyph_path(category: str) -> QPainterPath:
    """Return the strokes of a category; unknown ones get those of operators."""
    name = category.lower()
    text = _STROKES.get(_ALIASES.get(name, name), _STROKES["operator"])
    path = QPainterPath()
    words = text.split()
    while words:
        word = words.pop(0)
        if word == "Z":
            path.closeSubpath()
            continue
        count = 6 if word[0] == "C" else 2
        numbers = [float(word[1:]), *(float(words.pop(0)) for _ in range(count - 1))]
        if word[0] == "M":
            path.moveTo(*numbers)
        elif word[0] == "L":
            path.lineTo(*numbers)
        else:
            path.cubicTo(*numbers)
    return path
