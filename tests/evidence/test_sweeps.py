"""The drills of sweeps, small: on Ray, in a pool, and within a quota."""

import os
import shutil

import pytest
from evidence.figures import held

from evidence import sweeps

pytestmark = [
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("ip") is None,
        reason="a network namespace needs root, unshare and ip",
    ),
    pytest.mark.xdist_group("sweeps"),
]


@pytest.mark.parametrize("part", sweeps.PARTS)
def test_drill(part):
    held(sweeps.PARTS[part])
