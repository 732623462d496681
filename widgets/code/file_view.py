"""View model of one file in an editor of several."""

from dataclasses import dataclass

from widgets.code.mark import MarkView, worst


@dataclass(frozen=True, kw_only=True)
class FileView:
    """One file as it stands in the project; ``note`` says in a line what it offers or lacks."""

    name: str
    text: str
    marks: tuple[MarkView, ...] = ()
    note: str = ""

    @property
    def severity(self) -> str:
        """The worst of its marks; empty where there is none."""
        return worst(list(self.marks)).severity if self.marks else ""
