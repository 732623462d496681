"""Values that were set while a run went on, in words."""

from engine.runs.record.state import KnobMark
from engine.spec.choice import NO_CODE, Code
from engine.spec.live import DROPOUT, layer_setting
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.view.recipe_field import field_title
from studio.view.wording import value_text

_SECTIONS = (
    *("clip", "penalty", "gradient_noise", "teacher_forcing"),
    *("distillation", "quantization", "averaging", "losses"),
)


def change_title(spec: RunSpec, name: str, language: str, code: Code = NO_CODE) -> str:
    """Return what a setting is called that was changed: as in its form, or by its layer."""
    layers = layer_setting(name)
    if layers is None:
        title = field_title(spec, name, language, code)
        section = name.partition(".")[0]
        is_of_section = section in _SECTIONS
        return f"{title} ({name})" if is_of_section else title
    whole = translate("Run", "All layers")
    text = translate("Run", "{layer}: frozen")
    if layers.what == DROPOUT:
        text = translate("Run", "{layer}: dropout")
    return text.format(layer=layers.match or whole)


def change_text(spec: RunSpec, mark: KnobMark, language: str, code: Code = NO_CODE) -> str:
    """Return what was changed, from what to what, and what changed it if not the user."""
    title = change_title(spec, mark.name, language, code)
    text = f"{title} = {value_text(mark.value)}"
    if mark.before is not None:
        text = f"{title}: {value_text(mark.before)} → {value_text(mark.value)}"
    if mark.origin == "replay":
        return translate("Run", "{change} (repeated)").format(change=text)
    if mark.origin == "technique" and mark.name == "epochs":
        return translate("Run", "{change} (stopped early)").format(change=text)
    return text
