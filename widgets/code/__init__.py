"""Reading and writing source.

``code_view.CodeView``: ``set_source(source, lines)`` (line number from 1 to id),
``highlight_ids(ids)``, signal ``line_activated(id)``.

``code_editor.CodeEditor``: ``open_text``, ``set_text``, ``set_marks``, ``set_names``, ``go_to``,
``highlight_lines``, ``flush``; signals ``text_edited``, ``text_settled(text)``,
``apply_requested``, ``line_activated(line)``, ``place_changed(line, column)``.
"""
