"""Options of the command ``serve``."""

import argparse

from studio.cli.train_options import add_roots

SERVE = (
    "Serve predictions of a run over HTTP, with a page to try it, until Ctrl+C. Needs the extra "
    "“serve”."
)
"""What the command does."""


def add_serve_options(serve: argparse.ArgumentParser) -> None:
    """Add the options: of which run, where it answers, and its limits."""
    serve.add_argument(
        "--run", default="latest", metavar="RUN|latest", help="run to serve (default: latest)"
    )
    serve.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen at (default: 127.0.0.1, this machine alone). With another one, "
        "everyone who reaches it can use the service: it has no password and no encryption",
    )
    serve.add_argument(
        "--port", type=int, default=0, help="port (default: the first free one from 8000)"
    )
    serve.add_argument(
        "--max-mb", type=int, default=16, metavar="N", help="most megabytes of a request"
    )
    serve.add_argument(
        "--timeout", type=float, default=30.0, metavar="SECONDS", help="most seconds of a request"
    )
    serve.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="name that the service may be called by besides its addresses (repeatable)",
    )
    add_roots(serve)
