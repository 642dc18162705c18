"""Pictures of the documentation, made from the code: `python -m docs.pictures [--check] [NAME…]`.

A picture has a name, which is its file in `docs/pictures/`, and a function that returns its bytes;
made again, they are the same. `--check` writes nothing, and says which pictures are stale.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shlex
import sys
import tempfile
from copy import deepcopy
from functools import cache, partial
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docs.imports import draw_architecture
from evidence.browser import chromium, opened
from evidence.terminal import run_at_terminal
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from whybench.drawing.vega import draw_on_page
from whybench.page.material import Material
from whybench.page.writing import make_page
from whybench.records.table import record_table
from whybench.suites.calibration import simulate_rows
from whybench.suites.registry import get_suite, profiled_suites

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa
    from evidence.browser import Scheme

    from whybench.drawing.figure import Figure

FOLDER = Path(__file__).parent / "pictures"

COLUMNS = 80

LIGHT = TerminalTheme(
    (255, 255, 255),
    (36, 41, 47),
    [
        *((36, 41, 47), (180, 35, 45), (26, 120, 60), (145, 95, 0)),
        *((25, 90, 180), (125, 60, 160), (20, 115, 130), (90, 98, 106)),
    ],
)
DARK = TerminalTheme(
    (22, 27, 34),
    (215, 220, 226),
    [
        *((139, 148, 158), (255, 123, 114), (86, 211, 100), (227, 179, 65)),
        *((121, 192, 255), (210, 168, 255), (86, 212, 221), (240, 246, 252)),
    ],
)

FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""A picture of a terminal: fonts that a machine has, and nothing from elsewhere."""

ASK = "whybench run calculate --limit 48 --log-dir logs/{0} --model reference/{0}"

COMMANDS = {
    "help": ("whybench --help", ()),
    "list": ("whybench list", ()),
    "plan": ("whybench profile openai/gpt-4o --budget small --plan", ()),
    "run": (ASK.format("careful"), ()),
    "compare": (
        "whybench compare logs --agents reference/careful reference/associative",
        (ASK.format("careful"), ASK.format("associative")),
    ),
    "validate": ("whybench validate intervene --design core", ()),
}
"""What is pictured: a request, and those that must come before it."""


@cache
def show_command(request: str, before: tuple[str, ...]) -> str:
    """Return what a terminal shows of a request, in a folder of its own; progress is left out."""
    with tempfile.TemporaryDirectory() as folder:
        shown = ""
        for each in (*before, request):
            words = [sys.executable, "-c", "from whybench.cli import main; main()"]
            words += shlex.split(each)[1:]
            status, shown = run_at_terminal(words, COLUMNS, folder, errors=False)
            if status:
                raise RuntimeError(f"{each} must end with status 0, got {status}: {shown}")
    return shown


def draw_command(name: str, theme: TerminalTheme) -> bytes:
    """Return a picture of a terminal with a command and what it prints, as SVG."""
    request, before = COMMANDS[name]
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(Text.assemble(("$ ", "dim"), (request, "bold")))
    console.print(Text.from_ansi(show_command(request, before)), end="")
    drawn = console.export_svg(
        title="whybench", theme=theme, code_format=FORMAT, unique_id=f"whybench-{name}"
    )
    return "".join(f"{line.rstrip()}\n" for line in drawn.splitlines() if line.strip()).encode()


@cache
def ask_minds(name: str, design_name: str = "") -> pa.Table:
    """Return the answers of the four minds to a suite.

    Args:
        name: The suite.
        design_name: The design; empty for that of a small profile.
    """
    suite = get_suite(name)
    chosen = {"design": design_name, "graphs": 4} if design_name else suite.budget("small").settings
    design = suite.make_design(chosen)
    items = list(suite.items(design))
    rows = [
        row
        for mind, (agent, settings) in suite.minds.items()
        for row in simulate_rows(
            suite, design, items, suite.agent(agent), settings, f"reference/{mind}", {}
        )
    ]
    return record_table(rows, suite.record_columns)


FIGURES = {
    "judge": ("tasks", "measures", "human_correlation", "parameters"),
    "intervene": ("verdicts", "by-size", "episode-lucky"),
    "compose": ("plane", "by-mediators", "cut-tree"),
    "calculate": ("which-mistake", "answers", "by-rung", "by-operations"),
    "analyze": ("by-challenge", "plane"),
}
"""What is pictured of each suite: how the names of its figures begin."""
PICTURED = {"intervene": "limited"}
"""Designs of pictured figures, where it isn't that of a small profile."""


@cache
def make_figures(suite: str) -> tuple[Figure, ...]:
    """Return the figures of a suite for the four minds."""
    return tuple(get_suite(suite).figures(ask_minds(suite, PICTURED.get(suite, ""))))


