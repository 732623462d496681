"""All rules of the doctor, in the order in which their findings are told."""

from collections.abc import Callable, Iterator

from engine.diagnostics import Diagnostic
from engine.inspect.doctor.dead_relu import dead_relu
from engine.inspect.doctor.evidence import Evidence
from engine.inspect.doctor.gradient_flow import gradient_flow
from engine.inspect.doctor.imbalance import imbalance
from engine.inspect.doctor.initial_loss import initial_loss
from engine.inspect.doctor.leakage import leakage
from engine.inspect.doctor.mixing import mixing
from engine.inspect.doctor.overfitting import overfitting
from engine.inspect.doctor.unused_parameter import unused_parameter
from engine.inspect.doctor.update_ratio import update_ratio

Rule = Callable[[Evidence], Iterator[Diagnostic]]
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


def applies(rule: str, evidence: Evidence) -> bool:
    """Return whether there is anything that a rule can judge by: what was not looked at is not
    said to be all right.
    """
    match rule:
        case "initial_loss":
            return not evidence.is_begun and evidence.expected is not None
        case "overfitting":
            return not evidence.is_begun and len(evidence.losses) > 1
        case "dead_relu":
            return bool(evidence.units)
        case "imbalance":
            return len(evidence.counts) > 1
        case _:
            return True
