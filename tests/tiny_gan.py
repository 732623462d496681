"""A GAN small enough for a test: two blocks, and two phases that take turns."""

from engine.graph.draft import Draft
from engine.graph.model import Graph
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import Choice, DataSpec, LossTerm, PhaseRule, PhaseSpec, RunSpec

MOONS = Choice(type="moons", params={"samples": 60, "noise": 0.05})


def gan_graph(width: int = 8) -> Graph:
    """Return a generator of points in the plane and a discriminator, used for both kinds."""
    blocks = {
        "Generator": Draft()
        .put("input", "BlockInput")
        .put("hidden", "Linear", out_features=width)
        .put("act", "ReLU")
        .put("out", "Linear", out_features=2)
        .put("output", "BlockOutput")
        .block(),
        "Discriminator": Draft()
        .put("input", "BlockInput")
        .put("hidden", "Linear", out_features=width)
        .put("act", "LeakyReLU")
        .put("out", "Linear", out_features=1)
        .put("output", "BlockOutput")
        .block(),
    }
    draft = Draft(blocks).put("point", "Input", field="point", shape=(2,))
    draft.put("discriminator", "block.Discriminator")
    draft.put("noise", "randn_like", after="point").put("generator", "block.Generator")
    draft.put("again", "block.Discriminator", shares="discriminator")
    draft.put("minus_real", "neg", after="discriminator").put("loss_real", "softplus")
    draft.put("real", "Output")
    draft.put("loss_fake", "softplus", after="again").put("fake", "Output")
    draft.put("minus_fake", "neg", after="again").put("loss_fooled", "softplus")
    draft.put("fooled", "Output")
    return draft.model()


def gan_spec(*, steps: int = 2, **changes: object) -> RunSpec:
    """Return a recipe in which the discriminator takes some steps for one of the generator."""
    values: dict[str, object] = {
        "data": DataSpec(source=MOONS, batch_size=8),
        "losses": tuple(
            LossTerm(loss=Choice(type=MODEL_OUTPUT), inputs={"input": f"model.{name}"})
            for name in ("real", "fake", "fooled")
        ),
        "optimizer": Choice(type="Adam", params={"lr": 0.01, "betas": (0.5, 0.999)}),
        "phase": PhaseRule(name="discriminator", match="discriminator", losses="1, 2", steps=steps),
        "phases": (
            PhaseSpec(
                name="generator",
                match="generator",
                losses="3",
                steps=1,
                optimizer=Choice(type="Adam", params={"lr": 0.02, "betas": (0.5, 0.999)}),
            ),
        ),
        "metrics": (),
        "epochs": 3,
        "seed": 3,
        "device": "cpu",
        "threads": 1,
    }
    return RunSpec(**values | changes)
