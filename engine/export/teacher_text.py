"""Distillation as text of the exported training class, and the file with the teacher beside it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from engine.data.transform.batch import BatchTransforms
from engine.diagnostics import DiagnosticError
from engine.export.forward_text import fields_of, forward_text
from engine.export.job import ExportJob
from engine.export.python_file import write_python
from engine.export.source_parts import SourceParts
from engine.model.source import to_source
from engine.runs.teacher import NAME, teacher_files
from engine.spec.distillation import FIELD, Match, matched_in, matched_outputs
from engine.spec.phase import chooses_terms
from engine.syntax.format import INDENT
from engine.train.precision import is_double
from engine.train.technique.teacher import Teacher, read_teacher

_ENDING = "_teacher.py"
_LOADING = Template('''
@$cache
def $load_teacher():
    """Return the model that the run learnt from, in evaluation mode."""
    file = Path(__file__).with_name($file)
    spec = $spec_of("teacher", file)
    module = $module_of(spec)
    spec.loader.exec_module(module)
    with torch.random.fork_rng(devices=[]):  # the training draws the same numbers without it
        return module.load_model().$dtype()

''')
_METHODS = Template('''
    @torch.no_grad()
    def answers(self, batch):
        """Return the outputs of the teacher for a batch."""
        teacher = $load_teacher().to($first.device)
$forward
''')
_DISTILLED = Template('''
    def distilled(self, loss, outputs, batch):
        """Return a loss with the distance to the outputs of the teacher (Hinton et al., 2015)."""
        answers, temperature = self.answers(batch), $temperature
$terms
        return (1 - $weight) * loss + $weight * distance
''')
_OF_TERMS = Template('''
    def distilled(self, loss, outputs, batch, terms):
        """Return a loss of some terms with the distance to the outputs of the teacher that these
        read (Hinton et al., 2015).
        """
        if not terms & $all_terms:
            return loss
        answers, temperature = self.answers(batch), $temperature
        distances = []
$terms
        distance = sum(distances[1:], distances[0])
        return (1 - $weight) * loss + $weight * distance
''')
_TERMS: dict[Match, Template] = {
    "classes": Template("""\
        student, teacher = $own / temperature, $answer / temperature
        apart = nn.functional.kl_div(
            student.log_softmax(1), teacher.log_softmax(1), reduction="none", log_target=True
        ).sum(1)
        distance = ${before}apart.mean() * temperature**2"""),
    "binary": Template("""\
        student, teacher = $own / temperature, $answer / temperature
        yes, no = nn.functional.logsigmoid(teacher), nn.functional.logsigmoid(-teacher)
        yes = teacher.sigmoid() * (yes - nn.functional.logsigmoid(student))
        no = (1 - teacher.sigmoid()) * (no - nn.functional.logsigmoid(-student))
        distance = ${before}(yes + no).mean() * temperature**2"""),
    "values": Template("""\
        distance = ${before}nn.functional.mse_loss($own, $answer)"""),
}


class TeacherFile:
    """Python file with the teacher of a run, beside the training code at ``output``, and the text
    in that which asks it; nothing for a run that had none.

    Raises :class:`DiagnosticError` R528 where the run's copy of the teacher is gone, else as
    :func:`~engine.train.technique.teacher.read_teacher`.
    """

    def __init__(self, job: ExportJob, output: Path) -> None:
        self._job = job
        self._file = output.with_name(output.stem + _ENDING)
        self._teacher: Teacher | None = None
        if job.spec.distillation.teacher:
            if not teacher_files(job.run):
                raise DiagnosticError.of("R528", field=FIELD, teacher=f"runs/{job.run.name}/{NAME}")
            self._teacher = read_teacher(job.run / NAME, job.graph)

    def write(self) -> tuple[Path, ...]:
        """Write the file and the teacher's weights, and return both. Raises as
        :func:`~engine.export.python_file.write_python`.
        """
        teacher = self._teacher
        if teacher is None:
            return ()
        taught = ExportJob(
            title=f"{self._job.title}, teacher",
            graph=teacher.graph,
            source=to_source(teacher.graph),
            module=teacher.model,
            spec=teacher.spec,
        )
        return write_python(taught, self._file)[0]

    def function(self, source: SourceParts) -> str:
        """Return the function that loads the teacher."""
        if self._teacher is None:
            return ""
        return _LOADING.substitute(
            cache=source.imported("functools", "cache"),
            load_teacher=source.names["load_teacher"],
            file=json.dumps(self._file.name),
            spec_of=source.imported("importlib.util", "spec_from_file_location"),
            module_of=source.imported("importlib.util", "module_from_spec"),
            dtype="double" if is_double(self._job.spec.compute) else "float",
        )

    def methods(self, source: SourceParts, blends: BatchTransforms | None) -> str:
        """Return the methods that ask the teacher and compare with it.

        Raises :class:`DiagnosticError` X033 for a teacher that reads other fields than the model,
        where these are normalized or blended: the class does that with those of its model alone.
        """
        job, teacher = self._job, self._teacher
        if teacher is None:
            return ""
        is_prepared = any(job.scalings) or blends is not None
        if is_prepared and teacher.inputs != tuple(fields_of(job)):
            raise DiagnosticError.of("X033", what=", ".join(teacher.inputs))
        count = len(teacher.outputs)
        compared = {
            "temperature": job.spec.distillation.temperature,
            "weight": job.spec.distillation.weight,
        }
        distilled = _DISTILLED.substitute(terms="\n".join(_terms(job, teacher)), **compared)
        if chooses_terms(job.spec):
            readers = _readers(job)
            distilled = _OF_TERMS.substitute(
                all_terms=_set_of(set().union(*readers.values())),
                terms="\n".join(_terms_of_some(job, teacher, readers)),
                **compared,
            )
        answers = _METHODS.substitute(
            load_teacher=source.names["load_teacher"],
            first=f'batch["{teacher.inputs[0]}"]',
            forward=forward_text(
                job, teacher.inputs, source, blends, model="teacher", outputs=count
            ),
        )
        return answers + distilled


def _terms(job: ExportJob, teacher: Teacher, *, is_sum: bool = True) -> list[str]:
    outputs = [node.name for node in job.graph.nodes.values() if node.type == "Output"]
    return [
        _TERMS[match].substitute(
            own=_output("outputs", outputs, name),
            answer=_output("answers", teacher.outputs, name),
            before="distance + " if number and is_sum else "",
        )
        for number, (name, match) in enumerate(matched_outputs(job.spec, job.graph.code).items())
    ]


def _readers(job: ExportJob) -> dict[str, set[int]]:
    """Return the terms of the loss, from 0, that read each matched output."""
    matches = matched_outputs(job.spec, job.graph.code)
    numbers = range(len(job.spec.losses))
    return {
        name: {number for number in numbers if matched_in(job.spec, (number,), (name,))}
        for name in matches
    }


def _set_of(numbers: set[int]) -> str:
    return f"{{{', '.join(map(str, sorted(numbers)))}}}"


def _terms_of_some(job: ExportJob, teacher: Teacher, readers: Mapping[str, set[int]]) -> list[str]:
    """Return the lines that compare each output where the terms of a step read it."""
    lines: list[str] = []
    for name, text in zip(readers, _terms(job, teacher, is_sum=False), strict=True):
        lines.append(f"{INDENT * 2}if terms & {_set_of(readers[name])}:")
        lines += [f"{INDENT}{line}" for line in text.split("\n")]
        lines.append(f"{INDENT * 3}distances.append(distance)")
    return lines


def _output(variable: str, names: Sequence[str], name: str) -> str:
    return variable if len(names) == 1 else f"{variable}[{list(names).index(name)}]"
