"""Importer: a module, a file or an exported program as an editable graph with its weights."""
