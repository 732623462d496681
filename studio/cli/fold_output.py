"""What a cross-validation or several seeds reached, as a table and as a document."""

import shlex
from argparse import Namespace
from collections.abc import Sequence

import msgspec

from engine.runs.cross_validation import By, CrossValidation, FoldRun, Spread
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState, RunStatus
from studio.cli.input_fit import FIT_INPUTS
from studio.cli.output import number, write, write_error, write_table
from studio.cli.wording import said

Change = tuple[str, str]
"""A setting by its dotted name, and its value as it is typed."""


def fold_name(name: str, number: int, by: By = "fold") -> str:
    """Return the name of the run of a fold, whose ``number`` counts from 0 and whose name from 1,
    or of a seed, in the language of the terminal.
    """
    told = said("fold {number}", number=number + 1)
    if by == "seed":
        told = said("seed {number}", number=number)
    return f"{name} {told}".strip()


def fold_document(validation: CrossValidation) -> dict[str, object]:
    """Return a cross-validation as a JSON document."""
    return {
        f"{validation.by}s": validation.folds,
        "missing": list(validation.missing),
        "runs": [_run_document(run, validation.by) for run in validation.runs],
        "metrics": {
            name: {"mean": spread.mean, "std": spread.std, "values": spread.values}
            for name, spread in validation.metrics.items()
        },
    }


def _run_document(run: FoldRun, by: By) -> dict[str, object]:
    document = {**msgspec.structs.asdict(run), "status": str(run.status)}
    number = document.pop("fold")
    return {by: number, **document}


def write_folds(validation: CrossValidation) -> None:
    """Write a table: a row for each metric, with the values of the folds or seeds, mean and
    deviation.
    """
    folds = [run.fold for run in validation.runs]
    names = (fold_name("", fold, validation.by) for fold in folds)
    head = (said("metric"), said("mean"), said("std"), *names)
    rows = [_row(name, spread, folds) for name, spread in validation.metrics.items()]
    runs = (said("run"), "", "", *(run.run for run in validation.runs))
    write_table([head, *rows, runs], wraps=True)
    if validation.missing:
        first = 1 if validation.by == "fold" else 0
        missing = ", ".join(str(each + first) for each in validation.missing)
        told = said("folds that are not finished: {names}", names=missing)
        if validation.by == "seed":
            told = said("seeds that are not finished: {names}", names=missing)
        write_error(told)


def write_ways_on(
    options: Namespace,
    changes: Sequence[Change],
    each: Sequence[tuple[int, Sequence[Change]]],
    results: Sequence[tuple[RunFolder, RunState]],
) -> None:
    """Write what can be typed for each of some repeated runs that has not finished: one that has
    trained goes on, another is trained anew. ``changes`` is what all of them set, ``each`` what one
    sets besides these.
    """
    command, given = f"main.py train {shlex.quote(str(options.project))}", [*options.set]
    given += [f"{name}={value}" for name, value in changes if f"{name}={value}" not in given]
    ways: list[str] = []
    for at, (_, own) in enumerate(each):
        state = results[at][1] if at < len(results) else None
        if state is not None and state.status is RunStatus.FINISHED:
            continue
        if state is not None and state.step > 0:
            ways.append(f"{command} --resume {results[at][0].id}")
            continue
        texts = [*given, *(f"{name}={value}" for name, value in own)]
        fitted = f" {FIT_INPUTS}" if options.fit_inputs else ""
        ways.append(command + fitted + "".join(f" --set {shlex.quote(text)}" for text in texts))
    if ways:
        write_error(said("To go on, then “main.py runs PROJECT --folds” (or --seeds) sums up:"))
    for way in ways:
        write_error(way)


def write_all(validations: tuple[CrossValidation, ...]) -> None:
    """Write one table after the other."""
    for at, validation in enumerate(validations):
        if at:
            write()
        write_folds(validation)


def _row(name: str, spread: Spread, folds: list[int]) -> tuple[str, ...]:
    cells = (number(spread.values[fold]) if fold in spread.values else "" for fold in folds)
    return (name, number(spread.mean), "" if spread.std is None else number(spread.std), *cells)
