"""What a fork server loads for the processes that it forks, in steps."""


def pytorch() -> None:
    """Load PyTorch: what a host needs to say what the machine has."""
    import torch  # noqa: F401  # pyright: ignore[reportUnusedImport]

    import engine.query.questions  # noqa: F401  # pyright: ignore[reportUnusedImport]


def analysis() -> None:
    """Load what a host needs to check a model (seconds)."""
    from engine.model.analysis import warm_up

    warm_up()


def training() -> None:
    """Load what a worker needs up to its first step (seconds)."""
    from engine.train.worker import warm_up

    warm_up()
