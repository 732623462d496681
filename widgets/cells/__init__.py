"""Numbers in boxes: the elements of a tensor, its memory, its axes.

``view_model``: ``CellView``, ``CellRow``, ``CellBlock``. ``cell_grid.CellGrid``:
``set_blocks(blocks)``; cells with the same key light up together under the pointer.
"""
