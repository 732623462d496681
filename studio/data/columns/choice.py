"""What a user says of the columns of a table, as a frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.spec.table import ColumnInfo, names_text

KINDS = (
    "number",
    "category",
    "tags",
    "binary",
    "date",
    "text",
    "textfile",
    "image",
    "mask",
    "array",
    "sound",
    "video",
)
"""What a user can call a column that is used."""

_TOGETHER = ("number", "binary")
"""The kinds of columns of which several can be predicted, all of one kind: numbers, labels."""

_ALONE = ("group", "weight")
"""The roles that one column can have."""


@dataclass(frozen=True, kw_only=True)
class ColumnChoice:
    """What was said of columns: ``targets`` (empty: what is proposed), ``kinds`` and ``roles`` by
    name. ``proposed`` are the columns with what is proposed for them where nothing is said,
    ``used`` the same as they are used. With ``is_unweighed`` none is to be the weight.
    """

    proposed: tuple[ColumnInfo, ...] = ()
    used: tuple[ColumnInfo, ...] = ()
    targets: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    is_unweighed: bool = False

    @property
    def predicted(self) -> tuple[str, ...]:
        """The columns that are predicted."""
        return self.targets or tuple(each.name for each in self.used if each.role == "target")

    def kind_of(self, column: ColumnInfo) -> str:
        """Return the kind of a column of ``used``."""
        return self.kinds.get(column.name, column.kind)

    def role_of(self, column: ColumnInfo) -> str:
        """Return the role of a column of ``used``."""
        if column.name in self.predicted:
            return "target"
        role = self.roles.get(column.name, column.role)
        return "input" if role == "target" else role

    def params(self) -> dict[str, str]:
        """Return the settings of the source that say so; empty ones leave it to what is
        proposed.
        """
        kinds = dict(self.kinds)
        for column in self.proposed:
            is_wanted = self.roles.get(column.name) == "input" and column.role == "ignored"
            if is_wanted and column.name not in kinds and column.kind == "text":
                kinds[column.name] = "text"
            elif is_wanted and column.name not in kinds and column.kind not in KINDS:
                kinds[column.name] = "number" if column.is_number else "category"
        return {
            "target": names_text(self.targets),
            "ignored": names_text(self._named("ignored")),
            "group": names_text(self._named("group")[-1:]),
            "weight": names_text(self._named("weight")[-1:]),
            "kinds": names_text(f"{name}={kind}" for name, kind in kinds.items()),
        }

    def _named(self, role: str) -> list[str]:
        return [
            name for name, each in self.roles.items() if each == role and name not in self.predicted
        ]


def chosen_before(proposed: tuple[ColumnInfo, ...], used: tuple[ColumnInfo, ...]) -> ColumnChoice:
    """Return what has been said of columns: where they are used in another way than proposed."""
    pairs = [(one, other) for one, other in zip(used, proposed, strict=True)]
    targets = tuple(one.name for one, _ in pairs if one.role == "target")
    is_own = targets != tuple(other.name for _, other in pairs if other.role == "target")
    return ColumnChoice(
        proposed=proposed,
        used=used,
        targets=targets if is_own else (),
        kinds={one.name: one.kind for one, other in pairs if one.kind != other.kind},
        roles={
            one.name: one.role
            for one, other in pairs
            if one.role not in (other.role, "target")
            and (one.role, other.role) != ("input", "target")
        },
    )


def _with_targets(choice: ColumnChoice, names: tuple[str, ...]) -> ColumnChoice:
    """Return the choice with other columns to predict."""
    roles = {key: role for key, role in choice.roles.items() if key not in names}
    return replace(choice, targets=names, roles=roles)


def with_target(choice: ColumnChoice, name: str) -> ColumnChoice:
    """Return the choice with one column to predict; as it is for the list of those that are."""
    return choice if name == names_text(choice.predicted) else _with_targets(choice, (name,))


def with_role(choice: ColumnChoice, name: str, role: str) -> ColumnChoice:
    """Return the choice with another role of a column. Several are predicted at a time where all
    are numbers, or yes or no, else the new one takes the place of the others; something always is.
    """
    before = choice.predicted
    if role == "target":
        kinds = {column.name: choice.kind_of(column) for column in choice.used}
        all_kinds = {kinds.get(each) for each in (*before, name)}
        is_more = len(all_kinds) == 1 and all_kinds <= {*_TOGETHER}
        return _with_targets(choice, tuple(dict.fromkeys((*before, name))) if is_more else (name,))
    if before == (name,):
        return choice
    if name in before:
        choice = replace(choice, targets=tuple(each for each in before if each != name))
    is_weight = {column.name: choice.role_of(column) == "weight" for column in choice.used}
    is_unweighed = role != "weight" and (choice.is_unweighed or is_weight.get(name, False))
    roles = {key: each for key, each in choice.roles.items() if role not in _ALONE or each != role}
    return replace(choice, roles=roles | {name: role}, is_unweighed=is_unweighed)


def with_kind(choice: ColumnChoice, name: str, kind: str) -> ColumnChoice:
    """Return the choice with another kind of a column."""
    return replace(choice, kinds={**choice.kinds, name: kind})
