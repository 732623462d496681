"""Python file with a LightningModule upon the training code of a run, and what trains it."""

import json
import shlex
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from string import Template

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.export.beside_file import put_beside
from engine.export.example_batches import compared_on_examples
from engine.export.job import ExportJob
from engine.export.outside import Reading, write_compared
from engine.export.project.surroundings import Project
from engine.export.project.write import project_of
from engine.export.requirement import needed_packages
from engine.export.run_text import TrainingFacts
from engine.export.schedule_text import follows_results
from engine.export.tokenizer_file import write_tokenizers
from engine.export.torch_file import torch_reader
from engine.export.training_file import write_training_code
from engine.export.written import Written
from engine.spec.phase import has_phases
from engine.spec.run import RunSpec
from engine.spec.technique import GROUPINGS, TECHNIQUES
from engine.syntax.format import INDENT

LIBRARY = "lightning"
_HEAD = Template('''\
"""$title, for PyTorch Lightning.

    python $file --data PATH

trains anew as the run did; ``load_module()`` gives the trained one. Requires $needs.
"""

$imports

''')
_MODULE = Template('''

class $RunModule(lightning.LightningModule):
    """The model with its loss, metric and optimizer. A batch is a dictionary of tensors."""

    def __init__(self):
        super().__init__()
        self.model = $TrainableModel()

    def forward(self, *inputs):
        """Return the outputs for prepared inputs."""
        return self.model(*inputs)

    def training_step(self, batch, number):
        """Return the loss of a batch."""
        return self.shared_step(batch, "train")

    def validation_step(self, batch, number):
        """Log the loss and metric of a batch."""
        self.shared_step(batch, "validation")

    def test_step(self, batch, number):
        """Log the loss and metric of a batch."""
        self.shared_step(batch, "test")

    def shared_step(self, batch, part):
        """Return the loss of a batch, and log it with the metric."""
        outputs = self.model.forward_batch(batch)
        loss = self.model.loss_func(outputs, batch)
        results = self.model.batch_result(loss, outputs, batch)
        values = {f"{part}_loss": loss, f"{part}_metric": results["metric"]}
        self.log_dict(values, prog_bar=True, batch_size=results["samples"])
        return loss

    def configure_optimizers(self):
        """Return the optimizer of the run$with_schedule."""
$optimizers


class $EpochBatches:
    """The batches of the epoch that a trainer is in: it begins some passes to look at them only."""

    def __init__(self, batches, trainer):
        self.batches = batches
        self.trainer = trainer

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        self.batches.epoch = self.trainer.current_epoch + 1
        return self.batches.again()


def $load_module():
    """Return the module with the weights of the run, in evaluation mode."""
    module = $RunModule()
    module.model.load_state_dict($load_model().state_dict())
    return module.eval()
''')

_MAIN = Template('''

def $main(arguments=None):
    """Train as the run did."""
    parser = argparse.ArgumentParser(description=$main.__doc__)
    parser.add_argument("--data", metavar="PATH", $is_needed, help=$where)
    parser.add_argument("--$unit", type=int, default=$count, help="how long (in the run: $count)")
    parser.add_argument("--accelerator", default="cpu", help="cpu (as in the run), gpu, mps, auto")
    given = parser.parse_args(arguments)
    torch.set_num_threads($threads)$settings
    torch.manual_seed($seed)$seeds
    module = $RunModule()$started
    trainer = lightning.Trainer(
        $length,
        accelerator=given.accelerator,
        devices=1,
        num_sanity_val_steps=0,$clip
    )
    names = ("train", "validation", "test")
    parts = {part: $RunSamples(given.data or ".", part) for part in names}
    batches = {part: $RunBatches(parts[part], training=part == "train") for part in names}
    validation = batches["validation"] if len(parts["validation"]) else None
    trainer.fit(module, $EpochBatches(batches["train"], trainer), validation)
    if len(parts["test"]):
        trainer.test(module, batches["test"])


if __name__ == "__main__":
    $main()
''')
_STARTED = """
    begun = torch.load(Path(__file__).with_name({}), weights_only=True)
    module.model.load_state_dict(begun, strict=False)  # the weights that the run began with"""
_SEEDS = """
    random.seed({})  # for own code
    numpy.random.seed({})"""
_DETERMINISTIC = """
    torch.use_deterministic_algorithms(True, warn_only=True)"""
_SCHEDULED = """\
{}
        schedule = {{"scheduler": scheduler, "interval": "{}"}}
        return {{"optimizer": self.model.optimizer, "lr_scheduler": schedule}}"""
_OF_EPOCHS = """\
        scheduler = self.model.make_scheduler(self.trainer.max_epochs)"""
