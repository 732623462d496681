"""Text of the commands of an exported project that train and evaluate on the data of the run."""

import json
from collections.abc import Mapping
from string import Template
from textwrap import indent

from engine.export.project.split import SplitCode
from engine.export.run_text import RATE_OPTION, SET_RATE, TrainingFacts
from engine.export.view_text import tested_text
from engine.syntax.format import INDENT

_TRAIN = Template('''\
"""Train the model anew on the data of the run: ``python -m $package.train --help`` says more."""

import argparse
$own_draws
import torch

$imports

def main(arguments=None):
    """Train, write the weights and say how good the model is on each part of the data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", metavar="PATH", $is_needed, help=$where)
    parser.add_argument("--$unit", type=int, default=$count, help="how long (in the run: $count)")
    parser.add_argument("--batch-size", type=int, default=$batch_size, help="samples a batch")$rate
    parser.add_argument("--output", metavar="FILE", default="trained.pt", help="weights to write")
    given = parser.parse_args(arguments)
    if given.$unit < 1 or given.batch_size < 1:
        parser.error("--$unit and --batch-size are 1 or more.")
    if not Path(given.output).absolute().parent.is_dir():
        parser.error(f"There is no folder for {given.output}: make it, or say another --output.")
    model, history = train(parser, given)
    for epoch, values in enumerate(history, 1):
        print(f"epoch {epoch}: {values}")
    torch.save(model.state_dict(), given.output)
    print(f"weights written to {given.output}")
    report(model, load_parts(parser, given.data))


def train(parser, given):
    """Return the model trained as in the run, and the loss and metric of each epoch."""
    prepare_torch()
    parts = load_parts(parser, given.data)
    model = new_model()$set_rate
    batches = $RunBatches(parts["train"], batch_size=given.batch_size)
    return model, model.fit(batches, given.$unit$validation)


def new_model(kind=$TrainableModel):
    """Return a model with the parameters that the run began with."""
    torch.manual_seed($seed)$seeds
    model = kind()$started
    return model


if __name__ == "__main__":
    main()
''')
_STARTED = """
    begun = torch.load(Path(__file__).with_name({}), weights_only=True)
    model.load_state_dict(begun, strict=False)  # the weights that the run began with"""
_SEEDS = """
    random.seed({seed})  # for own code
    numpy.random.seed({numpy_seed})"""
_EVALUATE = Template('''\
"""Say how good weights are on the parts of the data: ``python -m $package.evaluate --help``."""

import argparse

import torch

$imports
PARTS = ("train", "validation", "test")


def main(arguments=None):
    """Evaluate the weights of the run, or those of a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", metavar="PATH", $is_needed, help=$where)
    parser.add_argument("--weights", metavar="FILE", default=$WEIGHTS, help="weights to evaluate")
    given = parser.parse_args(arguments)
    prepare_torch()
    try:
        model = $load_model(given.weights)
    except (OSError, RuntimeError) as error:
        parser.error(f"{given.weights} cannot be loaded: {error}")
    report(model, load_parts(parser, given.data))


def prepare_torch():
    """Compute as the run did."""
    torch.set_num_threads($threads)$settings


def load_parts(parser, data):
    """Return the samples of each part of the data; end with a sentence where they are not there."""
    try:
        return {part: $RunSamples(data or ".", part) for part in PARTS}
    except (OSError, ValueError) as error:
        parser.error(str(error))


def report(model, parts):
    """Print the loss and metric of each part that has samples."""
    for part, samples in parts.items():
        if len(samples):
            print(f"{part}: {model.evaluate($RunBatches(samples, training=False))}")$views


if __name__ == "__main__":
    main()
''')
_DETERMINISTIC = """
    torch.use_deterministic_algorithms(True, warn_only=True)"""


def train_text(
    code: SplitCode,
    names: Mapping[str, str],
    facts: TrainingFacts,
    package: str,
    *,
    has_validation: bool,
) -> str:
    """Return the module that trains anew."""
    used = [names["RunBatches"], names["TrainableModel"]]
    own = "from .evaluate import load_parts, prepare_torch, report"
    validation = f', {names["RunBatches"]}(parts["validation"], training=False)'
    draws = "import random\nfrom pathlib import Path\n\nimport numpy"
    return _TRAIN.substitute(
        names,
        package=package,
        own_draws=draws if facts.has_code else "from pathlib import Path\n",
        imports=_imports(code, used, own),
        is_needed=_is_needed(facts),
        where=_literal(facts.where),
        unit=facts.unit,
        count=f"{facts.length:g}",
        batch_size=facts.batch_size,
        rate="" if facts.rate is None else RATE_OPTION.format(facts.rate),
        set_rate="" if facts.rate is None else indent(SET_RATE, INDENT),
        seed=facts.seed,
        seeds=_SEEDS.format(seed=facts.seed, numpy_seed=facts.seed % 2**32)
        if facts.has_code
        else "",
        started=_STARTED.format(_literal(facts.start)) if facts.start else "",
        validation=validation if has_validation else "",
    )


def evaluate_text(
    code: SplitCode, names: Mapping[str, str], facts: TrainingFacts, package: str
) -> str:
    """Return the module that evaluates weights."""
    used = [names[each] for each in ("RunBatches", "RunSamples", "load_model", "WEIGHTS")]
    return _EVALUATE.substitute(
        names,
        package=package,
        imports=_imports(code, used),
        is_needed=_is_needed(facts),
        where=_literal(facts.where),
        threads=facts.threads,
        settings=_DETERMINISTIC if facts.is_deterministic else "",
        views=tested_text(names, INDENT, has_views=facts.has_views),
    )


def _imports(code: SplitCode, names: list[str], own: str = "") -> str:
    lines = [*code.imports_of(names).split("\n"), *filter(None, [own])]
    return "\n".join(sorted(lines, key=lambda line: line.split()[1])) + "\n"


def _is_needed(facts: TrainingFacts) -> str:
    return "required=True" if facts.needs_data else 'default="."'


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
