"""Undo and redo by keeping the old values."""

from typing import Generic, TypeVar

import msgspec

State = TypeVar("State")


class _Entry(msgspec.Struct, Generic[State], frozen=True):
    state: State
    label: str = ""
    merge_key: str | None = None


class History(Generic[State]):
    """The states of a document and the place among them. States are frozen and shared.

    There is no limit: a state keeps what differs from its neighbours only.
    """

    def __init__(self, state: State) -> None:
        self._entries: list[_Entry[State]] = [_Entry(state)]
        self._place = 0
        self._saved: _Entry[State] | None = self._entries[0]
        self._is_sealed = True

    @property
    def present(self) -> State:
        """The state that is shown."""
        return self._entries[self._place].state

    @property
    def is_modified(self) -> bool:
        """Whether the present differs from what was saved last."""
        return self._entries[self._place] is not self._saved

    @property
    def can_undo(self) -> bool:
        """Whether there is a state before."""
        return self._place > 0

    @property
    def before(self) -> State | None:
        """The state that undo would bring back, if there is one."""
        return self._entries[self._place - 1].state if self.can_undo else None

    @property
    def can_redo(self) -> bool:
        """Whether there is a state after."""
        return self._place + 1 < len(self._entries)

    @property
    def undo_label(self) -> str:
        """What undo would take back; empty when there is nothing."""
        return self._entries[self._place].label if self.can_undo else ""

    @property
    def redo_label(self) -> str:
        """What redo would do again; empty when there is nothing."""
        return self._entries[self._place + 1].label if self.can_redo else ""

    def comes_after(self, state: State) -> bool:
        """Return whether undo leads from the present to this very state, or it is the present."""
        return any(entry.state is state for entry in self._entries[: self._place + 1])

    def push(self, state: State, label: str, merge_key: str | None = None) -> None:
        """Make a state the present one; what was undone before is forgotten.

        A state with the merge key of the present one takes its place (dragging, typing), until
        :meth:`seal`, undo, redo or saving ends the merging.
        """
        if state is self.present:
            return
        del self._entries[self._place + 1 :]
        top = self._entries[-1]
        if merge_key is not None and merge_key == top.merge_key and not self._is_sealed:
            self._entries[-1] = _Entry(state, top.label, merge_key)
            return
        self._entries.append(_Entry(state, label, merge_key))
        self._place += 1
        self._is_sealed = False

    def amend(self, state: State) -> None:
        """Have the last change lead to another state; what was undone before is forgotten."""
        del self._entries[self._place + 1 :]
        old = self._entries[self._place]
        self._entries[self._place] = _Entry(state, old.label, old.merge_key)

    def replace_present(self, state: State) -> None:
        """Put a state that means the same in the place of the present one."""
        old = self._entries[self._place]
        new = _Entry(state, old.label, old.merge_key)
        self._entries[self._place] = new
        self._saved = new if self._saved is old else self._saved

    def seal(self) -> None:
        """End merging: the next state is an entry of its own."""
        self._is_sealed = True

    def undo(self) -> State:
        """Go one state back, where there is one, and return the present."""
        self._place = max(self._place - 1, 0)
        self._is_sealed = True
        return self.present

    def redo(self) -> State:
        """Go one state forward, where there is one, and return the present."""
        self._place = min(self._place + 1, len(self._entries) - 1)
        self._is_sealed = True
        return self.present

    def mark_saved(self) -> None:
        """Remember that the present is on disk."""
        self._saved = self._entries[self._place]
        self._is_sealed = True

    def mark_unsaved(self) -> None:
        """Remember that no state is on disk (a recovered document)."""
        self._saved = None
