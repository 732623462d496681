"""Every word of the catalogue stands in both languages, and documentation is clean Markdown."""

import ast
import re
from pathlib import Path

import pytest

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, ParamKind
from engine.catalog.text import (
    category_label,
    choice_label,
    entry_doc,
    entry_help,
    entry_label,
    entry_summary,
    param_help,
    param_label,
    param_unit,
    translation,
)
from engine.graph.code import COLLATE_PARAM, SAMPLER_PARAM
from tests.each import for_each

ZH = "zh_CN"
ROOT = Path(__file__).parents[3]
ENTRIES = [entry for group in EntryGroup for entry in catalog().group(group)]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
NAMED_BY_TORCH = (
    "layer",
    "operator",
    "loss",
    "optimizer",
    "scheduler",
    "initialiser",
    "transform",
    "batch_transform",
)
LEFTOVERS = re.compile(
    r":[a-z]+(?::[a-z]+)?:`|^\s*\.\. |::\s*$|`_|\\[a-zA-Z]{2,}|\\\\|~torch|\{\w+\}_",
    re.MULTILINE,
)


def test_that_every_category_is_translated():
    for entry in ENTRIES:
        if entry.category:
            assert CHINESE.search(category_label(entry.category, ZH)), entry.category


@pytest.mark.parametrize("group", EntryGroup)
def test_that_every_summary_is_translated(group):
    for entry in catalog().group(group):
        text = entry_summary(entry, ZH)
        assert text != entry.summary, entry.key
        assert CHINESE.search(text) or entry.key in ("Softsign", "Tanhshrink"), entry.key
        assert text.endswith(("。", "？")), entry.key


def test_that_names_of_torch_stay_and_others_are_translated():
    for entry in ENTRIES:
        is_same = entry_label(entry, ZH) == entry_label(entry, "en")
        named_alike = entry.key in ("f1", "auroc", "r2", "map")
        is_torch = entry.group in NAMED_BY_TORCH and bool(entry.target)
        assert is_same == (is_torch or named_alike), entry.key


def test_that_every_parameter_is_translated():
    for entry in ENTRIES:
        for param in entry.params:
            where = f"{entry.group}.{entry.key}.{param.name}"
            assert param_label(entry, param, ZH) != param_label(entry, param, "en") or (
                param.name in ("amsgrad", "nesterov", "k")
            ), where
            unit = param_unit(entry, param, ZH)
            assert unit in ("", "s", "px", "Hz") or CHINESE.search(unit), f"{where}: {unit}"
            assert CHINESE.search(param_help(entry, param, ZH)), where


def test_that_no_setting_of_an_entry_has_the_name_of_another():
    for entry in ENTRIES:
        names = [param.name for param in entry.params]
        assert len(names) == len(set(names)), entry.key


def shipped_losses() -> dict[str, tuple[str, ...]]:
    """Return what the losses take whose code comes with what is proposed, by their names."""
    found: dict[str, tuple[str, ...]] = {}
    for file in sorted((ROOT / "resources" / "code").glob("*.py")):
        for part in ast.parse(file.read_text(encoding="utf-8")).body:
            name = getattr(part, "name", "")
            if name.startswith("_") or not name.lower().endswith("loss"):
                continue
            made = [
                each for each in ast.walk(part) if getattr(each, "name", "") in (name, "__init__")
            ]
            function = next(each for each in made if isinstance(each, ast.FunctionDef))
            arguments = (*function.args.args, *function.args.kwonlyargs)
            found[name] = tuple(each.arg for each in arguments if each.arg != "self")
    return found


SHIPPED = shipped_losses()


def test_that_settings_of_losses_that_come_with_a_proposal_are_translated():
    assert {"fcos_loss", "ScaledMSELoss"} <= set(SHIPPED)
    known = translation(ZH).params
    for loss, names in SHIPPED.items():
        for name in names:
            assert name in known, f"{loss}: {name}"
            assert CHINESE.search(known[name].label), f"{loss}: {name}"


