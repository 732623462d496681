"""Tokens as they are shown by themselves, with what would not be seen."""

_SEEN = {" ": "␣", "\n": "↵", "\r": "␍", "\t": "⇥"}


def token_label(token: str) -> str:
    """Return a token with marks in place of spaces and line breaks."""
    return "".join(_SEEN.get(letter, letter) for letter in token)
