"""Targets of custom code: ``code:layers.Norm``, ``code:layers.Exp.apply``."""

TARGET = "code:"


def is_custom(target: str) -> bool:
    """Return whether a target is of the user's own code."""
    return target.startswith(TARGET)


def written_target(target: str) -> str:
    """Return a target as it is written in the generated source, where the files are merged."""
    return target.removeprefix(TARGET).partition(".")[2] if is_custom(target) else target


def target_symbol(target: str) -> tuple[str, str]:
    """Return the file of an own target (``layers.py``) and the dotted name in it."""
    stem, _, name = target.removeprefix(TARGET).partition(".")
    return f"{stem}.py", name
