"""Results of a measurement of settings, as lines of a table."""

from dataclasses import dataclass

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.catalog.text import param_label
from engine.diagnostics import DiagnosticError, sentence
from engine.query.speed.request import SpeedMeasured, SpeedTrial
from engine.spec.choice import chosen_entry
from engine.spec.fields import field_param
from engine.spec.run import RunSpec
from studio.i18n import language_code, translate
from studio.view.wording import value_text

_LEAST_DIFFERENCE = 1e-7  # below it only the last digits differ


@dataclass(frozen=True, kw_only=True)
class SpeedRow:
    """One setting: its name, what it was set to, times, gain and what is to be known of it."""

    name: str
    label: str
    before: str
    after: str
    gain: str
    note: str
    is_kept: bool
    can_choose: bool


def setting_text(spec: RunSpec, name: str, value: object) -> str:
    """Return ``Precision: bfloat16`` for a setting and its value; its label alone for a switch."""
    section, _, last = name.rpartition(".")
    entry = catalog().entry(EntryGroup.SETTING, section)
    if section == "optimizer":
        entry = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    try:
        label = param_label(entry, field_param(spec, name), language_code())
    except DiagnosticError:  # the optimizer was changed meanwhile
        label = last
    return label if value is True else f"{label}: {value_text(str(value))}"


def present_trial(spec: RunSpec, trial: SpeedTrial) -> str:
    """Return what is being measured."""
    text = translate("Speed", "Measuring {number} of {count}: {setting}…")
    setting = setting_text(spec, trial.name, trial.value)
    return text.format(number=trial.number, count=trial.count, setting=setting)


def present_row(spec: RunSpec, found: SpeedMeasured, language: str) -> SpeedRow:
    """Return the line of a setting that was tried."""
    is_known = found.after_ms > 0
    return SpeedRow(
        name=found.name,
        label=setting_text(spec, found.name, found.value),
        before=f"{found.before_ms:.3g} ms" if is_known else "",
        after=f"{found.after_ms:.3g} ms" if is_known else "",
        gain=f"{found.before_ms / found.after_ms:.2f}×" if is_known else "",
        note=_note(found, language),
        is_kept=found.is_kept,
        can_choose=found.problem is None,
    )


def present_summary(rows: tuple[SpeedRow, ...]) -> str:
    """Return what came of it all."""
    if any(row.is_kept for row in rows):
        return translate(
            "Speed",
            "The selected settings make steps at least 5% faster. Choose Apply to use them.",
        )
    return translate("Speed", "None of the settings makes this run faster on this machine.")


def _note(found: SpeedMeasured, language: str) -> str:
    if found.problem is not None:
        return sentence(found.problem, language)
    if found.difference < _LEAST_DIFFERENCE:
        return translate("Speed", "same results")
    text = translate("Speed", "initial loss differs by {share}%")
    return text.format(share=f"{100 * found.difference:.2g}")
