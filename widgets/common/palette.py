"""Every colour of the program, as two frozen themes: light and dark."""

from dataclasses import dataclass

MARKS = ("red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "gray")
HEATS = ("heat0", "heat1", "heat2", "heat3", "heat4", "heat5")
"""Names of the colours for a measured value, from little to much."""

_OTHER = 11
_CATEGORY_SLOT = {
    "input and output": 0,
    "convolution": 1,
    "linear": 2,
    "matrix": 2,
    "pooling": 3,
    "resize and pool": 3,
    "resampling": 3,
    "normalization": 4,
    "activation": 5,
    "activation function": 5,
    "recurrent": 6,
    "sequence": 6,
    "attention": 7,
    "embedding": 8,
    "distance": 8,
    "similarity": 8,
    "dropout": 9,
    "distribution": 9,
    "padding": 10,
    "reshape": 10,
    "shape": 10,
    "join and split": 10,
    "indexing": 10,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Theme:
    """One set of colours, all as ``#rrggbb``.

    Surfaces go from ``window`` (chrome) over ``surface`` (where one reads and types) to ``raised``
    (menus, cards, toasts); ``sunken`` lies behind (headers, gutters, grooves). ``text`` has a
    contrast of at least 7 on all of them, ``muted`` of 4.5, ``faint`` of 3 (never for sentences).
    """

    name: str
    is_dark: bool
    window: str
    surface: str
    raised: str
    sunken: str
    hover: str
    text: str
    muted: str
    faint: str
    border: str
    strong_border: str
    accent: str
    accent_soft: str  # selection behind normal text
    on_accent: str  # text on the accent
    canvas: str
    canvas_grid: str
    node: str
    wire: str
    error: str
    warning: str
    info: str
    success: str
    error_soft: str
    warning_soft: str
    series: tuple[str, ...]  # distinct for colour-blind eyes; used in this order
    categories: tuple[str, ...]  # node categories, by slot
    marks: tuple[str, ...]  # what users paint nodes, frames and notes with, as in MARKS
    heats: tuple[str, ...]  # as in HEATS; grow lighter or darker too, for colour-blind eyes

    def severity(self, name: str) -> str:
        """Return the colour of ``error``, ``warning``, ``hint``/``info`` or ``success``."""
        return {"error": self.error, "warning": self.warning, "success": self.success}.get(
            name, self.info
        )

    def category(self, name: str) -> str:
        """Return the colour of a node category; those without one of their own share the last."""
        return self.categories[_CATEGORY_SLOT.get(name.casefold(), _OTHER)]

    def mark(self, name: str) -> str:
        """Return the colour of one of ``MARKS`` or ``HEATS``; empty for any other name."""
        if name in HEATS:
            return self.heats[HEATS.index(name)]
        return self.marks[MARKS.index(name)] if name in MARKS else ""

    def series_color(self, index: int) -> str:
        """Return the colour of the series with that index, going round."""
        return self.series[index % len(self.series)]


LIGHT = Theme(
    name="light",
    is_dark=False,
    window="#f4f5f7",
    surface="#ffffff",
    raised="#ffffff",
    sunken="#eaedf1",
    hover="#e6eaef",
    text="#1b2128",
    muted="#55606d",
    faint="#7d8895",
    border="#d8dde4",
    strong_border="#b4bdc8",
    accent="#0b756d",
    accent_soft="#d3ebe8",
    on_accent="#ffffff",
    canvas="#f8f9fb",
    canvas_grid="#e3e7ec",
    node="#ffffff",
    wire="#8a96a3",
    error="#b3261e",
    warning="#8a5a00",
    info="#1f62a8",
    success="#1f7a3d",
    error_soft="#fbe9e7",
    warning_soft="#fbf1dc",
    series=(
        "#0068b5",
        "#c65300",
        "#00805f",
        "#a8327e",
        "#8a6d00",
        "#5a3fb8",
        "#0c8aa6",
        "#5c6670",
    ),
    categories=(
        "#55606d",
        "#0b6fb8",
        "#0b7d74",
        "#5b57c0",
        "#9a6a00",
        "#c4531a",
        "#a03482",
        "#b3304f",
        "#3f7d1e",
        "#76808c",
        "#2f7d95",
        "#6d5a86",
    ),
    marks=(
        "#d64545",
        "#dd7a1c",
        "#c9a400",
        "#3f9a3c",
        "#13938a",
        "#2f7fd6",
        "#7b5bd0",
        "#c9489b",
        "#75808c",
    ),
    heats=("#c9d6ee", "#9dbfe8", "#8fcf9f", "#e8cf5a", "#f0994a", "#d6453f"),
)


DARK = Theme(
    name="dark",
    is_dark=True,
    window="#1b1f24",
    surface="#22272e",
    raised="#2a3038",
    sunken="#15181c",
    hover="#323942",
    text="#e4e8ed",
    muted="#a3aebb",
    faint="#7d8996",
    border="#363d47",
    strong_border="#515b67",
    accent="#45c2b1",
    accent_soft="#1e4a47",
    on_accent="#06201d",
    canvas="#181b20",
    canvas_grid="#262b32",
    node="#262c34",
    wire="#74808d",
    error="#ff8a80",
    warning="#f0b64d",
    info="#7db8f5",
    success="#6fcf8b",
    error_soft="#42262a",
    warning_soft="#3d331f",
    series=(
        "#5eb0f2",
        "#ff9a4d",
        "#35c498",
        "#ec85c0",
        "#d6bd45",
        "#a796f5",
        "#62d3e6",
        "#aab4bf",
    ),
    categories=(
        "#a3aebb",
        "#62aef0",
        "#45c2b1",
        "#9a97f2",
        "#dcae4a",
        "#f59563",
        "#e486c8",
        "#f2849a",
        "#8fcb66",
        "#8b96a3",
        "#66c3dc",
        "#b5a0d3",
    ),
    marks=(
        "#ef6b6b",
        "#f09a4e",
        "#e3c34a",
        "#77c670",
        "#4fc4b8",
        "#69aef0",
        "#a88df0",
        "#ea82c3",
        "#98a3af",
    ),
    heats=("#39507c", "#3f78b5", "#3f9a6d", "#b99a2e", "#d97a35", "#e85f5a"),
)
