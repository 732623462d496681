"""Edits of data, and the version of data, from the command line."""

import json

import pytest

from engine.project import Project
from engine.runs.queue import RunQueue
from engine.spec.data_edits import SampleEdit, split_name
from studio.cli import queue_command


def edits(project):
    return Project.open(project).spec.data.edits


def by_number(edits):
    """Return the edits of rows by the numbers of these alone."""
    return {split_name(name)[0]: edit for name, edit in edits.samples.items()}


def test_that_samples_are_edited_and_counted(run, project):
    before = run("data", project, "--json").json()
    assert before["edits"]["samples"] == 0
    done = run("data", project, "--exclude", "3", "7", "--relabel", "5=virginica", "3=versicolor")
    assert done.code == 0, done.err
    assert "edited samples: 3 (2 excluded, 2 relabeled)" in done.out
    assert by_number(edits(project))["3"] == SampleEdit(excluded=True, label="versicolor")
    after = run("data", project, "--json").json()
    sizes = [sum(part["samples"] for part in told["splits"]) for told in (before, after)]
    assert sizes[0] - sizes[1] == 2
    assert after["edits"]["version"]["edits"] != before["edits"]["version"]["edits"]
    assert after["edits"]["version"]["files"] == before["edits"]["version"]["files"]


def test_that_edits_are_taken_back_and_moved_and_tagged(run, project):
    run("data", project, "--exclude", "3", "7", "--tag", "3=odd one")
    done = run("data", project, "--include", "7", "--move", "9=val", "--untag", "3=odd one")
    assert done.code == 0, done.err
    assert by_number(edits(project)) == {
        "3": SampleEdit(excluded=True),
        "9": SampleEdit(part="validation"),
    }
    assert run("data", project, "--reset", "--exclude", "1").code == 0
    assert list(by_number(edits(project))) == ["1"]
    assert run("data", project, "--reset").code == 0
    assert not (project / "data" / "overlay.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--exclude", "3", "999"), "“999”"),
        (("--relabel", "5=rose"), "setosa, versicolor, virginica"),
        (("--relabel", "5"), "NAME=VALUE"),
        (("--move", "5=somewhere"), "NAME=train"),
        (("--tag", "5=" + "x" * 100), "tags of 1 to"),
    ],
)
def test_that_wrong_edits_are_told_and_nothing_is_changed(run, project, arguments, words):
    done = run("data", project, *arguments)
    assert done.code == 1
    assert words in done.err
    assert edits(project).samples == {}


def test_that_a_broken_file_of_edits_is_told_and_not_replaced(run, project):
    file = project / "data" / "overlay.json"
    run("data", project, "--exclude", "3")
    file.write_text("{", encoding="utf-8")
    done = run("data", project)
    assert "overlay.json" in done.err
    assert run("data", project, "--exclude", "4").code == 1
    assert file.read_text(encoding="utf-8") == "{"


def test_that_queued_runs_take_the_edits_along(run, project, tmp_path, monkeypatch):
    queue = RunQueue(tmp_path / "queue")
    monkeypatch.setattr(queue_command, "user_queue", lambda: queue)
    assert run("queue", "pause").code == 0  # so that no process begins
    run("data", project, "--exclude", "3")
    assert run("queue", "add", project, "--set", "data.split.seed=4").code == 0
    run("data", project, "--reset")
    (entry,) = queue.entries()
    assert by_number(entry.spec.data.edits) == {"3": SampleEdit(excluded=True)}
    assert entry.spec.data.split.seed == 4


@pytest.mark.real
def test_that_runs_tell_how_their_data_differs(run, project):
    assert run("train", project, "--epochs", "1").code == 0
    run("data", project, "--exclude", "3", "7", "--relabel", "12=virginica")
    assert run("train", project, "--epochs", "1").code == 0
    assert run("train", project, "--epochs", "1", "--set", "data.split.seed=5").code == 0
    told = run("runs", project, "--data", "--json").json()["runs"]
    assert [each["differences"] for each in told] == [[], ["edits"], ["edits", "split"]]
    assert told[1]["samples"]["only_first"] == 2
    assert told[1]["samples"]["relabelled"] == 1
    assert told[1]["samples"]["moved"] == 0
    assert told[2]["samples"]["moved"] > 0
    out = run("runs", project, "--data", "--samples", "2").out
    assert "2 missing, 1 relabeled" in out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    at = lines.index("sample run-0001 run-0002")
    assert [line.split()[0] for line in lines[at + 1 : at + 3]] == ["3", "7"]
    assert all(line.endswith(" absent") for line in lines[at + 1 : at + 3])
    assert lines[at + 3] == "… 1 more: --samples N, --skip 2"
    rest = run("runs", project, "--data", "--skip", "2", "--json").json()["runs"][1]["samples"]
    assert [(each["name"], each["other_class"]) for each in rest["samples"]] == [
        ("12", "virginica")
    ]
    versions = [each["data"] for each in run("runs", project, "--json").json()["runs"]]
    assert versions[0]["files"] == versions[1]["files"]
    kept = json.loads((project / "runs" / "run-0002" / "run.json").read_bytes())
    assert "7" in {split_name(name)[0] for name in kept["spec"]["data"]["edits"]["samples"]}


def test_that_edits_of_rows_follow_them_where_a_row_was_inserted(run, tmp_path):
    table, project = tmp_path / "table.csv", tmp_path / "project"
    rows = [f"{number}.5,{number % 7},{'AB'[number % 2]}" for number in range(40)]
    table.write_text("\n".join(["a,b,kind", *rows]) + "\n", encoding="utf-8")
    assert run("new", project, "--data", table).code == 0
    assert run("data", project, "--exclude", "3", "5", "--relabel", "6=B").code == 0
    table.write_text("\n".join(["a,b,kind", "99.5,1,A", *rows]) + "\n", encoding="utf-8")
    done = run("data", project, "--tag", "4=moved", "--relabel", "3=B")
    assert done.code == 0, done.err
    found = edits(project).samples
    moved = [edit for edit in found.values() if edit.tags == ("moved",)]
    assert moved == [SampleEdit(excluded=True, tags=("moved",))], "row 4 was row 3 before"
    assert sorted(split_name(name)[0] for name in found) == ["3", "3", "5", "6"]
    told = run("data", project, "--json").json()
    assert told["edits"]["missing"] == []
    assert sum(part["samples"] for part in told["splits"]) == 41 - 2
    table.write_text("\n".join(["a,b,kind", *rows[2:]]) + "\n", encoding="utf-8")  # row 3 is gone
    assert "no longer in the data, such as “3”" in run("data", project).err
