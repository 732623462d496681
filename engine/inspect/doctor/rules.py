"""All rules of the doctor, in the order in which their findings are told."""

from collections.abc import Callable

from engine.inspect.doctor.dead_relu import dead_relu
from engine.inspect.doctor.evidence import Evidence, Verdict
from engine.inspect.doctor.gradient_flow import gradient_flow
from engine.inspect.doctor.imbalance import imbalance
from engine.inspect.doctor.initial_loss import initial_loss
from engine.inspect.doctor.leakage import leakage
from engine.inspect.doctor.mixing import mixing
from engine.inspect.doctor.overfitting import overfitting
from engine.inspect.doctor.unused_parameter import unused_parameter
from engine.inspect.doctor.update_ratio import update_ratio

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
