"""Views of the import dialog: the list of models, the fields of each way, and the progress."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.catalog.zoo import ZooModel, ZooWeights
from engine.runtime import ImportProgress, ModelClass
from studio.i18n import translate
from studio.model.importer.draft import FROM_FILE, RANDOM, ImportDraft
from studio.view.wording import size_text
from widgets.common.progress import ProgressView
from widgets.forms.view_model import FieldView, FormView, GroupView
from widgets.tables.view_model import ColumnView, RowView, TableData

_WORTH = {"ImageNet-1K acc@1": "acc@1", "Kinetics-400 acc@1": "acc@1"}
_BEGINS = {"start": 0.0, "read": 0.4, "build": 0.45, "follow": 0.6, "compare": 0.75, "write": 0.9}


def present_zoo(models: Sequence[ZooModel]) -> TableData:
    """Return the models as a table."""
    tasks = {
        "classification": translate("Import", "Images"),
        "segmentation": translate("Import", "Segmentation"),
        "detection": translate("Import", "Detection"),
        "video": translate("Import", "Video"),
        "optical_flow": translate("Import", "Optical flow"),
        "quantization": translate("Import", "Images, quantized"),
    }
    columns = (
        ColumnView(key="name", title=translate("Import", "Model"), kind="code"),
        ColumnView(key="parameters", title=translate("Import", "Parameters"), kind="count"),
        ColumnView(key="input", title=translate("Import", "Input"), kind="code"),
        ColumnView(
            key="best",
            title=translate("Import", "Best acc@1"),
            kind="number",
            help=translate("Import", "Accuracy of the pretrained weights on their data set, in %"),
        ),
        ColumnView(key="family", title=translate("Import", "Family")),
        ColumnView(key="task", title=translate("Import", "Task")),
    )
    rows = tuple(
        RowView(
            id=model.name,
            cells=(
                model.name,
                model.parameters,
                sizes_text(model.shape),
                _best(model),
                model.family,
                tasks[model.task],
            ),
        )
        for model in models
    )
    return TableData(columns=columns, rows=rows)


def present_zoo_form(
    draft: ImportDraft, model: ZooModel | None, errors: Mapping[str, str]
) -> FormView:
    """Return the fields of a model of the zoo."""
    if model is None:
        text = translate("Import", "Choose a model on the left.")
        return FormView(key="zoo", empty_text=text)
    fields = [_weights_field(draft, model.weights if model.task != "quantization" else ())]
    if draft.weights == FROM_FILE:
        fields.append(_weights_file_field(draft))
    if model.classes:
        fields.append(_classes_field(draft, model))
    fields.append(_inputs_field(draft))
    return _form("zoo", model.name, fields, errors)


def present_file_form(
    draft: ImportDraft, classes: Sequence[ModelClass], errors: Mapping[str, str]
) -> FormView:
    """Return the fields of a class in a Python file."""
    fields = [
        FieldView(
            name="file",
            label=translate("Import", "Python file"),
            kind="str",
            text=draft.file,
            browse=translate("Import", "Choose file…"),
        )
    ]
    chosen = next((one for one in classes if one.name == draft.class_name), None)
    if classes:
        fields.append(
            FieldView(
                name="class_name",
                label=translate("Import", "Class"),
                kind="choice",
                text=draft.class_name,
                choices=tuple((one.name, one.name) for one in classes),
            )
        )
    if chosen is not None:
        if chosen.arguments:
            fields.append(_arguments_field(draft, chosen))
        fields.append(_weights_field(draft, ()))
        if draft.weights == FROM_FILE:
            fields.append(_weights_file_field(draft))
        fields.append(_inputs_field(draft))
    return _form("file", "", fields, errors)


def present_program_form(draft: ImportDraft, errors: Mapping[str, str]) -> FormView:
    """Return the field of a program of ``torch.export``; it knows its inputs itself."""
    field = FieldView(
        name="file",
        label=translate("Import", "File (.pt2)"),
        kind="str",
        text=draft.file,
        browse=translate("Import", "Choose file…"),
    )
    return _form("program", "", [field], errors)


def present_place_form(
    draft: ImportDraft, errors: Mapping[str, str], *, has_project: bool
) -> FormView:
    """Return the fields about where the model goes."""
    choices = [("project", translate("Import", "A new project"))]
    if has_project:
        choices.append(("block", translate("Import", "This model, as a block")))
    fields = [
        FieldView(
            name="place",
            label=translate("Import", "Import into"),
            kind="choice",
            text="block" if draft.is_block else "project",
            choices=tuple(choices),
        ),
        FieldView(
            name="name",
            label=translate("Import", "Name"),
            kind="str",
            text=draft.name,
            help=translate(
                "Import", "The name of the project folder, or of the node on the canvas."
            ),
        ),
    ]
    if not draft.is_block:
        fields.append(
            FieldView(
                name="folder",
                label=translate("Import", "Folder"),
                kind="str",
                text=draft.folder,
                browse=translate("Import", "Choose folder…"),
            )
        )
    return _form("place", "", fields, errors)


def present_import_progress(progress: ImportProgress, elapsed_s: float) -> ProgressView:
    """Return how far an import is; ``elapsed_s`` since it began, of a download since that did."""
    if progress.stage == "download":
        return _download_progress(progress, elapsed_s)
    texts = {
        "start": translate("Import", "Loading PyTorch…"),
        "read": translate("Import", "Reading the weights…"),
        "build": translate("Import", "Creating the model…"),
        "follow": translate("Import", "Tracing forward…"),
        "compare": translate("Import", "Comparing results with the original…"),
        "write": translate("Import", "Writing…"),
    }
    fraction = _BEGINS[progress.stage]
    left = elapsed_s * (1 - fraction) / fraction if fraction >= _BEGINS["build"] else -1.0
    return ProgressView(text=texts[progress.stage], fraction=fraction, left_s=left, can_cancel=True)


def _download_progress(progress: ImportProgress, elapsed_s: float) -> ProgressView:
    text = translate("Import", "Downloading the weights: {done} of {total}").format(
        done=size_text(progress.done), total=size_text(progress.total) if progress.total else "?"
    )
    if not progress.total:
        return ProgressView(text=text, can_cancel=True)
    fraction = progress.done / progress.total
    left = elapsed_s * (1 - fraction) / fraction if progress.done and elapsed_s > 1 else -1.0
    return ProgressView(text=text, fraction=fraction, left_s=left, can_cancel=True)


def sizes_text(shape: Sequence[int]) -> str:
    """Return sizes as they are typed: ``3x224x224``."""
    return "x".join(map(str, shape))


def weights_text(weights: ZooWeights) -> str:
    """Return a line about trained weights: name, the first of its metrics, size of the file."""
    parts = [weights.name]
    for name, value in weights.metrics.items():
        data, _, metric = name.rpartition(" ")
        percent = " %" if metric.startswith(("acc", "miou", "pixel", "box")) else ""
        parts.append(f"{data} {metric} {value:g}{percent}")
        break
    parts.append(_size(weights))
    return " · ".join(parts)


def _best(model: ZooModel) -> float | None:
    found = [
        value
        for weights in model.weights
        for name, value in weights.metrics.items()
        if name in _WORTH
    ]
    return max(found, default=None)


def _weights_field(draft: ImportDraft, offered: Sequence[ZooWeights]) -> FieldView:
    chosen = next((one for one in offered if one.name == draft.weights), None)
    about = ""
    if chosen is not None:
        about = translate("Import", "From {url}; recipe: {recipe}").format(
            url=chosen.url, recipe=chosen.recipe or "?"
        )
    return FieldView(
        name="weights",
        label=translate("Import", "Weights"),
        kind="choice",
        text=draft.weights,
        choices=(
            (RANDOM, translate("Import", "Random")),
            *((one.name, weights_text(one)) for one in offered),
            (FROM_FILE, translate("Import", "From file")),
        ),
        help=about
        or translate("Import", "Pretrained weights are downloaded once, verified and kept."),
        warning=_about(chosen) if chosen is not None else "",
    )


def _about(weights: ZooWeights) -> str:
    host = weights.url.split("/")[2]
    text = translate("Import", "{size} from {host}, unless already downloaded.")
    metrics = ", ".join(f"{name} {value:g}" for name, value in weights.metrics.items())
    return "\n".join(filter(None, (text.format(size=_size(weights), host=host), metrics)))


def _size(weights: ZooWeights) -> str:
    return size_text(weights.size_bytes)


def _weights_file_field(draft: ImportDraft) -> FieldView:
    return FieldView(
        name="weights_file",
        label=translate("Import", "Weights file"),
        kind="str",
        text=draft.weights_file,
        help=translate(
            "Import", "A state_dict (.pt, .pth) or safetensors file. No code in it runs."
        ),
        browse=translate("Import", "Choose file…"),
    )


def _classes_field(draft: ImportDraft, model: ZooModel) -> FieldView:
    is_other = draft.classes.strip() not in ("", str(model.classes))
    note = ""
    if is_other and draft.weights != RANDOM:
        note = translate("Import", "The last layer is new and has random weights.")
    return FieldView(
        name="classes",
        label=translate("Import", "Classes"),
        kind="int",
        text=draft.classes,
        default_text=str(model.classes),
        minimum=1,
        maximum=1_000_000,
        is_modified=is_other,
        warning=note,
    )


def _inputs_field(draft: ImportDraft) -> FieldView:
    return FieldView(
        name="inputs",
        label=translate("Import", "Sample size"),
        kind="str",
        text=draft.inputs,
        help=translate(
            "Import",
            "Without the batch axis, such as 3x224x224 or 128:int64. Separate several "
            "inputs with semicolons.",
        ),
    )


def _arguments_field(draft: ImportDraft, chosen: ModelClass) -> FieldView:
    return FieldView(
        name="arguments",
        label=translate("Import", "Arguments"),
        kind="str",
        text=draft.arguments,
        help=f"{chosen.name}({chosen.arguments})",
        warning=chosen.arguments if chosen.required and not draft.arguments else "",
    )


def _form(name: str, key: str, fields: Sequence[FieldView], errors: Mapping[str, str]) -> FormView:
    shown = tuple(
        replace(field, error=errors[field.name]) if field.name in errors else field
        for field in fields
    )
    return FormView(key=f"import.{name}.{key}", groups=(GroupView(fields=shown),))
