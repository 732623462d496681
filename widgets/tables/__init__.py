"""Tables and lists.

``view_model``: ``ColumnView``, ``RowView``, ``TableData``, ``ProblemView``, ``LogLine``.
``table_view.TableView``: ``set_data(TableData)``, ``selected_ids()``, ``select_ids(ids)``, signals
``selection_changed(ids)``, ``row_activated(id)``, ``menu_requested(ids, global position)``,
``delete_requested(ids)``.
``problems_list.ProblemsList``: ``set_problems(problems)``, signals ``problem_activated(index)``,
``fix_requested(index)``. ``log_view.LogView``: ``append(lines)``, ``clear()``.
"""
