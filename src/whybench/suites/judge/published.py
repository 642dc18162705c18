"""The source's own stimuli and people, read from downloaded files.

Two things are read here: the prompts that some thirty models were given (`stimuli: published`),
and the answers of the 48 people of Rehder and Waldmann (2017) to the collider questions. The
people's file separates columns by semicolons, starts with a byte-order mark and writes decimal
commas; its column `letter.type`, not `task`, names the question.
"""

from __future__ import annotations

import csv
from functools import cache
from statistics import fmean

from whybench.datasets import data_path

__all__ = ["human_means", "published_prompts"]

SOURCE = "causAIign"
PEOPLE = "data/raw/human/rw17/rw17_collider_ce.csv"
PROMPTS = "data/input_llm/rw17/{experiment}/{number}_v_{category}_LLM_prompting_collider.csv"

CATEGORY = {"numeric": "numeric", "cot": "CoT"}
"""Reply styles of which the source has prompts, and what it calls them."""

STORIES = {
    "economy": "economy",
    "econ": "economy",
    "sociology": "sociology",
    "soc": "sociology",
    "society": "sociology",
    "weather": "weather",
    "weath": "weather",
    "abs_alnum_10": "alnum",
    "abs_all_10": "mixed",
    "abs_num_symb_10": "symbols",
}
"""Our names of the source's stories and alphabets."""

EXPERIMENTS = {
    (False, "none"): ("rw17_indep_causes", 2),
    (True, "none"): ("random_abstract", 1),
    (False, "e"): ("rw17_overloaded_e", 1),
    (True, "de"): ("abstract_overloaded_lorem_de", 1),
}
"""(abstract, overload) to the source's experiment and the number its files start with."""


@cache
def published_prompts(
    abstract: bool, overload: str, style: str
) -> dict[tuple[str, str, str, str], tuple[str, ...]]:
    """Return (story, polarity, overload source, letter) to the prompts, one for each version.

    An empty result means that the source has no such condition.
    """
    if (abstract, overload) not in EXPERIMENTS or style not in CATEGORY:
        return {}
    experiment, number = EXPERIMENTS[abstract, overload]
    path = PROMPTS.format(experiment=experiment, number=number, category=CATEGORY[style])
    found: dict[tuple[str, str, str, str], tuple[str, ...]] = {}
    with data_path(SOURCE, path).open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines):
            story, source = _story(row["domain"], overload)
            key = (story, row["cntbl_cond"], source, row["task"])
            found[key] = (*found.get(key, ()), row["prompt"])
    return found


def _story(domain: str, overload: str) -> tuple[str, str]:
    """Read the source's name of a story, such as `weath_ovl_e=econ` or `abs_all_10`."""
    if "_ovl_" in domain:
        name, distractor = domain.split("_ovl_", maxsplit=1)[0], domain.split("=")[1]
        return STORIES[name], "filler" if distractor == "ctl" else "story"
    name = domain.removesuffix(f"_overloaded_{overload}")
    return STORIES[name], "filler" if name != domain else "none"


@cache
def human_means() -> dict[tuple[str, str, str], float]:
    """Return (story, polarity, letter) to the mean judgment of people, 0 to 100: 132 cells."""
    cells: dict[tuple[str, str, str], list[float]] = {}
    with data_path(SOURCE, PEOPLE).open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines, delimiter=";"):
            key = (STORIES[row["domain"]], row["attr.polarity"], row["letter.type"].lower())
            cells.setdefault(key, []).append(float(row["y"].replace(",", ".")))
    return {key: fmean(values) for key, values in cells.items()}
