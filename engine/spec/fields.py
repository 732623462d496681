"""Fields of a run specification by dotted name, for forms and the command line.

``epochs`` · ``data.batch_size`` · ``data.split.train`` · ``data.source`` · ``data.source.noise`` ·
``optimizer`` · ``optimizer.lr`` · ``scheduler`` (``none``) · ``losses.0.loss`` ·
``losses.0.loss.reduction`` · ``losses.0.weight`` · ``losses.0.inputs.input`` · ``clip.kind`` ·
``groups.0.match`` · ``groups.0.lr`` · ``data.transforms.0`` · ``data.transforms.0.size`` · ...

``optimizer.type`` is another word for ``optimizer``, and ``loss`` for ``losses.0.loss``. Choosing
a loss for the term after the last one (``losses.1.loss``) adds a term, ``none`` removes one; in the
same way ``groups.0.match`` adds a group of parameters, and nothing removes it;
``schedules.0.scheduler`` adds a scheduler to the first one, ``none`` removes it;
``phases.0.optimizer`` adds a phase with an optimizer of its own, ``none`` removes it;
``data.transforms.0`` and ``data.batch_transforms.0`` add a transform, ``none`` removes it.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import PurePosixPath

import msgspec

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Need, ParamKind, ParamSpec, Value
from engine.catalog.validate import check_value, parse_value
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.code import CODE_PREFIX, code_names
from engine.graph.memory import Memory
from engine.spec.choice import NO_CODE, Code, chosen_entry, has_need
from engine.spec.distillation import check_teacher
from engine.spec.field import Field, choice_fields, replaced
from engine.spec.group import group_fields, with_valid_params
from engine.spec.judged import split_metric
from engine.spec.phase_field import phase_fields, without_term
from engine.spec.placement import placements
from engine.spec.run import Choice, LossTerm, RunSpec
from engine.spec.schedule_field import schedule_fields
from engine.spec.technique import TECHNIQUES
from engine.spec.transform_field import transform_fields

SECTIONS: dict[str, str] = {
    "": "run",
    "data": "data",
    "data.split": "split",
    "data.curriculum": "curriculum",
    "data.loader": "loader",
    "clip": "clip",
    "checkpoint": "checkpoint",
    "watch": "watch",
    "compute": "compute",
    "processes": "processes",
    **{name: name for name in TECHNIQUES},
}
"""The catalogue's entry (group ``setting``) for each struct of plain settings."""

_COMMA = re.compile("[,，、]")  # as they come from a Chinese keyboard too
_NONE_WORDS = ("", "none", "null", "off")
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d{1,3})?", re.ASCII)
_GPU = re.compile(r"\d{1,3}", re.ASCII)
_BINDING = re.compile(r"(model|data)\.[^\W\d]\w*")


def fields(spec: RunSpec, code: Code = NO_CODE) -> Mapping[str, Field]:
    """Return all fields that a specification has at present, by name, in the order of forms.

    ``code`` is the user's own (``Graph.code``): its losses, metrics and data can be chosen too.
    """
    return _known.recall((spec, code), lambda: _fields(spec, code))


_known = Memory[Mapping[str, Field]](32)  # a form asks for them for each line


def _fields(spec: RunSpec, code: Code) -> dict[str, Field]:
    all_fields = (
        *_data_fields(spec, code),
        *_loss_fields(spec, code),
        *_choice_fields(spec, "optimizer", EntryGroup.OPTIMIZER),
        *group_fields(spec),
        *_choice_fields(spec, "scheduler", EntryGroup.SCHEDULER, optional=True),
        *schedule_fields(spec),
        *phase_fields(spec),
        *_setting_fields(""),
        _metrics_field(code),
        *_setting_fields("processes"),
        *_setting_fields("compute"),
        *_setting_fields("clip"),
        *(field for name in TECHNIQUES for field in _setting_fields(name)),
        *_setting_fields("checkpoint"),
        *_setting_fields("watch"),
    )
    return {field.name: field for field in all_fields}


def field_names(spec: RunSpec, code: Code = NO_CODE) -> tuple[str, ...]:
    """Return the names of all fields that a specification has at present."""
    return tuple(fields(spec, code))


def field_param(spec: RunSpec, name: str, code: Code = NO_CODE) -> ParamSpec:
    """Return the description of a field. Raises ``DiagnosticError`` (R005, R006) for no field."""
    return _field(spec, name, code).param


