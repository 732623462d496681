"""View models of the dialog for a project that begins with data, as frozen values."""

from dataclasses import dataclass

from widgets.forms.view_model import FormView
from widgets.images.view_model import ImageView


@dataclass(frozen=True, slots=True)
class Offer:
    """Choices (value and text) of which one is taken; nothing is to be chosen where there are
    none.
    """

    choices: tuple[tuple[str, str], ...] = ()
    chosen: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnView:
    """Some training samples after the transforms, or what stands in their place;
    ``problem`` is why one cannot be shown, ``tip`` what another draw does or why there is none.
    """

    words: str
    images: tuple[ImageView, ...] = ()
    problem: str = ""
    can_draw: bool = False
    tip: str = ""
    empty_text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageView:
    """What is shown at a question: what it is about, what is wrong, notes, and settings."""

    text: str
    problem: str = ""
    notes: str = ""
    form: FormView
