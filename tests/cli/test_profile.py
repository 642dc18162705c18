"""`whybench profile`: what it says beforehand, what it leaves behind, and what it refuses."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from click.testing import CliRunner
from tests.altered import altered
from tests.page.simulated import answers

from whybench.cli import whybench_command
from whybench.planning.asks import list_suites_for
from whybench.planning.plans import plan, plan_budget
from whybench.planning.prices import user_price_file
from whybench.results import Records
from whybench.suites.contract import BUDGETS, Budget, Costs, UserError
from whybench.suites.registry import get_suite, own_suites, profiled_suites

if TYPE_CHECKING:
    from pathlib import Path


def run(*words: str):
    return CliRunner().invoke(whybench_command, ["profile", *words])


def refused(*words: str) -> str:
    error = run(*words).exception
    assert isinstance(error, UserError), error
    return str(error)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    return tmp_path


@pytest.mark.parametrize("name", own_suites())
def test_every_budget_is_a_whole_number_of_blocks(name: str) -> None:
    asked = get_suite(name)
    sizes = {}
    for budget in BUDGETS:
        chosen = asked.budget(budget)
        design = asked.make_design(chosen.settings)
        size = getattr(design, "size", None) or int(design.summary.split()[0])
        assert size % design.block == 0
        assert chosen.blocks is None or 0 < chosen.blocks * design.block <= size
        assert chosen.epochs >= 1
        assert chosen.reason
        sizes[budget] = (chosen.blocks or size // design.block) * design.block * chosen.epochs
    assert sizes["small"] < sizes["standard"] < sizes["full"]


def test_blocks_become_a_limit_in_samples() -> None:
    half = Budget({"design": "core"}, "half of the default design", blocks=2)
    small = plan_budget(altered(get_suite("judge"), costs=Costs(budgets={"small": half})), "small")
    assert (small.limit, small.items, small.calls) == (120, 120, 120)
    whole = plan("judge")
    assert (whole.limit, whole.items) == (None, 240)


def test_a_suite_without_budgets_is_asked_its_default_design() -> None:
    judge = get_suite("judge")
    plain = altered(judge, costs=Costs())
    assert plain.budget("full") == Budget({"design": "core"}, "the default design of the suite")
    assert plan_budget(plain, "small").items == 240


def test_a_plan_says_calls_tokens_and_dollars(here: Path) -> None:
    prices = here / "mine.yaml"
    prices.write_text("read_on: 2031-02-03\nmodels: {my/model: {input: 10, output: 100}}\n")
    done = run("my/model", "other/model", "--suite", "judge", "--plan", "--prices", str(prices))
    assert done.exit_code == 0, done.output
    small = plan_budget(get_suite("judge"), "small")
    cost = (small.sent * 10 + small.received * 100) / 1e6
    assert "my/model  budget small" in done.output
    assert re.search(rf"^judge +240 +240 +{small.sent:,} ", done.output, re.MULTILINE)
    assert f"my/model costs about ${cost:.2f} (short replies) to $" in done.output
    assert "at $10 and $100 per million" in done.output
    assert "read on 2031-02-03" in done.output
    assert f"other/model: price unknown; add it to {user_price_file()}" in done.output
    assert not (here / "profiles").exists()


def test_minds_that_are_asked_the_same_share_a_table(here: Path) -> None:
    done = run("reference/careful", "reference/hasty", "--suite", "judge", "--plan")
    assert done.exit_code == 0, done.output
    assert "reference/careful, reference/hasty  budget small" in done.output
    (row,) = (line for line in done.output.splitlines() if line.startswith("judge  "))
    assert row.split()[-2:] == ["0.00", "1,024"]


@pytest.mark.slow
def test_a_profile_leaves_logs_records_and_a_page_and_is_resumed(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("reference/intervene.controlled", "-o", "mine")
    first = run(*words, "--json")
    assert first.exit_code == 0, first.output
    (row,) = map(json.loads, first.stdout.splitlines())
    assert (row["suite"], row["measure"]) == ("intervene", "justified_accuracy")
    assert row["estimate"] == 1.0
    assert (row["scored"], row["no_answer"], row["error"]) == (48, 0, 0)
    folder = here / "mine"
    assert [file.name for file in folder.glob("records/*")] == ["intervene.parquet"]
    assert "<html" in (folder / "page.html").read_text(encoding="utf-8")
    logs = sorted(folder.rglob("*.eval"))
    assert len(logs) == 1

    monkeypatch.setattr("whybench.page.report", lambda *_, **__: 0)
    again = run(*words)
    assert again.exit_code == 0, again.output
    assert sorted(folder.rglob("*.eval")) == logs, "a finished profile asks nothing"
    assert "1.00 [0.9" in again.stdout
    assert "Report: mine/page.html" in again.stdout

    other = refused("reference/intervene.controlled", "-o", "mine", "--budget", "standard")
    assert other.startswith("-o must hold runs of the same request, got mine/logs/")


def test_headlines_of_two_agents_are_told_apart() -> None:
    both = pa.concat_tables([answers("intervene", 0), answers("intervene", 1)])
    found = Records({"intervene": both}).measures().headlines
    assert [(measure.labels["agent"], measure.name) for measure in found] == [
        ("random-then-guess", "justified_accuracy"),
        ("single-cause", "justified_accuracy"),
    ]
    assert {measure.labels["suite"] for measure in found} == {"intervene"}


def test_a_reference_agent_is_asked_its_own_suite() -> None:
    assert list_suites_for("reference/judge.noisy-or") == ("judge",)
    assert list_suites_for("openai/x") == profiled_suites("small")
    assert list_suites_for("openai/x", budget="full") == own_suites()
    assert list_suites_for("reference/compose.exact") == ("compose",)
    assert list_suites_for("openai/x", ("judge", "compose")) == ("judge", "compose")
    done = run("reference/judge.noisy-or", "--plan")
    assert "is a reference agent of judge; it is asked only that suite" in done.output
    assert "is free of charge" in done.output
    with pytest.raises(UserError, match="must be asked its own suite, judge, got compose"):
        list_suites_for("reference/judge.noisy-or", ("compose",))


def test_a_first_user_is_told_what_to_do(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    no_key = refused("openai/gpt-4o", "--suite", "judge")
    assert "OPENAI_API_KEY" in no_key
    assert "set its provider's key, such as `export OPENAI_API_KEY" in no_key
    assert "[" not in no_key, "no markup of another program"
    unknown = refused("nowhere/model", "--suite", "judge")
    assert unknown.startswith("a model must be one that Inspect can call, got nowhere/model")
    assert "name a model as PROVIDER/NAME, such as openai/gpt-4o" in unknown
    assert "it has noisy-or, " in refused("reference/judge.nobody")
    assert refused("x/y", "--budget", "tiny") == (
        "budget must be one of small, standard, full, got 'tiny'"
    )
    assert "there is no suite 'juge'" in refused("x/y", "--suite", "juge")
    assert not (here / "profiles").exists(), "nothing is left by a request that cannot be met"


@pytest.mark.parametrize("more", [("--plan",), ("--plan", "--max-cost", "5"), ("--max-cost", "5")])
def test_the_first_paid_commands_want_nothing_but_a_key(
    here: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = run("openai/gpt-4o", *more)
    assert "openai/gpt-4o costs about $" in done.output
    if "--plan" in more:
        assert done.exit_code == 0, done.output
    else:
        assert isinstance(done.exception, UserError)
        assert "OPENAI_API_KEY" in str(done.exception)
        assert "max-cost" not in str(done.exception)


def test_a_missing_extra_is_named_before_the_first_call(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from whybench.suites.intervene.entailment import import_solver

    getattr(import_solver, "cache_clear", lambda: None)()
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    message = refused("reference/intervene.single-cause")
    assert "pip install 'whybench[intervene]'" in message
    assert message.endswith("to test other suites, name them by --suite")
    assert not (here / "profiles").exists()


def test_costs_above_the_limit_are_refused(here: Path) -> None:
    prices = here / "mine.yaml"
    prices.write_text("models: {my/model: {input: 1000, output: 1}}\n")
    words = ("--suite", "judge", "--prices", str(prices))
    assert refused("my/model", *words, "--max-cost", "1").startswith(
        "--max-cost must be at least the planned $"
    )
    assert "got none for x/y" in refused("x/y", *words, "--max-cost", "1")
    assert run("my/model", *words, "--max-cost", "100", "--plan").exit_code == 0
    assert "`models: {x/y: {input: 2.5, output: 10}}`" in refused("x/y", "--max-cost", "1")
    prices.write_text("models: [cheap]\n")
    assert "a price table must have `read_on: DATE` and `models:" in refused("my/model", *words)
    assert "must be a file that can be read" in refused("my/model", "--prices", "none.yaml")
