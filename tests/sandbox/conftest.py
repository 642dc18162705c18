from __future__ import annotations

import pytest

from whybench.sandbox.check import check_confinement


@pytest.fixture(scope="session")
def confines() -> None:
    """Skip, with the reason, where the machine itself cannot confine."""
    for finding in check_confinement():
        if not finding.holds:
            pytest.skip(f"this machine cannot confine: {finding.name}: {finding.seen}")
