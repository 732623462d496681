"""Text that says what the numbers stand for that a model reads and gives."""

from collections.abc import Iterable, Iterator, Sequence

from engine.spec.data import FieldInfo

CLASS_KINDS = ("class", "mask", "box_classes")
_WIDEST = 88


def is_named(field: FieldInfo) -> bool:
    """Return whether a field has names for what its numbers stand for."""
    if field.role == "target":
        return field.kind in CLASS_KINDS and bool(field.classes)
    return bool(field.columns)


def name_text(fields: Sequence[FieldInfo], names: dict[str, str]) -> str:
    """Return the names of classes, of the columns that are inputs, and of the values of categories;
    ``names`` are what these tables are called in the file.
    """
    classes = {field.name: field.classes for field in fields if field.role == "target"}
    inputs = [field for field in fields if field.role == "input"]
    columns = {field.name: field.columns for field in inputs}
    categories = {
        column: values
        for field in inputs
        for column, values in zip(field.columns, field.vocabularies, strict=False)
    }
    parts = (
        ("# The classes of each target by their number, from 0 on.", "CLASSES", classes),
        ("# The columns of each input, in order.", "COLUMNS", columns),
        (
            "# The values of each category by their number; 0 stands for all others.",
            "CATEGORIES",
            categories,
        ),
    )
    return "\n".join(
        f"\n{comment}\n{names[name]} = {{\n{''.join(_entries(table.items()))}}}"
        for comment, name, table in parts
        if table
    )


def _entries(table: Iterable[tuple[str, Sequence[str]]]) -> Iterator[str]:
    for name, values in table:
        line = f"    {name!r}: {tuple(values)!r},\n"
        if len(line) <= _WIDEST:
            yield line
        else:
            yield f"    {name!r}: (\n"
            yield from (f"        {value!r},\n" for value in values)
            yield "    ),\n"
