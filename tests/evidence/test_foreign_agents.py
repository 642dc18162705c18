"""Agents that are not ours, small: what must hold of them."""

import pytest
from evidence.figures import held

from evidence import foreign_agents
from inspect_bubblewrap.check import check_confinement


@pytest.mark.slow
@pytest.mark.xdist_group("sandbox")
@pytest.mark.parametrize("part", [name for name in foreign_agents.PARTS if name != "cost"])
def test_part(part: str) -> None:
    if part == "analysts" and not all(finding.holds for finding in check_confinement()):
        pytest.skip("this machine cannot confine")
    held(foreign_agents.PARTS[part])
