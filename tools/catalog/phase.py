"""Settings of a phase of training: described by hand."""

from engine.catalog.spec import ParamKind, ParamSpec
from tools.catalog.setting import setting

INT, STR, CHOICE = ParamKind.INT, ParamKind.STR, ParamKind.CHOICE


def phase_settings() -> tuple[ParamSpec, ...]:
    """Return the settings that say what a phase trains and when."""
    return (
        setting("name", STR, "Name",
                "What the phase is called in curves, in the log and in the exported code, such as "
                "discriminator.", default=""),
        setting("match", STR, "Parameters",
                "The parameters that the phase trains: name prefixes such as encoder or layer4, or "
                "patterns such as *.bias, separated by commas. Empty: all that no other phase "
                "names for the same steps. All others are frozen during its steps.", default=""),
        setting("parameters", CHOICE, "Kind of parameters",
                "all, or only matrices: parameters with two axes, such as the weights of linear "
                "layers, as Muon needs them.", default="all", choices=("all", "matrices")),
        setting("losses", STR, "Loss terms",
                "The numbers of the loss terms that the phase minimizes, such as 1, 2. Empty: all. "
                "Others are not computed in its steps.", default=""),
        setting("steps", INT, "Steps in a row",
                "0: the phase takes part in every step, together with the others. Phases with 1 or "
                "more take turns: each for so many steps in a row, in their order, over and over, "
                "as the discriminator and the generator of a GAN do.",
                default=0, minimum=0, maximum=1_000_000),
        setting("start", INT, "Starts after",
                "After how many epochs of the run the phase begins.",
                default=0, minimum=0, maximum=1_000_000),
        setting("end", INT, "Ends after",
                "After how many epochs of the run the phase ends. 0: at the end of the run.",
                default=0, minimum=0, maximum=1_000_000),
    )  # fmt: skip
