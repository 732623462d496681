"""Charts of a report as SVG: curves over steps, with axes that a reader can take numbers from."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from engine.report.wording import html

COLORS = ("#0b756d", "#c2571a", "#1f62a8", "#8a3ffc", "#b3261e", "#5b7f1c", "#a3157f", "#55606d")
WIDTH, HEIGHT = 720, 300
_LEFT, _RIGHT, _TOP = 64, 12, 14
_BOTTOM = 40
_LEGEND_ROW = 18
_DASHES = ("", "6 3", "2 3")
_MOST_TICKS = 6
_LOG_FROM = 300.0  # highest to lowest


class Line(NamedTuple):
    """A curve: its label as text, its points, the number of its color and of its dash."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    color: int = 0
    dash: int = 0


class _Scale:
    """Values onto pixels."""

    def __init__(self, low: float, high: float, start: float, end: float, *, is_log: bool) -> None:
        self.is_log = is_log
        low, high = (math.log10(low), math.log10(high)) if is_log else (low, high)
        room = (high - low) or abs(high) or 1.0
        if high == low:
            low, high = low - room / 2, high + room / 2
        self.low, self.high, self._start, self._end = low, high, start, end

    def __call__(self, value: float) -> float:
        at = math.log10(value) if self.is_log else value
        share = (at - self.low) / (self.high - self.low)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> Iterator[float]:
        """Yield round values."""
        if self.is_log:
            for power in range(math.floor(self.low), math.ceil(self.high) + 1):
                for factor in (1, 2, 5) if self.high - self.low < 3 else (1,):
                    value = factor * 10.0**power
                    if self.low - 1e-9 <= math.log10(value) <= self.high + 1e-9:
                        yield value
            return
        step = 10 ** math.floor(math.log10((self.high - self.low) / _MOST_TICKS))
        while (self.high - self.low) / step > _MOST_TICKS:
            step *= 2 if f"{step:e}"[0] in "15" else 2.5
        for number in range(math.ceil(self.low / step), math.floor(self.high / step) + 1):
            yield number * step


def draw_lines(lines: Sequence[Line], x_title: str) -> str:
    """Return curves as SVG; nothing where no point of them can be drawn."""
    shown = [line for line in lines if any(map(_is_point, line.x, line.y))]
    points = [pair for line in shown for pair in zip(line.x, line.y, strict=True)]
    points = [pair for pair in points if _is_point(*pair)]
    if not points:
        return ""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    height = HEIGHT + _LEGEND_ROW * len(shown)
    x_scale = _Scale(min(xs), max(xs), _LEFT, WIDTH - _RIGHT, is_log=False)
    is_log = min(ys) > 0 and max(ys) / min(ys) > _LOG_FROM
    y_scale = _Scale(min(ys), max(ys), HEIGHT - _BOTTOM, _TOP, is_log=is_log)
    parts = [*_axes(x_scale, y_scale, x_title)]
    for row, line in enumerate(shown):
        parts += _line(line, x_scale, y_scale)
        parts += _legend(line, HEIGHT + _LEGEND_ROW * row)
    return svg(WIDTH, height, parts)


def svg(width: float, height: float, parts: Iterable[str]) -> str:
    """Return a drawing whose parts are SVG."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="12">'
        f"{''.join(parts)}</svg>"
    )


def text_at(x: float, y: float, text: str, anchor: str = "start", color: str = "#1b2128") -> str:
    """Return a text in a drawing."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{html(text)}</text>'
    )


def _is_point(x: float, y: float) -> bool:
    return math.isfinite(x) and math.isfinite(y)


def _axes(x_scale: _Scale, y_scale: _Scale, x_title: str) -> Iterator[str]:
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    for value in y_scale.ticks():
        y = y_scale(value)
        yield _stroke(_LEFT, y, right, y, "#e3e7ec")
        yield text_at(_LEFT - 6, y + 4, f"{value:g}", "end", "#55606d")
    for value in x_scale.ticks():
        x = x_scale(value)
        yield _stroke(x, bottom, x, bottom + 4, "#8a96a3")
        yield text_at(x, bottom + 17, f"{value:g}", "middle", "#55606d")
    yield _stroke(_LEFT, bottom, right, bottom, "#8a96a3")
    yield text_at((_LEFT + right) / 2, bottom + 34, x_title, "middle", "#55606d")


def _stroke(x1: float, y1: float, x2: float, y2: float, color: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"/>'


def _style(line: Line) -> str:
    dash = _DASHES[line.dash % len(_DASHES)]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="none" stroke="{COLORS[line.color % len(COLORS)]}" stroke-width="1.6"{dashes}'


def _line(line: Line, x_scale: _Scale, y_scale: _Scale) -> Iterator[str]:
    """Yield a curve in its pieces: it is broken where a value is no number."""
    piece: list[str] = []
    for x, y in (*zip(line.x, line.y, strict=True), (math.nan, math.nan)):
        if _is_point(x, y):
            piece.append(f"{x_scale(x):.1f},{y_scale(y):.1f}")
        elif piece:
            if len(piece) == 1:
                place = piece[0].split(",")
                color = COLORS[line.color % len(COLORS)]
                yield f'<circle cx="{place[0]}" cy="{place[1]}" r="2.5" fill="{color}"/>'
            else:
                yield f'<polyline points="{" ".join(piece)}" {_style(line)}/>'
            piece = []


def _legend(line: Line, y: float) -> Iterator[str]:
    yield f'<line x1="{_LEFT}" y1="{y}" x2="{_LEFT + 28}" y2="{y}" {_style(line)}/>'
    yield text_at(_LEFT + 36, y + 4, line.label)