_OF_STEPS = """\
        scheduler = self.model.make_scheduler(self.trainer.max_steps)"""
_OF_BOTH = """\
        epochs = self.trainer.max_epochs
        steps_per_epoch = self.trainer.estimated_stepping_batches // epochs
        scheduler = self.model.make_scheduler(epochs, steps_per_epoch)"""
_EVALUATED = ("test_time",)  # and what the optimizer or the steps of PyTorch do by themselves


def write_lightning(job: ExportJob, output: Path) -> Written:
    """Write the file and what it reads beside it; it takes its place only after another process
    computed the same with the module that it loads. Where Lightning is not installed, that is told
    (X064): its training was not tried then.

    Raises :class:`DiagnosticError`: X063 for a recipe that the loop of Lightning does not have,
    X035 the outputs differ, X040 the file cannot be loaded, else as ``write_training_code``.
    """
    if missing := _not_carried(job.spec):
        raise DiagnosticError.of("X063", what=", ".join(missing))
    job.tell("write")
    with tempfile.TemporaryDirectory() as name:
        code = Path(name) / output.name
        written = write_training_code(job, code)
        write_tokenizers(job.tokenizers, code)
        text = _text(job, output, project_of(job, output.stem, written))
        compile(text, output.name, "exec")
        compared = compared_on_examples(job, job.rounded_module())
        if find_spec(LIBRARY) is None:
            told = Diagnostic(code="X064", severity=Severity.HINT)
            compared = compared._replace(notices=(told, *compared.notices))
        with Reading(torch_reader("lightning", name)) as reading:
            found = write_compared(job, output, text.encode(), compared, reading)
        files = (output, *put_beside(written.files[1:], output))
    return found._replace(files=files, snippet=f"python {shlex.quote(output.name)} --help\n")


def _not_carried(spec: RunSpec) -> list[str]:
    """Return what of a recipe the loop of Lightning does otherwise, by the names of settings."""
    plain = RunSpec()
    found = [
        name
        for name in TECHNIQUES
        if name not in (*GROUPINGS, *_EVALUATED) and getattr(spec, name) != getattr(plain, name)
    ]
    found += ["phases"] if has_phases(spec) else []
    found += ["scheduler"] if follows_results(spec) else []
    return found + (["compute.precision"] if spec.compute.precision == "float16" else [])


def _text(job: ExportJob, output: Path, project: Project) -> str:
    code, names, facts = project.code, dict(project.names), project.facts
    for name in ("RunModule", "EpochBatches", "load_module", "main"):
        names[name] = name if not code.has(name) else f"{name}_of_lightning"
    modules = {"argparse", LIBRARY}
    modules |= {"random", "numpy"} if facts is not None and facts.has_code else set()
    imports = code.import_text(*sorted(modules))
    head = _HEAD.substitute(
        title=project.title,
        file=output.name,
        needs=", ".join(needed_packages([imports])),
        imports=imports,
    )
    schedule = _optimizer_lines(job.spec)
    module = _MODULE.substitute(
        names,
        optimizers=schedule,
        with_schedule=", with its schedule" if "schedule" in schedule else "",
    )
    main = "" if facts is None else _main_text(job, names, facts)
    return head + "".join(code.definition_texts().values()) + module + main


def _optimizer_lines(spec: RunSpec) -> str:
    if spec.scheduler is None:
        return f"{INDENT * 2}return self.model.optimizer"
    if spec.scheduler_interval != "step":
        return _SCHEDULED.format(_OF_EPOCHS, "epoch")
    if spec.length == "steps":
        return _SCHEDULED.format(_OF_STEPS, "step")
    return _SCHEDULED.format(_OF_BOTH, "step")


def _main_text(job: ExportJob, names: Mapping[str, str], facts: TrainingFacts) -> str:
    clip, is_steps = job.spec.clip, facts.unit == "steps"
    clipped = (
        f"\n{INDENT * 2}gradient_clip_val={clip.limit},"
        f'\n{INDENT * 2}gradient_clip_algorithm="{clip.kind}",'
    )
    return _MAIN.substitute(
        names,
        is_needed="required=True" if facts.needs_data else 'default="."',
        where=json.dumps(facts.where, ensure_ascii=False),
        unit=facts.unit,
        count=f"{facts.length:g}",
        threads=facts.threads,
        settings=_DETERMINISTIC if facts.is_deterministic else "",
        seed=facts.seed,
        seeds=_SEEDS.format(facts.seed, facts.seed % 2**32) if facts.has_code else "",
        started=_STARTED.format(json.dumps(facts.start)) if facts.start else "",
        length="max_epochs=-1, max_steps=given.steps" if is_steps else "max_epochs=given.epochs",
        clip=clipped if clip.kind in ("norm", "value") else "",
    )
