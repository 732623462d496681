"""Text of what draws the samples of a run, in the exported training code."""

from collections.abc import Mapping
from string import Template

from engine.data.load.load import LoadedData
from engine.data.source.custom.batches import CustomBatches
from engine.data.source.custom.order import CustomOrder
from engine.data.source.custom.source import CustomSource
from engine.export.library_text import Library
from engine.spec.run import RunSpec

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
_SPLIT = "order.split(self.batch_size)[: len(self)]"


def carried_sampler(data: LoadedData) -> CustomOrder | CustomBatches | None:
    """Return the sampler of the user's code that an exported file carries: any that does not look
    at samples of a data set of the user's code, which are listed without it.
    """
    own = data.sampler.custom_sampler
    is_lost = own is not None and isinstance(data.source, CustomSource) and _looks(own)
    return None if is_lost else own


def looks_at_samples(data: LoadedData) -> bool:
    """Return whether the sampler that is carried asks for samples."""
    own = carried_sampler(data)
    return own is not None and _looks(own)


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
        "view": _RAW.substitute(names) if _looks(own) else "",
        "own": _MADE.substitute(seeded, made=_call(own, names)),
        "own_count": _COUNT if is_batches else "",
        "by_batch": ", batch by batch" if is_batches else "",
        "order": _DRAWN.substitute(seeded, drawn=drawn, set_epoch=_SET_EPOCH if has_epoch else ""),
        "split": "order if self.training else order.split(self.batch_size)"
        if is_batches
        else _SPLIT,
    }


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
    draw = library.name("engine.data.load.sampler", f"_{sampler.spec.sampler}")
    generator = library.name("engine.data.load.order", "epoch_generator")
    size = "self.batch_size, " if sampler.spec.sampler == "bucketed" else ""
    return f"{draw}(self.samples.drawn_by, {size}{generator}({spec.seed}, epoch))"
