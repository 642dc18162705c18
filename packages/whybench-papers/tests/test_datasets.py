"""The data of papers: pinned, and found by the core."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from whybench.datasets import data_path, file_state, list_sources
from whybench_papers.datasets import SOURCES

if TYPE_CHECKING:
    from pathlib import Path


def test_core_lists_the_sources_of_this_package() -> None:
    assert SOURCES.items() <= list_sources().items()


@pytest.mark.parametrize("name", SOURCES)
def test_source_is_pinned_to_a_commit(name: str) -> None:
    assert re.search(r"/[0-9a-f]{40}/$", SOURCES[name].address)
    for file in SOURCES[name].files.values():
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.size > 0


@pytest.mark.parametrize("name", SOURCES)
def test_files_of_the_mirror_have_their_checksums(name: str, mirror: Path) -> None:
    if not (mirror / SOURCES[name].place).is_dir():
        pytest.skip(f"the mirror must hold {SOURCES[name].place}/")
    for path, file in SOURCES[name].files.items():
        if file_state(name, path) == "mirror":
            assert data_path(name, path).stat().st_size == file.size
