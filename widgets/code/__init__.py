"""Reading source.

``code_view.CodeView``: ``set_source(source, lines)`` (line number from 1 to id),
``highlight_ids(ids)``, signal ``line_activated(id)``.
"""
