"""A study's folder back to its plan.

The folder holds ids of items, not items. These are made anew from the settings of the design, and
must be the ones that people saw: else answers would be read as answers to other questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.study.export import MANIFEST, read_manifest
from whybench.study.plan import Plan
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["reopened"]


def reopened(folder: Path) -> Plan:
    """Return the plan of the study in a folder.

    Raises:
        UserError: There is no study, or this version of the package would ask something else.
    """
    about = read_manifest(folder)
    asked = get_suite(about["suite"])
    design = asked.make_design(about["settings"])
    if (design.hash, asked.version) != (about["design_hash"], about["version"]):
        raise UserError(
            f"the design of {folder} must be the one that people saw ({about['design_hash']}, "
            f"version {about['version']} of {asked.name}), got {design.hash}, version "
            f"{asked.version}; use whybench {about['whybench']}, which made the study"
        )
    items = {item.id: item for item in asked.items(design)}
    lists = tuple(tuple(items[item] for item in entry if item in items) for entry in about["lists"])
    plan = Plan(asked, about["settings"], design.hash, lists)
    if plan.id != about["study"]:
        raise UserError(
            f"{folder / MANIFEST} must be as `whybench study export` wrote it, got lists that make "
            f"the study {plan.id} and not {about['study']}; export it again"
        )
    return plan
