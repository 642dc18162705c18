"""Versions, designs and hashes for a methods section, and the page's words (`words.yaml`)."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from whybench.suites.measures import find_declared
from whybench.suites.registry import get_suite
from whybench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.page.material import Material
    from whybench.stats import Measure

PACKAGES = ("inspect_ai", "numpy", "scipy", "pyarrow", "matplotlib")
"""Packages that compute the numbers and figures."""


def versions(material: Material) -> list[tuple[str, str]]:
    """Return the names and versions of the software that measured these answers."""
    found = [("whybench", __version__), ("python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            found.append((name, "not installed"))
    names = dict.fromkeys(name for name, _ in material.tables)
    return [*found, *((f"suite {name}", f"version {get_suite(name).version}") for name in names)]


def designs(material: Material) -> list[dict[str, str]]:
    """Return a row for each agent and design: suite, items, epochs, answers."""
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
                "items": f"{row['item_count_distinct']:,}",
                "epochs": f"{row['epoch_count_distinct']:,}",
                "answers": f"{row['count_all']:,}",
            }
            for row in counted.to_pylist()
        ]
    return found


@cache
def _words() -> dict[str, Any]:
    text = files(__package__).joinpath("words.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def measure_words(suite: str, name: str) -> str:
    """Return the meaning of a suite's measure; empty if there is none."""
    declared = find_declared(get_suite(suite).measure_table, name)
    return declared.meaning if declared else ""


def measure_title(suite: str, name: str) -> str:
    """Return the name of a suite's measure for people to read.

    >>> measure_title("judge", "explaining_away"), measure_title("intervene", "d_prime")
    ('explaining away', 'sensitivity d′')
    """
    declared = find_declared(get_suite(suite).measure_table, name)
    return declared.label if declared else name.replace("_", " ")


def companions(name: str) -> list[str]:
    """Return the measures that a table shows next to this one."""
    return list(_words()["companions"].get(name, ()))


def flag_words(flag: str) -> str:
    """Return the meaning of a flag.

    >>> flag_words("small_n")
    'based on few answers'
    >>> flag_words("at_bound:leak")
    'the fitted leak is at a bound of its range'
    >>> flag_words("seen_twice")
    'seen twice'
    """
    if flag.startswith("at_bound:"):
        return f"the fitted {flag.partition(':')[2]} is at a bound of its range"
    return str(_words()["flags"].get(flag, flag.replace("_", " ")))


@dataclass(frozen=True)
class Badge:
    """A limit of a number: in a word or two, and in full."""

    short: str
    full: str


def badges_of(measure: Measure) -> Iterator[Badge]:
    """Yield the badges of a measure.

    A badge for few answers implies one for few units, which is left out.
    """
    known = _words()["badges"]
    for flag in measure.flags:
        if flag in known and not (flag == "few_units" and "small_n" in measure.flags):
            yield Badge(str(known[flag]), flag_words(flag))


def outcome_words() -> dict[str, str]:
    """Return the outcomes of the item browser and their labels."""
    return dict(_words()["outcomes"])
