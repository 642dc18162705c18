from __future__ import annotations

import doctest
import subprocess
import sys
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib as mpl
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.lines import Line2D
from tests.drawing.seen import check_apart, extents

from whybench.drawing import figure, graphs, grids
from whybench.drawing.canvas import add_key, settle, sheet, styled
from whybench.drawing.charts import parts
from whybench.drawing.figure import Figure as Saved
from whybench.drawing.figure import distinct_names, short_names
from whybench.drawing.graphs import NODE, round_bend, round_layout
from whybench.drawing.grids import even_grid, pages
from whybench.drawing.style import PEOPLE, SERIES, colour

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

AGENTS = (
    "published/gemini-2.5-pro",
    "published/gpt-5-mini-v_low-r_high",
    "published/gpt-5-mini-v_low-r_low",
    "published/claude-opus-4-20250514",
    "published/o3",
)
PEOPLE_NAME = "human/rw17.mean"


@styled
def plain(points: int = 3) -> Figure:
    figure = sheet(40)
    axes = figure.subplots()
    across = list(range(points))
    axes.plot(across, across, linestyle="none", marker="o", gid="points-plain")
    axes.set_ylabel("height")
    add_key(figure, [key("agents")])
    return figure


def key(name: str) -> Line2D:
    return Line2D([], [], linestyle="none", marker="o", label=name)


@pytest.mark.parametrize("module", [figure, graphs, grids, parts])
def test_examples_in_docstrings(module: object) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_the_users_settings_change_nothing(tmp_path: Path) -> None:
    (ours,) = Saved("plain", plain).save(tmp_path / "ours" / "plain.svg")
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "none"}):
        (theirs,) = Saved("plain", plain).save(tmp_path / "theirs" / "plain.svg")
        assert mpl.rcParams["font.size"] == 30
    assert ours.read_bytes() == theirs.read_bytes()


def test_a_kind_of_file_must_be_one_that_there_is(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"path must end in \.pdf, .*, got .*plain\.gif"):
        Saved("plain", plain).save(tmp_path / "plain.gif")


@pytest.mark.parametrize("where", ["outside upper center", "outside lower center"])
def test_a_key_that_is_too_wide_gets_a_second_row(where: str) -> None:
    figure = sheet(60)
    figure.subplots()
    keys = [key(f"a kind of agent, number {place}") for place in range(6)]
    add_key(figure, keys, where=where)
    settle(figure)
    heights = {round(box.y0) for text, box in extents(figure) if "number" in text}
    assert len(heights) == 2
    check_apart(figure)
    middle = figure.bbox.y1 / 2
    assert all((height > middle) == ("upper" in where) for height in heights)


def test_names_are_short_and_tell_agents_apart() -> None:
    assert short_names([*AGENTS, PEOPLE_NAME, "published/gpt-4o[temperature=0.7]"]) == {
        AGENTS[0]: "gemini-2.5-pro",
        AGENTS[1]: "gpt-5-mini, high",
        AGENTS[2]: "gpt-5-mini, low",
        AGENTS[3]: "claude-opus-4",
        AGENTS[4]: "o3",
        PEOPLE_NAME: "people",
        "published/gpt-4o[temperature=0.7]": "gpt-4o, T 0.7",
    }
    alike = ["openai/gpt-4o-2024-05-13", "openai/gpt-4o-2024-08-06"]
    assert list(short_names(alike).values()) == alike
    reference = ["reference/judge.noisy-or", "reference/intervene.always-yes"]
    assert list(short_names(reference).values()) == ["noisy-or", "always-yes"]


def test_groups_are_named_by_what_tells_them_apart_and_no_more() -> None:
    one = {"agent": "openai/o3", "design": "core", "design_hash": "1f", "style": "direct"}
    assert distinct_names([one]) == ["o3"]
    other = {**one, "design": "full", "design_hash": "2e"}
    assert distinct_names([one, other]) == ["o3, core", "o3, full"]
    assert distinct_names([one, {**one, "design_hash": "2e"}]) == ["o3, 1f", "o3, 2e"]
    assert distinct_names([one, {**one, "agent": "openai/o4"}]) == ["o3", "o4"]


@given(count=st.integers(1, 60), most=st.integers(1, 8))
def test_rows_of_a_grid_are_nearly_alike(count: int, most: int) -> None:
    rows, columns = even_grid(count, most)
    assert columns <= most
    assert rows == -(-count // most), "no more rows than needed"
    assert (rows * columns) - count < rows, "no column could be left out"


@pytest.mark.parametrize("n", range(3, 17))
def test_links_of_a_round_layout_keep_clear_of_other_nodes(n: int) -> None:
    at = np.array(round_layout(n))
    assert np.allclose(np.hypot(*at.T), 1)
    times = np.linspace(0, 1, 101)[:, None]
    for start, end in permutations(range(n), 2):
        across = at[end] - at[start]
        # matplotlib's arc3: a quadratic curve towards a point beside the middle.
        towards = (at[start] + at[end]) / 2 + round_bend(n, start, end) * np.array(
            [across[1], -across[0]]
        )
        curve = (1 - times) ** 2 * at[start] + 2 * times * (1 - times) * towards
        curve += times**2 * at[end]
        others = np.delete(at, [start, end], axis=0)
        gaps = np.hypot(*(curve[:, None] - others).transpose(2, 0, 1))
        # In the smallest pictures of a layout a unit is 10 mm up to ten nodes and 14 mm beyond.
        unit = 10 if n <= 10 else 14
        assert gaps.min() * unit > NODE / 2 * 25.4 / 72


@given(things=st.lists(st.integers(), max_size=40), most=st.integers(1, 9))
def test_pages_hold_everything_in_order_and_have_numbers_of_their_own(
    things: list[int], most: int
) -> None:
    found = list(pages(things, most))
    assert [thing for _, page in found for thing in page] == things
    assert all(len(page) <= most for _, page in found)
    assert len({name for name, _ in found}) == len(found)


def test_looks_differ_in_colour_and_in_shape() -> None:
    assert len({look.ink for look in SERIES}) == len(SERIES)
    assert len({look.marker for look in SERIES}) == len(SERIES)
    assert len({look.dashes for look in SERIES}) == len(SERIES)
    assert PEOPLE.colour == colour("black")
    assert PEOPLE.line == "-"


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "try:\n    import whybench.drawing.canvas\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stdout.strip() == "figures need matplotlib: pip install 'whybench[figures]'"
