"""What stands around the package of an exported project: its description, README and tests."""

import json
from collections.abc import Mapping, Sequence
from string import Template
from typing import NamedTuple

from engine.export.project.split import SplitCode
from engine.export.run_file import RunWords
from engine.export.run_text import TrainingFacts

_INIT = Template('''\
"""$title.

The model, its training code, and what reads its data.
"""

$imports
__all__ = $all
''')
_PYPROJECT = Template("""\
[project]
name = "$name"
version = "0.1.0"
description = $description
readme = "README.md"
requires-python = ">=3.11"
dependencies = [$dependencies]

[project.optional-dependencies]
test = ["pytest>=8"]

[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[tool.setuptools]
packages = ["$package"]

[tool.setuptools.package-data]
$package = ["*"]
""")
_README = Template("""\
# $package

$title.
It has its weights, its training code and its tests with it; Trellis is not needed.

## Install

    python -m pip install -e ".[test]"
    python -m pytest

## Use

${use}From Python:

    from $package import $example

## What is where

$table

$told$certificate""")
_TRAINED = Template("""\
    # the weights of the run on all parts of the data
    python -m $package.evaluate --data $path
    # train anew, as in the run
    python -m $package.train --data $path --output new.pt
""")
_PREDICTED = Template("""\
    # your own $what
    python -m $package.predict $given
""")
_TOLD = Template("""\
## Data and results

$place

`$package/$samples` says which samples are for training, validation and test, and what
their targets are. A training begins with seed $seed and has its samples in the order of the
run$same. It computes on the processor (CPU). With PyTorch $version on the same kind of processor,
a run that computed there, too, has the same losses, bit for bit$but.$notes
""")
_NO_DATA = """\
There is no list of samples: the data of the run are gone, or a list of them would be very large.
Give `fit` and `evaluate` batches of your own; the docstring of the class names their keys.
"""
_TESTS = Template('''\
"""Tests of the model: ``python -m pytest``$needs."""

${head}import pytest
import torch

$imports$constants

$function test_that_it_computes_for_batches_of_any_size():
    """The weights load, and give finite outputs of the same shape for each sample."""
    model = $load_model()
    for size in (1, 3):
        inputs = [torch.cat([each] * size) for each in example()]
        with torch.no_grad():
            outputs = model(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        assert all(torch.isfinite(each).all() for each in outputs if each.is_floating_point())


def example():
    """Return one sample of zeros, as the model takes it."""
    return $example
$training''')
# Named apart, so that what collects tests finds none here.
_LOSSES = Template('''

class Enough(Exception):
    """The losses that are compared are there."""


@pytest.mark.skipif(DATA is None, reason="say with DATA=PATH where the data of the run are")
$function test_that_a_training_has_the_losses_of_the_run():
    """The first losses are those of the run; on other processors in their first digits."""
    losses = []

    class Watched($TrainableModel):
        def batch_result(self, loss, outputs, batch):
            if self.training:
                losses.append(loss.item())
                if len(losses) == len(LOSSES):
                    raise Enough
            return super().batch_result(loss, outputs, batch)

    prepare_torch()
    model = new_model(Watched)
    with pytest.raises(Enough):
        model.fit($RunBatches($RunSamples(DATA)), $count$validation)
    assert losses == pytest.approx(LOSSES, rel=1e-3)
''')
_ABOUT: Mapping[str, str] = {
    "model": "the model",
    "reading": "reads a raw sample, and prepares it",
    "data": "the samples of the run, divided as there, and their batches",
    "training": "loss, metric, optimizer, `fit`, and the weights of the run",
    "train": "trains anew: `--help` lists the options",
    "evaluate": "says how good weights are",
    "predict": "predicts files, rows or arrays, and writes CSV",
}


class Project(NamedTuple):
    """What is told of a project: the name of its package, what it is, its modules, what the file of
    its training code calls things, the PyTorch it was made with, an example of an input as an
    expression, the first ``losses`` of the run (empty: unknown), what of it is in words, and the
    ``packages`` that have to be installed.
    """

    package: str
    title: str
    code: SplitCode
    names: Mapping[str, str]
    modules: Sequence[str]
    version: str
    example: str
    losses: Sequence[float]
    facts: TrainingFacts | None
    words: RunWords | None
    certificate: str
    has_validation: bool
    packages: Sequence[str] = ()


