"""Trellis: ``main.py [PROJECT]`` opens the window, ``main.py COMMAND`` works without one."""

if __name__ == "__main__":
    import atexit
    import sys

    from studio.start import end_at_once, start

    ended: list[int] = []
    atexit.register(end_at_once, ended)  # first, so that it is called after all others
    ended.append(start(sys.argv[1:]))
    sys.exit(ended[0])
