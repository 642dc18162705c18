"""What models cost: from a maintained table, or from tables of the user's own.

Prices are looked up in this order:

1. a YAML file that is named (`prices`), then the user's own `~/.config/whybench/prices.yaml`;
2. the package `genai-prices`, whose table is kept up to date by its makers: a newer version of it
   has newer prices;
3. the table of `litellm`, where that is installed.

A table of one's own has a date and, for each model as Inspect names it, US dollars per million
tokens sent (`input`) and received (`output`), and where they differ those of tokens that are read
from a cache or written to it (`cache_read`, `cache_write`). Reasoning is billed as tokens received.
Where a price depends on the length of the prompt, it is that of short prompts. Reference agents,
people and models on one's own machine are asked without a bill.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click
import yaml

from whybench.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from whybench.suites.registry import AnySuite

NO_SERVER = ("reference/", "person/", "mockllm/")
"""Providers that call nobody."""

FREE = (
    "reference/",
    "person/",
    "mockllm/",
    "none/",
    "hf/",
    "llama-cpp-python/",
    "nnterp/",
    "ollama/",
    "sglang/",
    "transformer_lens/",
    "vllm/",
    "vllm-completions/",
)
"""Who sends no bill: our own agents, people, and models on one's own machine."""

MILLION = 1_000_000

PROVIDERS = {
    "azureai": ("azure", "azure_ai"),
    "bedrock": ("aws", "bedrock"),
    "cerebras": ("cerebras", "cerebras"),
    "cloudflare": ("cloudflare", "cloudflare"),
    "fireworks": ("fireworks", "fireworks_ai"),
    "google": ("google", "gemini"),
    "grok": ("x-ai", "xai"),
    "meta": ("meta", "meta_llama"),
    "moonshot": ("moonshotai", "moonshot"),
    "perplexity": ("perplexity", "perplexity"),
    "together": ("together", "together_ai"),
    **{
        name: (name, name)
        for name in ("anthropic", "deepseek", "groq", "mistral", "novita", "openai", "openrouter")
    },
}
"""Provider as Inspect names it to its name in genai-prices and in litellm's table."""

HOSTS = {"azure": "azureai", "bedrock": "bedrock", "vertex": "google"}
"""What may stand before a model's name, as in openai/azure/gpt-4o, to the provider that bills."""

FORM = "`models: {NAME: {input: DOLLARS, output: DOLLARS}}`"


