"""Questions to the engine, a folder each.

``request`` has plain values, the question and its report, and loads without torch; ``answer`` needs
it.
"""
