"""One page for a set of runs: profiles, comparisons, figures, answers, data and methods."""
