"""CLadder's test files: each item's key against what its own prompt says.

A prompt is a background (the graph), what is given (shares, methods or rules) and a question.
Modules, in the order in which to read them: `phrases`, `prompt_parser`; `ranges`, `association`,
`adjustment`, `effects` with `instrument` and `natural`; `rules`; `audit`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from whybench_papers.audits.cladder.audit import judge_item
from whybench_papers.audits.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["FILES", "MODELS", "audit_cladder", "read_items"]

FILES = {
    f"data/test-generate-{name}.json": items
    for name, items in {"easy": 844, "hard": 844, "anti": 844, "non": 1120, "det": 512}.items()
}
"""The files of items, and how many each holds."""

MODELS = "data/test-model-meta.json"
"""The file of models, which has the backgrounds."""


def read_items(
    folder: Path, files: Iterable[str] = FILES, limit: int | None = None
) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield the file, the item and the model of each item of CLadder's test files in a folder.

    Args:
        folder: The folder.
        files: Which of the files.
        limit: At most so many items of each.
    """
    models = {
        model["model_id"]: model
        for model in json.loads((folder / MODELS).read_text(encoding="utf-8"))
    }
    for file in files:
        for item in json.loads((folder / file).read_text(encoding="utf-8"))[:limit]:
            yield file, item, models[item["meta"]["model_id"]]


def audit_cladder(
    folder: Path, files: Iterable[str] = FILES, limit: int | None = None
) -> Iterator[Finding]:
    """Yield what is found about each item of CLadder's test files; arguments as in `read_items`."""
    for file, item, model in read_items(folder, files, limit):
        found = judge_item(
            model["background"], item["given_info"], item["question"], item["answer"]
        )
        yield Finding(
            file=file,
            item=item["desc_id"],
            query=found.query,
            key=item["answer"],
            recomputed=found.recomputed,
            verdict=found.verdict,
            reason=found.reason,
        )
