"""Text of test-time augmentation in the exported training code: the views of each sample, and the
mean of what the model says about them.
"""

import json
from collections.abc import Mapping, Sequence
from string import Template

from engine.data.load.load import LoadedData
from engine.export.library_text import Library
from engine.spec.data import PIXEL_KINDS
from engine.spec.distillation import matched_outputs
from engine.spec.run import RunSpec
from engine.spec.view_rule import OVER_VIEWS

_VIEWS = "engine.train.views"
ALONE = "self.forward_batch(batch)"
"""What a model says about the samples of a batch themselves."""
OVER = "self.over_views(batch)"
_OVER = Template('''
    def over_views(self, batch):
        """Return the outputs for a batch, the mean over its other ``views`` where it has some."""
        answers = [self.forward_batch(each) for each in (batch, *batch.get("views", ()))]
        if len(answers) == 1:
            return answers[0]
        return $mean
''')
_ONE = "{}(answers, {!r})"
_SEVERAL = """\
tuple(
            {mean}(values, match)
            for values, match in zip(zip(*answers), {matches!r})
        )"""
_FIXED = Template('''
    def viewed(self):
        """Yield all samples in order, each batch with its pictures in the other ``views``."""
        pictures = $pictures
        for batch in $evaluated:
            views = [
                {name: $change(x, view) if name in pictures else x for name, x in batch.items()}
                for view in range($others)
            ]
            yield {**batch, "views": views}
''')
_DRAWN = Template('''
    def viewed(self):
        """Yield all samples in order, each batch with ``views`` as the training draws them."""
        order = torch.arange(len(self.samples))
        views = [self.view(order, number) for number in range(1, $views)]
        for batch, *others in zip($evaluated, *views):
            yield {**batch, "views": others}

    def view(self, order, epoch):
        """Yield batches of samples as an epoch of the training draws them, not blended."""
        for rows in order.split(self.batch_size):
            samples = [self.samples.sample(row, epoch) for row in rows.tolist()]
            $collated
            yield batch
''')
_TESTED = Template("""
${indent}if len(parts["test"]):
$indent    viewed = $RunBatches(parts["test"], training=False).viewed()
$indent    print(f"$name: {model.evaluate(viewed)}")""")


def over_text(
    spec: RunSpec, code: Mapping[str, str], names: Sequence[str], library: Library
) -> str:
    """Return the method that gives the mean over views of each of the outputs with these names."""
    if not spec.test_time.is_on:
        return ""
    matches = matched_outputs(spec, code)
    found = tuple(matches.get(name, "values") for name in names)
    mean = library.name(_VIEWS, "_mean")
    one = _ONE.format(mean, found[0])
    return _OVER.substitute(
        mean=one if len(found) == 1 else _SEVERAL.format(mean=mean, matches=found)
    )


def viewed_text(
    spec: RunSpec, data: LoadedData, library: Library, *, collated: str, evaluated: str
) -> str:
    """Return the methods that give batches with their views; ``collated`` makes one of samples, and
    ``evaluated`` are those of the samples themselves.
    """
    chosen = spec.test_time
    if not chosen.is_on:
        return ""
    if chosen.kind == "training":
        return _DRAWN.substitute(views=chosen.views, collated=collated, evaluated=evaluated)
    return _FIXED.substitute(
        pictures=json.dumps(
            [
                info.name
                for info in data.info.fields
                if info.role == "input" and info.kind in PIXEL_KINDS
            ]
        ),
        change=library.name(_VIEWS, "_flipped" if chosen.kind == "flips" else "_cropped"),
        others=chosen.views - 1,
        evaluated=evaluated,
    )


def tested_text(names: Mapping[str, str], indent: str, *, has_views: bool) -> str:
    """Return the lines that tell how good the mean over the views is on the samples of the test."""
    if not has_views:
        return ""
    return _TESTED.substitute(names, indent=indent, name=OVER_VIEWS.format(part="test"))
