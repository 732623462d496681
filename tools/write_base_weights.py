"""Train the models whose weights some templates begin with, and write these beside them.

Run it from the root of the repository, after a change of ``tools/templates/pretrained.py``::

    python -m tools.write_base_weights [NAME]

It takes minutes. The data ships with the program or is computed by it: the weights are part of the
program, under its licence. Rows of characters are put in the order in which the names have them.
"""

import sys
import tempfile
from pathlib import Path

from torch import Tensor

from engine.archive.weights import write_weights
from engine.query.ask import ask
from engine.query.data.request import DescribeData
from engine.query.trained import open_trained
from engine.runs.process.launch import Launch
from engine.runs.teacher import create_run
from engine.spec.run import DataSpec
from engine.train.worker import run_in_thread
from tools.templates.pretrained import WEIGHTS, Base, bases, pretrained_templates
from tools.write_templates import FOLDER

_LONGEST_S = 7200.0
_OF_CHARACTERS = ("embedding.weight", "head.weight", "head.bias")


def main() -> None:
    """Train and write all, or those that are named."""
    for base in bases():
        if len(sys.argv) == 1 or base.name in sys.argv[1:]:
            file = FOLDER / base.template / WEIGHTS.format(name=base.name)
            file.parent.mkdir(parents=True, exist_ok=True)
            write_weights(_trained(base), file)
            print(f"{file.relative_to(FOLDER)}: {file.stat().st_size} bytes")


def _trained(base: Base) -> dict[str, Tensor]:
    """Return the weights of a model after its run."""
    with tempfile.TemporaryDirectory() as folder:
        run = create_run(Path(folder), base.graph, base.spec)
        assert run_in_thread(Launch(folder=str(run.path))).join(_LONGEST_S)
        trained = open_trained(run, "best")
        words = trained.training.data.info.fields[0].words
        weights = dict(trained.training.model.state_dict())
    if words:
        spec = next(each.spec for each in pretrained_templates() if each.name == base.template)
        order = [words.index(word) for word in _words(spec.data)]
        weights |= {name: weights[name][order] for name in _OF_CHARACTERS}
    return {
        name: value.contiguous()
        for name, value in weights.items()
        if name.split(".")[0] not in base.dropped
    }


def _words(data: DataSpec) -> tuple[str, ...]:
    return ask(DescribeData(data=data)).fields[0].words


if __name__ == "__main__":
    main()
