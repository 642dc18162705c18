"""`python -m evidence SUBJECT [--small]` prints the figures of a subject."""

from __future__ import annotations

import argparse
import signal
import sys
from importlib import import_module

from evidence.figures import print_figures

SUBJECTS = (
    "house",
    "library",
    "judge",
    "intervene",
    "compose",
    "calculate",
    "analyze",
    "statistics",
    "comparisons",
    "fits",
    "errata",
    "causallink",
    "field",
    "worlds",
    "entailment",
    "episodes",
    "confinement",
    "pitfalls",
    "speed",
    "scale",
    "faults",
    "inspect",
    "validity",
    "profile",
    "people",
    "experiments",
    "prose",
    "readers",
    "horizon",
    "rounds",
    "sequential",
)


def main() -> None:
    """Print a subject's figures; end with status 1 if a claim does not hold."""
    parser = argparse.ArgumentParser(prog="python -m evidence", description=__doc__)
    parser.add_argument("subject", choices=SUBJECTS)
    parser.add_argument("--small", action="store_true", help="a tenth of the size, wider bounds")
    parser.add_argument("--only", default="", help="only parts whose name contains this")
    chosen = parser.parse_args()
    # A shell lets what it starts in the background ignore Ctrl-C, and all that this starts in turn.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    subject = import_module(f"evidence.{chosen.subject}")
    sys.exit(0 if print_figures(subject.figures(chosen.small, chosen.only)) else 1)


if __name__ == "__main__":
    main()
