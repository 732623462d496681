"""Text of what trains and evaluates on the data of a run, in the exported training code."""

import json
from collections.abc import Mapping
from string import Template
from textwrap import indent
from typing import NamedTuple

import torch

from engine.catalog.spec import EntryGroup
from engine.data.load.load import LoadedData
from engine.export.batch_text import batches_text
from engine.export.chain_text import chain_text, has_chain, training_draws
from engine.export.checked_text import CHECK_FILES, CHECKED, NEEDED, READ_ROWS
from engine.export.job import ExportJob
from engine.export.library_text import Library
from engine.export.read_text import is_image_of_bytes
from engine.export.sample_list import SampleList
from engine.export.sampler_text import LISTED_RAW, STORED_RAW, looks_at_samples
from engine.export.view_text import tested_text
from engine.spec.choice import chosen_entry
from engine.spec.length import total_of
from engine.spec.phase import has_phases
from engine.spec.run import RunSpec
from engine.syntax.format import INDENT

_SEED = "engine.data.seed"
_LISTED = Template('''
$SAMPLES = Path(__file__).with_name($samples)$constants


class $RunSamples(torch.utils.data.Dataset):
    """Samples of a part of the data, divided as in the run. ``data`` is where they are: $where."""

    def __init__(self, data, part="train", samples=$SAMPLES):
        self.path, self.part = Path(data), part
        self.folder = self.path if self.path.is_dir() else self.path.parent
        with open(samples, encoding="utf-8") as stream:
            head = $json.loads(next(stream))
            found = map($json.loads, stream)
            self.samples = [sample for sample in found if sample["part"] == part]
        self.dtypes = {name: getattr(torch, dtype) for name, dtype in head["dtypes"].items()}
        self.rows = $rows$checked$indices

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        """Return the inputs and the targets of a sample by name, as in evaluation."""
        return self.sample(index)

    def sample(self, at, epoch=None):
        """Return a sample as in evaluation, or as in an epoch of the training."""
        listed = self.samples[at]$drawn
        sample = self.read(listed$given)
        targets = listed["targets"].items()
        sample |= {name: self.tensor(name, value) for name, value in targets}$changed
        return sample

    def read(self, listed$taken):
        """Return the inputs of a sample by name, as they are read."""
        if "inputs" in listed:
            return {name: self.tensor(name, value) for name, value in listed["inputs"].items()}
        raw = dict(self.rows.get(listed.get("row"), {}))
        raw |= {name: self.value(name, given) for name, given in listed["raw"].items()}
        return $read_values(raw$given)

    def value(self, name, given):
        """Return what a raw sample has: the path of a file, a text, or numbers."""
        if isinstance(given, str):
            return given
        if isinstance(given, dict) and "file" in given:
            return str(self.folder / given["file"])
        if isinstance(given, dict) and "text" in given:
            return (self.folder / given["text"]).read_bytes().decode("utf-8-sig")
        return self.tensor(name, given)

    def tensor(self, name, given):
        """Return numbers as a tensor; ``runs`` are numbers, each with how often it comes."""
        if not isinstance(given, dict):
            return torch.tensor(given, dtype=self.dtypes[name])
        values = given.get("values")
        if values is None:
            values = [number for number, count in given["runs"] for _ in range(count)]
        return torch.tensor(values, dtype=self.dtypes[name]).reshape(given["shape"])
''')
_STORED = Template('''
$SAMPLES = Path(__file__).with_name($samples)$constants


class $RunSamples(torch.utils.data.Dataset):
    """Samples of a part of the data, divided as in the run; they are in the file ``samples``, and
    ``data`` is not looked at.
    """

    def __init__(self, data, part="train", samples=$SAMPLES):
        self.part = part
        with $load(samples) as stored:
            mine = stored["part"] == ("train", "validation", "test").index(part)
            names = [name for name in stored if name.startswith("field.")]
            self.values = {name[6:]: torch.from_numpy(stored[name][mine]) for name in names}
            self.count = int(mine.sum())$indices

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        """Return the inputs and the targets of a sample by name, as in evaluation."""
        return self.sample(index)

    def sample(self, at, epoch=None):
        """Return a sample as in evaluation, or as in an epoch of the training."""
        sample = {name: values[at] for name, values in self.values.items()}$changed
        return sample
''')
_LISTED_INDICES = """
        self.indices = [sample["index"] for sample in self.samples]"""
