"""Text of the methods that measure further outputs of a model, in a class that trains itself."""

from collections.abc import Sequence
from string import Template

from engine.export.job import ExportJob
from engine.export.loss_text import LossText
from engine.spec.data import IGNORED, FieldInfo
from engine.spec.judged import Judged, judged_outputs
from engine.syntax.format import INDENT

OUTPUT_NAMES = frozenset(("first_average", "output_counts"))
"""The methods that classes with one measured output do not have."""
OUTPUT_COUNTS = """
            "outputs": self.output_counts(outputs, batch),"""
"""What the result of a batch holds besides."""

_BINARY = {"BCEWithLogitsLoss": "0", "BCELoss": "0.5"}
_AVERAGE = Template('''
    def output_counts(self, outputs, batch):
        """Return of each further output a sum over the targets of a batch, and their number."""
        found = {}
$counts
        return found

    @classmethod
    def average(cls, results):
        """Return the mean loss and metrics of several batches, those of further outputs by name."""
        found = cls.first_average(results)
        for name in results[0]["outputs"]:
            sums = zip(*(result["outputs"][name] for result in results))
            total, count = (sum(values) for values in sums)
            found[name] = total / count if count else float("nan")
        return found
''')


class OutputText:
    """The further outputs that the metrics of a run judge, each with the accuracy or the mean
    absolute error that the class computes of it, by the name that this has in the run.
    """

    def __init__(self, job: ExportJob, terms: Sequence[LossText]) -> None:
        known = job.named if job.data is None else job.data.info.fields
        self._infos = {info.name: info for info in known}
        judged = () if job.boxes else judged_outputs(job.spec, job.graph.code)[1:]
        self._measured = {
            each.series(self._measure(each, terms[each.term])): self._lines(each, terms[each.term])
            for each in judged
            if each.chosen_of(job.spec.metrics)
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The results that there are besides."""
        return tuple(self._measured)

    def more(self, text: str) -> str:
        """Return what the result of a batch holds besides, after what it holds anyway."""
        return text + OUTPUT_COUNTS if self._measured else text

    def methods(self, average: str) -> str:
        """Return the methods that take results together, of which the first output has one."""
        if not self._measured:
            return average
        counts = [
            f"{INDENT * 2}{line}"
            for name, lines in self._measured.items()
            for line in (*lines[:-1], f'found["{name}"] = {lines[-1]}')
        ]
        first = average.replace("def average(", "def first_average(")
        return first + _AVERAGE.substitute(counts="\n".join(counts))

    def _measure(self, judged: Judged, term: LossText) -> str:
        info = self._infos.get(judged.field)
        is_class = bool(info is not None and info.classes) or term.entry.key in _BINARY
        return "accuracy" if is_class else "mae"

    def _lines(self, judged: Judged, term: LossText) -> list[str]:
        """Return the lines that measure an output; the last one is a sum and a number."""
        info = self._infos.get(judged.field)
        lines = [f"given, target = {term.bound['input']}, {term.bound['target']}"]
        if info is not None and info.classes:
            return [*lines, *_class_lines(info, term)]
        if (limit := _BINARY.get(term.entry.key)) is not None:
            hits = f"((given > {limit}) == (target > 0.5)).sum().item()"
            return [*lines, f"{hits}, target.numel()"]
        return [*lines, "(given - target).abs().sum().item(), target.numel()"]


def _class_lines(info: FieldInfo, term: LossText) -> list[str]:
    """Return the lines that count right classes."""
    ignored = term.term.loss.params.get("ignore_index", IGNORED)
    labels = "target = target.argmax(1) if target.is_floating_point() else target"
    if info.kind != "mask" and (not isinstance(ignored, int) or ignored < 0):
        return [labels, "(given.argmax(1) == target).sum().item(), target.numel()"]
    return [
        f"is_counted = target != {ignored}",
        "hits = (given.argmax(1) == target)[is_counted].sum().item()",
        "hits, is_counted.sum().item()",
    ]
