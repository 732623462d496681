"""Rules of the doctor, in the order in which their findings are told."""

from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from statistics import median

from engine.diagnostics import OF_PHASE as OF_PHASE_NAME
from engine.diagnostics import Diagnostic, Severity
from engine.query.doctor.evidence import Evidence, Verdict, Weight

_PLAIN = 1e6  # from here on a number is told by its power of ten
_MOST_LOSS = 2.0  # times the loss of guessing, before the first step
_LEFT = 0.7  # of the loss, after all steps on one batch
_GROWN = 2.0  # times the loss before the first of them
_LARGE, _SMALL = 0.1, 1e-6  # change of the weights by a step, of their norm
_VANISHED = 1e-6  # of the largest gradient, relative to the weights
_EXPLODED = 1e3  # times the norm of the weights
_DEAD_SHARE = 0.4  # of the units of an activation
_MOST_IMBALANCE = 5  # times the samples of the smallest class

Rule = Callable[[Evidence], Verdict]
_warning = partial(Diagnostic, severity=Severity.WARNING)


def figure(value: float) -> str:
    """Return a number with two or three digits that count: 0.13, 8.54, 130, 1.3e+24."""
    return f"{value:.0f}" if 100 <= abs(value) < _PLAIN else f"{value:.3g}"


def initial_loss(evidence: Evidence) -> Verdict:
    """H007: twice the loss of guessing or more, before anything was learned; H012: not finite."""
    if evidence.is_begun or not evidence.losses:
        return None
    loss = evidence.losses[0]
    if not isfinite(loss):
        return (_warning(code="H012", params={"loss": f"{loss}"}),)
    if evidence.expected is None:
        return None
    if loss <= _MOST_LOSS * evidence.expected:
        return ()
    expected = figure(evidence.expected)
    return (_warning(code="H007", params={"loss": figure(loss), "expected": expected}),)


def overfitting(evidence: Evidence) -> Verdict:
    """H008: many steps on one and the same batch hardly lower its loss; H014: they raise it.
    Where a gradient is not finite at the first step, H013 tells: no other rate would help.
    """
    losses = evidence.losses
    if evidence.is_begun or len(losses) < 2 or (len(losses) == 2 and _has_no_gradient(evidence)):
        return None
    if is_learned(losses):
        return ()
    first, last = losses[0], losses[-1]
    has_grown = not isfinite(last) or min(losses[-5:]) > _GROWN * first
    finding = _warning(
        code="H014" if has_grown else "H008",
        field="optimizer.lr",
        params={"steps": len(losses) - 1, "first": figure(first), "last": figure(last)},
    )
    return (finding,)


def _has_no_gradient(evidence: Evidence) -> bool:
    return not all(isfinite(weight.gradient or 0.0) for weight in evidence.weights)


def is_learned(losses: Sequence[float]) -> bool:
    """Return whether the loss of a batch is clearly lower than it was."""
    first, last = losses[0], losses[-1]
    return isfinite(last) and (first <= 0 or min(losses[-5:]) < _LEFT * first)


def update_ratio(evidence: Evidence) -> Verdict:
    """H004: a step moves the weights by more than a tenth; H005: by less than a millionth. One that
    no gradient moves says nothing of the learning rate.
    """
    shares = [
        weight.change / weight.norm
        for weight in evidence.weights
        if weight.gradient and weight.has_size and isfinite(weight.change)
    ]
    if not shares:
        return None
    middle = median(shares)
    if _SMALL <= middle <= _LARGE:
        return ()
    finding = _warning(
        code="H004" if middle > _LARGE else "H005",
        field="optimizer.lr",
        params={"share": figure(middle)},
    )
    return (finding,)


def gradient_flow(evidence: Evidence) -> Verdict:
    """H002: nothing, or next to nothing, of the gradient arrives; H003: it is far larger than the
    weights; H013: it is not finite. Where no gradient is made at all, H006 tells. Each is told
    once, at the first weight that has it.
    """
    shares = {
        weight: weight.gradient / weight.norm
        for weight in evidence.weights
        if weight.gradient is not None and weight.has_size
    }
    if not shares:
        return None
    broken = [weight for weight, share in shares.items() if not isfinite(share)]
    if broken:  # from the last of them on backward: all others follow from it
        return (_gradient_warning("H013", broken[-1], shares[broken[-1]], len(broken)),)
    largest = max(shares.values())
    ill: dict[str, list[Weight]] = {}
    for weight, share in shares.items():
        if code := _code(share, largest):
            ill.setdefault(code, []).append(weight)
    return tuple(
        _gradient_warning(code, weights[0], shares[weights[0]], len(weights))
        for code, weights in ill.items()
    )


