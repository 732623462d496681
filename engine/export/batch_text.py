"""Text of the batches of the data of a run, in the exported training code."""

import json
from collections.abc import Mapping
from string import Template

from engine.data.load.load import LoadedData
from engine.data.transform.batch import STREAM as BLEND_STREAM
from engine.export.chain_text import blending, trained_part
from engine.export.library_text import Library
from engine.export.loader_text import is_padded
from engine.export.sample_list import SampleList
from engine.export.sampler_text import order_words
from engine.export.view_text import viewed_text
from engine.spec.data import IGNORED
from engine.spec.run import RunSpec
from engine.syntax.format import INDENT
from engine.train.precision import is_double

_SEED = "engine.data.seed"
_ROW_FILL: Mapping[str, int] = {"boxes": 0, "box_classes": IGNORED, "box_masks": 0}
_BATCHES = Template('''$view

class $RunBatches:
    """Batches of samples. In training each pass over them is the next epoch of the run, in its
    order; else all samples come, in order.
    """

    def __init__(self, samples, training=True, batch_size=$batch_size):
        self.samples = samples
        self.training = training
        self.batch_size = batch_size
        self.epoch = 0$own

    def __len__(self):
        """Return how many batches a pass over them gives."""$own_count
        full, rest = divmod(len(self.samples), self.batch_size)
        return full + (rest > 0$not_last)

    def __iter__(self):
        if not self.training:
            return $evaluated
        self.epoch += 1
        print(f"epoch {self.epoch}", flush=True)
        return self.again()

    def again(self):
        """Return the batches of the last epoch once more."""
        epoch = self.epoch - 1
        return self.batches(self.order(epoch), epoch)

    def order(self, epoch):
        """Return the numbers of the samples of an epoch$by_batch."""
$order

    def batches(self, order, epoch=None):
        """Yield batches of some samples, in evaluation or in an epoch of the training."""
        for number, rows in enumerate($split):
            samples = [self.samples.sample(row, epoch) for row in rows.tolist()]
            $collated
            yield $batch
$drawing$viewed$blend
    @staticmethod
    def collate(samples):
        """Return a batch of samples$filled."""
$collate
''')
_OWN_COLLATE = Template("""\
seed = $mixed_seed(0 if epoch is None else $seed, epoch or 0, self.samples.indices[rows[0]], 3)
            with $all_seeded(seed):
                batch = self.collate(samples)""")
_ALL = "self.batches(torch.arange(len(self.samples)))"
_DRAWING = Template('''
    def drawing(self, batches):
        """Yield batches; what the model draws meanwhile are the numbers of the run."""
        with $all_seeded($evaluation_seed($seed, self.samples.part)):
            yield from batches
''')
_BLEND = Template('''
    def blend(self, batch, epoch, number):
        """Return a batch of an epoch with its targets blended, and how its images are to be."""
        if epoch is None:
            return batch
        batch = dict(batch)
        batch["blend"] = $draw_blend($shapes, $mixed_seed($seed, epoch, number, $stream))
$targets
        return batch
''')
_STACKED = "        return torch.utils.data.default_collate(samples)"
_FILLED = Template("""\
        fills = $fills
        batch = {}
        for name in samples[0]:
            values = [sample[name] for sample in samples]
            most = max(value.shape[0] if name in fills else 0 for value in values)
            if name in fills:
                shape = (len(values), most, *values[0].shape[1:])
                filled = values[0].new_full(shape, fills[name])
                for row, value in zip(filled, values):
                    row[: len(value)] = value
                values = filled
            batch[name] = torch.stack(list(values))
        return batch""")


def batches_text(
    spec: RunSpec,
    data: LoadedData,
    found: SampleList,
    names: Mapping[str, str],
    library: Library,
    *,
    draws: bool,
) -> str:
    """Return the class of the batches of a part, and what blends them; ``draws`` tells that the
    model draws random numbers where it is evaluated.
    """
    settings = spec.data
    fills = {info.name: _ROW_FILL[info.kind] for info in data.info.fields if info.kind in _ROW_FILL}
    collate, filled = _STACKED, ""
    collated = "batch = self.collate(samples)"
    if data.collation.is_custom:
        collate = f"        return {settings.collate.partition('.')[2]}(samples)"
        collated = _OWN_COLLATE.substitute(
            mixed_seed=library.name(_SEED, "mixed_seed"),
            all_seeded=library.name(_SEED, "all_seeded"),
            seed=spec.seed,
        )
    elif fills:
        collate, filled = _FILLED.substitute(fills=repr(fills)), ", objects filled up to the most"
    elif is_padded(settings, data):
        collate = f"        return {names['TrainableModel']}.pad(samples)"
    evaluated = f"self.drawing({_ALL})" if draws else _ALL
    blend = _blend_method(spec, data, found, names, library)
    is_dropped = settings.drop_last and not settings.has_custom_batches
    not_last = " and not self.training" if is_dropped else ""
    return _BATCHES.substitute(
        names,
        batch_size=settings.batch_size,
        not_last=not_last,
        **order_words(spec, data, names, library),
        collated=collated,
        batch="self.blend(batch, epoch, number)" if blend else "batch",
        blend=blend,
        viewed=viewed_text(spec, data, library, collated=collated, evaluated=evaluated),
        evaluated=evaluated,
        drawing=_drawing_method(spec, library) if draws else "",
        filled=filled,
        collate=collate,
    )


def _drawing_method(spec: RunSpec, library: Library) -> str:
    """Return the method that has a model draw what it drew where the run evaluated it."""
    return _DRAWING.substitute(
        all_seeded=library.name(_SEED, "all_seeded"),
        evaluation_seed=library.name(_SEED, "evaluation_seed"),
        seed=spec.seed,
    )


def _blend_method(
    spec: RunSpec,
    data: LoadedData,
    found: SampleList,
    names: Mapping[str, str],
    library: Library,
) -> str:
    """Return the method that blends the targets of a batch; empty where nothing is blended."""
    transforms = blending(data)
    if transforms is None:
        return ""
    part = trained_part(data)
    shapes = [tuple(part.form(name).shape[1:]) for name in transforms.images]
    wide = ".double()" if is_double(spec.compute) else ""
    lines: list[str] = []
    for name in found.carried:
        key = f"batch[{json.dumps(name)}]"
        if name in transforms.classes:
            one_hot = library.imported("torch.nn.functional", "one_hot")
            lines.append(f"{key} = {one_hot}({key}, {transforms.classes[name]}).float(){wide}")
        elif name in transforms.numbers:
            lines += [f"{key} = {key}{wide}"] if wide else []
        else:
            continue
        lines.append(f'{key} = {names["blended"]}({key}, batch["blend"][:1])')
    return _BLEND.substitute(
        names,
        shapes=repr(shapes),
        mixed_seed=library.name(_SEED, "mixed_seed"),
        seed=spec.seed,
        stream=BLEND_STREAM,
        targets="\n".join(f"{INDENT * 2}{line}" for line in lines),
    )
