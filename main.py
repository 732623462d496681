"""Trellis: ``main.py [PROJECT]`` opens the window, ``main.py COMMAND`` works without one."""

if __name__ == "__main__":
    import sys

    from studio.start import start

    sys.exit(start(sys.argv[1:]))
