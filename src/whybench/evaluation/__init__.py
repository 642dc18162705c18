"""Asking: one model about one suite, or some models about all of them, through Inspect."""

from whybench.evaluation.experiments import experiment
from whybench.evaluation.profiles import profile
from whybench.evaluation.runs import run

__all__ = ["experiment", "profile", "run"]
