"""Caps: who reasons, and how long a reply may become."""

from __future__ import annotations

import pytest
from tests.altered import altered

from whybench.planning.caps import LONGEST_REPLY, REASONING, default_reply_cap, is_reasoning
from whybench.suites.contract import Costs
from whybench.suites.registry import get_suite, suite_names

REASON = """openai/o1 openai/o3-mini openai/o4-mini openai/gpt-5 openai/gpt-5-mini
    anthropic/claude-sonnet-4-5-20250929 anthropic/claude-opus-4-1
    anthropic/claude-3-7-sonnet-latest
    google/gemini-2.5-flash google/gemini-3-pro grok/grok-4 grok/grok-3-mini
    openrouter/deepseek/deepseek-r1 deepseek/deepseek-reasoner ollama/qwen3:8b
    together/Qwen/QwQ-32B mistral/magistral-medium vllm/microsoft/Phi-4-reasoning
    moonshot/kimi-k2-thinking openai-api/mine/a-name-that-tells-nothing
    vllm/philosophy-7b vllm/optimist hf/meta-llama/Llama-9 vllm/google/gemma-9-it"""

DO_NOT = """openai/gpt-4o openai/gpt-4.1-mini openai/gpt-3.5-turbo openai/azure/gpt-4o
    anthropic/claude-3-5-sonnet-latest google/gemini-2.0-flash grok/grok-3
    together/meta-llama/Llama-3.3-70B-Instruct-Turbo hf/HuggingFaceTB/SmolLM2-135M-Instruct
    ollama/qwen2.5:7b mistral/mistral-large-latest ollama/gemma3 deepseek/deepseek-chat
    bedrock/amazon.nova-pro-v1:0 together/moonshotai/Kimi-K2-Instruct ollama/gemma:2b
    ollama/llama3.2 vllm/facebook/opt-125m reference/judge.noisy-or"""


@pytest.mark.parametrize("model", REASON.split())
def test_models_that_reason(model: str) -> None:
    assert is_reasoning(model)


@pytest.mark.parametrize("model", DO_NOT.split())
def test_models_that_answer_at_once_unless_they_are_told_to_reason(model: str) -> None:
    assert not is_reasoning(model)
    assert is_reasoning(model, {"reasoning_effort": "high"})
    assert is_reasoning(model, {"reasoning_tokens": 2048})
    assert not is_reasoning(model, {"reasoning_effort": "none"})


@pytest.mark.parametrize("name", suite_names())
def test_a_cap_leaves_room_for_a_valid_reply(name: str) -> None:
    suite = get_suite(name)
    design = suite.make_design(suite.budget("small").settings)
    plain = default_reply_cap(suite, design, "openai/gpt-4o")
    assert 1024 <= plain <= 8192
    assert default_reply_cap(suite, design, "openai/o3") == plain + REASONING <= LONGEST_REPLY
    told = {"reasoning_tokens": 30_000}
    assert default_reply_cap(suite, design, "openai/gpt-4o", told) == plain + 30_000


def test_the_longest_style_decides_and_a_suite_may_say_otherwise() -> None:
    judge = get_suite("judge")
    direct = judge.make_design({"design": "core"})
    both = judge.make_design({"design": "core", "style": ["direct", "cot"]})
    assert default_reply_cap(judge, direct, "openai/gpt-4o") == 1024
    assert default_reply_cap(judge, both, "openai/gpt-4o") == 16 * 300
    terse = altered(judge, costs=Costs(reply_cap=lambda _: 64))
    assert default_reply_cap(terse, direct, "openai/gpt-4o") == 64