def init_text(project: Project) -> str:
    """Return what the package itself offers."""
    wanted = ("TrainableModel", "load_model", "RunSamples", "RunBatches", "read_sample", "scale")
    found = sorted(name for each in wanted if project.code.has(name := project.names[each]))
    return _INIT.substitute(
        title=project.title, imports=project.code.imports_of(found) + "\n", all=json.dumps(found)
    )


def pyproject_text(project: Project) -> str:
    """Return the description of the project for installers."""
    libraries = [f"torch>={project.version}"]
    libraries += [each for each in project.packages if each != "torch"]
    return _PYPROJECT.substitute(
        name=project.package.replace("_", "-"),
        package=project.package,
        description=json.dumps(project.title, ensure_ascii=False),
        dependencies=", ".join(json.dumps(each) for each in libraries),
    )


def readme_text(project: Project) -> str:
    """Return how the project is used."""
    told, facts, package = project.words, project.facts, project.package
    use = ""
    if told is not None:
        path = "." if told.is_stored else "PATH"
        use = _TRAINED.substitute(package=package, path=path)
    if "predict" in project.modules:
        use += _PREDICTED.substitute(package=package, what="samples", given="--help")
    words = _NO_DATA
    if told is not None and facts is not None:
        words = _TOLD.substitute(
            place=told.place,
            package=package,
            samples=told.samples,
            seed=facts.seed,
            same=told.same,
            version=project.version,
            but=", but for what follows" if told.notes else "",
            notes=told.notes,
        )
    names = project.names
    example = ", ".join([names["TrainableModel"], names["load_model"]])
    rows = [f"- `{package}/{each}.py`: {_ABOUT[each]}" for each in project.modules]
    return _README.substitute(
        package=package,
        title=project.title,
        use=f"{use}\n" if use else "",
        example=f"{example}\n\n    model = {names['load_model']}()",
        table="\n".join(rows),
        told=words,
        certificate=project.certificate,
    )


def tests_text(project: Project) -> str:
    """Return the tests of the project."""
    names, facts, package = project.names, project.facts, project.package
    has_losses = facts is not None and bool(project.losses)
    used = [names["load_model"]]
    offered = [names[each] for each in ("scale", "encode") if f"{names[each]}(" in project.example]
    training = constants = ""
    head = ["import os"] if has_losses else []
    imports = [f"from {package} import {names['load_model']}"]
    if has_losses and facts is not None:
        used += [names[each] for each in ("RunBatches", "RunSamples", "TrainableModel")]
        imports = [
            f"from {package} import {', '.join(sorted(used))}",
            f"from {package}.evaluate import prepare_torch",
            f"from {package}.train import new_model",
        ]
        is_stored = project.words is not None and project.words.is_stored
        default = ', "."' if is_stored else ""
        losses = "".join(f"    {float(each)!r},\n" for each in project.losses)
        constants = (
            f'\nDATA = os.environ.get("DATA"{default})  # where the data of the run are\n'
            f"LOSSES = [  # of the first steps of the run\n{losses}]\n"
        )
        training = _losses_text(project, facts)
    imports += project.code.imports_of(offered).replace("from .", f"from {package}.").split("\n")
    text = _TESTS.substitute(
        names,
        function="def",
        needs="; with ``DATA=PATH`` the losses of the run, too" if has_losses else "",
        head="\n".join(head) + "\n\n" if head else "",
        imports="\n".join(sorted(filter(None, imports))) + "\n",
        constants=constants,
        example=project.example,
        training=training,
    )
    return text if has_losses else text.replace("import pytest\n", "")


def _losses_text(project: Project, facts: TrainingFacts) -> str:
    names = project.names
    validation = f', {names["RunBatches"]}({names["RunSamples"]}(DATA, "validation"), False)'
    return _LOSSES.substitute(
        names,
        function="def",
        count=f"{facts.length:g}",
        validation=validation if project.has_validation else "",
    )
