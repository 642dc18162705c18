"""What Inspect imports, through the entry point `inspect_ai`, to find our tasks and agents."""

from whybench.agents.provider import reference
from whybench.suites.judge.task import judge, judgment, likelihood_measures

__all__ = ["judge", "judgment", "likelihood_measures", "reference"]
