"""Files of weights as dialogs and the window offer them; their content says what they are."""

from studio.i18n import translate

WEIGHT_SUFFIXES = (".safetensors", ".pt", ".pth", ".bin", ".ckpt", ".tar")


def weight_filters() -> list[str]:
    """Return what a dialog for a file of weights shows: those with a usual ending, or all."""
    patterns = " ".join(f"*{suffix}" for suffix in WEIGHT_SUFFIXES)
    return [
        f"{translate('Weights', 'Weights')} ({patterns})",
        f"{translate('Weights', 'All files')} (*)",
    ]