_LISTED_DRAWN_BY = """
        self.drawn_by = [sample.get("drawn_by", 0) for sample in self.samples]
        self.drawn_by = torch.tensor(self.drawn_by, dtype=torch.{dtype})"""
_STORED_INDICES = """
            self.indices = stored["index"][mine].tolist()"""
_STORED_DRAWN_BY = """
            self.drawn_by = torch.from_numpy(stored["drawn_by"])"""
_DRAWS = Template("""

# What of a file is read in training is drawn: how many numbers, and what keeps them apart.
$DRAWN = $draws""")
_DRAW = Template("""
        drawn = {} if epoch is None else self.drawn(at, epoch)""")
_DRAWN_METHOD = Template('''
    def drawn(self, at, epoch):
        """Return the random numbers that choose what of the files of a sample is read."""
        index = self.samples[at].get("read_as", self.indices[at])
        return {
            name: $drawn_numbers(count, $seed, epoch, index, stream)
            for name, (count, stream) in $DRAWN.items()
        }
''')
_CHANGED = Template("""
        if epoch is None:
            sample = $transformed(sample, $STEPS["evaluation"], $mixed_seed(0, 0, $index))
        else:
            seed = $mixed_seed($seed, epoch, $index)
            sample = $transformed(sample, $STEPS["training"], seed)""")
_BYTES = """
        sample[{name}] = {image_numbers}(sample[{name}])"""
_MAIN = Template('''

def $train():
    """Evaluate the model on the data of the run, or train it anew: ``--help`` says more."""
    parser = $argparse.ArgumentParser(description=$train.__doc__)
    parser.add_argument("--data", metavar="PATH", help=$help)
    parser.add_argument("--$unit", type=int, default=0, help="train anew, so many $unit$long")
    parser.add_argument("--batch-size", type=int, default=$batch_size, help="samples a batch")$rate
    parser.add_argument("--output", metavar="FILE", help="where to write the weights of a training")
    given = parser.parse_args()$needed
    if $is_missing:
        return False
    if given.$unit < 0 or given.batch_size < 1:
        parser.error("--$unit is 0 or more, and --batch-size 1 or more.")
    if given.output and not Path(given.output).absolute().parent.is_dir():
        parser.error(f"There is no folder for {given.output}: make it, or say another --output.")
    torch.set_num_threads($threads)$settings
    try:
        names = ("train", "validation", "test")
        parts = {part: $RunSamples(given.data or ".", part) for part in names}
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if given.$unit:
        torch.manual_seed($seed)$seeds
        model = $TrainableModel()$started$set_rate
        batches = $RunBatches(parts["train"], batch_size=given.batch_size)
        history = model.fit(batches, given.$unit$validation)
        for epoch, values in enumerate(history, 1):
            print(f"epoch {epoch}: {values}")
        if given.output:
            torch.save(model.state_dict(), given.output)
    else:
        model = $load_model()
    for part, samples in parts.items():
        if len(samples):
            print(f"{part}: {model.evaluate($RunBatches(samples, training=False))}")$views
    return True
''')
RATE_OPTION = """
    parser.add_argument("--lr", type=float, help="learning rate (in the run: {})")"""
SET_RATE = """
if given.lr is not None:
    scale = given.lr / model.optimizer.param_groups[0]["lr"]
    for group in model.optimizer.param_groups:
        group["lr"] *= scale"""
_DETERMINISTIC = """
    torch.use_deterministic_algorithms(True, warn_only=True)"""
_STARTED = """
        begun = torch.load(Path(__file__).with_name({}), weights_only=True)
        model.load_state_dict(begun, strict=False)"""


