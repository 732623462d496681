"""What is told of this machine in About and in the clipboard."""

import pytest

from engine.sandbox.confinement import Confinement
from studio.process import diagnosis


@pytest.mark.parametrize("is_held", [True, False])
def test_that_it_tells_what_readers_of_strange_files_are_held_to(qapp, monkeypatch, is_held):
    found = Confinement(
        writing=is_held,
        reading=is_held,
        network=is_held,
        processes=is_held,
        memory=True,
        landlock=7 if is_held else 0,
        seccomp=is_held,
    )
    monkeypatch.setattr(diagnosis, "describe", lambda: found)
    line = next(line for line in diagnosis.diagnosis(None).splitlines() if "confined" in line)
    held, _, left = line.partition("; not in ")
    assert "memory" in held
    assert ("network" in held) is is_held
    assert ("network" in left) is not is_held
