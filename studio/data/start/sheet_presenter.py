"""Presenter of the sheets of a workbook, and the tables of a database, to choose from."""

from studio.data.start.state import StartState
from studio.data.start.view_model import Offer


def sheets(state: StartState) -> Offer:
    """Return the sheets of the file; there is nothing to choose from where it has one alone."""
    if len(state.sheets) < 2:
        return Offer()
    return Offer(tuple((name, name) for name in state.sheets), state.sheet)
