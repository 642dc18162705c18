"""The limit in dollars holds against a server that bills, and prices are known."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.spending import PARTS


@pytest.mark.parametrize("name", PARTS)
def test_spending(name: str) -> None:
    assert held(PARTS[name])
