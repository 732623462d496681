"""Runs all benchmarks one after the other: ``python -m benchmarks.run_all [--quick]``.

Each is a process of its own; what it prints is printed, then one line a benchmark: whether it kept
its goals (exit code 0). Other programs should rest meanwhile: all goals are for a quiet machine.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
BENCHMARKS = {
    "start": ["--rounds", "5"],
    "canvas": [],
    "edit": [],
    "graph": [],
    "models": [],
    "autograd": [],
    "peers": [],
    "host": [],
    "curves": [],
    "record": [],
    "window": [],
    "step_time": [],
    "techniques": [],
    "checkpoint": [],
    "scaling": [],
    "watching": [],
    "live_views": [],
    "reaction": [],
    "memory": [],
    "data": [],
    "browse": [],
    "health": [],
    "serve": [],
}


def run(name: str, arguments: list[str]) -> tuple[str, float]:
    """Run one benchmark and return its verdict and its seconds."""
    print(f"\n== {name}", flush=True)
    begun = time.monotonic()
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    verdict = {0: "kept", 1: "missed"}.get(code, f"failed with exit code {code}")
    return verdict, time.monotonic() - begun


def main() -> int:
    """Run the chosen ones; 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all without a name")
    parser.add_argument("--quick", action="store_true", help="short rounds of the slow ones")
    options = parser.parse_args()
    if unknown := set(options.names) - BENCHMARKS.keys():
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    if hasattr(os, "getloadavg"):
        print(f"processes that wanted a core in the last minute: {os.getloadavg()[0]:.1f}")
    verdicts: dict[str, tuple[str, float]] = {}
    for name in options.names or BENCHMARKS:
        arguments = list(BENCHMARKS[name])
        if options.quick and name == "step_time":
            arguments.append("--quick")
        verdicts[name] = run(name, arguments)
    print("\nbenchmark     goals                        seconds")
    for name, (verdict, seconds) in verdicts.items():
        print(f"{name:12}  {verdict:28} {seconds:7.0f}")
    return int(any(verdict != "kept" for verdict, _ in verdicts.values()))


if __name__ == "__main__":
    sys.exit(main())
