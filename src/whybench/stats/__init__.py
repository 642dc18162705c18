"""Resampling, tests and intervals: seeded, vectorised, and clear about what they rest on."""

from whybench.stats.clustered import (
    SignalDetection,
    balanced_accuracy,
    clustered_estimate,
    clustered_mean,
    clustered_ratio,
    clustered_share,
    clustered_slope,
    mean_difference,
    signal_detection,
    t_quantile,
    wilson_estimate,
)
from whybench.stats.correlation import (
    NoiseCeiling,
    resampled_spearman,
    spearman,
    spearman_brown,
    split_half,
)
from whybench.stats.differences import (
    Difference,
    MeanDifference,
    average_over_agents,
    correct_family,
)
from whybench.stats.paired import (
    Jackknifed,
    PairedDifference,
    difference_between,
    paired_difference,
    resampled_difference,
)
from whybench.stats.parts import Part, clustered_score, mean_of_means, ratio_of_sums
from whybench.stats.permutation import (
    adjust,
    benjamini_hochberg,
    permutation_pvalues,
    permutation_test,
)
from whybench.stats.power import (
    paired_power,
)
from whybench.stats.rank_tests import kruskal_statistics, kruskal_wallis, mann_whitney
from whybench.stats.resampling import bootstrap, draw_counts
from whybench.stats.results import (
    FEW_UNITS,
    SMALL_N,
    Estimate,
    HypothesisTest,
    Level,
    Measure,
    MeasureKey,
    scale_skill,
)
from whybench.stats.small_sample import generalize, leave_out_covariance, weighted_means

__all__ = [
    "FEW_UNITS",
    "SMALL_N",
    "Difference",
    "Estimate",
    "HypothesisTest",
    "Jackknifed",
    "Level",
    "MeanDifference",
    "Measure",
    "MeasureKey",
    "NoiseCeiling",
    "PairedDifference",
    "Part",
    "SignalDetection",
    "adjust",
    "average_over_agents",
    "balanced_accuracy",
    "benjamini_hochberg",
    "bootstrap",
    "clustered_estimate",
    "clustered_mean",
    "clustered_ratio",
    "clustered_score",
    "clustered_share",
    "clustered_slope",
    "correct_family",
    "difference_between",
    "draw_counts",
    "generalize",
    "kruskal_statistics",
    "kruskal_wallis",
    "leave_out_covariance",
    "mann_whitney",
    "mean_difference",
    "mean_of_means",
    "paired_difference",
    "paired_power",
    "permutation_pvalues",
    "permutation_test",
    "ratio_of_sums",
    "resampled_difference",
    "resampled_spearman",
    "scale_skill",
    "signal_detection",
    "spearman",
    "spearman_brown",
    "split_half",
    "t_quantile",
    "weighted_means",
    "wilson_estimate",
]
