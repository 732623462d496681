"""Text of what trains and evaluates on the data of a run, in the exported training code."""

import json
from collections.abc import Mapping
from string import Template

from engine.catalog.spec import EntryGroup
from engine.export.library_text import Library
from engine.export.sample_list import SampleList
from engine.spec.choice import chosen_entry
from engine.spec.data import IGNORED, FieldInfo
from engine.spec.run import COLLATES, RunSpec

_ROW_FILL: Mapping[str, int] = {"boxes": 0, "box_classes": IGNORED, "box_masks": 0}
_RUN = Template('''
$SAMPLES = Path(__file__).with_name($samples)


class $RunSamples(torch.utils.data.Dataset):
    """Samples of a part of the data, divided as in the run. ``data`` is where they are: $where."""

    def __init__(self, data, part="train", samples=$SAMPLES):
        self.path = Path(data)
        self.folder = self.path if self.path.is_dir() else self.path.parent
        with open(samples, encoding="utf-8") as stream:
            head = $json.loads(next(stream))
            found = map($json.loads, stream)
            self.samples = [sample for sample in found if sample["part"] == part]
        self.dtypes = {name: getattr(torch, dtype) for name, dtype in head["dtypes"].items()}
        self.rows = self.read_rows(head["table"]) if "table" in head else {}

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        """Return the inputs and the targets of a sample by name."""
        sample = self.samples[index]
        given = sample.get("inputs", {})
        inputs = {name: self.tensor(name, value) for name, value in given.items()}
        if not inputs:
            raw = dict(self.rows.get(sample.get("row"), {}))
            raw |= {name: self.value(name, given) for name, given in sample["raw"].items()}
            inputs = {name: value[0] for name, value in $read_sample(raw).items()}
        targets = {name: self.tensor(name, value) for name, value in sample["targets"].items()}
        return {**inputs, **targets}

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

    def read_rows(self, table):
        """Return the rows of the table by their numbers, the head being the first."""
        path = self.path if self.path.is_file() else self.path / table["name"]
        wanted = {sample["row"] for sample in self.samples}
        with open(path, encoding=table["encoding"], newline="") as stream:
            rows = $csv.DictReader(stream, delimiter=table["delimiter"])
            return {number: row for number, row in enumerate(rows, start=2) if number in wanted}


class $RunBatches:
    """Batches of samples. In training each pass over them is the next epoch of the run, in its
    order; else all samples come, in order.
    """

    def __init__(self, samples, training=True, batch_size=$batch_size):
        self.samples = samples
        self.training = training
        self.batch_size = batch_size
        self.epoch = 0

    def __iter__(self):
        order = torch.arange(len(self.samples))
        if self.training:
            order = $epoch_order(len(order), $seed, self.epoch, shuffle=$shuffle)
            self.epoch += 1
            print(f"epoch {self.epoch}", flush=True)
        for rows in order.split(self.batch_size):
            if len(rows) == self.batch_size or not (self.training and $drop_last):
                yield self.collate([self.samples[row] for row in rows.tolist()])

    @staticmethod
    def collate(samples):
        """Return a batch of samples$filled."""
$collate


def $train():
    """Evaluate the model on the data of the run, or train it anew: ``--help`` says more."""
    parser = $argparse.ArgumentParser(description=$train.__doc__)
    parser.add_argument("--data", metavar="PATH", help=$help)
    parser.add_argument("--epochs", type=int, default=0, help="train anew, so many epochs$long")
    parser.add_argument("--batch-size", type=int, default=$batch_size, help="samples a batch")$rate
    parser.add_argument("--output", metavar="FILE", help="where to write the weights of a training")
    given = parser.parse_args()
    if $is_missing:
        return False
    torch.set_num_threads($threads)
    parts = {part: $RunSamples(given.data or ".", part) for part in ("train", "validation", "test")}
    if given.epochs:
        torch.manual_seed($seed)
        model = $TrainableModel()$set_rate
        batches = $RunBatches(parts["train"], batch_size=given.batch_size)
        history = model.fit(batches, given.epochs$validation)
        for epoch, values in enumerate(history, 1):
            print(f"epoch {epoch}: {values}")
        if given.output:
            torch.save(model.state_dict(), given.output)
    else:
        model = $load_model()
    for part, samples in parts.items():
        if len(samples):
            print(f"{part}: {model.evaluate($RunBatches(samples, training=False))}")
    return True
''')
_RATE = """
    parser.add_argument("--lr", type=float, help="learning rate (in the run: {})")"""
_SET_RATE = """
        if given.lr is not None:
            scale = given.lr / model.optimizer.param_groups[0]["lr"]
            for group in model.optimizer.param_groups:
                group["lr"] *= scale"""
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


def run_text(
    spec: RunSpec,
    found: SampleList,
    fields: tuple[FieldInfo, ...],
    names: Mapping[str, str],
    library: Library,
    *,
    samples: str,
    threads: int,
    has_validation: bool,
) -> str:
    """Return the samples and batches of a run as text, and the function that trains on them;
    ``samples`` is the name of the list beside the file, ``fields`` those of the data.
    """
    data = spec.data
    fills = {field.name: _ROW_FILL[field.kind] for field in fields if field.kind in _ROW_FILL}
    collate, filled = _STACKED, ""
    if fills:
        collate, filled = _FILLED.substitute(fills=repr(fills)), ", objects filled up to the most"
    elif data.collate == "pad":
        collate = f"        return {names['TrainableModel']}.pad(samples)"
    elif data.collate not in COLLATES:
        collate = f"        return {data.collate.partition('.')[2]}(samples)"
    is_needed = bool(found.example) or found.table is not None
    where = where_text(found)
    rate = _free_rate(spec)
    validation = f', {names["RunBatches"]}(parts["validation"], training=False)'
    return _RUN.substitute(
        names,
        samples=json.dumps(samples),
        where=where,
        help=json.dumps(where),
        json=library.imported("json", ""),
        csv=library.imported("csv", ""),
        argparse=library.imported("argparse", ""),
        epoch_order=library.name("engine.data.load.order", "epoch_order"),
        seed=spec.seed,
        shuffle=data.shuffle,
        batch_size=data.batch_size,
        drop_last=data.drop_last,
        filled=filled,
        collate=collate,
        is_missing="given.data is None" if is_needed else "given.data is None and not given.epochs",
        threads=threads,
        rate="" if rate is None else _RATE.format(rate),
        set_rate="" if rate is None else _SET_RATE,
        long=f" (in the run: {spec.epochs})",
        validation=validation if has_validation else "",
    )


def _free_rate(spec: RunSpec) -> float | None:
    """Return the learning rate that an option can replace: of a run without a schedule of it."""
    entry = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    rate = None if entry is None else entry.value(spec.optimizer.params, "lr")
    if spec.scheduler is not None or not isinstance(rate, int | float) or rate <= 0:
        return None
    return float(rate)


def where_text(found: SampleList) -> str:
    """Return what the path of the data is, in words."""
    if found.table is not None and found.example:
        return f"the table {found.table.name}, or its folder, which holds {found.example}"
    if found.table is not None:
        return f"the table {found.table.name}, or its folder"
    if found.example:
        return f"the folder that holds {found.example}"
    return "any path, as the samples are in the list"
