"""Presenter of the dialog for a project that begins with data of the user."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.catalog.text import entry_label
from engine.diagnostics import Diagnostic, Severity, sentence
from engine.files import is_file, is_folder
from engine.graph.model import Graph
from engine.spec.proposal import PeekPicture, Proposal, readers_after
from engine.spec.run import SplitSpec
from engine.spec.table import names_text
from engine.spec.transform_repair import image_field, sound_field
from studio.data.samples.presenter import picture_view
from studio.data.samples.presenter import present_pictures as sample_pictures
from studio.data.start.state import (
    QUESTIONS,
    Question,
    StartState,
    form_names,
    question_of,
)
from studio.data.start.target_presenter import target_text, together_text
from studio.data.start.view_model import Offer, PageView
from studio.i18n import filled, labelled, listed, translate
from studio.view.column import kind_titles
from studio.view.data import (
    PARTS,
    present_balance,
    present_facts,
    present_images,
    present_rows,
    split_title,
)
from studio.view.recipe import RecipeState, present_data_form
from widgets.common.step_list import StepView
from widgets.forms.view_model import FormView, GroupView
from widgets.images.view_model import ImageView
from widgets.plots.view_model import BarsView
from widgets.tables.view_model import ColumnView, RowView, TableData


def present_steps(state: StartState, language: str) -> tuple[StepView, ...]:
    """Return the five questions with what is answered, and what is wrong."""
    titles = {
        "inputs": translate("DataProject", "&Where are the data?"),
        "target": translate("DataProject", "What is to be &predicted?"),
        "parts": translate("DataProject", "How are they &split?"),
        "kinds": translate("DataProject", "What is each i&nput?"),
        "transforms": translate("DataProject", "Which &transforms?"),
    }
    return tuple(
        StepView(
            key=question,
            title=titles[question],
            chosen=_answer(question, state, language),
            problem=problem_of(state, question, language),
        )
        for question in QUESTIONS
    )


def heading(question: Question) -> str:
    """Return what is to be done at a question."""
    return {
        "inputs": translate(
            "DataProject",
            "Choose a folder or a file, or drop it on the window. Nothing in it is changed.",
        ),
        "target": translate("DataProject", "What the model learns to say of each sample."),
        "parts": translate(
            "DataProject",
            "The model learns from the training split, is watched on the validation split, and "
            "judged at the end on the test split.",
        ),
        "kinds": translate("DataProject", "How what is in the files becomes numbers."),
        "transforms": translate(
            "DataProject",
            "Augmentation changes samples at random, in training only, so that few do for more. "
            "Normalization brings numbers to a common size.",
        ),
    }[question]


def problem_of(state: StartState, question: Question, language: str) -> str:
    """Return what is wrong with the answer to a question; empty where nothing is."""
    for _, _, reason in state.rejected:
        if question_of(state.rejected[0][0], is_table=state.is_table) == question:
            return reason
    found = [
        problem
        for problem in state.problems
        if question_of(problem.field or "", is_table=state.is_table) == question
    ]
    return " ".join(sentence(problem, language) for problem in found)


def first_wrong(problems: Iterable[Diagnostic], *, is_table: bool) -> Question | None:
    """Return the first question whose answer is wrong."""
    wrong = {question_of(problem.field or "", is_table=is_table) for problem in problems}
    return next((question for question in QUESTIONS if question in wrong), None)


def present_page(question: Question, state: StartState, language: str) -> PageView:
    """Return what is shown at a question."""
    form = _form(question, state, language)
    return PageView(
        text=heading(question),
        problem="" if _is_told(form) else problem_of(state, question, language),
        notes=_notes(question, state, language),
        form=form,
    )


def _is_told(form: FormView) -> bool:
    """Return whether a setting says itself what is wrong with it."""
    return any(field.error for group in form.groups for field in group.fields)


def _form(question: Question, state: StartState, language: str) -> FormView:
    """Return the settings at a question; their problems stand at them."""
    proposal = state.proposal or state.last
    if proposal is None or state.spec is None:
        return FormView(key=question)
    recipe = RecipeState(
        spec=state.spec,
        graph=proposal.graph or Graph(),
        data=proposal.info,
        problems=state.problems,
        language=language,
        rejected=state.rejected,
    )
    views = [field for group in present_data_form(recipe).groups for field in group.fields]
    names = form_names(question, [view.name for view in views], state)
    shown = tuple(
        replace(view, advanced=view.advanced and question != "inputs")
        for view in views
        if view.name in names and view.name != "data.source"
    )
    return FormView(
        key=f"{question}.{state.spec.data.source.type}", groups=(GroupView(fields=shown),)
    )


def _notes(question: Question, state: StartState, language: str) -> str:
    """Return what there is to be said of the data at a question."""
    proposal = state.proposal or state.last
    if proposal is None:
        return ""
    info = proposal.info
    if question == "inputs":
        return "\n".join(_facts(state, proposal, language))
    own = _time_reason(proposal) if question == "parts" else []
    own += [
        sentence(problem, language)
        for problem in info.problems
        if problem.severity is not Severity.ERROR
        and question_of(problem.field or "", is_table=state.is_table) == question
    ]
    if question == "target":
        outlines = [_outlines_text()] if proposal.has_outlines else []
        lines = [target_text(proposal), *outlines, *own]
        if state.is_table:
            lines.append(together_text())
        return "\n".join(lines)
    if question == "kinds":
        fields = [field for field in info.fields if field.role == "input"]
        names = {field.name for field in fields}
        return "\n".join(
            [labelled(name, text) for name, text in present_facts(info) if name in names] + own
        )
    if question == "transforms" and (image_field(info) or sound_field(info)) is None:
        text = translate(
            "DataProject",
            "Augmentation is for pictures, videos and sounds; these data have none.",
        )
        return "\n".join([text, *own])
    return "\n".join(own)


def _outlines_text() -> str:
    """Return how the objects are learnt by their outlines, not by their boxes alone."""
    return translate(
        "DataProject",
        "The file has the outline of each object, too. To find its pixels and not only its box, "
        "switch “Masks of objects” on under “What is to be predicted?”; the first model is then a "
        "Mask R-CNN, which takes longer to train.",
    )


def _time_reason(proposal: Proposal) -> list[str]:
    """Return why rows are divided by time, where that is what was proposed."""
    if not proposal.time_column:
        return []
    text = translate(
        "DataProject",
        "The rows are in the order of “{column}”, so they are split by time: the model is "
        "judged on the latest ones, as it will be used. At random it could learn from the "
        "future.",
    )
    return [text.format(column=proposal.time_column)]


def _facts(state: StartState, proposal: Proposal, language: str) -> list[str]:
    """Return what there is to be said of the files."""
    info = proposal.info
    facts = [labelled(name, text) for name, text in present_facts(info)[:2]]
    facts += [
        sentence(problem, language)
        for problem in info.problems
        if question_of(problem.field or "", is_table=state.is_table) == "inputs"
    ]
    if proposal.has_boxes:
        text = translate(
            "DataProject",
            "The folder has masks and boxes. Masks were chosen because they say more: the "
            "class of each pixel. For the boxes choose “{reader}” above.",
        )
        facts.append(text.format(reader=source_title("detection_folder", language)))
    if proposal.has_outlines:
        facts.append(_outlines_text())
    if proposal.graph is None:
        facts.append(
            translate(
                "DataProject",
                "There is no first model for this kind of data: draw one on the canvas.",
            )
        )
    return facts


def _answer(question: Question, state: StartState, language: str) -> str:
    """Return what is answered to a question, in short."""
    proposal = state.proposal or state.last
    if proposal is None:
        if question == "inputs" and state.path and state.is_waiting:
            return translate("DataProject", "Looking at the data…")
        return ""
    info, data = proposal.info, proposal.spec.data
    if question == "inputs":
        samples = filled(
            translate("DataProject", "{number} {count|sample|samples}"),
            count=info.samples,
            number=f"{info.samples:,}",
        )
        text = translate("DataProject", "{source}, {samples}")
        return text.format(source=source_title(data.source.type, language), samples=samples)
    return {
        "target": target_text(proposal),
        "parts": _split_text(proposal),
        "kinds": _inputs_text(proposal),
        "transforms": _transforms_text(state),
    }[question]


def source_title(kind: str, language: str) -> str:
    """Return what a kind of source is called."""
    entry = catalog().entry(EntryGroup.DATA, kind)
    return kind if entry is None else entry_label(entry, language)


def _split_text(proposal: Proposal) -> str:
    split = proposal.spec.data.split
    counts = [
        f"{split_title(part.name)} {part.samples:,}"
        for name in PARTS
        if (part := proposal.info.part(name)) is not None and part.samples
    ]
    return labelled(split_kind(split), listed(counts)) if counts else split_kind(split)


def split_kind(split: SplitSpec) -> str:
    """Return in words how samples are divided."""
    text = {
        "random": translate("DataProject", "at random"),
        "stratified": translate("DataProject", "shares of classes kept"),
        "group": translate("DataProject", "by groups"),
        "column": translate("DataProject", "by a column"),
        "given": translate("DataProject", "as the data say"),
        "time": translate("DataProject", "by time"),
        "sequential": translate("DataProject", "in their order"),
    }[split.kind]
    if not split.folds:
        return text
    return translate("DataProject", "{kind}, {folds} folds").format(kind=text, folds=split.folds)


def _inputs_text(proposal: Proposal) -> str:
    if proposal.table:
        used = [column for column in proposal.table if column.role == "input"]
        left = sum(column.role == "ignored" for column in proposal.table)
        text = filled(
            translate("DataProject", "{count} {count|column|columns} used"), count=len(used)
        )
        return filled(translate("DataProject", "{used}, {count} ignored"), used=text, count=left)
    fields = [field for field in proposal.info.fields if field.role == "input"]
    return listed(f"{field.name} {'×'.join(map(str, field.shape))}".strip() for field in fields)


def _transforms_text(state: StartState) -> str:
    proposal = state.proposal or state.last
    assert proposal is not None
    texts = [
        dict(offer.choices)[offer.chosen]
        for offer in (augmentations(state), scalings(state))
        if offer.chosen != "none" and offer.chosen in dict(offer.choices)
    ]
    return listed(texts) or translate("DataProject", "none")


def augmentations(state: StartState) -> Offer:
    """Return the presets of random changes; none for what has neither pictures nor sounds."""
    proposal = state.proposal or state.last
    if proposal is None:
        return Offer()
    if image_field(proposal.info) is None:
        return _of_sounds(state) if sound_field(proposal.info) is not None else Offer()
    choices = (
        ("none", translate("DataProject", "No augmentation")),
        ("light", translate("DataProject", "Light: shifted and mirrored")),
        ("strong", translate("DataProject", "Strong: cropped, mirrored, other colors")),
        ("photographs", translate("DataProject", "Photographs: as for models of ImageNet")),
    )
    return Offer(choices, state.answers.augmentation or "none")


def _of_sounds(state: StartState) -> Offer:
    choices = (
        ("none", translate("DataProject", "No augmentation")),
        ("light", translate("DataProject", "Light: moved in time, louder or quieter")),
        ("strong", translate("DataProject", "Strong: also with noise, or parts masked")),
    )
    return Offer(choices, state.answers.augmentation or "none")


def scalings(state: StartState) -> Offer:
    """Return the ways to normalise; none for what is not numbers."""
    proposal = state.proposal or state.last
    if proposal is None:
        return Offer()
    info = proposal.info
    image = image_field(info)
    if image is None and not any(
        field.role == "input" and field.dtype == "float32" for field in info.fields
    ):
        return Offer()
    choices = [
        ("none", translate("DataProject", "Not normalized")),
        ("standard", translate("DataProject", "Mean 0, deviation 1 (by the training split)")),
        ("minmax", translate("DataProject", "From 0 to 1 (by the training split)")),
    ]
    if image is not None:
        choices.append(("imagenet", translate("DataProject", "ImageNet's mean and deviation")))
    chosen = state.answers.scaling or proposal.spec.data.normalization
    if state.answers.augmentation == "photographs" and state.answers.scaling is None:
        chosen = "imagenet"
    return Offer(tuple(choices), chosen)


def sources(state: StartState, language: str) -> Offer:
    """Return the kinds of source that can read what was chosen."""
    proposal = state.proposal or state.last
    if proposal is None:  # what cannot be read in one way may be read in another
        path = Path(state.path)
        readers = readers_after(state.problems, is_folder=is_folder(path))
        is_offered = bool(state.problems) and (is_folder(path) or is_file(path))
        kinds = readers if is_offered else (state.answers.source,) if state.answers.source else ()
        offered = tuple((kind, source_title(kind, language)) for kind in kinds)
        return Offer(offered, state.answers.source)
    chosen = state.answers.source or proposal.spec.data.source.type
    return Offer(tuple((kind, source_title(kind, language)) for kind in proposal.sources), chosen)


def targets(state: StartState) -> Offer:
    """Return the columns of a table that can be predicted, with their kinds."""
    proposal = state.proposal or state.last
    if proposal is None or not proposal.columns:
        return Offer()
    kinds, titles = {column.name: column.kind for column in proposal.table}, kind_titles()
    offered = tuple((name, f"{name} ({titles[kinds[name]]})") for name in proposal.columns)
    several = state.columns.predicted
    if len(several) > 1:
        return Offer(((names_text(several), listed(several)), *offered), names_text(several))
    return Offer(offered, several[0] if several else proposal.target)


def present_classes(state: StartState) -> BarsView:
    """Return how many samples of each class there are; nothing where there are no classes."""
    proposal = state.proposal or state.last
    if proposal is None or (state.proposal is None and state.problems):
        return BarsView(labels=(), values=())  # what was read before says nothing of this
    bars = present_balance(proposal.info)
    return bars if proposal.info.value_edges else replace(bars, title="")


def present_pictures(
    pictures: Iterable[PeekPicture], language: str, proposal: Proposal | None = None
) -> tuple[tuple[ImageView, ...], str]:
    """Return the pictures of a first look, and what is wrong with the first that cannot be read.
    Their classes are those that are proposed; where a table has these, the folders say nothing of
    them, and where its target is another column than the first look found, their files stand there.
    """
    source = None if proposal is None else proposal.spec.data.source
    params = {} if source is None else source.params
    is_inner = params.get("class_folders") == "inner"
    is_of_table = source is not None and (source.type == "table" or bool(params.get("labels")))
    known = _classes(proposal) if source is not None and source.type == "table" else None
    views: list[ImageView] = []
    problem = ""
    for each in pictures:
        if each.picture is None:
            problem = problem or sentence(each.problems[0], language)
            continue
        folders, _, file = each.name.rpartition("/")
        label = folders.rpartition("/")[2] if is_inner else each.label
        is_other = known is not None and label not in known
        if not label or is_other or (is_of_table and label in folders.split("/")):
            label = file
        views.append(replace(picture_view(each.picture), label=label))
    return tuple(views), problem


def _classes(proposal: Proposal | None) -> frozenset[str]:
    """Return the names of all classes that are predicted."""
    fields = () if proposal is None else proposal.info.fields
    return frozenset(name for field in fields if field.role == "target" for name in field.classes)


def present_sample_images(state: StartState) -> tuple[ImageView, ...]:
    """Return samples as pictures, where they were read as such."""
    if state.boxed:
        views, _ = sample_pictures(state.boxed, "en")
        return tuple(view for view in views.values() if view is not None)
    proposal = state.proposal or state.last
    if proposal is None or state.preview is None:
        return ()
    return present_images(proposal.info, state.preview)


def present_first_rows(state: StartState) -> TableData:
    """Return the first rows or lines: as they stand in the file, else as samples."""
    peek, proposal = state.peek, state.proposal or state.last
    if peek is not None and peek.names:
        kinds = {} if proposal is None else {c.name: c for c in proposal.table}
        titles = kind_titles()
        columns = tuple(
            ColumnView(
                key=f"{at}",
                title=name,
                help=titles[kinds[name].kind] if name in kinds else "",
                width=12,
            )
            for at, name in enumerate(peek.names)
        )
        rows = tuple(RowView(id=str(at), cells=row) for at, row in enumerate(peek.rows))
        return TableData(columns=columns, rows=rows)
    if peek is not None and peek.lines:
        column = ColumnView(
            key="line", title=translate("DataProject", "First lines"), is_elastic=True
        )
        rows = tuple(RowView(id=str(at), cells=(line,)) for at, line in enumerate(peek.lines))
        return TableData(columns=(column,), rows=rows)
    if proposal is not None and state.preview is not None:
        return present_rows(proposal.info, state.preview)
    return TableData(empty_text=empty_text(state))


def empty_text(state: StartState) -> str:
    """Return what stands in place of a preview."""
    if not state.path:
        return translate(
            "DataProject",
            "Pictures in a folder, a table, arrays or a text appear here as soon as you choose "
            "them.",
        )
    if state.is_waiting or state.is_sampling:
        return translate("DataProject", "Looking at the data…")
    return translate("DataProject", "There is nothing to show.")
