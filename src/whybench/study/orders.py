"""Orders of items in which place and neighbourhood are counterbalanced.

A Williams square for n items is a set of orders in which every item stands at every place equally
often, and every item directly follows every other one equally often. For even n there are n such
orders, for odd n twice as many: the second half is the first one read backwards. The first order
zigzags 0, 1, n-1, 2, n-2, ...; its neighbours differ by 1, 2, ..., n-1 modulo n, each once, and
adding a constant modulo n gives the others.
"""

from __future__ import annotations

__all__ = ["williams"]


def williams(size: int) -> list[list[int]]:
    """Return the orders of a Williams square of the numbers 0, ..., size - 1."""
    first = [(place + 1) // 2 if place % 2 else -place // 2 % size for place in range(size)]
    orders = [[(entry + shift) % size for entry in first] for shift in range(size)]
    return orders + [order[::-1] for order in orders] if size % 2 and size > 1 else orders
