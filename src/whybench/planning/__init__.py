"""What asking comes to before the first call: items, calls, tokens, dollars."""

from whybench.planning.caps import default_reply_cap
from whybench.planning.plans import Plan, plan, plan_budget, plan_rows
from whybench.planning.prices import Price, Prices

__all__ = ["Plan", "Price", "Prices", "default_reply_cap", "plan", "plan_budget", "plan_rows"]
