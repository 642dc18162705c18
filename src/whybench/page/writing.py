"""From answers to a page in a file.

The page: everything of a set of runs in one HTML file that needs nothing else.

`make_page` puts together what the other modules of this room find. Each part is made behind a
fence: where one fails, a note stands in its place. All words from outside (replies, agents' names,
stories) go through the template's escaping or stand in JSON that cannot end its element, and the
page's own policy lets no script run but the one whose hash it names. The same material gives the
same bytes: there is no clock in it unless a date is given.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from whybench.drawing.figure import show_controls
from whybench.drawing.theme import theme
from whybench.drawing.vega import bundle
from whybench.errors import Fence, UserError, atomic_write
from whybench.numerals import number_text
from whybench.page.browsing import browser
from whybench.page.card_charts import FEW
from whybench.page.cautions import cautions
from whybench.page.comparisons import LevelComparisons, compare_agents, compare_levels, format_p
from whybench.page.conditions import commands, conditions, not_measured
from whybench.page.downloads import as_json, downloads, in_blocks, packed
from whybench.page.drawings import drawings
from whybench.page.methods import designs, flag_words, outcome_words, versions
from whybench.page.panels import panels, standing_out
from whybench.page.people import people
from whybench.page.sections import suite_sections
from whybench.page.svg import Styles
from whybench.results.comparison_words import difference_text
from whybench.results.records import Records
from whybench.results.sources import load
from whybench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from whybench.page.drawings import Drawing
    from whybench.page.material import Material
    from whybench.records.runs import Run
    from whybench.results.experiments import Statement

ENDINGS = (".html", ".htm")


def report(
    records: Records | str | Path,
    output: str | Path,
    *,
    title: str = "Causal reasoning",
    date: str = "",
    seed: int = 0,
    against: str = "",
    statement: Statement | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Write one page about answers: profiles, comparisons, figures, answers, measures, data.

    The page is one HTML file that needs nothing else: it opens from disk and can be mailed. What
    cannot be drawn or measured is a note on it. If it cannot be written, the page that was there
    stays.

    Args:
        records: The answers, or where they are.
        output: The page, a file ending in .html.
        title: Its heading.
        date: A date to show; without it there is none.
        seed: Decides which answers are shown, if not all.
        against: Compare every agent with this one; by default every two, or with the first if many.
        statement: Of an experiment, what was stated beforehand.
        say: Hears what is being done, a line at a time.

    Returns:
        The file.
    """
    from whybench.page.material import Material  # noqa: PLC0415
    from whybench.records.runs import read_runs  # noqa: PLC0415  (imports Inspect)

    target = check_target(output)
    answers = records if isinstance(records, Records) else load(records)
    if against and against not in answers.agents:
        known = ", ".join(sorted(answers.agents))
        raise UserError(f"`against` must be one of the agents ({known}), got {against!r}")
    fence = Fence()
    runs: list[Run] = []
    with fence.around("the runs, from the logs"):
        runs += read_runs(answers.logs) if answers.logs else ()
    material = Material(
        tables=list(answers.tables.items()),
        beside=frozenset(answers.baseline_agents),
        runs=runs,
        logs=answers.logs,
        statement=statement,
        looks=answers.looks,
    )
    page = make_page(
        material, title=title, dated=date, seed=seed, against=against, say=say, fence=fence
    )
    with atomic_write(target) as part:
        part.write_text(page, encoding="utf-8")
    return target


