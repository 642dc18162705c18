"""How long a reply may become: enough for a valid one, and an end to one that goes on and on.

A small model that is asked for a number may write thousands of tokens, and every one of them is
waited for and billed. So where no `max_tokens` is given there is a cap by the style of a question:
sixteen times what a suite expects of a reply, from 1,024 to 8,192 tokens. A model that reasons
before it answers gets 16,384 tokens more, since its reasoning counts as part of the reply.

Whether a model reasons is told by its settings, or by its name. A name that tells nothing is given
the allowance: to cut a valid reply is worse than to wait for a long one.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from whybench.planning.prices import name_at_provider, read_litellm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

Config: TypeAlias = "Mapping[str, Any] | None"
"""How a model is asked, as settings of Inspect's; None for as it comes."""

REASONING = 16_384
"""Tokens beyond the cap that a model which reasons may receive."""

TIMES, LEAST, MOST = 16, 1_024, 8_192
LONGEST_REPLY = MOST + REASONING
"""Tokens of the longest reply that any default allows."""

LOOKED_AT = 5_000
"""The number of items, from the start of a design, whose caps are looked at."""

REASONS = re.compile(
    r"""
    (?:^|[/.:_-])(?:o[134](?:$|[-:@])|gpt-5|gpt-oss|codex|qwq|magistral|
        gemini-(?:2\.5|[3-9])|grok-(?:3-mini|4|[5-9])|claude-(?:[a-z]+-)?(?:3-7|[4-9])|
        qwen-?3|deepseek-(?:r\d|reasoner|v3\.[1-9]|v[4-9])|glm-(?:4\.[5-9]|[5-9])|minimax-m|
        kimi-k(?:2-thinking|2\.|[3-9])|nemotron|olmo-?3|smollm-?3|lfm.*thinking)
    |think|reason|-r1
    """,
    re.VERBOSE,
)
"""Names of models that reason, or may be set to."""

DOES_NOT = re.compile(
    r"""
    (?:^|[/.:_-])(?:gpt-?(?:2|3\.5|4)|claude-(?:2|3|instant)|gemini-(?:1|2\.0|pro)|
        gemma(?:-?[123]|:|$)|llama-?[1-4]|tinyllama|smollm-?[12]|mi[sx]tral-|ministral|codestral|
        pixtral|phi-?[1-4]|qwen-?[12]|grok-[23]|command-|deepseek-(?:chat|v2|v3$|coder)|falcon-|
        olmo-?[12]|pythia-|bloomz?-|opt-\d|stablelm|granite-[123]|jamba-|titan-|
        nova-(?:micro|lite|pro|premier)|kimi-k2-instruct|moonshot-v1)
    """,
    re.VERBOSE,
)
"""Names of models that answer at once."""


def is_reasoning(model: str, config: Config = None) -> bool:
    """Say whether a model reasons before it answers, or may.

    Args:
        model: Its name for Inspect.
        config: How it is asked; `reasoning_effort` and `reasoning_tokens` are looked at.

    >>> is_reasoning("openai/gpt-4o"), is_reasoning("openai/o3-mini")
    (False, True)
    """
    asked = config or {}
    effort = asked.get("reasoning_effort") or asked.get("effort")
    if effort and effort != "none":
        return True
    if asked.get("reasoning_tokens"):
        return True
    name = model.lower()
    if REASONS.search(name):
        return effort != "none"
    if DOES_NOT.search(name) or name.startswith(("reference/", "person/")):
        return False
    known = read_litellm()[0]
    named = name_at_provider(model)
    found = known.get(named[1], {}) if named else {}
    return bool(found.get("supports_reasoning", True))


def reply_cap(suite: AnySuite, factors: Mapping[str, Any]) -> int:
    """Return the longest reply to an item, in tokens, of a model that does not reason."""
    if suite.costs.reply_cap is not None:
        return int(suite.costs.reply_cap(factors))
    return min(max(TIMES * suite.costs.reply_tokens(factors), LEAST), MOST)


def default_reply_cap(suite: AnySuite, design: Design, model: str, config: Config = None) -> int:
    """Return the longest reply of a run where no `max_tokens` is given, in tokens.

    Args:
        suite: The suite.
        design: Its design; the style that needs most decides.
        model: The model.
        config: How it is asked, as in `is_reasoning`.
    """
    items = islice(suite.items(design), min(design.block, LOOKED_AT))
    cap = max((reply_cap(suite, item.factors) for item in items), default=LEAST)
    return extend_cap(cap, model, config)


def extend_cap(cap: int, model: str, config: Config = None) -> int:
    """Return a cap with the allowance for reasoning, if the model reasons."""
    allowance = max(REASONING, int((config or {}).get("reasoning_tokens") or 0))
    return cap + (allowance if is_reasoning(model, config) else 0)
