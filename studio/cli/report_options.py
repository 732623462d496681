"""Options of the command ``report``."""

import argparse

from studio.cli.train_options import add_roots

REPORT = (
    "Write a report of a run, or a comparison of several, as one HTML file that needs no network, "
    "or as PDF."
)
"""What the command does."""


def add_report_options(report: argparse.ArgumentParser) -> None:
    """Add the options: which runs, and where the report goes."""
    report.add_argument("--run", required=True, metavar="RUN|latest")
    report.add_argument(
        "--compare",
        action="append",
        default=[],
        metavar="RUN",
        help="another run, told beside the first (repeatable)",
    )
    report.add_argument(
        "--output",
        required=True,
        metavar="FILE.html|FILE.pdf",
        help="the file to write; an existing one is replaced",
    )
    add_roots(report)
