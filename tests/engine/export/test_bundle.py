"""A bundle of a run, and its training for Lightning."""

import ast
import dataclasses
import hashlib
import json
import zipfile
from importlib.util import find_spec

import msgspec
import pytest

from engine.api import export
from engine.diagnostics import DiagnosticError
from engine.export.formats import find_format
from engine.export.job import build_job
from engine.spec.technique import AccumulationSpec

CODE = {"model", "reading", "training", "data", "train", "evaluate", "__init__"}


@pytest.mark.real
@pytest.mark.row("S241")
def test_that_a_bundle_has_all_that_makes_the_model_again(trained, tmp_path):
    report = export(trained.folder.path, "bundle", tmp_path / "my iris.zip")
    assert (report.largest_difference, report.samples) == (0.0, 9)
    with zipfile.ZipFile(report.files[0]) as archive:
        found = {name.removeprefix("my_iris/"): archive.read(name) for name in archive.namelist()}
    sums = dict(line.split("  ")[::-1] for line in found.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}
    assert {f"code/my_iris/{name}.py" for name in CODE} < found.keys()
    assert json.loads(found["data.json"])["samples"]["test"] > 0
    environment = json.loads(found["environment.json"])
    assert environment["run"]["threads"] == 1
    version = environment["run"]["versions"]["torch"]
    assert found["requirements.txt"].decode().startswith(f"torch=={version}\n")
    assert json.loads(found["recipe.json"])["spec"]["epochs"] == 2
    assert b"\ntrain.loss,1," in found["curves.csv"]
    assert b"| test.accuracy |" in found["README.md"]
    assert not any(str(trained.folder.project).encode() in content for content in found.values())


@pytest.mark.real
@pytest.mark.row("P27")
def test_that_a_lightning_module_computes_what_was_trained(trained, tmp_path):
    report = export(trained.folder.path, "lightning", tmp_path / "my iris.py")
    assert (report.largest_difference, report.samples) == (0.0, 9)
    told = [] if find_spec("lightning") else ["X064"]
    assert [notice.code for notice in report.notices] == told
    tree = ast.parse((tmp_path / "my iris.py").read_text())
    classes = [each for each in tree.body if isinstance(each, ast.ClassDef)]
    bases = {each.name: [ast.unparse(base) for base in each.bases] for each in classes}
    assert bases["RunModule"] == ["lightning.LightningModule"]


def test_that_a_loop_that_lightning_does_not_have_is_refused_by_the_names_of_its_settings(
    trained, tmp_path
):
    job = build_job(trained.folder.path, "best")[0]
    spec = msgspec.structs.replace(job.spec, accumulation=AccumulationSpec(batches=2))
    with pytest.raises(DiagnosticError) as error:
        find_format("lightning").writer()(dataclasses.replace(job, spec=spec), tmp_path / "m.py")
    problem = error.value.problems[0]
    assert (problem.code, problem.params["what"]) == ("X063", "accumulation")
    assert not list(tmp_path.iterdir())
