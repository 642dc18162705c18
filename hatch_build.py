"""What a release has more than a checkout: jsPsych, so that a study can be exported offline.

Nothing happens unless the variable `WHYBENCH_RELEASE` is 1. Then the files that the package would
download when they are needed first are put into the wheel, beside their licence: the same files,
from the same places, held against the same SHA-256 (`whybench.datasets`). They are never in the
source.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = "jsPsych"
TARGET = f"whybench/datasets/{SOURCE}"


class ReleaseHook(BuildHookInterface):
    """Puts what a release bundles into the wheel."""

    def dependencies(self) -> list[str]:
        """Return what `whybench.datasets` imports, where it is asked."""
        return ["click>=8.2", "pooch>=1.8"] if is_release() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, unless this is no release or an editable install."""
        if not is_release() or version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "src")))
        from whybench.datasets import SOURCES, data_path  # noqa: PLC0415

        for path in SOURCES[SOURCE].files:
            build_data["force_include"][str(data_path(SOURCE, path))] = f"{TARGET}/{path}"


def is_release() -> bool:
    """Return whether a release is being built."""
    return os.environ.get("WHYBENCH_RELEASE") == "1"
