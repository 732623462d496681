"""Text of what draws the samples of a run, in the exported training code."""

from collections.abc import Mapping
from pathlib import Path
from string import Template

from engine.catalog.spec import ParamKind, Value
from engine.data.load.load import LoadedData
from engine.data.source.custom.batches import CustomBatches
from engine.data.source.custom.opened import constructor_arguments
from engine.data.source.custom.order import CustomOrder
from engine.data.source.custom.rows import ROW_STREAM, MapRows
from engine.data.source.custom.source import CustomSource
from engine.export.library_text import Library
from engine.graph.code import code_symbol
from engine.spec.run import RunSpec
from engine.syntax.format import Expression, call, flat, keyword
from engine.syntax.literal import literal

_SEED = "engine.data.seed"
LISTED_RAW = '''
    def raw(self, at):
        """Return a sample before its transforms, as the sampler looks at it."""
        listed = self.samples[at]
        sample = self.read(listed{drawn})
        targets = listed["targets"].items()
        return sample | {{name: self.tensor(name, value) for name, value in targets}}
'''
STORED_RAW = '''
    def raw(self, at):
        """Return a sample before its transforms, as the sampler looks at it."""
        return {name: values[at] for name, values in self.values.items()}
'''
_RAW = Template("""

class $RunView:
    \"\"\"The training samples as their sampler looks at them: before the transforms.\"\"\"

    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, position):
        return self.samples.raw(position)
""")
_DATASET = Template("""

class $RunView:
    \"\"\"The training samples as their sampler looks at them: as their data set gives them.\"\"\"

    def __init__(self, samples):
        self.indices = samples.indices
        self.dataset = $dataset

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, position):
        index = self.indices[position]
        with $all_seeded($mixed_seed(0, 0, index, $stream)):
            return self.dataset[index]
""")
_MADE = Template("""
        if training:
            with $all_seeded(0):
                self.sampler = $made""")
_DRAWN = Template("""\
        with $all_seeded($mixed_seed($seed, epoch)):$set_epoch
            return $drawn""")
_SET_EPOCH = """
            self.sampler.set_epoch(epoch)"""
_COUNT = """
        if self.training:
            return len(self.sampler)"""
_FUNCTIONS = {"curriculum": "_easiest"}
_SPLIT = "order.split(self.batch_size)[: len(self)]"


def carried_sampler(data: LoadedData) -> CustomOrder | CustomBatches | None:
    """Return the sampler of the user's code that an exported file carries: any that does not look
    at samples of a data set of the user's code which cannot be made anew there.
    """
    own = data.sampler.custom_sampler
    if own is None or not isinstance(data.source, CustomSource) or not _looks(own):
        return own
    return own if _is_made_anew(data.source) else None


def looks_at_samples(data: LoadedData) -> bool:
    """Return whether the sampler that is carried asks for samples as they are listed."""
    own = carried_sampler(data)
    return own is not None and _looks(own) and not isinstance(data.source, CustomSource)


def carried_dataset(data: LoadedData) -> CustomSource | None:
    """Return the data set of the user's code that an exported file makes anew, as the sampler that
    it carries looks at its samples: whatever they are, which no list can tell.
    """
    own, source = carried_sampler(data), data.source
    if own is None or not isinstance(source, CustomSource):
        return None
    return source if _looks(own) else None


def dataset_files(data: LoadedData | None) -> tuple[str, ...]:
    """Return the file of own code that the data set which is carried stands in."""
    source = None if data is None else carried_dataset(data)
    symbol = None if source is None else code_symbol(source.entry.key)
    return () if symbol is None else (symbol.file,)


def _is_made_anew(source: CustomSource) -> bool:
    """Return whether the class with the samples can be made elsewhere: it is a data set itself, and
    given no place on this machine.
    """
    rows = source.made.rows
    is_itself = type(rows[0].dataset).__name__ == source.entry.label
    given = [(param.kind, source.params.get(param.name)) for param in source.entry.params]
    has_place = any(_is_place(kind, value) for kind, value in given)
    return isinstance(rows[0], MapRows) and is_itself and not has_place


def _is_place(kind: ParamKind, value: Value) -> bool:
    if not isinstance(value, str) or not value:
        return False
    return kind is ParamKind.PATH or Path(value).is_absolute()


