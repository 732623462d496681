"""Python's collector of reference cycles in the window's process.

It looks at every object each time. After the start there are some 300,000 that stay to the end:
a look at all of them stops the window for over 100 ms, now and then, also under the user's hands.
So it rests during the start, and then leaves out what has been made by then.
"""

import gc

SETTLED_MS = 4_000
"""How long after the last page everything that stays has been made."""


def rest() -> None:
    """Collect nothing for now."""
    gc.disable()


def resume() -> None:
    """Collect again, but never look again at what there is now. Nothing where it did not rest."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
