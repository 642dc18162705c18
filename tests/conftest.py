from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]

# The gate sees the same examples every time, so that a change is judged by what it changed. Every
# night other examples are drawn, and those that broke a law are kept and tried first.
settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "nightly",
    parent=settings.get_profile("house"),
    derandomize=False,
    max_examples=1000,
    database=DirectoryBasedExampleDatabase(ROOT / ".hypothesis" / "examples"),
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))


@pytest.fixture
def mirror() -> Path:
    folder = os.environ.get("WHYBENCH_DATA_MIRROR")
    if not folder:
        pytest.skip("set WHYBENCH_DATA_MIRROR to a folder that holds causAIign/")
    return Path(folder)


@pytest.fixture(scope="session")
def install() -> Callable[[Path, Path], None]:
    """Return a function that installs a package into a folder, with what there is on this machine.

    Inspect takes a folder for one of installed packages only if it is called `site-packages`.
    """

    def installed(package: Path, folder: Path) -> None:
        assert folder.name == "site-packages"
        asked = "pip install --quiet --offline --no-deps --no-build-isolation --python"
        subprocess.run(
            [
                sys.executable,
                "-m",
                "uv",
                *asked.split(),
                sys.executable,
                "--target",
                folder,
                package,
            ],
            check=True,
        )

    return installed
