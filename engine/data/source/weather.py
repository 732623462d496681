"""Days of weather in Seattle, which ship with the program: a time series of several columns.

Measured by the National Oceanic and Atmospheric Administration of the United States, whose data
are in the public domain; put together for the Vega data sets.
"""

from collections.abc import Mapping
from pathlib import Path

from engine.catalog.spec import Value
from engine.data.source.parameter import text_param
from engine.data.source.series import SeriesSource, load_series

_FILE = Path(__file__).parents[3] / "resources" / "tables" / "seattle-weather.csv"
_COLUMNS = "precipitation, temp_max, temp_min, wind"


def load_weather(params: Mapping[str, Value]) -> SeriesSource:
    """Return windows of 1,461 days: ``series`` (float32, of shape (length, 4): precipitation in mm,
    the highest and the lowest temperature in °C, wind in m/s) and ``target``, what follows.

    Raises ``DiagnosticError`` (D128) for windows that are longer than the series.
    """
    target = text_param(params, "target")
    chosen = {"targets": _COLUMNS if target == "all" else target, "features": _COLUMNS}
    return load_series({**params, **chosen, "path": str(_FILE), "time": "date", "stride": 1})
