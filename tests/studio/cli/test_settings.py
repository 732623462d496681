"""The list of settings on the command line: what ``--set`` reaches."""

import pytest

from engine.project import Project
from engine.spec.fields import field_names, set_text


def test_that_every_setting_is_listed_with_kind_value_default_and_help(run, project):
    told = run("settings", project, "--json").json()["settings"]
    spec = Project.open(project).spec
    assert tuple(entry["name"] for entry in told) == field_names(spec)
    assert [entry["name"] for entry in told if not entry["help"] or not entry["kind"]] == []
    epochs = next(entry for entry in told if entry["name"] == "epochs")
    assert epochs["value"] == spec.epochs
    assert epochs["default"] != spec.epochs
    assert epochs["minimum"] == 1
    for entry in told:
        if entry["name"].startswith("data.split.") and entry["kind"] == "choice":
            for choice in entry["choices"]:
                set_text(spec, entry["name"], choice)


def test_that_a_line_is_written_for_each_setting(run, project):
    head, *lines = run("settings", project).out.splitlines()
    names = field_names(Project.open(project).spec)
    assert head.split() == ["setting", "value", "default", "kind"]
    assert tuple(line.split()[0] for line in lines[: len(names)]) == names


def test_that_a_name_gives_the_settings_below_it_with_their_help(run, project):
    told = run("settings", project, "optimizer", "--json").json()["settings"]
    assert {entry["name"].split(".")[0] for entry in told} == {"optimizer"}
    text = run("settings", project, "optimizer", "data.split.column").out
    assert "optimizer.lr=" in text
    for entry in told:
        assert " ".join(entry["help"].split()) in text
    assert "kind=stratified|group|column|time" in text  # when it matters


def test_that_options_may_stand_before_between_and_behind_the_names(run, project):
    wanted = run("settings", project, "data.batch_size", "--set", "data.batch_size=3").out
    assert "data.batch_size=3" in wanted or " 3 " in wanted
    option = ("--set", "data.batch_size=3")
    assert run("settings", project, *option, "data.batch_size").out == wanted
    assert run("settings", *option, project, "data.batch_size").out == wanted
    both = run("settings", project, "epochs", *option, "data.batch_size").out
    assert "data.batch_size" in both
    assert "epochs" in both


def test_that_set_shows_what_another_choice_would_offer(run, project):
    def names(*more: str) -> set[str]:
        told = run("settings", project, "optimizer", *more, "--json").json()["settings"]
        return {entry["name"] for entry in told}

    chosen = Project.open(project).spec.optimizer
    other = names("--set", "optimizer=SGD")
    assert "optimizer.nesterov" in other - names()
    assert Project.open(project).spec.optimizer == chosen


@pytest.mark.parametrize("arguments", [["optimiser"], ["--set", "epochs=x"], ["--set", "epochs"]])
def test_that_what_is_no_setting_is_wrong_use(run, project, arguments):
    done = run("settings", project, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("trellis: ")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("data.split.kind=group", ("data.split.column", "city", "area")),
        ("data.sampler=weighted", ("data.sampler_column", "area", "rooms")),
        ("data.split.train=0.95", ("data.split.train", "data.split.validation")),
        ("data.split.folds=1", ("data.split.folds", "2")),
        ("data.source.target=banana", ("data.source.target", "banana", "price")),
        ("data.source.weight=banana", ("data.source.weight", "banana", "price")),
    ],
)
def test_that_a_refusal_names_the_setting_and_what_it_can_be(run, tmp_path, setting, words):
    rows = [f"{'AB'[n % 2]},{n * 7 % 50}.5,{n % 5},{n * 3 % 80}.5" for n in range(80)]
    (tmp_path / "homes.csv").write_text("\n".join(["city,area,rooms,price", *rows]))
    assert run("new", tmp_path / "p", "--data", tmp_path / "homes.csv").code == 0
    done = run("train", tmp_path / "p", "--set", setting, "--mode", "thread", "--epochs", "1")
    assert done.code in (1, 2)
    assert [word for word in words if word not in done.err] == []
    assert "(+1)" not in done.err
