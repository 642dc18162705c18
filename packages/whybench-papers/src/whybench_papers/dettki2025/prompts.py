"""The prompts of Dettki (2025), read from downloaded files.

Prompts about colliders exist for four contents (stories or abstract names, each with or without
distracting text) and two styles of reply.
"""

from __future__ import annotations

import csv
from functools import cache

from whybench.datasets import data_path

SOURCE = "dettki2025"
PROMPTS = "data/input_llm/rw17/{experiment}/{number}_v_{category}_LLM_prompting_collider.csv"

CATEGORY = {"direct": "numeric", "cot": "CoT"}
"""Reply styles of which the paper has prompts, and the paper's words for them."""

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
"""The paper's stories and alphabets, and our names."""

EXPERIMENTS = {
    (False, "none"): ("rw17_indep_causes", 2),
    (True, "none"): ("random_abstract", 1),
    (False, "e"): ("rw17_overloaded_e", 1),
    (True, "d"): ("abstract_overloaded_lorem_de", 1),
}
"""(abstract, overload) to the paper's experiment and the number with which its files start."""


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
    prompts: dict[tuple[str, str, str, str], tuple[str, ...]] = {}
    with data_path(SOURCE, path).open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines):
            story, source = parse_story_name(row["domain"])
            key = (story, row["cntbl_cond"], source, row["task"])
            prompts[key] = (*prompts.get(key, ()), row["prompt"])
    return prompts


def parse_story_name(domain: str) -> tuple[str, str]:
    """Return our name of a story and its overload source, from the source's name of it.

    Such names are `weath_ovl_e=econ` and `abs_all_10_overloaded_de`.
    """
    name = domain.split("_ovl_", maxsplit=1)[0].split("_overloaded_", maxsplit=1)[0]
    if name == domain:
        return STORIES[name], "none"
    return STORIES[name], "filler" if domain.endswith(("=ctl", "_overloaded_de")) else "story"
