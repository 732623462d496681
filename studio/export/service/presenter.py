"""What is shown of a service: what it is at, and the requests that it answered."""

from collections.abc import Iterable

from engine.runtime.service import ServiceLine, ServiceStep
from studio.i18n import translate
from studio.view.export import present_stage
from widgets.tables.view_model import ColumnView, RowView, TableData

_FIRST_WRONG = 400


def present_step(step: ServiceStep) -> str:
    """Return what a service is at before it answers."""
    return translate("Serve", "Starting the service…") if step == "start" else present_stage(step)


def present_count(requests: int, failed: int) -> str:
    """Return how many requests were answered."""
    text = translate("Serve", "Running. {requests} requests, {failed} of them refused.")
    return text.format(requests=f"{requests:,}", failed=f"{failed:,}")


def present_lines(lines: Iterable[ServiceLine]) -> TableData:
    """Return requests as a table, the latest first."""
    columns = (
        ColumnView(key="at", title=translate("Serve", "Time"), kind="time"),
        ColumnView(key="path", title=translate("Serve", "Request"), is_elastic=True),
        ColumnView(key="status", title=translate("Serve", "Status"), kind="count"),
        ColumnView(key="ms", title=translate("Serve", "Milliseconds"), kind="number"),
        ColumnView(key="client", title=translate("Serve", "From")),
    )
    rows = [
        RowView(
            id=str(number),
            cells=(each.at, each.path, each.status, each.ms, each.client),
            icon="error" if each.status >= _FIRST_WRONG else "",
        )
        for number, each in enumerate(lines)
    ]
    empty = translate("Serve", "Requests are listed here.")
    return TableData(columns=columns, rows=tuple(reversed(rows)), empty_text=empty)
