"""Settings survive what happens to files."""

import json
import os
import random
import time

import msgspec
import pytest

from engine.diagnostics import Diagnostic
from engine.files import FileWriteError
from engine.runs.machine import known_machine
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote
from studio.process.crash import CrashRecorder
from studio.process.settings import RECENT_LIMIT, Settings, SettingsStore


def test_that_settings_are_read_back(tmp_path):
    SettingsStore(tmp_path).change(theme="dark", text_scale=1.3)
    assert SettingsStore(tmp_path).value.theme == "dark"


@pytest.mark.fault("F26")
@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 200_000, b'{"theme": 3}'])
def test_that_a_damaged_file_gives_the_defaults_and_is_kept_aside(tmp_path, content):
    (tmp_path / "settings.json").write_bytes(content)
    store = SettingsStore(tmp_path)
    assert store.value == Settings()
    assert store.was_damaged
    assert (tmp_path / "settings.damaged.json").read_bytes() == content


@pytest.mark.fault("F26")
def test_that_a_layout_with_any_byte_changed_is_never_handed_out(tmp_path):
    store = SettingsStore(tmp_path)
    store.set_layout(bytes(range(200)), bytes(range(50)))
    assert store.layout() == (bytes(range(200)), bytes(range(50)))
    path = tmp_path / "settings.json"
    whole = json.loads(path.read_text())
    dice = random.Random(7)
    for _ in range(100):
        layout = dict(whole["layout"])
        field = dice.choice(["state", "geometry", "sha256"])
        place = dice.randrange(len(layout[field]))
        other = dice.choice([c for c in "0123456789abcdef" if c != layout[field][place]])
        layout[field] = layout[field][:place] + other + layout[field][place + 1 :]
        path.write_text(json.dumps(whole | {"layout": layout}))
        assert SettingsStore(tmp_path).layout() is None


@pytest.mark.fault("F26")
def test_that_the_third_start_after_two_crashes_is_safe(tmp_path):
    assert [SettingsStore(tmp_path).begin() for _ in range(3)] == [False, False, True]


@pytest.mark.fault("F26")
def test_that_windows_that_are_still_open_have_not_crashed(tmp_path):
    now, alive = time.time(), os.getppid()
    starts = [{"time": now, "pid": alive}, {"time": now, "pid": alive}]
    (tmp_path / "starts.json").write_text(json.dumps(starts))
    assert not SettingsStore(tmp_path).begin()


def test_that_clean_ends_never_lead_to_safe_mode(tmp_path):
    for _ in range(5):
        store = SettingsStore(tmp_path)
        assert not store.begin()
        store.end()


def test_that_recent_projects_are_few_unique_and_still_there(tmp_path):
    store = SettingsStore(tmp_path)
    for number in [*range(20), 19]:
        folder = tmp_path / str(number)
        folder.mkdir(exist_ok=True)
        (folder / "project.json").write_text("{}")
        store.add_recent(folder)
    assert len(store.recent_projects()) == RECENT_LIMIT
    (tmp_path / "19" / "project.json").unlink()
    assert store.recent_projects()[0] == tmp_path / "18"


EARLIER = """{
 "language": "zh_CN",
 "theme": "dark",
 "text_scale": 1.0,
 "autosave_s": 30,
 "snap": true,
 "minimap": true,
 "tour_done": false,
 "recent": [],
 "docks": {},
 "splitters": {},
 "layout": null,
 "trusted": {},
 "trusted_runs": [],
 "remotes": [
  {
   "host": "gpu",
   "user": "anna",
   "port": 2222,
   "key": "~/.ssh/id_gpu",
   "python": "~/venv/bin/python",
   "folder": "~/trellis"
  },
  {
   "host": "g\u0440u",
   "user": "",
   "port": 0,
   "key": "",
   "python": "python3",
   "folder": "~/trellis"
  },
  {
   "host": "lab",
   "user": "",
   "port": 0,
   "key": "",
   "python": "python3",
   "folder": "/data/anna"
  }
 ],
 "outside_editor": ""
}"""
"""What the version before the list of known machines wrote."""

