"""What asking comes to before the first call: items, calls, tokens, dollars."""

from whybench.planning.plans import Plan, Price, Prices, plan, plan_budget

__all__ = ["Plan", "Price", "Prices", "plan", "plan_budget"]
