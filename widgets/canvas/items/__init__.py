"""Items of the canvas: views of nodes, wires and boxes with their geometry."""
