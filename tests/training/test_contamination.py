"""Prompts of tests are found in other texts; prompts to train on are told apart."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.altered import altered

from whybench.errors import UserError
from whybench.suites.registry import get_suite
from whybench.training import corpora
from whybench.training.canary import CANARY, canary
from whybench.training.contamination import TextFinding, search_text, search_texts
from whybench.training.corpora import Text, read_texts
from whybench.training.fingerprints import ENOUGH, Fingerprints, make_fingerprints
from whybench.training.items import training_items
from whybench.training.shingles import LENGTH, digest_words

if TYPE_CHECKING:
    from pathlib import Path

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=40)
DESIGNS = (("calculate", "core"), ("judge", "core"), ("compose", "core"), ("intervene", "core"))


@pytest.fixture(scope="module")
def known() -> Fingerprints:
    return make_fingerprints(
        [(get_suite(name), get_suite(name).designs[design]) for name, design in DESIGNS]
    )


def prompts(name: str, design: str, count: int) -> list[tuple[str, str]]:
    asked = get_suite(name)
    items = islice(asked.items(asked.designs[design]), count)
    return [(item.id, asked.render(item)) for item in items]


def text(words: str, everything: str = "") -> Text:
    return Text("here:1", words, everything or words)


@given(WORDS, WORDS, WORDS)
def test_a_text_is_found_at_its_place(
    before: list[str], within: list[str], after: list[str]
) -> None:
    whole, part = digest_words([*before, *within, *after]), digest_words(within)
    assert whole.run(len(before), len(within)) == part.whole
    assert len(part) == len(within)
    assert part.shingles.tolist() == whole.shingles[len(before) :][: len(part.shingles)].tolist()
    assert len(part.shingles) == max(0, len(within) - LENGTH + 1)
    assert whole.run(len(whole), 1) is None
    assert whole.run(-1, 1) is None


@given(WORDS, WORDS)
def test_texts_of_different_words_have_different_digests(one: list[str], other: list[str]) -> None:
    assert (digest_words(one).whole == digest_words(other).whole) == (one == other)


def test_white_space_and_case_do_not_matter() -> None:
    assert digest_words("If  THE\nlamp is\ton").whole == digest_words("if the lamp is on").whole


@pytest.mark.slow
def test_exact_copies_are_found_within_other_texts(known: Fingerprints) -> None:
    for name, design in DESIGNS:
        for item, prompt in prompts(name, design, 30):
            around = f"Hello there. {prompt.upper().replace(' ', '  ')} Good bye."
            (finding,) = search_text(text(around), known)
            assert finding == TextFinding("here:1", "exact", name, design, "test", item, 1.0)
            assert finding.contaminates


def test_near_copies_are_found_and_say_how_near(known: Fingerprints) -> None:
    for item, prompt in prompts("compose", "core", 15):
        words = prompt.split()
        (finding,) = search_text(text(" ".join(words[: len(words) - 12])), known)
        assert (finding.found, finding.suite, finding.split) == ("near", "compose", "test")
        assert 0.5 <= finding.share <= 1
        words[20::40] = ["something"] * len(words[20::40])
        (finding,) = search_text(text(" ".join(words)), known)
        assert finding.found == "near"
        assert finding.item.startswith("compose-")
        assert item


def test_a_prompt_that_leaves_much_unsaid_is_found_by_exact_copies_alone(
    known: Fingerprints,
) -> None:
    few = [prompt for prompt in known.prompts if len(prompt.kept) < ENOUGH]
    assert {prompt.suite for prompt in few} == {"intervene"}
    (_, prompt), *_ = prompts("intervene", "core", 1)
    (finding,) = search_text(text(prompt.rsplit(maxsplit=2)[0]), known)
    assert (finding.found, finding.split) == ("words", "open")


@pytest.mark.parametrize("name", ["calculate", "compose", "intervene"])
def test_prompts_to_train_on_are_told_apart(name: str, known: Fingerprints) -> None:
    asked = get_suite(name)
    texts = [text(asked.render(item)) for item in training_items(asked, {}).take(300)]
    result = search_texts(texts, known)
    side = "open" if name == "intervene" else "train"
    assert dict(result.counts) == {("words", name, "", side): 300}
    assert not result.contaminated
    marked = search_texts(
        [text(one.words, f"{one.words} {canary('train')}") for one in texts], known
    )
    assert dict(marked.counts) == {("canary", name, "", "train"): 300}


def test_a_test_world_that_no_design_asks_about_is_contamination(known: Fingerprints) -> None:
    for name, settings in (
        ("compose", {"design": "core", "worlds": 12, "units": 1}),
        ("calculate", {"query": "do", "variant": "trap", "worlds": 2}),
    ):
        asked = get_suite(name)
        *_, item = asked.items(asked.make_design(settings))
        (finding,) = search_text(text(asked.render(item)), known)
        assert (finding.found, finding.suite, finding.split) == ("words", name, "test")
        assert finding.contaminates


def test_canaries(known: Fingerprints) -> None:
    (finding,) = search_text(text("nothing of ours", f"x {CANARY} y"), known)
    assert (finding.found, finding.split) == ("canary", "test")
    (_, prompt), *_ = prompts("judge", "core", 1)
    (finding,) = search_text(text(prompt, f"{prompt} {canary('train')}"), known)
    assert finding.found == "exact"
    # An opening does not say its world, and the row says that it was exported to train on.
    (_, opening), *_ = prompts("intervene", "core", 1)
    (finding,) = search_text(text(opening, f"{opening} {canary('train')}"), known)
    assert (finding.found, finding.split) == ("canary", "train")
    assert search_text(text("nothing of ours " * 30), known) == []


def test_designs_that_ask_the_same_are_both_named() -> None:
    judge = get_suite("judge")
    both = make_fingerprints([(judge, judge.designs["core"]), (judge, judge.designs["styles"])])
    assert len(both.prompts) == 720
    (_, prompt), *_ = prompts("judge", "core", 1)
    assert [found.designs for found in search_text(text(prompt), both)] == ["core,styles"]


def test_what_cannot_be_fetched_is_left_out_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from whybench.errors import DataError

    def refuse(_: object) -> Any:
        raise DataError("no such data here")

    judge = get_suite("judge")
    absent = altered(judge, items=refuse, training=None)
    found = make_fingerprints([(absent, judge.designs["stories"])])
    assert dict(found.left_out) == {"judge stories": "no such data here"}
    assert (found.prompts, found.longest, found.not_distinctive) == ((), 0, 0)
    assert search_text(text("some words of no importance " * 5), found) == []


ROWS: list[Any] = [
    {"messages": [{"role": "user", "content": "one"}, {"role": "x", "content": "two"}], "n": 3},
    {"messages": [{"role": "user", "content": "drei"}], "n": 4},
]


def written(folder: Path, kind: str) -> str:
    path = folder / f"rows.{kind}"
    lines = "".join(json.dumps(row) + "\n\n" for row in ROWS)
    if kind == "jsonl":
        path.write_text(lines, encoding="utf-8")
    elif kind == "jsonl.gz":
        path.write_bytes(gzip.compress(lines.encode()))
    elif kind == "json":
        path.write_text(json.dumps(ROWS), encoding="utf-8")
    else:
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    return str(path)


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "json", "parquet"])
def test_rows_of_every_kind_are_read(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, kind)
    found = list(read_texts(path))
    assert [one.words.split() for one in found] == [
        ["user", "one", "x", "two"],
        ["user", "drei"],
    ] or [sorted(one.words.split()) for one in found] == [
        ["one", "two", "user", "x"],
        ["drei", "user"],
    ]
    assert [one.where for one in found] == [f"{path}:1", f"{path}:2"]
    assert [one.all for one in read_texts(f"file://{path}", "messages")] == [
        one.all for one in found
    ]
    with pytest.raises(UserError, match="`column` must be one of the columns of .*, got 'text'"):
        list(read_texts(path, "text"))


def test_plain_text_comes_in_pieces_and_nothing_hides_at_a_seam(
    tmp_path: Path, known: Fingerprints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "PIECE", 400)
    told = prompts("judge", "core", 12)
    path = tmp_path / "corpus.txt"
    path.write_text("\nand then\n".join(prompt for _, prompt in told), encoding="utf-8")
    pieces = list(read_texts(str(path), overlap=known.longest))
    assert len(pieces) > 3
    result = search_texts(pieces, known)
    assert dict(result.counts) == {("exact", "judge", "core", "test"): 12}
    assert {finding.item for finding in result.findings} == {item for item, _ in told}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "x", "DATASET must end in .jsonl, .json, .parquet, .txt"),
        ("a.jsonl", "{}\n{", "a.jsonl: line 2: Expecting property name"),
        ("a.parquet", "none", "DATASET must be a file that can be read, got"),
        ("absent.txt", None, "No such file"),
    ],
)
def test_what_cannot_be_read_is_told(
    tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        list(read_texts(str(tmp_path / name)))
