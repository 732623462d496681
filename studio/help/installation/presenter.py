"""Findings of the check of the installation, in words."""

from collections.abc import Sequence

from engine.diagnostics import Diagnostic, sentence
from engine.query.machine.request import Installation
from engine.runtime.telemetry import MachineLoad
from studio.i18n import translate
from studio.installation import Finding


def present_installation(
    found: Installation, findings: Sequence[Finding], load: MachineLoad, language: str
) -> str:
    """Return as Markdown what is in the way, and what each device computed."""
    problems = [finding.sentence(language) for finding in findings]
    problems += [sentence(problem, language) for problem in _problems(found, load)]
    head = (
        translate("Installation", "{count} issues found").format(count=len(problems))
        if problems
        else translate("Installation", "Everything is installed")
    )
    notes = [] if load.problem is None else [sentence(load.problem, language)]
    lines = [*problems, "", _built(found), *map(_computed, _working(found)), *notes]
    return "\n".join([f"### {head}\n", *(f"- {line}" if line else "" for line in lines), _advice()])


def present_failure(problems: Sequence[Diagnostic], language: str) -> str:
    """Return as Markdown why nothing could be found out."""
    told = [(sentence(problem, language), problem.detail) for problem in problems]
    return "\n\n".join(
        f"{words}\n\n```\n{detail}\n```" if detail else words for words, detail in told
    )


def _problems(found: Installation, load: MachineLoad) -> list[Diagnostic]:
    problems = [trial.problem for trial in found.trials if trial.problem is not None]
    if load.gpus and not any(trial.device.startswith("cuda") for trial in found.trials):
        params: dict[str, str | int | float] = {"count": len(load.gpus), "cuda": found.cuda}
        problems.append(Diagnostic(code="E038" if found.cuda else "E037", params=params))
    return problems


def _working(found: Installation) -> list[str]:
    return [trial.device for trial in found.trials if trial.problem is None]


def _built(found: Installation) -> str:
    if not found.cuda:
        text = translate("Installation", "PyTorch {version}, built without CUDA")
        return text.format(version=found.torch)
    text = translate("Installation", "PyTorch {version}, built for CUDA {cuda}")
    text = text.format(version=found.torch, cuda=found.cuda)
    return f"{text}, cuDNN {found.cudnn}" if found.cudnn else text


def _computed(device: str) -> str:
    text = translate("Installation", "{code} and a matrix product ran on **{device}**")
    return text.format(code="`torch.rand(5, 3)`", device=device)


def _advice() -> str:
    return "\n" + translate(
        "Installation",
        "To install a different PyTorch, select your system and CUDA version (or CPU) on "
        "pytorch.org under Get Started. Run the command it shows in the environment of "
        "Trellis, for torch and torchvision together, then restart Trellis and check again.",
    )
