"""Controller of the Transforms page: changes the list, and asks for a sample through it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from engine.diagnostics import Diagnostic
from engine.graph.query import INPUT
from engine.query.data.request import PreviewBatch, PreviewTransforms
from engine.query.reading.request import (
    BatchSizeFound,
    ComputeStatistics,
    LoadingMeasured,
    PartsMeasured,
    PinningMeasured,
    PixelsCounted,
    ReadingDone,
    ReadingFailed,
    ReadingMessage,
    ReadingProgress,
    StatisticsMeasured,
)
from engine.query.request import Split
from engine.runtime.job.request_job import ReadingJob
from engine.spec.custom_code import data_code
from engine.spec.data import PIXEL_KINDS
from engine.spec.preset import finds_regions, with_photographs
from engine.spec.run import DataSpec
from engine.spec.statistics import FieldStatistics
from engine.spec.transform import BatchTransformSpec, TransformSpec, holds_steps
from engine.spec.transform_list import (
    IMAGENET_MEAN,
    USUAL_SIDE,
    before_normalize,
    imagenet_normalize,
    inserted,
    is_normalize,
    last_on_images,
    moved,
    new_batch_transform,
    new_transform,
    removed,
    sound_transforms,
    with_normalize,
)
from engine.spec.transform_outline import (
    MOST_LEVELS,
    doubled,
    dropped,
    end_of,
    levels,
    put_in,
    taken_out,
)
from engine.spec.transform_repair import image_field, image_size, sound_field, transform_repairs
from studio.data.transforms.add_dialog import AddDialog
from studio.data.transforms.offer_presenter import present_offer
from studio.data.transforms.page import TransformsPage
from studio.data.transforms.presenter import (
    BATCHES,
    MOVES,
    SAMPLES,
    TransformsState,
    current_key,
    present_transforms,
    statistics_text,
    step_name,
)
from studio.i18n import translate
from studio.process.job_slot import JobSlot
from studio.services import PageController, Services
from studio.session.repair import apply_repair
from widgets.common.throttle import Debounce, SeenThrottle

_ASK_MS = 150
_PAINT_MS = 50
_DIGITS = 4  # behind the point, of mean and deviation
MakeJob = Callable[[ComputeStatistics, Callable[[ReadingMessage], object]], ReadingJob]
Steps = tuple[TransformSpec, ...] | tuple[BatchTransformSpec, ...]


class TransformsController(PageController[TransformsPage, TransformsState]):
    """Glue between the page, the specification and the host."""

    def __init__(
        self, services: Services, page: TransformsPage, *, make_job: MakeJob = ReadingJob
    ) -> None:
        super().__init__(services, page, TransformsState())
        self._trust = services.trust
        self._editor = services.editor
        self._project = self._path()
        self._shown: object = None  # what the sample on the page is of
        self._asked = 0
        self._make_job = make_job
        self._work: JobSlot[ReadingJob] = JobSlot()
        self._paint = SeenThrottle(_PAINT_MS, self._present, page)
        self._preview = Debounce(_ASK_MS, self._ask, self)
        self._acts: dict[str, Callable[[], object]] = {
            "draw": lambda: self._look(draw=self._state.draw + 1),
            "previous": lambda: self._look(number=max(self._state.number - 1, 0)),
            "next": lambda: self._look(number=self._state.number + 1),
            "add": self._offer,
            **{verb: partial(self._move_by, verb) for verb in MOVES},
            "duplicate": self._duplicate,
            "remove": self._remove,
            "photographs": self._use_photographs,
            "sounds": self._use_sounds,
            "imagenet": self._use_imagenet,
            "measure": self._measure,
        }
        page.asked.connect(lambda name: self._acts[name]())
        page.part_changed.connect(lambda part: self._look(part=part, number=0))
        page.shown.connect(self._preview.request)
        page.list.chosen.connect(self._choose)
        page.list.moved.connect(self._move)
        page.list.switched.connect(self._switch)
        page.strip.stage_chosen.connect(self._choose_stage)
        page.strip.repair_requested.connect(lambda _key: self._repair())
        page.form.value_changed.connect(self._editor.set)
        page.form.reset_requested.connect(self._editor.reset)
        page.form.field_focused.connect(lambda _name: self._session.seal())
        page.setting_requested.connect(self._show_setting)
        page.cancel_requested.connect(self._cancel)
        page.destroyed.connect(self._work.give_up)
        page.set_presets(self._presets())
        self._session.spec_changed.connect(self._on_changed)
        self._session.project_changed.connect(self._on_project_changed)
        self._session.analysis_changed.connect(self._paint.request)
        self._session.data_changed.connect(self._on_data_changed)
        self._present()

    @override
    def _present(self) -> None:
        self._page.set_part(self._state.part)
        self._page.set_view(present_transforms(self._state, self._editor.recipe()))

    def _on_project_changed(self) -> None:
        if self._path() != self._project:
            self._project, self._shown = self._path(), None
            self._work.give_up()
            self._set(TransformsState())
            self._preview.request()

    def _path(self) -> Path | None:
        project = self._session.project
        return None if project is None else project.path

    def _on_data_changed(self) -> None:
        self._page.set_presets(self._presets())
        self._on_changed()

    def _on_changed(self) -> None:
        self._paint.request()
        self._preview.request()

    def _look(self, **changes: object) -> None:
        """Look at another sample, part or draw."""
        self._change(**changes)
        self._preview.request()
        self._preview.flush()

    def _choose(self, key: str) -> None:
        self._session.seal()
        self._change(chosen=key)
        self._preview.request()  # of a batch, or of a sample again

    def _choose_stage(self, key: str) -> None:
        if key.isdecimal():
            self._choose(f"{SAMPLES}.{key}")

    def _show_setting(self, name: str) -> None:
        """Choose the transform that a setting (``data.transforms.0.size``) is of."""
        kind, _, rest = name.removeprefix("data.").partition(".")
        number = rest.partition(".")[0]
        if number.isdecimal():
            self._choose(f"{kind}.{number}")
            self._page.form.focus_field(name)

    def _ask(self) -> None:
        session, state = self._session, self._state
        name, at = self._current()
        is_blended = name == BATCHES
        looked_at = ("batch", at) if is_blended else (state.part, state.number)
        wanted = (session.spec.data, session.spec.seed, looked_at, state.draw)
        if session.project is None or not self._page.isVisible() or wanted == self._shown:
            return
        self._shown = wanted
        self._asked += 1
        number = self._asked
        data, seed = session.spec.data, session.spec.seed
        code = data_code(data, session.graph.code)
        if is_blended:
            self._ask_host(
                PreviewBatch(data=data, draw=state.draw, number=at, seed=seed, code=code),
                lambda batch: self._change(batch=batch, problem=None),
                self._on_failed,
                is_wanted=lambda: number == self._asked,
            )
            return
        part: Split = state.part  # type: ignore[assignment]
        self._ask_host(
            PreviewTransforms(
                data=data, number=state.number, draw=state.draw, seed=seed, split=part, code=code
            ),
            lambda preview: self._change(preview=preview, problem=None, number=preview.number),
            self._on_failed,
            is_wanted=lambda: number == self._asked,
        )

    def _on_failed(self, problems: tuple[Diagnostic, ...]) -> None:
        self._shown = None
        self._change(preview=None, batch=None, problem=problems[0])

    # the list

    def _steps(self, name: str) -> Steps:
        data = self._session.spec.data
        return data.transforms if name == SAMPLES else data.batch_transforms

    def _current(self) -> tuple[str, int]:
        return self._position(current_key(self._state, self._session.spec.data))

    def _position(self, key: str) -> tuple[str, int]:
        name, _, number = key.partition(".")
        return name, int(number) if number.isdecimal() else -1

    def _put(self, name: str, steps: object, label: str, chosen: str = "") -> None:
        """Take over another list, as one step of undo."""
        self._put_data(label, chosen, **{name: steps})

    def _put_data(self, label: str, chosen: str = "", **changes: object) -> None:
        session = self._session
        data: DataSpec = replace(session.spec.data, **changes)
        session.seal()
        if chosen:
            self._take(chosen=chosen)
        session.change(session.graph, replace(session.spec, data=data), label)
        self._present()

    def _offer(self) -> None:
        info, graph = self._session.findings.data, self._session.graph
        parts = (graph, *graph.blocks.values())
        used = {node.type for part in parts for node in part.nodes.values()}
        dialog = AddDialog(
            self._window,
            lambda text: present_offer(text, self._language(), info, graph.code, used),
        )
        dialog.chosen.connect(self._add)
        dialog.open()

    def _add(self, key: str) -> None:
        """Add a transform after the chosen one, but before a Normalize at the end; without one,
        where it fits.
        """
        name, _, kind = key.partition(".")
        label = translate("Transforms", "Add {name}").format(name=kind.rpartition(".")[2])
        at_name, at = self._position(self._state.chosen)
        if name == BATCHES:
            batches = self._session.spec.data.batch_transforms
            at = at + 1 if at_name == name else len(batches)
            self._put(name, inserted(batches, at, new_batch_transform(kind)), label, f"{name}.{at}")
            return
        steps = self._session.spec.data.transforms
        step = new_transform(
            kind, image_size(self._session.findings.data), self._session.graph.code
        )
        fits = len(steps) if kind in ("Normalize", "ToDtype", "RandomErasing") else None
        if at_name == name and 0 <= at < len(steps):
            level = levels(steps)[at]
            is_full = holds_steps(kind) and level >= MOST_LEVELS - 1
            level += holds_steps(steps[at].type) and not is_full  # into a container that is chosen
            at = end_of(steps, at)
            at = at if fits is not None else min(at, before_normalize(steps))
        else:
            level, at = 0, last_on_images(steps) if fits is None else fits
        self._put(name, put_in(steps, at, step, level), label, f"{name}.{at}")

    def _move_by(self, verb: str) -> None:
        name, at = self._current()
        data = self._session.spec.data
        if name == SAMPLES:
            self._put_moved(at, *MOVES[verb](data.transforms, at))
            return
        steps, last = data.batch_transforms, at + {"up": -1, "down": 1}.get(verb, 0)
        self._put_moved_batch(at, moved(steps, at, last), last)

    def _move(self, start: str, end: str, where: str) -> None:
        """Put a transform above or below another one of its list, or into it; at the end where
        there is no other.
        """
        (name, first), (other, last) = self._position(start), self._position(end)
        data = self._session.spec.data
        if end and name != other:
            return
        if name == SAMPLES:
            self._put_moved(first, *dropped(data.transforms, first, last, where))
            return
        steps = data.batch_transforms
        last = len(steps) - 1 if not end else last
        last += (where == "below" and last < first) - (where == "above" and last > first)
        self._put_moved_batch(first, moved(steps, first, last), last)

    def _put_moved(self, first: int, steps: tuple[TransformSpec, ...], last: int) -> None:
        before = self._session.spec.data.transforms
        if steps != before:
            label = translate("Transforms", "Move {name}").format(name=step_name(before[first]))
            self._put(SAMPLES, steps, label, f"{SAMPLES}.{last}")

    def _put_moved_batch(
        self, first: int, steps: tuple[BatchTransformSpec, ...], last: int
    ) -> None:
        before = self._session.spec.data.batch_transforms
        if steps != before:
            label = translate("Transforms", "Move {name}").format(name=step_name(before[first]))
            self._put(BATCHES, steps, label, f"{BATCHES}.{last}")

    def _duplicate(self) -> None:
        name, at = self._current()
        steps = self._steps(name)
        label = translate("Transforms", "Duplicate {name}").format(name=step_name(steps[at]))
        if name == SAMPLES:
            samples = self._session.spec.data.transforms
            self._put(name, doubled(samples, at), label, f"{name}.{end_of(samples, at)}")
        else:
            self._put(name, inserted(steps, at + 1, steps[at]), label, f"{name}.{at + 1}")

    def _remove(self) -> None:
        name, at = self._current()
        steps = self._steps(name)
        if not 0 <= at < len(steps):
            return
        label = translate("Transforms", "Remove {name}").format(name=step_name(steps[at]))
        rest = (
            taken_out(self._session.spec.data.transforms, at)
            if name == SAMPLES
            else removed(steps, at)
        )
        last = len(rest) - 1
        self._put(name, rest, label, f"{name}.{min(at, last)}" if last >= 0 else "")

    def _switch(self, key: str, is_on: bool) -> None:
        name, at = self._position(key)
        steps = self._steps(name)
        title = step_name(steps[at])
        text = translate("Transforms", "Switch {name} on")
        if not is_on:
            text = translate("Transforms", "Switch {name} off")
        changed = replace(steps[at], enabled=is_on)
        self._put(name, (*steps[:at], changed, *steps[at + 1 :]), text.format(name=title), key)

    def _repair(self) -> None:
        """Repair why the sample comes no further."""
        session, preview = self._session, self._state.preview
        problem = preview.stages[-1].problem if preview is not None else None
        if problem is None:
            return
        code = session.graph.code
        found = next(transform_repairs(problem, session.spec, session.findings.data, code), None)
        if found is not None:
            self._succeeds(lambda: apply_repair(session, found, self._language()))

    # presets

    def _presets(self) -> tuple[tuple[str, str], ...]:
        info = self._session.findings.data
        if sound_field(info) is not None and image_field(info) is None:
            return (("sounds", translate("Transforms", "Common for sounds")),)
        return (
            ("photographs", translate("Transforms", "Common for photographs")),
            ("imagenet", translate("Transforms", "Normalize with ImageNet's values")),
            ("measure", translate("Transforms", "Normalize with the values of this data")),
        )

    def _use_photographs(self) -> None:
        label = translate("Transforms", "Use the transforms for photographs")
        before, code = self._session.spec.data, self._session.graph.code
        keeps_all = finds_regions(self._session.findings.data)
        after = with_photographs(before, self._size(), self._channels(), code, keeps_all=keeps_all)
        changed = {"source": after.source, "transforms": after.transforms, "normalization": "none"}
        self._put_data(label, f"{SAMPLES}.0", **changed)

    def _use_sounds(self) -> None:
        field = sound_field(self._session.findings.data)
        if field is not None:
            label = translate("Transforms", "Use the transforms for sounds")
            self._put_data(label, f"{SAMPLES}.0", transforms=sound_transforms(field.shape))

    def _use_imagenet(self) -> None:
        label = translate("Transforms", "Normalize with ImageNet's values")
        step = imagenet_normalize(self._channels())
        self._normalize(label, step.params["mean"], step.params["std"])

    def _measure(self) -> None:
        """Compute mean and deviation of the training part, in a process of its own."""
        if self._work.job is not None:
            return
        data = self._session.spec.data
        code = data_code(data, self._session.graph.code)
        request = ComputeStatistics(data=data, code=code, trusted=self._trust.covers(code))
        self._change(reading=ReadingProgress(done=0, count=0))
        self._work.start(
            lambda tell: self._make_job(request, tell),
            partial(self._on_message, data),
            self._handover,
        )

    def _on_message(self, data: DataSpec, message: ReadingMessage) -> None:
        match message:
            case ReadingProgress():
                self._change(reading=message)
            case StatisticsMeasured():
                self._fill(data, message.fields)
            case ReadingFailed():
                self._end()
                self._notifications.report(message.problems)
            case ReadingDone():
                self._end()
            case (
                LoadingMeasured()
                | PinningMeasured()
                | BatchSizeFound()
                | PartsMeasured()
                | PixelsCounted()
            ):
                pass  # asked for elsewhere

    def _fill(self, data: DataSpec, fields: tuple[FieldStatistics, ...]) -> None:
        """Take over mean and deviation of the image that the chosen Normalize is for."""
        info = self._session.findings.data
        name, at = self._current()
        steps = self._session.spec.data.transforms
        chosen = steps[at] if name == SAMPLES and at >= 0 else None
        wanted = chosen.field if chosen is not None and chosen.type == "Normalize" else ""
        images = [each.name for each in info.fields if each.kind in PIXEL_KINDS] if info else []
        found = next((each for each in fields if each.name == wanted), None)
        found = found or next((each for each in fields if each.name in images), None)
        if found is None or data.source != self._session.spec.data.source:
            return  # other data was chosen meanwhile
        mean, std = (tuple(round(n, _DIGITS) for n in each) for each in (found.mean, found.std))
        std = tuple(number or 1.0 for number in std)
        label = translate("Transforms", "Normalize with the values of this data")
        self._normalize(label, mean, std, wanted)
        self._window.say(statistics_text(found))

    def _cancel(self) -> None:
        self._work.give_up()
        self._change(reading=None)

    def _end(self) -> None:
        self._work.job = None
        self._change(reading=None)

    def _normalize(self, label: str, mean: object, std: object, field: str = "") -> None:
        """Normalise images by numbers, instead of the setting that would do it again."""
        before = self._session.spec.data.transforms
        steps = with_normalize(before, mean, std, field)  # type: ignore[arg-type]
        at = max(number for number, step in enumerate(steps) if is_normalize(step))
        self._put_data(label, f"{SAMPLES}.{at}", transforms=steps, normalization="none")

    def _size(self) -> tuple[int, int]:
        """Return the size of the images that the model takes."""
        known = image_size(self._session.findings.data)
        if known is not None:
            return known
        nodes = self._session.graph.nodes.values()
        shapes = (node.params.get("shape") for node in nodes if node.type == INPUT)
        images = (shape for shape in shapes if isinstance(shape, tuple) and len(shape) == 3)
        _, height, width = next(images, (0, USUAL_SIDE, USUAL_SIDE))
        return int(height), int(width)

    def _channels(self) -> int:
        field = image_field(self._session.findings.data)
        return field.shape[0] if field is not None and field.shape else len(IMAGENET_MEAN)