def test_that_no_translation_is_left_over():
    found = translation(ZH)
    keys = {f"{entry.group}.{entry.key}" for entry in ENTRIES}
    params = {
        name
        for entry in ENTRIES
        for param in entry.params
        for name in (
            param.name,
            f"{entry.group}.{param.name}",
            f"{entry.group}.{entry.key}.{param.name}",
        )
    }
    assert set(found.summaries) <= keys
    assert set(found.labels) <= keys
    ports = {port.name for entry in ENTRIES if entry.group == "loss" for port in entry.inputs}
    own = {f"data.{name}" for name in (COLLATE_PARAM, SAMPLER_PARAM)}  # of data in the user's code
    shipped = {name for names in SHIPPED.values() for name in names}
    # what a loss takes is a field of a form
    assert set(found.params) <= params | ports | own | shipped
    categories = {entry.category for entry in ENTRIES if entry.category}
    assert set(found.categories) == categories | {"Block", "My blocks", "Custom code"}  # of a graph


PROPER = frozenset(
    ("160px", "256px", "320px", "bymerge", "byclass", "mnist", "cifar10", "imagenet", "svhn",
     "float16", "float32", "float64", "bfloat16", "uint8", "fork", "forkserver", "spawn")
)  # fmt: skip
"""Values that are names themselves."""


def test_that_choices_of_settings_are_called_in_the_language_with_the_value_beside():
    used: set[str] = set()
    for entry in ENTRIES:
        for param in entry.params:
            for choice in param.choices if param.kind is ParamKind.CHOICE else ():
                label = choice_label(entry, param, choice, ZH)
                assert choice_label(entry, param, choice, "en") == choice
                if entry.group not in ("data", "transform", "setting"):
                    assert label == choice  # a word of PyTorch's
                    continue
                used |= {choice, f"{param.name}.{choice}"}
                where = f"{entry.key}.{param.name}.{choice}"
                is_name = choice in PROPER or label == choice == "digits"
                assert is_name or (CHINESE.search(label) and f"（{choice}）" in label), where
    assert set(translation(ZH).choices) <= used


def test_that_a_language_without_translations_speaks_english():
    conv = catalog().node("Conv2d")
    assert conv is not None
    assert entry_summary(conv, "fr") == conv.summary
    assert entry_summary(conv, "../../etc") == conv.summary
    assert param_label(conv, conv.params[2], "en") == "Kernel size"
    assert param_label(conv, conv.params[2], ZH) == "核大小"


@for_each("entry", ENTRIES, lambda entry: f"{entry.group}.{entry.key}")
def test_that_documentation_is_clean_markdown(entry):
    prose = re.sub(r"```python.*?```", "", entry.doc, flags=re.DOTALL)
    assert not (found := LEFTOVERS.search(prose)), found
    assert entry.doc.count("```") % 2 == 0
    assert not re.search(r":\w+:`|\\\w", entry.summary)
    for param in entry.params:
        assert not re.search(r":\w+:`|``|\\text|\.\. ", param.help), param.name


def test_that_help_shows_parameters_with_their_ranges():
    conv = catalog().node("Conv2d")
    assert conv is not None
    page = entry_help(conv, "en")
    assert page.startswith("# Conv2d\n\nApplies a 2D convolution")
    assert "**kernel_size** · required · 1 ≤ x ≤ 10000 — Size of the convolving kernel." in page
    assert "**in_channels** · default `auto` · 1 ≤ x ≤ 1000000" in page
    assert "**padding** · default `0` · 0 ≤ x ≤ 10000, valid, same" in page
    assert "\n- a single `int`" in page
    assert "### Shape" in page
    assert "PyTorch" in entry_doc(conv, ZH).split("\n")[0]
    assert "卷积" in entry_help(conv, ZH)
