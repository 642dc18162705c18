"""Pictures of the documentation are what the code makes of them."""

from __future__ import annotations

import pytest
from docs.pictures import FOLDER, PICTURES, find_stale

LIMIT = 250_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", sorted({name.split(".")[0].removesuffix("-dark") for name in PICTURES})
)
def test_no_picture_is_stale(part: str) -> None:
    assert find_stale(name for name in PICTURES if name.startswith(part)) == []


def test_pictures_are_small_and_need_nothing_from_elsewhere() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(PICTURES)
    for name in PICTURES:
        content = (FOLDER / name).read_bytes()
        assert len(content) < LIMIT, name
        known = (b"http://www.w3.org/2000/svg", b"http://www.w3.org/1999/xlink")
        assert content.count(b"http") == sum(map(content.count, known)), name
