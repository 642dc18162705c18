"""What asking comes to before the first call: items, calls, tokens, dollars."""

from whybench.planning.plans import Plan, plan, plan_budget
from whybench.planning.prices import Price, Prices

__all__ = ["Plan", "Price", "Prices", "plan", "plan_budget"]
