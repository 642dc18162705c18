"""The drills of stopping, small: profiles and workers that are interrupted or killed, and go on."""

import pytest
from evidence.figures import held

from evidence import stops


@pytest.mark.parametrize("part", stops.PARTS)
def test_drill(part: str) -> None:
    held(stops.PARTS[part])
