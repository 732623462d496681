"""The Inspect workspace: pages side by side, each looking at training in its own way."""

from studio.i18n import translate
from studio.window.paged import PagedWorkspace


class InspectWorkspace(PagedWorkspace):
    """Holds the pages that look into training."""

    def __init__(self) -> None:
        super().__init__(
            "inspect",
            translate("Inspect", "Inspect workspace"),
            translate("Inspect", "Inspect pages"),
        )
