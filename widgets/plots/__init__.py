"""Charts.

``view_model``: ``SeriesView``, ``MarkView``, ``ChartView``, ``BarsView``, ``PointsView``.
``curve_chart.CurveChart(object_name="chart.loss")``: ``set_view(ChartView)``,
``set_series(series)``, ``append(name, steps, values, times=None)``, ``set_marks(marks)``,
``export_image(path)`` (PNG or SVG), ``export_csv(path)``, ``copy_image()``; signal
``visibility_changed(name, on)``. ``line_preview.LinePreview``: ``set_values(steps, values)`` or
``set_series(series)``;
``bar_chart.BarChart.set_view(BarsView)``; ``scatter_view.ScatterView.set_view(PointsView)``;
``matrix_chart.MatrixChart.set_view(MatrixView)``, signal ``cell_chosen(row, column)``;
``xy_chart.XyChart.set_view(XyView)``, signal ``point_chosen(line, number)``.
"""
