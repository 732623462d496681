"""Inspector of the selected node."""