def get_value(spec: RunSpec, name: str, code: Code = NO_CODE) -> Value:
    """Return the value of a field; of a choice its type. Raises as :func:`field_param` does."""
    return _field(spec, name, code).read(spec)


def set_value(spec: RunSpec, name: str, value: Value, code: Code = NO_CODE) -> RunSpec:
    """Return a specification with another value of a field.

    Raises ``DiagnosticError`` that names the field: R005 or R006 for no such field, else what the
    catalogue says about the value.
    """
    field = _field(spec, name, code)
    problem = field.check(value)
    if problem is not None:
        raise DiagnosticError(msgspec.structs.replace(problem, field=field.name))
    return field.write(spec, value)


def set_text(spec: RunSpec, name: str, text: str, code: Code = NO_CODE) -> RunSpec:
    """Return a specification with the value that a text stands for; what is chosen of the user's
    code may be called with or without ``code.``. Raises as :func:`set_value`.
    """
    field = _field(spec, name, code)
    if field.name == "metrics":
        words = (_as_offered(field, word.strip()) for word in _COMMA.split(text))
        return set_value(spec, name, tuple(word for word in words if word not in _NONE_WORDS), code)
    if field.param.kind == ParamKind.CHOICE:
        text = _as_offered(field, text.strip())
    if field.param.kind == ParamKind.CHOICE and field.param.optional:
        return set_value(spec, name, None if text.casefold() in _NONE_WORDS else text, code)
    try:
        value = parse_value(field.param, text)
    except DiagnosticError as error:
        problems = (msgspec.structs.replace(item, field=field.name) for item in error.problems)
        raise DiagnosticError(*problems) from error
    return set_value(spec, name, value, code)


def _as_offered(field: Field, word: str) -> str:
    """Return a choice as its field has it: some name custom code with a prefix, some without."""
    others = (f"{CODE_PREFIX}{word}", word.removeprefix(CODE_PREFIX))
    if word in field.param.choices:
        return word
    return next((each for each in others if each in field.param.choices), word)


def _field(spec: RunSpec, name: str, code: Code) -> Field:
    choices = fields(spec, code)
    parts = name.split(".")
    if parts[0] == "loss":
        parts = ["losses", "0", *parts]
    if parts[-1] == "type" and ".".join(parts[:-1]) in choices:
        parts = parts[:-1]
    if len(parts) == 2 and parts[0] == "losses":
        parts.append("loss")
    field = choices.get(".".join(parts))
    if field is None:
        inside = [each for each in choices if each.startswith(f"{name}.")]  # of a group of settings
        near = inside or difflib.get_close_matches(name, (*choices, "loss"), n=1)
        raise DiagnosticError(
            Diagnostic(
                code="R006" if near else "R005",
                field=name[:100],
                params={"name": name[:100], **({"near": near[0]} if near else {})},
            )
        )
    return field


@cache
def _setting_fields(section: str) -> tuple[Field, ...]:
    entry = catalog().entry(EntryGroup.SETTING, SECTIONS[section])
    return tuple(
        _setting_field(section, param)
        for param in (() if entry is None else entry.params)
        if (section, param.name) != ("", "metrics")
    )


def _setting_field(section: str, param: ParamSpec) -> Field:
    path = (*section.split("."), param.name) if section else (param.name,)
    return Field(
        name=".".join(path),
        param=param,
        read=partial(_read, path),
        write=partial(_write, path, param.kind),
        check=_CHECKS.get(param.name) or partial(check_value, param),
    )


def _check_device(value: Value) -> Diagnostic | None:
    if isinstance(value, str) and _DEVICE.fullmatch(value):
        return None
    return Diagnostic(code="R018", params={"value": str(value)[:60]})


def _check_weights(value: Value) -> Diagnostic | None:
    """Refuse what is no safetensors file inside the project: a project works wherever it lies."""
    path = PurePosixPath(value) if isinstance(value, str) else PurePosixPath("..")
    is_inside = not path.is_absolute() and ".." not in path.parts and "\\" not in str(value)
    if value == "" or (is_inside and ":" not in str(value) and path.suffix == ".safetensors"):
        return None
    return Diagnostic(code="R019", params={"value": str(value)[:100]})


