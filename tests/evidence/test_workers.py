"""The drills of workers, small: on Ray, in a pool, and within a quota."""

import os
import shutil

import pytest
from evidence.figures import held

from evidence import workers

pytestmark = [
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("ip") is None,
        reason="a network namespace needs root, unshare and ip",
    ),
    pytest.mark.xdist_group("workers"),
]


@pytest.mark.parametrize("part", workers.PARTS)
def test_drill(part):
    held(workers.PARTS[part])
