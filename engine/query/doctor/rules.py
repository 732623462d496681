"""All rules of the doctor, in the order in which their findings are told."""

from collections.abc import Callable

from engine.query.doctor.evidence import Evidence, Verdict
from engine.query.doctor.rule.dead_relu import dead_relu
from engine.query.doctor.rule.gradient_flow import gradient_flow
from engine.query.doctor.rule.imbalance import imbalance
from engine.query.doctor.rule.initial_loss import initial_loss
from engine.query.doctor.rule.leakage import leakage
from engine.query.doctor.rule.mixing import mixing
from engine.query.doctor.rule.overfitting import overfitting
from engine.query.doctor.rule.unused_parameter import unused_parameter
from engine.query.doctor.rule.update_ratio import update_ratio

Rule = Callable[[Evidence], Verdict]
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
