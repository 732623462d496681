"""Questions to the engine, a folder each.

In each ``request`` and ``report`` are plain values and load without torch; ``answer`` needs it.
"""
