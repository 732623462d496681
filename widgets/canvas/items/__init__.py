"""Nodes and wires as they lie on the canvas: a view with its geometry."""
