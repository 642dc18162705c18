"""One page for a set of runs: profiles, comparisons, figures, answers, data and methods."""

from whybench.page.writing import check_target, report

__all__ = ["check_target", "report"]
