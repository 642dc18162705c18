from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")


@pytest.fixture
def mirror() -> Path:
    folder = os.environ.get("WHYBENCH_DATA_MIRROR")
    if not folder:
        pytest.skip("set WHYBENCH_DATA_MIRROR to a folder that holds causAIign/")
    return Path(folder)