def _dataset_call(source: CustomSource) -> str:
    """Return the call that makes the data set, whose class stands in the file."""
    cls = type(source.made.rows[0].dataset)
    given = constructor_arguments(cls, source.entry, source.params)
    kinds = {param.name: param.kind for param in source.entry.params}
    items: list[Expression] = [
        keyword(name, literal(value, kinds[name])) for name, value in given.items()
    ]
    return flat(call(source.entry.label, items))


def order_words(
    spec: RunSpec, data: LoadedData, names: Mapping[str, str], library: Library
) -> dict[str, str]:
    """Return the parts of the class of batches that say which samples an epoch has."""
    own = carried_sampler(data)
    if own is None:
        order = f"        return {_order(spec, data, library)}"
        return {
            "view": "",
            "own": "",
            "own_count": "",
            "by_batch": "",
            "order": order,
            "split": _SPLIT,
        }
    seeded = {
        "all_seeded": library.name(_SEED, "all_seeded"),
        "mixed_seed": library.name(_SEED, "mixed_seed"),
        "seed": spec.seed,
    }
    is_batches = isinstance(own, CustomBatches)
    drawn = "torch.tensor([int(at) for at in self.sampler])"
    if is_batches:
        drawn = "[torch.tensor([int(at) for at in batch]) for batch in self.sampler]"
    has_epoch = hasattr(own.made.sampler, "set_epoch")
    return {
        "view": _view(data, {**names, **seeded}),
        "own": _MADE.substitute(seeded, made=_call(own, names)),
        "own_count": _COUNT if is_batches else "",
        "by_batch": ", batch by batch" if is_batches else "",
        "order": _DRAWN.substitute(seeded, drawn=drawn, set_epoch=_SET_EPOCH if has_epoch else ""),
        "split": "order if self.training else order.split(self.batch_size)"
        if is_batches
        else _SPLIT,
    }


def _view(data: LoadedData, names: Mapping[str, str | int]) -> str:
    """Return the class of the training samples as the sampler looks at them; empty for none."""
    dataset = carried_dataset(data)
    if dataset is not None:
        return _DATASET.substitute(names, dataset=_dataset_call(dataset), stream=ROW_STREAM)
    return _RAW.substitute(names) if looks_at_samples(data) else ""


def _call(own: CustomOrder | CustomBatches, names: Mapping[str, str]) -> str:
    """Return the call that makes the sampler, whose class stands in the file."""
    values = {"labels": "samples.drawn_by", "batch_size": "batch_size"}
    given = [f"{name}={values[name]}" for name in own.made.given]
    samples = f"{names['RunView']}(samples)" if _looks(own) else "samples"
    return f"{own.made.name}({', '.join([samples] * own.made.takes_samples + given)})"


def _looks(own: CustomOrder | CustomBatches) -> bool:
    """Return whether a sampler asks for samples, as it is made or in its first epoch."""
    if not own.looks_at_samples:
        own(0, 0)
    return own.looks_at_samples


def _order(spec: RunSpec, data: LoadedData, library: Library) -> str:
    """Return the expression for the numbers of the samples of an epoch."""
    sampler = data.sampler
    if sampler.values is None:
        order = library.name("engine.data.load.order", "epoch_order")
        shuffle = sampler.spec.shuffle
        return f"{order}(len(self.samples), {spec.seed}, epoch, shuffle={shuffle})"
    function = _FUNCTIONS.get(sampler.spec.sampler, f"_{sampler.spec.sampler}")
    draw = library.name("engine.data.load.sampler", function)
    generator = library.name("engine.data.load.order", "epoch_generator")
    size = "self.batch_size, " if sampler.spec.sampler == "bucketed" else ""
    if sampler.spec.sampler == "curriculum":
        taken = library.name("engine.spec.curriculum", "taken_samples")
        chosen = sampler.spec.curriculum
        given = f"{chosen.start!r}, {chosen.epochs}, {chosen.pacing!r}"
        size = f"{taken}(len(self.samples), epoch, {given}), "
    return f"{draw}(self.samples.drawn_by, {size}{generator}({spec.seed}, epoch))"
