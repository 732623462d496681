"""Curves of a window of a time series."""

import numpy as np

from studio.inspect.playground.series_edit import series_view


def test_that_columns_of_unlike_size_are_each_seen_whole():
    rows = np.array([[1e6, 0.0], [2e6, 7.0], [3e6, 14.0]])
    view = series_view(("power", "heat"), rows)
    assert [line.label for line in view.lines] == ["power (1e+06 … 3e+06)", "heat (0 … 14)"]
    assert [line.y.tolist() for line in view.lines] == [[0.0, 0.5, 1.0]] * 2
    assert view.y_label
    alike = series_view(("a", "b"), np.array([[1.0, np.nan], [2.0, 3.0]]))
    assert [line.label for line in alike.lines] == ["a", "b"]
    assert (alike.lines[0].y.tolist(), alike.y_label) == ([1.0, 2.0], "")