def _check_gpus(value: Value) -> Diagnostic | None:
    """Refuse what is no list of different numbers: a slip must not hand a run another GPU."""
    numbers = [part.strip() for part in str(value).split(",")]
    is_list = all(_GPU.fullmatch(number) for number in numbers)
    if value == "" or (is_list and len({int(number) for number in numbers}) == len(numbers)):
        return None
    return Diagnostic(code="R180", params={"value": str(value)[:60]})


def _check_placement(value: Value) -> Diagnostic | None:
    if placements(str(value)) is not None:
        return None
    return Diagnostic(code="R209", params={"value": str(value)[:100]})


_CHECKS = {
    "device": _check_device,
    "weights": _check_weights,
    "gpus": _check_gpus,
    "placement": _check_placement,
    "teacher": check_teacher,
}


def _read(path: tuple[str, ...], spec: RunSpec) -> Value:
    value = spec
    for name in path:
        value = getattr(value, name)
    return value  # pyright: ignore[reportReturnType] - the leaves of the structs are values


def _write(path: tuple[str, ...], kind: ParamKind, spec: RunSpec, value: Value) -> RunSpec:
    if kind == ParamKind.FLOAT and isinstance(value, int):
        value = float(value)
    return replaced(spec, path, value)


def _data_fields(spec: RunSpec, code: Code) -> Iterator[Field]:
    yield from _choice_fields(spec, "data.source", EntryGroup.DATA, code=code)
    functions = {
        "data.collate": code_names(code, "collates"),
        "data.sampler": code_names(code, "samplers"),
        "data.batch_sampler": code_names(code, "batch_samplers"),
        "data.loader.worker_init_fn": code_names(code, "worker_inits"),
    }
    for section in ("data", "data.curriculum", "data.split", "data.loader"):
        for field in _setting_fields(section):
            yield _with_names(field, functions.get(field.name, ()))
    yield from transform_fields(spec, code)


def _with_names(field: Field, names: tuple[str, ...]) -> Field:
    """Return a choice that offers functions of the user's code as well, where there are any."""
    if not names:
        return field
    param = msgspec.structs.replace(field.param, choices=(*field.param.choices, *names))
    return replace(field, param=param, check=partial(check_value, param))


def _choice_fields(
    spec: RunSpec,
    name: str,
    group: EntryGroup,
    *,
    optional: bool = False,
    code: Code = NO_CODE,
) -> Iterator[Field]:
    path = tuple(name.split("."))

    def read(spec: RunSpec) -> Choice | None:
        value: object = spec
        for part in path:
            value = getattr(value, part)
        assert value is None or isinstance(value, Choice)
        return value

    def write(spec: RunSpec, choice: Choice | None) -> RunSpec:
        changed = replaced(spec, path, choice)
        if name == "optimizer":
            return with_valid_params(changed)
        if name == "data.source":
            return _with_split(spec, changed, code)
        return _with_interval(spec, changed) if name == "scheduler" else changed

    yield from choice_fields(spec, name, group, read, write, optional=optional, code=code)


def _loss_fields(spec: RunSpec, code: Code) -> Iterator[Field]:
    settings = catalog().entry(EntryGroup.SETTING, "loss_term")
    weight = None if settings is None else settings.param("weight")
    assert weight is not None, "the catalogue describes the weight of a loss term"
    for index, term in enumerate(spec.losses):
        prefix = f"losses.{index}"
        yield from _loss_choice_fields(spec, index, code)
        yield Field(
            name=f"{prefix}.weight",
            param=weight,
            read=partial(_read_weight, index),
            write=partial(_write_weight, index),
            check=partial(check_value, weight),
        )
        entry = chosen_entry(EntryGroup.LOSS, term.loss, code)
        ports = tuple(port.name for port in entry.inputs) if entry else tuple(term.inputs)
        for port in ports:
            yield Field(
                name=f"{prefix}.inputs.{port}",
                param=ParamSpec(name=port, kind=ParamKind.STR, required=True),
                read=partial(_read_binding, index, port),
                write=partial(_write_binding, index, port),
                check=_check_binding,
            )
    yield from _loss_choice_fields(spec, len(spec.losses), code)