class TrainingFacts(NamedTuple):
    """How a run trained, for the function that trains anew: ``where`` its data are, in words, and
    whether they are needed; how many epochs or steps (``unit``) it took; the learning rate where an
    option can replace it; ``start`` is the file of the weights that it began with (empty: none),
    ``has_code`` tells that own code may draw random numbers by any generator, and ``has_views``
    that the model is tested over views of each sample, too.
    """

    where: str
    needs_data: bool
    unit: str
    length: float
    rate: float | None
    seed: int
    batch_size: int
    threads: int
    is_deterministic: bool
    has_code: bool
    has_views: bool
    start: str


def draws_in_evaluation(job: ExportJob) -> bool:
    """Return whether a model draws random numbers where it is evaluated: noise, say."""
    state = torch.get_rng_state()
    try:
        with torch.no_grad():
            job.module(*job.random_batches()[0])
        return not torch.equal(torch.get_rng_state(), state)
    finally:
        torch.set_rng_state(state)


def training_facts(job: ExportJob, found: SampleList, threads: int, start: str) -> TrainingFacts:
    """Return how the run of a job trained."""
    spec = job.spec
    unit = "steps" if spec.length == "steps" else "epochs"
    return TrainingFacts(
        where=where_text(found),
        needs_data=bool(found.example) or found.table is not None,
        unit=unit,
        length=total_of(spec, unit),
        rate=_free_rate(spec),
        seed=spec.seed,
        batch_size=spec.data.batch_size,
        threads=threads,
        is_deterministic=spec.deterministic,
        has_code=bool(job.graph.code),
        has_views=spec.test_time.is_on,
        start=start,
    )


def run_text(
    job: ExportJob,
    data: LoadedData,
    found: SampleList,
    names: Mapping[str, str],
    library: Library,
    *,
    samples: str,
    start: str,
    threads: int,
    has_validation: bool,
) -> str:
    """Return the samples and batches of a run as text, and the function that trains on them;
    ``samples`` is the name of the list beside the file, ``start`` that of the weights that the run
    began with (empty: none); it computes with ``threads``.
    """
    parts = (
        chain_text(job.spec.data, data, found.carried, names, library),
        _samples_text(job, data, found, {**names, "samples": json.dumps(samples)}, library),
        batches_text(job.spec, data, found, names, library, draws=draws_in_evaluation(job)),
        _main_text(
            job, found, {**names, "start": start}, library, threads, has_validation=has_validation
        ),
    )
    return "".join(parts)


def _samples_text(
    job: ExportJob,
    data: LoadedData,
    found: SampleList,
    names: Mapping[str, str],
    library: Library,
) -> str:
    """Return the class of the samples of a part."""
    draws = {} if found.is_whole else training_draws(data, found.carried)
    is_stored = found.arrays is not None
    indices = ""
    if found.has_index:
        indices = _STORED_INDICES if is_stored else _LISTED_INDICES
    if data.sampler.drawn_by is not None:
        dtype = str(data.sampler.drawn_by.dtype).removeprefix("torch.")
        indices += _STORED_DRAWN_BY if is_stored else _LISTED_DRAWN_BY.format(dtype=dtype)
    words = {
        **names,
        "where": where_text(found),
        "said": _literal(where_text(found)),
        "constants": "",
        "indices": indices,
        "changed": _changed(job.spec, data, found, names, library),
        **dict.fromkeys(("drawn", "given", "taken"), ""),
    }
    if is_stored:
        text = _STORED.substitute(words, load=library.imported("numpy", "load"))
        return text + (STORED_RAW if looks_at_samples(data) else "")
    method = ""
    if draws:
        numbers = {name: tuple(each) for name, each in draws.items()}
        words["constants"] = _DRAWS.substitute(names, draws=repr(numbers))
        words |= {"drawn": _DRAW.substitute(), "given": ", drawn", "taken": ", drawn"}
        method = _DRAWN_METHOD.substitute(
            names,
            drawn_numbers=library.name(_SEED, "drawn_numbers"),
            seed=job.spec.seed,
        )
    text = _listed_text(found, words, library)
    raw = LISTED_RAW.format(drawn=", {}" if draws else "") if looks_at_samples(data) else ""
    return text + method + raw


