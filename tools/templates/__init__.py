"""The ready projects that are written by ``tools/write_templates.py``, a file a group."""
