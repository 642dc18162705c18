"""Resampling, tests and intervals: seeded, vectorised, and clear about what they rest on."""

from whybench.stats.ceiling import Ceiling, spearman_brown, split_half
from whybench.stats.clustered import (
    Detection,
    balanced_accuracy,
    clustered_estimate,
    clustered_mean,
    clustered_ratio,
    clustered_share,
    clustered_slope,
    detection,
    t_quantile,
    wilson_estimate,
)
from whybench.stats.contrast import mean_difference
from whybench.stats.correction import adjust, benjamini_hochberg
from whybench.stats.correlation import resampled_spearman, spearman, spearman_interval
from whybench.stats.measure import SMALL_N, Level, Measure, MeasureKey
from whybench.stats.paired import (
    equivalence,
    paired_difference,
    sign_flip_test,
)
from whybench.stats.permutation import permutation_pvalues, permutation_test
from whybench.stats.power import Epochs, Spread, epochs_needed, paired_power, spread_of
from whybench.stats.rank_tests import kruskal_statistics, kruskal_wallis, mann_whitney
from whybench.stats.resampling import bootstrap, draw_counts
from whybench.stats.results import FEW_UNITS, Estimate, Finding
from whybench.stats.shift import Replicated, Shift, resampled_shift, shift_between, wider

__all__ = [
    "FEW_UNITS",
    "SMALL_N",
    "Ceiling",
    "Detection",
    "Epochs",
    "Estimate",
    "Finding",
    "Level",
    "Measure",
    "MeasureKey",
    "Replicated",
    "Shift",
    "Spread",
    "adjust",
    "balanced_accuracy",
    "benjamini_hochberg",
    "bootstrap",
    "clustered_estimate",
    "clustered_mean",
    "clustered_ratio",
    "clustered_share",
    "clustered_slope",
    "detection",
    "draw_counts",
    "epochs_needed",
    "equivalence",
    "kruskal_statistics",
    "kruskal_wallis",
    "mann_whitney",
    "mean_difference",
    "paired_difference",
    "paired_power",
    "permutation_pvalues",
    "permutation_test",
    "resampled_shift",
    "resampled_spearman",
    "shift_between",
    "sign_flip_test",
    "spearman",
    "spearman_brown",
    "spearman_interval",
    "split_half",
    "spread_of",
    "t_quantile",
    "wider",
    "wilson_estimate",
]