def draw_figure(suite: str, name: str) -> bytes:
    """Return the first figure of a suite whose name begins so, as SVG."""
    figure = next(one for one in make_figures(suite) if one.name.startswith(name))
    drawn = figure.to_svg(for_page=figure.spec is None)
    plain = re.sub(r"<metadata>.*?</metadata>", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
    return "".join(f"{line.rstrip()}\n" for line in plain.splitlines() if line.strip()).encode()


TRACED = {
    "exact": ("exact", {}),
    "slips at one rule in 20": ("slips", {"error": 0.05}),
    "follows 5 rules": ("reader", {"rules": 5}),
    "ignores interventions": ("sees-only", {}),
}
"""The agents of the picture of horizons: their names there, and the reference agents."""
PANEL = 165
"""Width of a panel in the picture of horizons, in pixels."""


@cache
def chart_horizons() -> dict[str, Any]:
    """Return the curves of agents with known horizons, as a chart."""
    suite = get_suite("trace")
    design = suite.make_design(suite.budget("full").settings)
    items = list(suite.items(design))
    rows = [
        row
        for name, (agent, settings) in TRACED.items()
        for row in simulate_rows(suite, design, items, suite.agent(agent), settings, name, {})
    ]
    (figure,) = suite.figures(record_table(rows, suite.record_columns))
    chart = deepcopy(figure.spec or {})
    chart["spec"]["width"] = PANEL
    return chart


def draw_horizons(scheme: Scheme) -> bytes:
    """Return the curves as SVG, in the colors of a light or a dark page."""
    drawn = draw_on_page(chart_horizons(), dark=scheme == "dark")
    return "".join(f"{line.rstrip()}\n" for line in drawn.splitlines() if line.strip()).encode()


WINDOW = (1280, 800)
MADE_FROM = "made-from"
"""Under this name a photographed page keeps the digest of what was photographed."""


@cache
def make_minds_page() -> str:
    """Return the page of a profile of the four minds."""
    tables = [(name, ask_minds(name)) for name in profiled_suites("small")]
    return make_page(Material(tables), title="Four reference agents")


def digest_first_screen() -> str:
    """Return a digest of what the first screen is made of: its elements, style and script."""
    page = make_minds_page()
    style = page[page.index("<style>") : page.index("</style>")]
    screen = page[page.index("<header>") : page.index('<section id="suites"')]
    return hashlib.sha256((style + screen).encode()).hexdigest()


def photograph_page(scheme: Scheme) -> bytes:
    """Return the first screen of the page as a browser shows it, as PNG."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = Path(folder) / "page.html"
        path.write_text(make_minds_page(), encoding="utf-8")
        width, height = WINDOW
        address = path.as_uri()
        with opened(browser, address, width=width, height=height, scheme=scheme) as found:
            found.page.wait_for_selector("#answers-list li")
            found.screenshot(Path(folder) / "page.png", whole=False)
        return _sign(Path(folder) / "page.png", digest_first_screen())


def _sign(path: Path, digest: str) -> bytes:
    """Return a picture that keeps a digest."""
    about = PngInfo()
    about.add_text(MADE_FROM, digest)
    kept = BytesIO()
    with Image.open(path) as picture:
        picture.convert("RGB").save(kept, "png", pnginfo=about, optimize=True)
    return kept.getvalue()


SCHEMES: tuple[tuple[str, Scheme, TerminalTheme], ...] = (
    ("", "light", LIGHT),
    ("-dark", "dark", DARK),
)

PICTURES: dict[str, Callable[[], bytes]] = {
    "architecture.svg": draw_architecture,
    **{
        f"command-{name}{suffix}.svg": partial(draw_command, name, theme)
        for name in COMMANDS
        for suffix, _, theme in SCHEMES
    },
    **{f"horizons{suffix}.svg": partial(draw_horizons, scheme) for suffix, scheme, _ in SCHEMES},
    **{f"page{suffix}.png": partial(photograph_page, scheme) for suffix, scheme, _ in SCHEMES},
    **{
        f"figure-{suite}-{name}.svg": partial(draw_figure, suite, name)
        for suite, names in FIGURES.items()
        for name in names
    },
}
"""Every picture: its file, and what makes it."""


def find_stale(names: Iterable[str]) -> list[str]:
    """Return the pictures that are missing, or differ from what the code makes of them.

    A photograph depends on the browser; it is stale if what it was taken of has changed.
    """
    return [name for name in names if not _is_fresh(name)]


def _is_fresh(name: str) -> bool:
    path = FOLDER / name
    if not path.is_file():
        return False
    if path.suffix != ".png":
        return path.read_bytes() == PICTURES[name]()
    with Image.open(path) as picture:
        return picture.info.get(MADE_FROM) == digest_first_screen()


def main() -> None:
    """Write pictures, or say which are stale; end with status 1 if one is."""
    parser = argparse.ArgumentParser(prog="python -m docs.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only those that contain this")
    parser.add_argument("--check", action="store_true", help="write nothing, name what is stale")
    given = parser.parse_args()
    chosen = [
        name for name in PICTURES if not given.names or any(part in name for part in given.names)
    ]
    if given.check:
        stale = find_stale(chosen)
        for name in stale:
            print(f"{name} is stale; `python -m docs.pictures {name}` makes it anew")
        sys.exit(1 if stale else 0)
    FOLDER.mkdir(exist_ok=True)
    for name in chosen:
        size = (FOLDER / name).write_bytes(PICTURES[name]())
        print(f"docs/pictures/{name}  {size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
