"""View models of the dialog for a project that begins with data, as frozen values."""

from dataclasses import dataclass

from widgets.forms.view_model import FormView


@dataclass(frozen=True, slots=True)
class Offer:
    """Choices (value and text) of which one is taken; nothing is to be chosen where there are
    none.
    """

    choices: tuple[tuple[str, str], ...] = ()
    chosen: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageView:
    """What is shown at a question: what it is about, what is wrong, notes, and settings."""

    text: str
    problem: str = ""
    notes: str = ""
    form: FormView
