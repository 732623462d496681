"""A server of files on this machine."""

from collections.abc import Iterator

import pytest

from tests.vision_files import FileServer, file_server


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as server:
        yield server
