"""A run is served: tried in a browser, and asked by programs."""