@dataclass(frozen=True)
class Price:
    """What a model costs: US dollars per million tokens, and when that was so.

    Attributes:
        input: For tokens sent.
        output: For tokens received, reasoning among them.
        read_on: When the price was so, in words.
        cache_read: For tokens sent that the provider had in its cache; None for as `input`.
        cache_write: For tokens sent that it put there; None for as `input`.
        call: Dollars for each call, whatever its length.
        source: Whose table it is from.
    """

    input: float
    output: float
    read_on: str
    cache_read: float | None = None
    cache_write: float | None = None
    call: float = 0.0
    source: str = ""

    def bill(
        self,
        sent: float,
        received: float,
        cache_read: float = 0,
        cache_write: float = 0,
        calls: int = 1,
    ) -> float:
        """Return the dollars for tokens; those of the cache are not among those sent."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        tokens = sent * self.input + received * self.output
        return (tokens + cache_read * read + cache_write * write) / MILLION + calls * self.call

    def most(self, sent: float, received: float) -> float:
        """Return the most that a call of so many tokens may cost, cached or not."""
        dearest = max(self.input, self.cache_write or 0.0)
        return (sent * dearest + received * self.output) / MILLION + self.call

    def __str__(self) -> str:
        where = f"{self.source}, {self.read_on}" if self.source else f"read on {self.read_on}"
        return (
            f"${self.input:g} and ${self.output:g} per million tokens sent and received ({where})"
        )


class Planned(Protocol):
    """The counts of a plan on which its price depends."""

    @property
    def suite(self) -> AnySuite:
        """The suite."""

    @property
    def calls(self) -> int:
        """The number of calls."""

    @property
    def sent(self) -> int:
        """Tokens sent."""

    def received_range(
        self, model: str, config: Mapping[str, Any] | None = None
    ) -> tuple[int, int]:
        """Return the tokens received with short and with long replies."""

    def reply_cap(self, model: str, config: Mapping[str, Any] | None = None) -> int:
        """Return the longest reply, in tokens."""


@dataclass(frozen=True)
class Prices:
    """The prices of models, by the name that Inspect has for them.

    Attributes:
        models: Prices of the user's own, which go before those that are looked up.
    """

    models: Mapping[str, Price] = field(default_factory=dict)

    @classmethod
    def read(cls, prices: str | Path | None = None) -> Prices:
        """Read the user's own table and a named one, which goes before; others are looked up."""
        models = _read(user_price_file()) if user_price_file().is_file() else {}
        return cls(models | (_read(Path(prices)) if prices else {}))

    def price(self, model: str) -> Price | None:
        """Return the price of a model; None where nobody knows it."""
        if model in self.models:
            return self.models[model]
        return Price(0.0, 0.0, "always") if model.startswith(FREE) else _look_up(model)

    def check_known(self, *models: str) -> None:
        """Raise an error that says how to give the prices of models that nobody knows."""
        if unknown := [model for model in models if self.price(model) is None]:
            raise UserError(
                f"`max_cost` requires known prices, got none for {', '.join(unknown)}; "
                f"name a file by `prices` (or write {user_price_file()}) with dollars per million "
                f"tokens, such as `models: {{{unknown[0]}: {{input: 2.5, output: 10}}}}`"
            )

    def cost(self, model: str, plans: Iterable[Planned]) -> float | None:
        """Return what plans cost with short replies; None where the price is not known."""
        span = self.cost_range(model, plans)
        return span and span[0]

    def cost_range(
        self, model: str, plans: Iterable[Planned], config: Mapping[str, Any] | None = None
    ) -> tuple[float, float] | None:
        """Return what plans cost with short and with long replies; None where nobody knows.

        Args:
            model: The model.
            plans: What it is asked.
            config: How it is asked, as settings of Inspect's.
        """
        if (price := self.price(model)) is None:
            return None
        spans = [(plan, plan.received_range(model, config)) for plan in plans]
        short = sum(price.bill(plan.sent, least, calls=plan.calls) for plan, (least, _) in spans)
        long = sum(price.bill(plan.sent, most, calls=plan.calls) for plan, (_, most) in spans)
        return short, long

    def explain(
        self, model: str, plans: Iterable[Planned], config: Mapping[str, Any] | None = None
    ) -> str:
        """Say what plans cost with a model, or where its price may be written."""
        price, planned = self.price(model), list(plans)
        if price is None:
            return (
                f"{model}: price unknown; add it to {user_price_file()}, or to a file given by "
                f"`prices`, as {FORM.replace('NAME', model)} per million tokens"
            )
        short, long = self.cost_range(model, planned, config) or (0.0, 0.0)
        if not price.most(1, 1):
            return f"{model} is free of charge"
        return (
            f"{model} costs about ${short:.2f} (short replies) to ${long:.2f} (long replies), "
            f"at {price}"
        )

    def check_max_cost(
        self,
        limit: float | None,
        plans: Mapping[str, Iterable[Planned]],
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """Raise an error if a limit cannot be held, or is too low for what is planned.

        Args:
            limit: US dollars; None for no limit.
            plans: The plans of each model.
            config: How the models are asked, as settings of Inspect's.
        """
        if limit is None:
            return
        self.check_known(*plans)
        planned = {model: list(each) for model, each in plans.items()}
        total = sum(self.cost(model, each) or 0.0 for model, each in planned.items())
        if total > limit:
            raise UserError(
                f"`max_cost` must be at least the planned ${total:.2f}, got {limit:g}; take a "
                "smaller `budget`, fewer models or fewer suites"
            )
        for model, each in planned.items():
            price = self.price(model)
            for plan in each:
                longest = plan.reply_cap(model, config)
                most = price.most(plan.sent / max(plan.calls, 1), longest) if price else 0.0
                if most > limit:
                    raise UserError(
                        f"`max_cost` must be at least ${most:.2f}, the most that one call of "
                        f"{plan.suite.name} to {model} may cost with a reply of up to {longest:,} "
                        f"tokens, got {limit:g}; raise it, or give a lower `max_tokens`"
                    )


def user_price_file() -> Path:
    """Return where the user's own table is looked for."""
    return Path(click.get_app_dir("whybench")) / "prices.yaml"


def name_at_provider(model: str) -> tuple[str, str] | None:
    """Return the provider that sends the bill for a model, and its name there; None if unknown.

    >>> name_at_provider("openai/azure/gpt-4o")
    ('azureai', 'gpt-4o')
    >>> name_at_provider("openai-api/deepseek/deepseek-chat")
    ('deepseek', 'deepseek-chat')
    """
    provider, _, name = model.partition("/")
    if provider in {"litellm-proxy", "openai-api", "openai-api-completions"}:
        provider, _, name = name.partition("/")
    host, mark, rest = name.partition("/")
    if mark and host in HOSTS:
        provider, name = HOSTS[host], rest
    provider = {names[0]: ours for ours, names in PROVIDERS.items()}.get(provider, provider)
    return (provider, name) if provider in PROVIDERS and name else None


def _read(path: Path) -> dict[str, Price]:
    try:
        table: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        read_on = str(table.get("read_on", "an unstated date"))
        found = {
            str(name): Price(
                float(price["input"]),
                float(price["output"]),
                read_on,
                float(price["cache_read"]) if "cache_read" in price else None,
                float(price["cache_write"]) if "cache_write" in price else None,
                float(price.get("call", 0.0)),
            )
            for name, price in table["models"].items()
        }
    except OSError as error:
        raise UserError(f"`prices` must be a file that can be read, got {path}: {error}") from None
    except (
        *(yaml.YAMLError, RecursionError),
        *(AttributeError, KeyError, TypeError, ValueError),
    ):
        raise UserError(
            f"a price table must have `read_on: DATE` and {FORM}, got something else in {path}"
        ) from None
    for name, price in found.items():
        numbers = (price.input, price.output, price.cache_read, price.cache_write, price.call)
        if any(number is not None and not 0 <= number < MILLION for number in numbers):
            raise UserError(
                f"a price must be in dollars per million tokens, 0 or more, got {price} for {name} "
                f"in {path}"
            )
    return found


@cache
def _look_up(model: str) -> Price | None:
    """Return the price of a model from the tables of others; None if it is in none of them."""
    named = name_at_provider(model)
    return (_from_genai_prices(*named) or _from_litellm(*named)) if named else None


def _from_genai_prices(provider: str, name: str) -> Price | None:
    from genai_prices import Usage, calc_price  # noqa: PLC0415  (its table takes half a second)

    try:
        found = calc_price(
            Usage(input_tokens=0, output_tokens=0), name, provider_id=PROVIDERS[provider][0]
        ).model_price
    except (LookupError, ValueError):
        return None
    sent, received = _dollars(found.input_mtok), _dollars(found.output_mtok)
    if sent is None or received is None:
        return None
    return Price(
        sent,
        received,
        f"updated {_newest_change()}",
        _dollars(found.cache_read_mtok),
        _dollars(found.cache_write_mtok),
        (_dollars(found.requests_kcount) or 0.0) / 1000,
        source=f"genai-prices {metadata.version('genai-prices')}",
    )


def _dollars(value: Any) -> float | None:
    """Return a price of genai-prices as a number: that of short prompts, where there are tiers."""
    return None if value is None else float(getattr(value, "base", value))


@cache
def _newest_change() -> str:
    """Return the day of the newest change of a price that genai-prices holds, up to today."""
    from datetime import UTC, datetime  # noqa: PLC0415

    from genai_prices.data import providers  # noqa: PLC0415

    today = datetime.now(UTC).date()
    days = [
        start
        for provider in providers
        for model in provider.models
        if isinstance(model.prices, list)
        for price in model.prices
        if (start := getattr(price.constraint, "start_date", None)) and start <= today
    ]
    return max(days).isoformat() if days else "an unstated date"


def _from_litellm(provider: str, name: str) -> Price | None:
    table, version = read_litellm()
    prefix = PROVIDERS[provider][1]
    found = table.get(f"{prefix}/{name}") or table.get(name) or {}
    if found.get("litellm_provider", prefix).partition("_converse")[0] not in {prefix, provider}:
        return None
    try:
        sent, received = found["input_cost_per_token"], found["output_cost_per_token"]
    except KeyError:
        return None

    def a_million(key: str) -> float | None:
        return float(found[key]) * MILLION if found.get(key) is not None else None

    return Price(
        float(sent) * MILLION,
        float(received) * MILLION,
        "the date of its release",
        a_million("cache_read_input_token_cost"),
        a_million("cache_creation_input_token_cost"),
        source=f"litellm {version}",
    )


@cache
def read_litellm() -> tuple[dict[str, dict[str, Any]], str]:
    """Return litellm's table and version, without importing it; nothing if it is not installed.

    To import it takes seconds, and it would fetch its table again.
    """
    found = util.find_spec("litellm")
    if found is None or not found.origin:
        return {}, ""
    path = Path(found.origin).with_name("model_prices_and_context_window_backup.json")
    try:
        return json.loads(path.read_text(encoding="utf-8")), metadata.version("litellm")
    except (OSError, ValueError, metadata.PackageNotFoundError):
        return {}, ""
