"""Prices: whose table goes first, what models are called in it, and what a limit needs of them."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from whybench.errors import UserError
from whybench.planning import prices as prices_module
from whybench.planning.plans import plan, plan_rows
from whybench.planning.prices import Price, Prices, name_at_provider, user_price_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ("openai/gpt-4o", ("openai", "gpt-4o")),
        ("openai/azure/gpt-4o", ("azureai", "gpt-4o")),
        ("anthropic/bedrock/anthropic.claude-x", ("bedrock", "anthropic.claude-x")),
        ("google/vertex/gemini-x", ("google", "gemini-x")),
        ("openrouter/openai/gpt-4o", ("openrouter", "openai/gpt-4o")),
        ("together/meta-llama/Llama-3", ("together", "meta-llama/Llama-3")),
        ("openai-api/deepseek/deepseek-chat", ("deepseek", "deepseek-chat")),
        ("openai-api/x-ai/grok-4", ("grok", "grok-4")),
        ("litellm-proxy/anthropic/claude-x", ("anthropic", "claude-x")),
        ("openai-api/mine/model", None),
        ("nonsense", None),
    ],
)
def test_a_model_is_looked_up_at_the_provider_that_bills(
    model: str, named: tuple[str, str] | None
) -> None:
    assert name_at_provider(model) == named


def test_prices_of_common_models_are_known_with_source_and_date(home: Path) -> None:
    price = Prices.read().price("openai/gpt-4o")
    assert price is not None
    assert 0 < price.input < price.output
    assert price.cache_read is not None
    assert price.cache_read < price.input
    assert price.source.startswith("genai-prices ")
    assert "updated 20" in price.read_on
    assert Prices.read().price("openai/a-model-that-nobody-has") is None
    assert Prices.read().price("x/y") is None


def test_ones_own_prices_go_before_those_that_are_looked_up(home: Path) -> None:
    user_price_file().parent.mkdir(parents=True)
    user_price_file().write_text("models:\n  openai/gpt-4o: {input: 7, output: 8}\n")
    assert Prices.read().price("openai/gpt-4o") == Price(7.0, 8.0, "an unstated date")
    named = home / "named.yaml"
    named.write_text(
        "read_on: 2031-01-01\nmodels:\n  openai/gpt-4o: "
        "{input: 1, output: 2, cache_read: 0.1, cache_write: 1.25, call: 0.01}\n"
    )
    price = Prices.read(named).price("openai/gpt-4o")
    assert price == Price(1.0, 2.0, "2031-01-01", 0.1, 1.25, 0.01)
    assert str(price).endswith("(read on 2031-01-01)")


@pytest.mark.parametrize("text", ["", "- 1", "models: 3", "a: [", "[" * 2000])
def test_a_price_table_of_another_form_is_named(text: str, tmp_path: Path) -> None:
    (file := tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(UserError, match=r"a price table must have .*mine\.yaml"):
        Prices.read(file)


def test_litellms_table_is_read_where_it_is_installed_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "litellm"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('it would fetch its table')")
    rows = {
        "together_ai/mine": {
            "input_cost_per_token": 1e-6,
            "output_cost_per_token": 3e-6,
            "cache_read_input_token_cost": 1e-7,
            "litellm_provider": "together_ai",
        },
        "mine": {"input_cost_per_token": 9.0, "litellm_provider": "someone else"},
    }
    file = package / "model_prices_and_context_window_backup.json"
    file.write_text(json.dumps(rows))
    (tmp_path / "litellm-9.9.dist-info").mkdir()
    (tmp_path / "litellm-9.9.dist-info" / "METADATA").write_text("Name: litellm\nVersion: 9.9\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for cached in (prices_module.read_litellm, prices_module._look_up):
        cached.cache_clear()
    try:
        found = Prices().price("together/mine")
        assert found is not None
        assert (found.input, found.output, found.cache_read) == pytest.approx((1.0, 3.0, 0.1))
        assert found.source == "litellm 9.9"
        assert Prices().price("mistral/mine") is None, "another provider's price is not taken"
        assert "litellm" not in sys.modules
    finally:
        for cached in (prices_module.read_litellm, prices_module._look_up):
            cached.cache_clear()


def test_a_bill_has_reasoning_cache_and_calls() -> None:
    price = Price(2.0, 10.0, "today", cache_read=0.5, cache_write=2.5, call=0.01)
    assert price.bill(1e6, 1e6, 1e6, 1e6) == pytest.approx(2 + 10 + 0.5 + 2.5 + 0.01)
    assert Price(2.0, 10.0, "today").bill(0, 0, 1e6, 1e6) == pytest.approx(4.0)
    assert price.most(1e6, 1e6) == pytest.approx(2.5 + 10 + 0.01), "all may be written to a cache"


def test_models_on_ones_own_machine_cost_nothing_unless_told_otherwise() -> None:
    assert Prices().cost("vllm/any", [plan("judge", limit=4)]) == 0.0
    own = Prices({"vllm/any": Price(1.0, 1.0, "today")})
    assert own.cost("vllm/any", [plan("judge", limit=4)])


def test_a_limit_needs_prices_and_room_for_one_call(home: Path) -> None:
    planned = {"x/y": [plan("judge", limit=4)]}
    with pytest.raises(UserError, match=r"`models: \{x/y: \{input: 2.5, output: 10\}\}`"):
        Prices().check_max_cost(1.0, planned)
    prices = Prices({"x/y": Price(1.0, 1000.0, "today")})
    with pytest.raises(UserError, match="at least the planned"):
        prices.check_max_cost(0.001, planned)
    # The name tells nothing, so it may reason: 1,024 and 16,384 tokens, at a tenth of a cent each.
    with pytest.raises(UserError, match=r"at least \$17.41, the most that one call of judge"):
        prices.check_max_cost(10.0, planned)
    prices.check_max_cost(10.0, planned, {"max_tokens": 1000})
    prices.check_max_cost(18.0, planned)
    prices.check_max_cost(None, {"nobody/knows": []})


def test_a_price_below_nothing_is_refused(home: Path) -> None:
    wrong = home / "wrong.yaml"
    wrong.write_text("models: {x/y: {input: -1, output: 2}}")
    with pytest.raises(UserError, match="0 or more, got .* for x/y"):
        Prices.read(wrong)


def test_a_plan_is_a_range_and_a_table() -> None:
    prices = Prices({"x/o3": Price(1.0, 10.0, "today"), "x/gpt-4o": Price(1.0, 10.0, "today")})
    planned = plan("judge", limit=10)
    short, long = planned.received_range("x/gpt-4o")
    assert (short, long) == (30, 3000)
    assert planned.received_range("x/o3") == (30, 30 + 10 * 4000)
    assert planned.received_range("x/gpt-4o", {"reasoning_effort": "low"}) == (30, 30 + 10 * 4000)
    assert planned.received_range("x/o3", {"max_tokens": 500}) == (30, 5000)
    assert planned.line("x/o3", {"max_tokens": 500}).endswith("at most 500 per reply")
    assert planned.cost("x/o3", prices) == pytest.approx((planned.sent + 300) / 1e6)
    assert planned.cost_range("x/o3", prices) == pytest.approx(
        ((planned.sent + 300) / 1e6, (planned.sent + 400_300) / 1e6)
    )
    assert "30 (short replies) to 3,000 (long replies) received, at most 1,024 per reply" in (
        planned.line("x/gpt-4o")
    )
    rows = plan_rows("x/gpt-4o", [planned, planned], prices)
    assert [row["suite"] for row in rows] == ["judge", "judge", "all"]
    counts = ["items", "calls", "tokens sent", "received", "$"]
    assert list(rows[0]) == list(rows[-1]) == ["suite", *counts, "longest reply"]
    assert (rows[0]["longest reply"], rows[-1]["longest reply"]) == ("1,024", "")
    assert (rows[-1]["calls"], rows[-1]["received"]) == ("20", "60 to 6,000")
    assert plan_rows("no/body", [planned], Prices())[0]["$"] == "unknown"
