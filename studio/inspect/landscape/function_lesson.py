"""The functions that optimizers race on, and what is to be seen on each."""

from dataclasses import dataclass

from engine.query.landscape.request import FunctionName
from studio.i18n import QT_TRANSLATE_NOOP, translate


@dataclass(frozen=True, kw_only=True)
class _Lesson:
    title: str
    formula: str
    text: str


_LESSONS: dict[FunctionName, _Lesson] = {
    "bowl": _Lesson(
        title=QT_TRANSLATE_NOOP("Race", "Race on an ill-conditioned bowl"),
        formula="f = (x² + 25 y²) / 2",
        text=QT_TRANSLATE_NOOP(
            "Race",
            "25 times steeper along y: SGD needs a learning rate below 2/25 = 0.08 and "
            "then moves slowly along x. Momentum helps, as do per-parameter learning rates.",
        ),
    ),
    "rosenbrock": _Lesson(
        title=QT_TRANSLATE_NOOP("Race", "Race on Rosenbrock's valley"),
        formula="f = (1 − x)² + 100 (y − x²)²",
        text=QT_TRANSLATE_NOOP(
            "Race",
            "A curved, flat valley that is easy to find but slow to follow. L-BFGS "
            "estimates its curvature.",
        ),
    ),
    "beale": _Lesson(
        title=QT_TRANSLATE_NOOP("Race", "Race on Beale's function"),
        formula="f = (1.5 − x + xy)² + (2.25 − x + xy²)² + (2.625 − x + xy³)²",
        text=QT_TRANSLATE_NOOP(
            "Race",
            "Steep walls at the corners with a plateau between them: a learning rate that "
            "is stable on the walls is slow on the plateau.",
        ),
    ),
    "himmelblau": _Lesson(
        title=QT_TRANSLATE_NOOP("Race", "Race on Himmelblau's function"),
        formula="f = (x² + y − 11)² + (x + y² − 7)²",
        text=QT_TRANSLATE_NOOP(
            "Race",
            "Four minima of equal depth: which one is reached depends on the optimizer and "
            "its learning rate.",
        ),
    ),
    "rastrigin": _Lesson(
        title=QT_TRANSLATE_NOOP("Race", "Race on Rastrigin's function"),
        formula="f = 20 + x² + y² − 10 (cos 2πx + cos 2πy)",
        text=QT_TRANSLATE_NOOP(
            "Race",
            "Local minima everywhere: the gradient only leads to the nearest one. A higher "
            "learning rate or momentum can skip some of them.",
        ),
    ),
    "saddle": _Lesson(
        title=QT_TRANSLATE_NOOP("Race", "Race on a saddle point"),
        formula="f = x² − y² + y⁴/4",
        text=QT_TRANSLATE_NOOP(
            "Race",
            "The start is almost on the ridge, where the gradient along y is close to 0. "
            "See which optimizer escapes the saddle point first.",
        ),
    ),
}


def function_titles() -> dict[FunctionName, str]:
    """Return the functions by name."""
    return {name: translate("Race", lesson.title) for name, lesson in _LESSONS.items()}


def function_lesson(name: FunctionName) -> str:
    """Return the formula of a function, and what is to be seen on it."""
    lesson = _LESSONS[name]
    return f"{lesson.formula}\n{translate('Race', lesson.text)}"
