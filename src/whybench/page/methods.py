"""How the numbers came about: versions, designs, hashes and seeds, for a methods section."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from whybench import __version__
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from whybench.page.material import Material

__all__ = ["designs", "versions"]

PACKAGES = ("inspect_ai", "numpy", "scipy", "pyarrow", "matplotlib")
"""The packages that numbers and pictures rest on."""


def versions(material: Material) -> list[tuple[str, str]]:
    """Return what measured these answers: name and version."""
    found = [("whybench", __version__), ("python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            found.append((name, "not installed"))
    names = dict.fromkeys(name for name, _ in material.tables)
    return [*found, *((f"suite {name}", f"version {get_suite(name).version}") for name in names)]


def designs(material: Material) -> list[dict[str, str]]:
    """Return what each agent was asked: suite, agent, design, its hash, items, epochs, answers."""
    found = []
    for name, table in material.own():
        keys = ["agent", "version", "design", "design_hash"]
        counted = table.group_by(keys, use_threads=False).aggregate(
            [("item", "count_distinct"), ("epoch", "count_distinct"), ([], "count_all")]
        )
        found += [
            {
                "suite": name,
                "agent": row["agent"],
                "version": str(row["version"]),
                "design": row["design"],
                "design hash": row["design_hash"],
                "items": f"{row['item_count_distinct']:,}",
                "epochs": f"{row['epoch_count_distinct']:,}",
                "answers": f"{row['count_all']:,}",
            }
            for row in counted.to_pylist()
        ]
    return found
