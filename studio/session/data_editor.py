"""Edits of samples as steps of undo; the files of the data stay as they are."""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from engine.spec.data_edits import DataEdits, PartName
from engine.spec.data_path import data_key
from studio.i18n import filled, translate
from studio.session.session import Session


class DataEditor:
    """Changes what is said of samples beside their files. Each call is one step of undo; samples
    go by their names.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def edits(self) -> DataEdits:
        """The edits that hold for the chosen data."""
        data = self._session.spec.data
        return data.edits.of(data_key(data.source, self._session.graph.code))

    def exclude(self, names: Collection[str]) -> None:
        """Leave samples out of all parts."""
        label = translate("Data", "Exclude {count} {count|sample|samples}")
        self._take(self.edits.excluding(names, is_excluded=True), label, len(names))

    def include(self, names: Collection[str]) -> None:
        """Bring samples back that were left out."""
        label = translate("Data", "Include {count} {count|sample|samples}")
        self._take(self.edits.excluding(names, is_excluded=False), label, len(names))

    def relabel(
        self, names: Collection[str], label: str, own: Mapping[str, str] | None = None
    ) -> None:
        """Give samples another class, empty for the one that the data says, which ``own`` has by
        name as far as it is known: to give a sample that one is no edit.
        """
        text = translate("Data", "Relabel {count} {count|sample|samples}")
        before = self.edits
        edits = before.relabelled(names, label, own or {})
        if edits.samples != before.samples:
            self._take(edits, text, len(names))

    def move(self, names: Collection[str], part: PartName) -> None:
        """Put samples into a part, empty for the one that the split says."""
        label = translate("Data", "Move {count} {count|sample|samples}")
        self._take(self.edits.moved(names, part), label, len(names))

    def tag(self, names: Collection[str], tag: str, *, is_set: bool = True) -> None:
        """Put a tag on samples, or take it away."""
        label = translate("Data", "Remove tag of {count} {count|sample|samples}")
        if is_set:
            label = translate("Data", "Tag {count} {count|sample|samples}")
        self._take(self.edits.tagged(names, tag, is_set=is_set), label, len(names))

    def revert(self, names: Collection[str]) -> None:
        """Take all edits of samples back."""
        label = translate("Data", "Reset {count} {count|sample|samples}")
        self._take(self.edits.without(names), label, len(names))

    def reset(self) -> None:
        """Take all edits back, those of other data too."""
        count = len(self._session.spec.data.edits)
        label = translate("Data", "Reset {count} {count|edit|edits} of samples")
        self._take(DataEdits(), label, count)

    def _take(self, edits: DataEdits, label: str, count: int) -> None:
        session = self._session
        session.seal()
        data = replace(session.spec.data, edits=edits)
        spec = replace(session.spec, data=data)
        session.change(session.graph, spec, filled(label, count=count))
