"""Law 1: determinism, ids and splits."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.seeds import TEST_SHARE, canonical, digest, generator, item_digest, split_of

KEYS = st.lists(st.one_of(st.text(), st.integers(), st.booleans(), st.none()), max_size=4)
VALUES = st.recursive(
    st.one_of(st.text(), st.integers(), st.floats(allow_nan=False), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)


@dataclass(frozen=True)
class World:
    nodes: tuple[str, ...]
    edges: frozenset[tuple[str, str]]


@given(KEYS, KEYS)
def test_generators_are_equal_exactly_when_their_keys_are(one: list, two: list) -> None:
    same = canonical(one) == canonical(two)
    assert bool(generator(*one).integers(2**63) == generator(*two).integers(2**63)) is same


def test_neighbouring_keys_share_nothing() -> None:
    streams = [tuple(generator("suite", index).integers(2**32, size=4)) for index in range(500)]
    assert len({value for stream in streams for value in stream}) == 2000


def test_an_item_is_the_same_however_many_are_made() -> None:
    few = [generator("suite", index).random() for index in range(10)]
    many = [generator("suite", index).random() for index in range(1000)]
    assert many[:10] == few


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_the_order_of_a_mapping_does_not_matter(mapping: dict) -> None:
    turned = dict(reversed(list(mapping.items())))
    assert digest(mapping) == digest(turned)


@given(VALUES, VALUES)
def test_digests_are_equal_exactly_when_values_are_written_equally(
    one: object, two: object
) -> None:
    assert (digest(one) == digest(two)) is (canonical(one) == canonical(two))


def test_numbers_and_their_text_differ() -> None:
    assert digest(1) != digest("1")
    assert digest(0.5) != digest("0.5")
    assert digest(1.0) != digest(1)
    assert digest(True) != digest(1)
    assert digest(["ab"]) != digest(["a", "b"])


def test_an_object_whose_text_depends_on_the_process_is_refused() -> None:
    with pytest.raises(TypeError, match="got object"):
        digest(object())
    with pytest.raises(TypeError, match="string keys"):
        digest({1: 2})


@given(st.text(), st.text(), st.integers(), st.integers())
def test_digests_are_equal_exactly_when_prompt_and_truth_are(
    prompt: str, other: str, truth: int, lie: int
) -> None:
    same = (prompt, truth) == (other, lie)
    assert (item_digest("judge", prompt, truth) == item_digest("judge", other, lie)) is same


def test_the_last_bits_of_a_float_truth_do_not_change_the_digest() -> None:
    assert item_digest("judge", "?", 0.1 + 0.2) == item_digest("judge", "?", 0.3)
    assert item_digest("judge", "?", 0.3) != item_digest("judge", "?", 0.3001)
    assert item_digest("judge", "?", 0.3) != item_digest("compose", "?", 0.3)


@pytest.mark.parametrize("almost", [-0.0, -5.6e-17, 5.6e-17])
def test_what_rounding_leaves_of_a_zero_is_zero(almost: float) -> None:
    assert item_digest("analyze", "?", almost) == item_digest("analyze", "?", 0.0)
    assert item_digest("analyze", "?", 1e-9) != item_digest("analyze", "?", 0.0)


@given(st.sets(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=6))
def test_a_world_lies_on_one_side_whatever_the_order_of_its_parts(edges: set) -> None:
    nodes = tuple(sorted({node for edge in edges for node in edge}))
    turned = frozenset(sorted(edges, reverse=True))
    assert split_of(World(nodes, frozenset(edges))) == split_of(World(nodes, turned))


def test_the_test_split_has_its_share() -> None:
    share = np.mean([split_of(World((str(n),), frozenset())) == "test" for n in range(5000)])
    assert abs(share - TEST_SHARE) < 4 * np.sqrt(TEST_SHARE * (1 - TEST_SHARE) / 5000)


def test_digests_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from whybench.seeds import digest\n"
        "print(digest({'b': {3, 1}, 'a': frozenset('xyz')}).hex())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(printed) == 1


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(
    st.recursive(
        PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
    )
)
def test_the_canonical_form_is_sorted_json_without_blanks(value: object) -> None:
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(value) == written
