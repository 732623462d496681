"""What is typed into the forms of data and recipe becomes a change of the run specification."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from engine.catalog.spec import ParamKind
from engine.diagnostics import DiagnosticError
from engine.spec.data import DataInfo
from engine.spec.data_path import path_params, with_absolute_paths, with_edits_of
from engine.spec.defaults import fit_targets
from engine.spec.fields import field_param, fields, set_text, set_value
from engine.spec.series import best_mode
from studio.i18n import translate
from studio.session.session import Session
from studio.view.recipe import RecipeState
from studio.view.recipe_field import field_sentence

_MONITOR = "checkpoint.monitor"
_PICKED = (ParamKind.BOOL, ParamKind.CHOICE)


class SpecEditor:
    """Takes what was typed into forms of the specification; remembers what could not be taken."""

    def __init__(
        self,
        session: Session,
        language: Callable[[], str],
        on_data_chosen: Callable[[], object] = lambda: None,
    ) -> None:
        self._session = session
        self._language = language
        self._on_data_chosen = on_data_chosen
        self._project: Path | None = None
        self._last: tuple[tuple[object, ...], DataInfo] | None = None
        self.rejected: dict[str, tuple[str, str]] = {}

    def set(self, name: str, text: str, *, keeps_edits: bool = False) -> None:
        """Set a field from a text; what cannot be is kept with the reason. With ``keeps_edits``
        the data is the same at another place, and the edits of its samples hold for it.
        """
        session = self._session
        try:
            spec = set_text(session.spec, name, text, session.graph.code)
            if session.project is not None:
                code = session.graph.code
                spec = with_absolute_paths(spec, session.project.path, code)
            if keeps_edits:
                spec = with_edits_of(spec, session.spec, session.graph.code)
        except DiagnosticError as error:
            code, problem = session.graph.code, error.problems[0]
            reason = field_sentence(session.spec, problem, self._language(), code)
            self.rejected[name] = (text, reason)
            session.show_spec_again()
            return
        if name == _MONITOR and spec.checkpoint.monitor != session.spec.checkpoint.monitor:
            mode = best_mode(spec.checkpoint.monitor, session.graph.code)
            spec = set_value(spec, "checkpoint.mode", mode)
        data = session.findings.data
        if data is not None and name.startswith("losses.") and name.endswith(".loss"):
            spec = fit_targets(spec, data, session.graph)
        was_rejected = self.rejected.pop(name, None) is not None
        label = translate("Train", "Change setting")
        if spec != session.spec:
            if name.startswith("data.source"):
                self._on_data_chosen()
            if field_param(session.spec, name, session.graph.code).kind in _PICKED or name in (
                "metrics",
                _MONITOR,
            ):
                session.seal()  # each pick is a step of undo; what is typed in one go is one
            session.change(session.graph, spec, label, merge_key=f"spec.{name}")
        elif was_rejected:
            session.show_spec_again()

    def set_all(self, values: Mapping[str, str], label: str) -> None:
        """Set several fields from texts as one step of undo.

        Raises :class:`DiagnosticError` for a text that is no value.
        """
        session = self._session
        spec = session.spec
        for name, text in values.items():
            spec = set_text(spec, name, text, session.graph.code)
            self.rejected.pop(name, None)
        if spec == session.spec:
            return
        if any(name.startswith("data.source") for name in values):
            self._on_data_chosen()
        session.seal()
        session.change(session.graph, spec, label)

    def reset(self, name: str) -> None:
        """Give a field its default again."""
        session = self._session
        self.rejected.pop(name, None)
        param = field_param(session.spec, name, session.graph.code)
        spec = set_value(session.spec, name, param.default, session.graph.code)
        if name.startswith("data.source") and spec != session.spec:
            self._on_data_chosen()
        session.change(session.graph, spec, translate("Train", "Reset setting"))

    def recipe(self, devices: Sequence[str] = ("auto", "cpu")) -> RecipeState:
        """Return what the forms of data and recipe are made from."""
        session = self._session
        return RecipeState(
            spec=session.spec,
            graph=session.graph,
            data=session.findings.data,
            problems=session.findings.problems,
            devices=devices,
            language=self._language(),
            rejected=self.rejections(),
            described=self._described_last(),
            file_columns=session.findings.file_columns,
        )

    def _described_last(self) -> DataInfo | None:
        """Return the description of the same files that was there last, which may be of a moment
        ago, before a setting made them unreadable: their columns are still to be chosen from.
        """
        source, data = self._session.spec.data.source, self._session.findings.data
        files = (source.type, *(source.params.get(name) for name in path_params(source)))
        if data is not None and data.source == source.type:
            self._last = (files, data)
        return self._last[1] if self._last is not None and self._last[0] == files else None

    def rejections(self) -> tuple[tuple[str, str, str], ...]:
        """Return field, text and reason of what could not be taken and is still to be seen."""
        project = self._session.project
        path = project.path if project is not None else None
        if path != self._project:
            self._project = path
            self.rejected.clear()
        if not self.rejected:
            return ()  # as nearly always: to list all fields takes milliseconds
        known = fields(self._session.spec, self._session.graph.code)
        for name in [name for name in self.rejected if name not in known]:
            del self.rejected[name]
        return tuple((name, text, why) for name, (text, why) in self.rejected.items())