def _code(share: float, largest: float) -> str:
    if share > _EXPLODED:
        return "H003"
    return "H002" if not share or share < _VANISHED * largest else ""


def _gradient_warning(code: str, weight: Weight, share: float, count: int) -> Diagnostic:
    return _warning(
        code=code,
        node=weight.module,
        params={"name": weight.name, "share": figure(share), "count": count},
    )


def dead_relu(evidence: Evidence) -> Verdict:
    """H001: two fifths of the units of an activation or more are silent."""
    if not evidence.units:
        return None
    return tuple(
        _warning(
            code="H001",
            node=units.module,
            params={"name": units.module, "silent": units.silent, "total": units.total},
        )
        for units in evidence.units
        if units.total and units.silent / units.total >= _DEAD_SHARE
    )


def unused_parameter(evidence: Evidence) -> Verdict:
    """H006: no gradient is made for a parameter of a module. One that is made and is zero is told
    by H002: the way is there. R569: no phase trains a parameter that is not frozen.
    """
    if not evidence.weights:
        return None
    without_gradient = [weight.name for weight in evidence.weights if weight.gradient is None]
    unused = (
        _warning(code="H006", node=module, params={"names": ", ".join(names), "count": len(names)})
        for module, names in _by_module(without_gradient).items()
    )
    untrained = (
        Diagnostic(
            code="R569",
            severity=Severity.HINT,
            node=module,
            params={"names": ", ".join(names), "count": len(names), OF_PHASE_NAME: ""},
        )
        for module, names in _by_module(evidence.untrained).items()
    )
    return (*unused, *untrained)


def _by_module(names: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.rpartition(".")[0], []).append(name)
    return found


def mixing(evidence: Evidence) -> Verdict:
    """H011: samples of a batch leak into one another: a wrong axis, most often."""
    if evidence.is_mixed is None:
        return None
    return (_warning(code="H011"),) if evidence.is_mixed else ()


def leakage(evidence: Evidence) -> Verdict:
    """H009: two parts have samples in common. D470: not all were compared."""
    if not evidence.shared:
        return None  # there is one part only
    found = tuple(
        _warning(
            code="H009",
            field="data.source",
            params={"count": count, "part": part, "other": other},
        )
        for (part, other), count in evidence.shared.items()
        if count
    )
    if evidence.compared >= evidence.samples:
        return found
    params: dict[str, str | int | float]
    params = {"count": evidence.compared, "samples": evidence.samples}
    hint = Diagnostic(code="D470", severity=Severity.HINT, field="data.source", params=params)
    return (*found, hint)


def imbalance(evidence: Evidence) -> Verdict:
    """H010: the largest class has five times the samples of the smallest, or more, and
    neither loss nor sampler makes up for it.
    """
    names, counts = evidence.classes, evidence.counts
    if len(counts) < 2 or len(counts) != len(names):
        return None
    most, least = max(counts), min(counts)
    if evidence.is_weighted or most < _MOST_IMBALANCE * least:
        return ()
    finding = _warning(
        code="H010",
        field="losses.0.loss",
        params={
            "most": most,
            "large": names[counts.index(most)],
            "least": least,
            "small": names[counts.index(least)],
        },
    )
    return (finding,)


RULES: dict[str, Rule] = {
    "initial_loss": initial_loss,
    "overfitting": overfitting,
    "update_ratio": update_ratio,
    "gradient_flow": gradient_flow,
    "dead_relu": dead_relu,
    "unused_parameter": unused_parameter,
    "mixing": mixing,
    "leakage": leakage,
    "imbalance": imbalance,
}
OF_LESSON = (initial_loss, overfitting, update_ratio, gradient_flow, unused_parameter)
"""The rules that judge by what the phases that train together did with one batch."""
OF_PHASE = (update_ratio,)
"""Those of them that judge each optimizer by itself."""
