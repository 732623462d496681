"""What a cross-validation or several seeds reached, as a table and as a document."""

import msgspec

from engine.runs.cross_validation import By, CrossValidation, FoldRun, Spread
from studio.cli.output import number, write, write_error, write_table
from studio.cli.wording import said


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
    write_table([head, *rows, runs])
    if validation.missing:
        first = 1 if validation.by == "fold" else 0
        missing = ", ".join(str(each + first) for each in validation.missing)
        told = said("folds that are not finished: {names}", names=missing)
        if validation.by == "seed":
            told = said("seeds that are not finished: {names}", names=missing)
        write_error(told)


def write_all(validations: tuple[CrossValidation, ...]) -> None:
    """Write one table after the other."""
    for at, validation in enumerate(validations):
        if at:
            write()
        write_folds(validation)


def _row(name: str, spread: Spread, folds: list[int]) -> tuple[str, ...]:
    cells = (number(spread.values[fold]) if fold in spread.values else "" for fold in folds)
    return (name, number(spread.mean), "" if spread.std is None else number(spread.std), *cells)
