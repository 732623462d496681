"""Cells of files of comma-separated values, which spreadsheets show as they are."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How cells begin that a spreadsheet computes, which may start programs and ask the network."""


def plain_cell(text: str) -> str:
    """Return a text that a spreadsheet shows as it is: names of files and runs may be anybody's."""
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
