"""Another machine as it is typed in the dialog."""

import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.machine.remote import Remote
from studio.train.remote.presenter import RemoteForm


def test_that_an_empty_field_stands_for_its_default():
    remote = RemoteForm(machine="anna@gpu", python="  ").remote()
    assert (remote.shown, remote.python, remote.folder) == (
        "anna@gpu",
        Remote().python,
        Remote().folder,
    )


def test_that_blanks_around_a_text_do_not_count():
    remote = RemoteForm(machine="anna@gpu", key=" ~/.ssh/id ", folder=" /data ").remote()
    assert (remote.key, remote.folder) == ("~/.ssh/id", "/data")


def test_that_a_machine_without_a_name_is_refused():
    with pytest.raises(DiagnosticError) as refused:
        RemoteForm(machine="").remote()
    assert refused.value.problems[0].code == "R400"