def check_target(output: str | Path) -> Path:
    """Make sure, before the work, that its result can be kept, and return where."""
    target = Path(output)
    if target.suffix not in ENDINGS:
        raise UserError(f"`output` must be a file ending in .html, got {output}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=target.parent):
            pass
        if target.is_dir():
            raise IsADirectoryError("it is a folder")
    except OSError as error:
        reason = error.strerror or error
        raise UserError(
            f"`output` must be where the page can be written, got {target}: {reason}; choose "
            "another"
        ) from None
    return target


SECTIONS = (
    ("profile", "At a glance"),
    ("suites", "Suites"),
    ("answers", "Answers"),
    ("people", "Comparison with people"),
    ("comparison", "Comparison"),
    ("all-measures", "All measures"),
    ("methods", "Data and methods"),
)
"""The sections of the page, in order: id and heading."""

ROOM = 4_400_000
"""The most characters of figures, measures, data and answers together."""
LEAST_ANSWERS, MOST_ANSWERS = 300_000, 1_900_000
"""The least and the most characters of answers."""


def make_page(
    material: Material,
    *,
    title: str = "Causal reasoning",
    dated: str = "",
    seed: int = 0,
    against: str = "",
    say: Callable[[str], None] = lambda _: None,
    fence: Fence | None = None,
) -> str:
    """Return the page.

    Args:
        material: What it is made of.
        title: Its heading.
        dated: A date to show; none is shown if this is empty.
        seed: Decides which answers the item browser shows where it cannot show all.
        against: The agent with whom the others are compared; see `compare_agents`.
        say: Hears what is being done, a line at a time.
        fence: Has notes on what could not be read, and takes those on what cannot be shown.
    """
    fence = fence or Fence()
    say("measuring")
    unmeasured = Fence()
    measured = material.measured(unmeasured)
    fence.failures += unmeasured.failures
    agents, beside = material.agents(), material.agents_beside()
    found = conditions(measured, material.beside)
    say("comparing agents")
    compared = compare_agents(material, against)
    among = people(material)
    levels = LevelComparisons({})
    with fence.around("differences between conditions"):
        levels = compare_levels(material)
    missing = not_measured(material, agents)
    made = panels(material, found, among.among, commands(material, agents), fence)
    wanted = {
        finding.answer
        for shown in made.values()
        for panel in shown
        for reading in panel.readings
        for finding in reading.sentences
        if finding.answer is not None
    }
    styles = Styles()
    figures, figures_notes = drawings(material, styles, say)
    heavy = {
        "measures_data": packed(as_json(in_blocks(one.row() for one in measured))),
        "tables_data": packed(_tables(figures)),
        "charts_data": packed(_charts(figures)),
        "drawing_data": _drawing(figures),
        "downloads": list(downloads(material)),
        "figures": figures,
    }
    say("reading conversations")
    shown = browser(material, seed, _room(heavy), fence, wanted)
    say("writing")
    script = _part("page.js")
    scripts = [script, *([bundle()] if heavy["drawing_data"] else ())]
    return _template("page.html").render(
        **heavy,
        title=title,
        dated=dated,
        seed=seed,
        version=__version__,
        style=Markup(_part("page.css") + styles.sheet()),  # ours and matplotlib's
        script=Markup(script),  # our own
        script_hashes=[_hash(one) for one in scripts],
        sections=[one for one in SECTIONS if one[0] != "people" or among.blocks or among.notes],
        agents=agents,
        few=len(agents) <= FEW,
        totals=_totals(material),
        cautions=cautions(material, measured, fence.notes),
        panels=made,
        standing_out=standing_out(made, compared.primary),
        missing=missing,
        suites=suite_sections(found, agents, beside, figures),
        agent_comparisons=compared,
        level_comparisons=levels,
        stated=material.statement is not None,
        people=among,
        figures_notes=figures_notes,
        shown=shown,
        outcomes=outcome_words(),
        logs=material.folders(),
        measures_count=len(measured),
        measures_notes=unmeasured.notes,
        designs=designs(material),
        runs=[_without_hashes(run.row()) for run in material.runs],
        versions=versions(material),
        profiles_beside=beside,
    )


def _hash(script: str) -> str:
    """Return what the page's policy calls a script that may run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _without_hashes(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without what is for machines."""
    return {name: value for name, value in row.items() if not name.endswith("_hash")}


def _totals(material: Material) -> dict[str, Any]:
    """Return how much was asked: suites, answers, and the share of replies without one."""
    counts: Counter[str] = Counter()
    suites = set()
    for (agent, suite), told in material.outcomes().items():
        if agent not in material.beside:
            counts += told
            suites.add(suite)
    total = counts.total()
    return {
        "suites": len(suites),
        "answers": total,
        "unanswered": (total - counts["scored"]) / total if total else 0.0,
    }


def _room(heavy: dict[str, Any]) -> int:
    """Return how many characters are left for the answers beside what else is heavy."""
    taken = (
        sum(len(heavy[name]) for name in heavy if name.endswith("_data"))
        + sum(len(download.data) for download in heavy["downloads"])
        + sum(len(figure.svg) for figure in heavy["figures"])
    )
    return min(max(ROOM - taken, LEAST_ANSWERS), MOST_ANSWERS)


def _tables(figures: list[Drawing]) -> str:
    behind = {
        figure.key: {"columns": figure.columns, "rows": figure.rows}
        for figure in figures
        if figure.rows
    }
    return json.dumps(behind, ensure_ascii=False, separators=(",", ":"))


def _charts(figures: list[Drawing]) -> str:
    """Return the charts by their keys, and the themes of a light and of a dark page."""
    specs = {figure.key: figure.spec for figure in figures if figure.spec is not None}
    themes = {"light": theme(), "dark": theme(dark=True)} if specs else {}
    return json.dumps({"specs": specs, "themes": themes}, ensure_ascii=False, separators=(",", ":"))


def _drawing(figures: list[Drawing]) -> str:
    """Return the script that draws charts, packed; nothing if there is no chart."""
    return packed(bundle()) if any(figure.spec is not None for figure in figures) else ""


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _finalize(value: object) -> object:
    """Return words from outside with what cannot be seen in them spelled out."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return show_controls(value)
    return value


def _may_break(name: str) -> Markup:
    """Return a name that a narrow column breaks after a slash, rather than within a word."""
    return Markup("/<wbr>").join(map(show_controls, name.split("/")))


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("whybench.page"),
        autoescape=True,
        finalize=_finalize,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "may_break": _may_break,
        "number": number_text,
        "difference": difference_text,
        "p_value": format_p,
        "flag_words": flag_words,
    }
    return environment


def _template(name: str) -> jinja2.Template:
    return _environment().get_template(name)
