"""State of the Loss landscape page: what is chosen, and what is known of each subject."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.diagnostics import Diagnostic
from engine.query.landscape.request import (
    FUNCTIONS,
    Directions,
    DrawLandscape,
    FunctionName,
    LandscapeProgress,
    LandscapeRequest,
    RaceFunction,
    RaceModel,
)
from engine.runs.folder import RunFolder
from engine.spec.phase import recipe_of
from engine.spec.run import RunSpec
from studio.inspect.landscape.drawing import Drawing
from studio.inspect.landscape.race import (
    RECIPE,
    RacerRow,
    RaceSetup,
    first_setup,
    optimizer,
    racer,
    racer_choices,
    usual_rate,
)
from studio.session.session import Session
from studio.session.trust import Trust

RUN, MODEL = "run", "model"


@dataclass(frozen=True, kw_only=True)
class LandscapeState:
    """``drawings`` and ``setups`` stand by subject: the run, the model or a function. ``progress``
    is that of the process that is at it, with the time at which its phase began; ``problem`` is
    what ended a computation. ``phase`` is the number, from 0, of the one whose optimizer is raced.
    """

    subject: str = RUN
    phase: int = 0
    directions: Directions = "path"
    points: int = 31
    samples: int = 512
    drawings: Mapping[str, Drawing] = field(default_factory=dict)
    setups: Mapping[str, RaceSetup] = field(default_factory=dict)
    has_checkpoint: bool = False
    progress: LandscapeProgress | None = None
    begun: float = 0.0
    problem: Diagnostic | None = None

    @property
    def function(self) -> FunctionName | None:
        """The function that is raced on."""
        return next((name for name in FUNCTIONS if name == self.subject), None)

    @property
    def drawing(self) -> Drawing:
        """What is known of the subject."""
        return self.drawings.get(self.subject, Drawing())

    def with_drawing(self, drawing: Drawing) -> "LandscapeState":
        """Return the state with something else known of the subject."""
        return replace(self, drawings={**self.drawings, self.subject: drawing})

    def forget(self, *subjects: str) -> "LandscapeState":
        """Return the state without what is known of some subjects."""
        kept = {key: one for key, one in self.drawings.items() if key not in subjects}
        return replace(self, drawings=kept, problem=None)

    def raced_phase(self, spec: RunSpec) -> int:
        """Return the number of the phase whose optimizer is raced, as far as a recipe has it."""
        return self.phase if self.subject == MODEL and self.phase <= len(spec.phases) else 0

    def raced(self, spec: RunSpec) -> RunSpec:
        """Return the recipe of the phase whose optimizer is raced."""
        return recipe_of(spec, self.raced_phase(spec))

    def setup(self, spec: RunSpec) -> RaceSetup:
        """Return the racers on the subject and the number of steps, from the present recipe."""
        spec = self.raced(spec)
        setup = self.setups.get(self.subject) or first_setup(spec, self.function)
        rows = tuple(
            replace(row, rate=usual_rate(RECIPE, spec, None)) if row.key == RECIPE else row
            for row in setup.rows
        )
        return replace(setup, rows=rows)

    def with_rows(self, spec: RunSpec, rows: tuple[RacerRow, ...]) -> "LandscapeState":
        """Return the state with other racers on the subject."""
        setup = replace(self.setup(spec), rows=rows)
        return replace(self, setups={**self.setups, self.subject: setup})

    def with_steps(self, spec: RunSpec, steps: int) -> "LandscapeState":
        """Return the state with another length of the race."""
        setup = replace(self.setup(spec), steps=steps)
        return replace(self, setups={**self.setups, self.subject: setup})

    def with_optimizer(self, spec: RunSpec, number: int, key: str) -> "LandscapeState":
        """Return the state with another optimizer in a row, at its usual rate."""
        rows = list(self.setup(spec).rows)
        rows[number] = RacerRow(key=key, rate=usual_rate(key, self.raced(spec), self.function))
        return self.with_rows(spec, tuple(rows))

    def with_racer(self, spec: RunSpec) -> "LandscapeState":
        """Return the state with one racer more: one that does not race yet, where there is one."""
        rows = self.setup(spec).rows
        taken = {row.key for row in rows}
        keys = [key for key, _ in racer_choices(of_model=self.function is None)]
        key = next((each for each in keys if each not in taken), keys[-1])
        row = RacerRow(key=key, rate=usual_rate(key, self.raced(spec), self.function))
        return self.with_rows(spec, (*rows, row))

    def winner(self, spec: RunSpec) -> RacerRow | None:
        """Return the racer that the recipe can learn from: the best, when it is another one."""
        order = self.drawing.ranking()
        if self.subject != MODEL or self.progress is not None or not order:
            return None
        best, own = self.drawing.rows[order[0]], self.raced(spec)
        if best.key == RECIPE or (optimizer(best) == own.optimizer and not own.groups):
            return None
        return best


def landscape_request(
    state: LandscapeState,
    session: Session,
    trust: Trust,
    folder: RunFolder | None,
    checkpoint: str,
) -> LandscapeRequest:
    """Return what the process is asked to compute; ``folder`` is the run that is chosen."""
    assert session.project is not None
    setup = state.setup(session.spec)
    racers = tuple(racer(row, state.raced(session.spec)) for row in setup.rows)
    if state.function is not None:
        return RaceFunction(function=state.function, racers=racers, steps=setup.steps)
    if state.subject == MODEL:
        return RaceModel(
            graph=session.graph,
            spec=session.spec,
            racers=racers,
            project=str(session.project.path),
            phase=state.raced_phase(session.spec),
            steps=setup.steps,
            size=state.points,
            samples=state.samples,
            trusted=trust.covers(session.graph.code),
        )
    assert folder is not None
    return DrawLandscape(
        run_folder=str(folder.path),
        checkpoint=checkpoint,
        directions=state.directions,
        size=state.points,
        samples=state.samples,
        trusted=trust.covers_run(folder.document.graph.code),
    )
