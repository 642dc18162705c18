"""What commands make of models that say nothing, or always the same, and what pages write."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from evidence.figures import held
from evidence.unanswered import (
    ASKED,
    COMMANDS,
    KINDS,
    PARTS,
    Seen,
    compare_words,
    of_suite,
    page_faults,
    told,
    words_of_file,
    words_of_page,
)

from whybench.page.writing import SECTIONS

PAGE = "".join(f'<section id="{key}"><p class="note">none</p></section>' for key, _ in SECTIONS)
PAGE += "</html>"
PICTURE = "<svg xmlns='http://www.w3.org/2000/svg'/>"
FILES = {
    "measures": {},
    "figures": {"a.pdf": "%PDF", "a.svg": PICTURE, "a.png": "PNG"},
    "report": {"page.html": PAGE},
}
OUTCOMES = {kind: Counter({outcome: 3}) for kind, outcome in KINDS.items()}
SEEN = [Seen(kind, command, 0, "", (), FILES[command]) for kind in KINDS for command in COMMANDS]


def with_page(old: str, new: str) -> dict[str, dict[str, str]]:
    return {"files": {"page.html": PAGE.replace(old, new)}}


def test_a_good_matrix_holds() -> None:
    assert all(figure.holds for figure in told("judge", OUTCOMES, SEEN))
    nothing = replace(SEEN[1], status=1, files={}, notes=("No figure was written",))
    assert all(figure.holds for figure in told("judge", OUTCOMES, [SEEN[0], nothing, *SEEN[2:]]))


@pytest.mark.parametrize(
    ("place", "changes", "claim"),
    [
        (0, {"error": "TypeError: 'float' object is not iterable"}, 1),
        (0, {"status": 2}, 1),
        (1, {"files": {}, "status": 1}, 2),
        (1, {"files": {}, "notes": ("Nothing",)}, 2),
        (1, {"files": {**FILES["figures"], "a.svg": "<svg"}}, 2),
        (1, {"files": {"a.svg": PICTURE}}, 2),
        (1, {"status": 1}, 2),
        (2, {"files": {}}, 3),
        (2, with_page("</html>", ""), 3),
        (2, with_page('id="answers"', ""), 3),
        (2, with_page("none", "Traceback (most recent call last)"), 3),
        (2, with_page('<p class="note">none</p>', ""), 3),
        (2, with_page("none", '</p><figure id="f"></figure><p>'), 3),
    ],
)
def test_each_claim_fails_where_it_should(place, changes, claim) -> None:
    seen = [replace(one, **changes) if at == place else one for at, one in enumerate(SEEN)]
    holds = [figure.holds for figure in told("judge", OUTCOMES, seen)]
    assert [number for number, held in enumerate(holds) if not held] == [claim]


def test_outcomes_must_be_those_of_the_drill() -> None:
    mixed = {**OUTCOMES, "silent": Counter({"scored": 1, "no_answer": 2})}
    assert not next(told("judge", mixed, SEEN)).holds
    assert list(page_faults(PAGE)) == []


@pytest.mark.parametrize("name", [name for name in ASKED if name != "compose"])
def test_no_suite_ends_a_command(name: str) -> None:
    missed = [str(figure) for figure in of_suite(name) if not figure.holds]
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize(
    ("part", "figures"),
    [
        ("matrix", 4),
        ("axis labels", 1),
        pytest.param("hidden marks", 1, marks=pytest.mark.xdist_group("browser")),
    ],
)
def test_the_figures_hold(part: str, figures: int) -> None:
    assert len(held(PARTS[part])) == figures


def test_words_that_a_page_changes_are_found() -> None:
    svg = "<svg><!-- 0.995 --><g/><!-- a &amp; b --></svg>"
    page = (
        '<figure id="f"><figcaption id="c">judge: a</figcaption>'
        "<text x='1'>0.995</text><text>a &amp; b</text></figure>"
    )
    files = {"judge: a": words_of_file(svg)}
    assert files == {"judge: a": ["0.995", "a & b"]}
    assert compare_words(files, words_of_page(page)).holds
    for old, new in (("0.995", "0.99"), ("judge: a", "judge: b"), ("<text>a &amp; b</text>", "")):
        assert not compare_words(files, words_of_page(page.replace(old, new))).holds
    rough = words_of_page(page.replace("0.995", "0.9"))
    assert not compare_words(rough, rough).holds  # nothing was there to be shortened
