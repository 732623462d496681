"""Files of weights as dialogs offer them."""

from engine.graph.node_state.initialization import WEIGHT_SUFFIXES
from studio.i18n import translate


def weight_filters() -> list[str]:
    """Return what a dialog for a file of weights shows: those with a usual ending, or all."""
    patterns = " ".join(f"*{suffix}" for suffix in WEIGHT_SUFFIXES)
    weights, every = translate("Weights", "Weights"), translate("Weights", "All files")
    return [f"{weights} ({patterns})", f"{every} (*)"]
