"""Questions for a map of samples, which is made a little at a time."""

import msgspec

from engine.query.request import Request, Split
from engine.spec.run import DataSpec
from engine.spec.sample_map import MapMethod, MapStep


class MapSpec(msgspec.Struct, frozen=True, kw_only=True):
    """How a map is made: of ``count`` samples at most, drawn from some parts by ``seed``."""

    method: MapMethod = "pca"
    parts: tuple[Split, ...] = ("train", "validation", "test")
    count: int = 3000
    seed: int = 0


class MapSamples(Request[MapStep], frozen=True, kw_only=True):
    """Go on with the map of samples by their input values, for about ``seconds``; ask again until
    the step ``is_done``. The first question of a map ``is_new``. ``predictions`` names what a
    checkpoint says about the samples, as in :class:`~engine.query.data.request.ListColumns`.
    """

    data: DataSpec
    spec: MapSpec = MapSpec()
    is_new: bool = False
    seconds: float = 0.25
    predictions: str = ""
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.embedding.answer.map_samples"
    custom_code = "texts"
    is_slow = True
    supersedes = True


class MapActivations(Request[MapStep], frozen=True, kw_only=True):
    """Go on with the map of the samples of a run by what a layer of a checkpoint makes of them, as
    in :class:`MapSamples`. ``layer`` is the name of its module, empty for the output of the model.
    """

    run_folder: str
    checkpoint: str = "best"
    layer: str = ""
    spec: MapSpec = MapSpec()
    is_new: bool = False
    seconds: float = 0.25

    handler = "engine.query.embedding.answer.map_activations"
    custom_code = "run"
    is_slow = True
    supersedes = True
