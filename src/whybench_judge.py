"""The environment `whybench-judge` of the library verifiers is `whybench-calculate` now."""

from whybench.suites.registry import get_suite
from whybench.training.items import get_training

get_training(get_suite("judge"))
