"""Layout: positions of nodes on the canvas."""