GPU = Remote(host="gpu", user="anna", port=2222, key="~/.ssh/id_gpu", python="~/venv/bin/python")
LAB = Remote(host="lab", folder="/data/anna")


def test_that_the_machines_of_an_earlier_version_are_known_but_for_what_is_none(tmp_path):
    (tmp_path / "settings.json").write_text(EARLIER, encoding="utf-8")
    known = KnownMachines(tmp_path / "machines.json")
    assert SettingsStore(tmp_path).value == Settings(language="zh_CN", theme="dark")
    assert known.machines == (GPU, LAB)
    known.forget([LAB])
    assert SettingsStore(tmp_path).value.theme == "dark"
    assert known.machines == (GPU,), "what was forgotten does not come back"


def test_that_machines_of_an_earlier_version_come_behind_those_that_are_known(tmp_path):
    known = KnownMachines(tmp_path / "machines.json")
    new = Remote(host="new")
    for remote in (msgspec.structs.replace(GPU, key="~/.ssh/newer"), new):
        known.remember(remote)
    before = known.machines
    (tmp_path / "settings.json").write_text(EARLIER, encoding="utf-8")
    SettingsStore(tmp_path)
    assert known.machines == (*before, LAB)


@pytest.mark.parametrize(
    "remotes",
    [
        *("3", "{}", '[3, null, "gpu", {"host": 3}, {"host": "-o"}]'),
        "[" * 900 + "]" * 900,
        '[{"host": "\udcff"}]',
    ],
    ids=["number", "object", "no machines", "deep", "no text"],
)
def test_that_what_is_no_list_of_machines_hurts_no_setting(tmp_path, remotes):
    text = f'{{"theme": "dark", "remotes": {remotes}}}'
    (tmp_path / "settings.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    store = SettingsStore(tmp_path)
    assert (store.value.theme, store.was_damaged, store.write_error) == ("dark", False, None)
    assert KnownMachines(tmp_path / "machines.json").machines == ()


@pytest.mark.fault("B14")
def test_that_machines_that_cannot_be_taken_over_are_told_and_stay(tmp_path, monkeypatch):
    def fail(path, *_, **__):
        params = {"file": path.name, "folder": str(path.parent)}
        raise FileWriteError(Diagnostic(code="P002", params=params))

    (tmp_path / "settings.json").write_text(EARLIER, encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(known_machine, "atomic_write", fail)
        store = SettingsStore(tmp_path)
    assert (store.value.theme, store.write_error is not None) == ("dark", True)
    SettingsStore(tmp_path)
    assert KnownMachines(tmp_path / "machines.json").machines == (GPU, LAB)


@pytest.mark.fault("B14")
def test_that_a_folder_that_cannot_be_written_is_told_and_the_program_goes_on(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    store = SettingsStore(blocked / "settings")
    store.change(theme="dark")
    assert store.value.theme == "dark"
    assert store.write_error is not None


@pytest.mark.fault("B14")
def test_that_the_start_tells_of_settings_that_were_damaged_or_cannot_be_kept(
    studio, tmp_path, monkeypatch
):
    told: list[str] = []
    monkeypatch.setattr(studio.notifications, "tell", lambda text, *_, **__: told.append(text))
    studio.tell_start(None, CrashRecorder(tmp_path / "crashes"))
    assert told == []
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "settings.json").write_bytes(b"{")
    (tmp_path / "file").touch()
    for folder, words in (("damaged", "kept beside them"), ("file", "cannot be saved")):
        studio.settings = SettingsStore(tmp_path / folder)
        studio.settings.change(theme="dark")
        studio.tell_start(None, CrashRecorder(tmp_path / "crashes"))
        assert words in told[-1]