def _loss_choice_fields(spec: RunSpec, index: int, code: Code) -> Iterator[Field]:
    def read(spec: RunSpec) -> Choice | None:
        return spec.losses[index].loss if index < len(spec.losses) else None

    def write(spec: RunSpec, choice: Choice | None) -> RunSpec:
        terms = list(spec.losses)
        if choice is None:
            del terms[index : index + 1]
            spec = without_term(spec, index + 1)
        elif index < len(terms):
            terms[index] = _with_loss(terms[index], choice, code)
        else:
            like = terms[-1].inputs if terms else {}
            terms.append(_with_loss(LossTerm(loss=choice, inputs=like), choice, code))
        return msgspec.structs.replace(spec, losses=tuple(terms))

    name = f"losses.{index}.loss"
    yield from choice_fields(spec, name, EntryGroup.LOSS, read, write, optional=True, code=code)


def _with_loss(term: LossTerm, loss: Choice, code: Code) -> LossTerm:
    """Return a term with another loss; the bindings of ports that it has too stay, and what the
    loss looked at first it looks at first again.
    """
    entry, before = (chosen_entry(EntryGroup.LOSS, choice, code) for choice in (loss, term.loss))
    ports = [port.name for port in entry.inputs] if entry else list(term.inputs)
    inputs = {port: bound for port, bound in term.inputs.items() if port in ports}
    first = term.inputs.get(before.inputs[0].name) if before else None
    if first is not None and ports[0] not in inputs:
        inputs = {ports[0]: first, **inputs}
    return msgspec.structs.replace(term, loss=loss, inputs=inputs)


def _with_term(spec: RunSpec, index: int, term: LossTerm) -> RunSpec:
    terms = (*spec.losses[:index], term, *spec.losses[index + 1 :])
    return msgspec.structs.replace(spec, losses=terms)


def _read_weight(index: int, spec: RunSpec) -> Value:
    return spec.losses[index].weight


def _write_weight(index: int, spec: RunSpec, value: Value) -> RunSpec:
    assert isinstance(value, int | float)
    term = msgspec.structs.replace(spec.losses[index], weight=float(value))
    return _with_term(spec, index, term)


def _read_binding(index: int, port: str, spec: RunSpec) -> Value:
    return spec.losses[index].inputs.get(port, "")


def _write_binding(index: int, port: str, spec: RunSpec, value: Value) -> RunSpec:
    term = spec.losses[index]
    inputs = {**term.inputs, port: str(value)}
    return _with_term(spec, index, msgspec.structs.replace(term, inputs=inputs))


def _check_binding(value: Value) -> Diagnostic | None:
    if isinstance(value, str) and _BINDING.fullmatch(value):
        return None
    return Diagnostic(code="R007", params={"value": str(value)[:60]})


def _metrics_field(code: Code) -> Field:
    known = (entry.key for entry in catalog().group(EntryGroup.METRIC))
    keys = ("auto", *known, *code_names(code, "metrics"))
    return Field(
        name="metrics",
        param=ParamSpec(name="metrics", kind=ParamKind.STR, default=("auto",), choices=keys),
        read=partial(_read, ("metrics",)),
        write=lambda spec, value: replaced(spec, ("metrics",), value),
        check=partial(_check_metrics, keys),
    )


def _check_metrics(keys: tuple[str, ...], value: Value) -> Diagnostic | None:
    names = value if isinstance(value, tuple) else (value,)
    unknown = next((str(name) for name in names if split_metric(str(name))[1] not in keys), None)
    if unknown is None and isinstance(value, tuple):
        return None
    params: dict[str, str | int | float] = {
        "value": str(unknown)[:60],
        "choices": ", ".join(keys),
    }
    return Diagnostic(code="R008", params=params)


def _with_split(old: RunSpec, new: RunSpec, code: Code) -> RunSpec:
    """Keep the sets that data come divided into, and divide other data by chance again."""
    was_given, is_given = (
        has_need(EntryGroup.DATA, spec.data.source, Need.GIVEN_SPLIT, code) for spec in (old, new)
    )
    drawn = ("random", "stratified")
    if was_given == is_given or new.data.split.kind not in (drawn if is_given else ("given",)):
        return new
    return replaced(new, ("data", "split", "kind"), "given" if is_given else "random")


def _with_interval(old: RunSpec, new: RunSpec) -> RunSpec:
    """Step a scheduler that is made for it after every batch, and the next one not."""
    if new.scheduler is None:
        new = msgspec.structs.replace(new, schedules=())
    old_keys, is_now = (
        has_need(EntryGroup.SCHEDULER, spec.scheduler, Need.EVERY_STEP) for spec in (old, new)
    )
    if old_keys == is_now:
        return new
    return msgspec.structs.replace(new, scheduler_interval="step" if is_now else "epoch")
