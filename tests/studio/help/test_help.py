"""F1 has an answer for every layer, every setting and every workspace, in both languages."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QListWidget, QToolButton

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.catalog.text import entry_help
from engine.graph.templates import templates
from engine.project import Project
from engine.spec.choice import NO_CODE, initial_choice
from engine.spec.fields import fields
from engine.spec.run import (
    Choice,
    LoaderSpec,
    LossTerm,
    PhaseSpec,
    RunSpec,
    ScheduleTerm,
    SplitSpec,
)
from engine.spec.technique import AveragingSpec, DistillationSpec, ViewSpec
from studio.app.features import commands
from studio.help.dialog import HelpDialog
from studio.help.presenter import (
    CANVAS_KEYS,
    EDITOR_KEYS,
    PANEL_KEYS,
    page_names,
    page_of_dialog,
    page_of_tab,
    page_text,
    present_contents,
    present_keyboard,
    present_param,
    present_setting,
    topic_of,
)
from studio.i18n import Language
from studio.inspect.feature import PAGES as INSPECT_PAGES
from studio.inspect.workspace import InspectWorkspace
from studio.model.canvas.presenter import present_search
from studio.view.recipe import RecipeState, present_data_form, present_train_form
from studio.view.run import series_label
from tests.named_parts import part
from widgets.common.help_view import HelpView
from widgets.forms.field_row import FieldRow

ROOT = Path(__file__).parents[3]
LANGUAGES = ("en", "zh_CN")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
COMMAND_PAGE = "command-line"


@pytest.fixture
def digits(tmp_path) -> Project:
    return Project.create(tmp_path / "digits", "digits-cnn")


def specs(spec: RunSpec) -> list[RunSpec]:
    """Return specifications that have, together, every field there is."""
    made = [
        msgspec.structs.replace(
            spec, optimizer=initial_choice(EntryGroup.OPTIMIZER, entry.key, None)
        )
        for entry in catalog().group(EntryGroup.OPTIMIZER)
    ]
    made += [
        msgspec.structs.replace(
            spec, scheduler=initial_choice(EntryGroup.SCHEDULER, entry.key, None)
        )
        for entry in catalog().group(EntryGroup.SCHEDULER)
    ]
    made += [
        msgspec.structs.replace(
            spec, losses=(LossTerm(loss=initial_choice(EntryGroup.LOSS, entry.key, None)),)
        )
        for entry in catalog().group(EntryGroup.LOSS)
    ]
    split = SplitSpec(kind="group", folds=5)
    loader = LoaderSpec(num_workers=2)
    batches = msgspec.structs.replace(spec.data, split=split, sampler="weighted", loader=loader)
    made.append(msgspec.structs.replace(spec, data=batches))
    hard = msgspec.structs.replace(spec.data, sampler="curriculum")
    made.append(msgspec.structs.replace(spec, data=hard, test_time=ViewSpec(views=2)))
    given = msgspec.structs.replace(spec.data, split=SplitSpec(kind="given"))
    made.append(msgspec.structs.replace(spec, data=given))
    made += [msgspec.structs.replace(spec, length=unit) for unit in ("steps", "minutes")]
    made.append(msgspec.structs.replace(spec, averaging=AveragingSpec(kind="ema")))
    made.append(msgspec.structs.replace(spec, averaging=AveragingSpec(kind="swa", swa_lr=0.1)))
    lesson = DistillationSpec(teacher="run-0001")
    made.append(msgspec.structs.replace(spec, distillation=lesson))
    term = ScheduleTerm(scheduler=Choice(type="StepLR"), start=2)
    first = Choice(type="ExponentialLR")
    made.append(msgspec.structs.replace(spec, scheduler=first, schedules=(term,)))
    phase = PhaseSpec(scheduler=first)
    made.append(msgspec.structs.replace(spec, losses=spec.losses * 2, phases=(phase,)))
    data = catalog().group(EntryGroup.DATA)
    sources = [initial_choice(EntryGroup.DATA, entry.key, None) for entry in data]
    return made + [
        msgspec.structs.replace(spec, data=msgspec.structs.replace(spec.data, source=source))
        for source in sources
    ]


def test_that_both_languages_have_the_same_pages_and_all_are_in_the_contents():
    for language in LANGUAGES:
        found = {path.stem for path in (ROOT / "resources" / "help" / language).glob("*.md")}
        assert found == set(page_names()) - {"keyboard"}


def test_that_every_page_has_a_title_words_and_links_that_lead_somewhere():
    for language in LANGUAGES:
        for page in present_contents(language, commands()):
            assert page.title
            assert len(page.text) > 150
            for topic in re.findall(r"\]\(help:([^)]*)\)", page.text):
                assert topic in page_names(), (language, page.name, topic)
            assert language == "en" or page.name == "keyboard" or CHINESE.search(page.title)


def test_that_bold_words_end_where_they_are_meant_to():
    """A closing ``**`` between punctuation and a letter closes nothing (CommonMark 6.2), as easily
    happens where no blanks stand between words.
    """
    for language, name in itertools.product(LANGUAGES, set(page_names()) - {"keyboard"}):
        text = re.sub(r"`[^`]*`", "`", page_text(name, language))
        for line in text.splitlines():
            marks = list(re.finditer(r"\*\*", line))
            assert len(marks) % 2 == 0, (name, line)
            for opening, closing in zip(marks[::2], marks[1::2], strict=True):
                assert not re.match(r"\s", line[opening.end() :]), (name, line)
                before, after = line[closing.start() - 1], line[closing.end() :][:1]
                assert before.isalnum() or not after.isalnum(), (name, line)


def test_that_pages_of_both_languages_have_the_same_links_and_tables():
    for name in set(page_names()) - {"keyboard", "glossary"}:
        english, chinese = (page_text(name, language) for language in LANGUAGES)
        for pattern in (r"\(help:[^)]*\)", r"(?m)^\|", r"(?m)^- ", r"(?m)^#"):
            assert len(re.findall(pattern, english)) == len(re.findall(pattern, chinese)), (
                name,
                pattern,
            )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("page", "words"),
    [
        pytest.param("device", ("module.to(device)",), marks=pytest.mark.row("S250")),
        pytest.param("device", ("No CUDA runtime is found",), marks=pytest.mark.row("S258")),
        pytest.param(
            "background",
            ("autocast", "scaler.unscale_", "OneCycleLR", "scheduler.step()"),
            marks=pytest.mark.row("S264"),
        ),
        pytest.param("precision", ("torch.autocast", "GradScaler"), marks=pytest.mark.row("S267")),
        pytest.param(
            "processes", ("**process**", "**dp**", "`torchrun`"), marks=pytest.mark.row("S270")
        ),
        pytest.param(
            "processes",
            ("torch_distributed_zero_first", "torch.distributed.barrier()"),
            marks=pytest.mark.row("S281"),
        ),
        pytest.param(
            "processes", ("2·D·(N−1)/N", "1.5·D", "1.75·D"), marks=pytest.mark.row("S285")
        ),
        pytest.param(
            "processes",
            ("torch.distributed.rpc", "RRef", "DistributedOptimizer"),
            marks=pytest.mark.row("S288"),
        ),
        pytest.param(
            "processes",
            ("](https://github.com/pytorch/examples/tree/main/distributed)",),
            marks=pytest.mark.row("S290"),
        ),
    ],
)
def test_that_the_manual_explains_devices_and_processes(language, page, words):
    text = page_text(page, language)
    assert [word for word in words if word not in text] == []


@pytest.mark.row("S270")
@pytest.mark.parametrize("name", ["mode", "nproc", "processes.nnodes"])
def test_that_the_choice_of_processes_leads_to_the_ladder_of_them(name):
    assert topic_of(name) == "processes"


@pytest.fixture(params=LANGUAGES)
def language(request, qapp) -> Iterator[str]:
    """Switch the program to each language."""
    switch = Language(qapp)
    switch.switch(request.param)
    yield request.param
    switch.switch("en")


def test_that_every_setting_has_help_of_its_own_and_a_concept(language, digits):
    seen = set()
    for spec in specs(digits.spec):
        state = RecipeState(spec=spec, graph=digits.graph, language=language)
        forms = (present_train_form(state), present_data_form(state))
        views = [view for form in forms for group in form.groups for view in group.fields]
        always = {
            name
            for name, field in fields(spec).items()
            if not field.param.when and "transforms." not in name  # a list of its own
            if name != "schedule_order" or spec.schedules
        }
        assert {view.name for view in views} >= always
        for view in views:
            text = present_setting(spec, view, language, NO_CODE)
            assert view.help, view.name
            assert view.help in text
            assert topic_of(view.name) in page_names()
            assert language == "en" or CHINESE.search(view.help), view.name
            assert language == "en" or CHINESE.search(view.label) or len(view.label) < 9, view.label
            seen.add(view.name)
    assert len(seen) > 120
    assert seen >= {name for name in fields(digits.spec) if "transforms." not in name}


def test_that_every_entry_of_the_catalogue_has_help(language):
    for group in EntryGroup:
        for entry in catalog().group(group):
            text = entry_help(entry, language)
            assert text.startswith("# ")
            assert len(text) > (25 if language == "en" else 12), entry.key
            assert language == "en" or CHINESE.search(text), entry.key
            for param in entry.params:
                page = present_param(entry, param.name, language)
                assert f"`{param.name}`" in page
                assert len(page) > len(text)


def test_that_the_page_of_keys_tells_every_shortcut_there_is():
    text = present_keyboard(commands())
    for command in commands():
        for keys in command.keys:
            assert f"`{keys}`" in text
    for keys, title in CANVAS_KEYS + PANEL_KEYS + EDITOR_KEYS:
        assert f"| `{keys}` | {title} |" in text


def test_that_the_guide_and_the_help_name_the_commands_there_are():
    from studio.cli.parser import build_parser

    names = set(build_parser()._subparsers._group_actions[0].choices)
    for language in LANGUAGES:
        text = page_text(COMMAND_PAGE, language)
        assert set(re.findall(r"main\.py ([a-z-]+)", text)) == names


def test_that_templates_speak_both_languages():
    for info in templates():
        for text in (info.title_in("zh_CN"), info.description_in("zh_CN")):
            assert CHINESE.search(text)
        assert not CHINESE.search(info.title_in("en"))


def test_that_f1_on_a_setting_shows_its_page(studio, project_path, qtbot):
    studio.show(project_path)
    studio.window.show_workspace("train")
    row = next(
        row
        for row in studio.window.findChildren(FieldRow)
        if row.view.name == "epochs" and row.isVisible()
    )
    row.editor.setFocus()
    qtbot.waitUntil(row.editor.hasFocus)
    studio.bench.help.show_topic()
    dialog = studio.window.findChild(HelpDialog)
    assert dialog.windowTitle().startswith("Epochs")
    text = dialog.findChild(HelpView).toPlainText()
    assert row.view.help in text
    assert "one pass over the training set" in text


def test_that_f1_on_a_page_of_inspect_shows_its_own_help(opened, qtbot):
    opened.window.show_workspace("inspect")
    inspect = opened.window.findChild(InspectWorkspace)
    for name, title in (
        ("doctor", "Doctor"),
        ("surface", "Decision surface"),
        ("graph", "Inspect"),
    ):
        inspect.tabs.setCurrentIndex(inspect.names.index(name))
        opened.bench.actions.action("action.help.topic").trigger()
        dialog = opened.window.findChild(HelpDialog)
        assert dialog.windowTitle().startswith(title)


@pytest.mark.parametrize(
    ("name", "page"), [("runs", "runs"), ("search", "search"), ("queue", "search")]
)
def test_that_each_page_of_runs_has_its_help(name, page):
    assert page_of_tab("runs", name) == page


def test_that_every_page_of_inspect_has_help_of_its_own(qapp):
    found = {name: page_of_tab("inspect", name) for name in INSPECT_PAGES}
    assert {name for name, page in found.items() if page == "inspect"} == {"graph"}


def test_that_the_manual_follows_links_goes_back_and_is_searched(studio, project_path):
    studio.show(project_path)
    manual = studio.bench.help.manual
    manual.show_page("train")
    dialog = studio.window.findChild(HelpDialog)
    view = dialog.findChild(HelpView)
    view.topic_requested.emit("seed")
    assert dialog.windowTitle().startswith("Seed and determinism")
    part(dialog, "help.back").click()
    assert dialog.windowTitle().startswith("Training")
    contents = dialog.findChild(QListWidget)
    part(dialog, "help.search").setText("safetensors")
    shown = [
        contents.item(row).text()
        for row in range(contents.count())
        if not contents.item(row).isHidden()
    ]
    assert "Export" in shown
    assert "Seed and determinism" not in shown


def test_that_the_manual_is_left_with_a_change_of_language(studio, project_path, qtbot):
    studio.show(project_path)
    studio.bench.help.manual.show_page("loss")
    studio.settings.change(language="zh_CN")
    studio.apply_language()
    qtbot.waitUntil(lambda: studio.window.findChild(HelpDialog) is None)
    studio.bench.help.manual.show_page("loss")
    assert studio.window.findChild(HelpDialog).windowTitle().startswith("损失")
    studio.settings.change(language="en")
    studio.apply_language()


def test_that_the_welcome_page_leaves_no_workspace_marked(studio, project_path):
    studio.show(project_path)
    studio.window.show_workspace("train")
    marked = {
        name: studio.window.findChild(QToolButton, f"workspace.{name}")
        for name in ("model", "train")
    }
    assert marked["train"].isChecked()
    studio.window.show_workspace("welcome")
    assert not any(button.isChecked() for button in marked.values())
    studio.window.show_workspace("model")
    assert marked["model"].isChecked()
    assert not marked["train"].isChecked()


def test_that_a_long_page_begins_at_its_top(studio, project_path, qtbot):
    studio.show(project_path)
    studio.bench.help.manual.show_entry("Conv2d")
    view = studio.window.findChild(HelpDialog).findChild(HelpView)
    qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() > 100)
    assert view.verticalScrollBar().value() == 0


def test_that_measures_are_named_in_the_language(language):
    names = [series_label(name) for name in ("train.loss", "validation.accuracy")]
    assert (
        names
        == {
            "en": ["training loss", "validation accuracy"],
            "zh_CN": ["训练损失", "验证准确率"],
        }[language]
    )


def test_that_the_search_on_the_canvas_speaks_the_language(language):
    found = {entry.key: entry for entry in present_search(catalog().nodes(), language)}
    title = found["Conv2d"].category_title
    assert title == {"en": "Convolution", "zh_CN": "卷积"}[language]
    assert found["Conv2d"].category == "Convolution"  # the key of its colour


@pytest.mark.parametrize(
    ("command", "name", "title"),
    [
        ("file.preferences", "dialog.preferences", "Preferences"),
        ("file.new", "dialog.new", "First steps"),
        ("model.finetune", "dialog.finetune", "Fine-tuning"),
        ("model.outline", "dialog.outline", "Blocks"),
    ],
)
def test_that_f1_in_a_dialog_shows_the_page_on_what_it_is_for(opened, qtbot, command, name, title):
    opened.bench.actions.action(f"action.{command}").trigger()
    dialog = opened.window.findChild(QDialog, name)
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog, Qt.Key.Key_F1)
    manual = opened.window.findChild(HelpDialog)
    assert manual.windowTitle().startswith(title)
    qtbot.waitUntil(manual.isActiveWindow)
    contents = manual.findChild(QListWidget, "help.contents")
    QTest.keyClick(contents, Qt.Key.Key_End)  # a dialog that holds the window holds not its help
    assert contents.currentRow() == contents.count() - 1
    dialog.close()


def test_that_every_dialog_has_a_page_of_the_manual():
    for name in ("dialog.import", "dialog.weights", "dialog.report", "question.unsaved"):
        assert page_of_dialog(name) in page_names()
    assert not page_of_dialog("dialog.help")
    assert not page_of_dialog("QFileDialog")