def _listed_text(found: SampleList, words: Mapping[str, str], library: Library) -> str:
    """Return the class of the samples of a list, with what tells that the data are others."""
    has_table, has_files = found.table is not None, bool(found.example)
    text = _LISTED.substitute(
        words,
        rows='self.read_rows(head["table"])' if has_table else "{}",
        checked=CHECKED if has_files else "",
        json=library.imported("json", ""),
    )
    if has_table:
        text += READ_ROWS.substitute(words, csv=library.imported("csv", ""))
    return text + (CHECK_FILES.substitute(words) if has_files else "")


def _changed(
    spec: RunSpec,
    data: LoadedData,
    found: SampleList,
    names: Mapping[str, str],
    library: Library,
) -> str:
    """Return the lines that transform a sample, and make decimal numbers of its pictures."""
    text = ""
    if has_chain(data):
        text = _CHANGED.substitute(
            names,
            mixed_seed=library.name(_SEED, "mixed_seed"),
            seed=spec.seed,
            index="self.indices[at]" if found.has_index else "0",
        )
    infos = {info.name: info for info in data.source.infos}
    for name in found.carried:
        if is_image_of_bytes(infos[name]):
            text += _BYTES.format(
                name=json.dumps(name),
                image_numbers=library.name("engine.data.transform.chain", "image_numbers"),
            )
    return text


def _main_text(
    job: ExportJob,
    found: SampleList,
    names: Mapping[str, str],
    library: Library,
    threads: int,
    *,
    has_validation: bool,
) -> str:
    """Return the function that evaluates and trains."""
    facts = training_facts(job, found, threads, names["start"])
    where, unit, rate = facts.where, facts.unit, facts.rate
    validation = f', {names["RunBatches"]}(parts["validation"], training=False)'
    seeds = ""
    if facts.has_code:
        seeds += f"\n{INDENT * 2}{library.imported('random', '')}.seed({facts.seed})"
        numpy_seed = library.imported("numpy.random", "seed", "seed_numpy")
        seeds += f"\n{INDENT * 2}{numpy_seed}({facts.seed % 2**32})"
    return _MAIN.substitute(
        names,
        help=json.dumps(where),
        argparse=library.imported("argparse", ""),
        seed=facts.seed,
        seeds=seeds,
        batch_size=facts.batch_size,
        needed=NEEDED.substitute(unit=unit, said=_literal(where)) if facts.needs_data else "",
        is_missing="given.data is None" + ("" if facts.needs_data else f" and not given.{unit}"),
        unit=unit,
        threads=facts.threads,
        settings=_DETERMINISTIC if facts.is_deterministic else "",
        started=_STARTED.format(json.dumps(facts.start)) if facts.start else "",
        rate="" if rate is None else RATE_OPTION.format(rate),
        set_rate="" if rate is None else indent(SET_RATE, INDENT * 2),
        long=f" (in the run: {facts.length:g})",
        validation=validation if has_validation else "",
        views=tested_text(names, INDENT, has_views=facts.has_views),
    )


def _free_rate(spec: RunSpec) -> float | None:
    """Return the learning rate that an option can replace: of a run without a schedule of it, and
    without phases, which have rates of their own.
    """
    entry = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    rate = None if entry is None else entry.value(spec.optimizer.params, "lr")
    if spec.scheduler is not None or has_phases(spec):
        return None
    if not isinstance(rate, int | float) or rate <= 0:
        return None
    return float(rate)


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def where_text(found: SampleList) -> str:
    """Return what the path of the data is, in words."""
    if found.table is not None and found.example.startswith(".."):
        return f"the table {found.table.name}, or its folder, from which {found.example} is found"
    if found.table is not None and found.example:
        return f"the table {found.table.name}, or its folder, which holds {found.example}"
    if found.table is not None:
        return f"the table {found.table.name}, or its folder"
    if found.example:
        return f"the folder that holds {found.example}"
    return "any path, as the samples lie beside the code"
