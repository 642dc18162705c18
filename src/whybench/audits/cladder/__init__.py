"""CLadder's test files: each item's key against what its own prompt says.

A prompt is a background (the graph), what is given (shares, methods or rules) and a question.
Modules, in the order in which to read them: `phrases`, `prompt_parser`; `ranges`, `association`,
`adjustment`, `effects` with `instrument` and `natural`; `rules`; `audit`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from whybench.audits.cladder.audit import judge_item
from whybench.audits.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["FILES", "MODELS", "audit_cladder", "read_items"]

FILES = tuple(f"data/test-generate-{name}.json" for name in ("easy", "hard", "anti", "non", "det"))
"""The files of items."""

MODELS = "data/test-model-meta.json"
"""The file of models, which has the backgrounds."""


def read_items(folder: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield the file, the item and the model of each item of CLadder's test files in a folder."""
    models = {
        model["model_id"]: model
        for model in json.loads((folder / MODELS).read_text(encoding="utf-8"))
    }
    for file in FILES:
        for item in json.loads((folder / file).read_text(encoding="utf-8")):
            yield file, item, models[item["meta"]["model_id"]]


def audit_cladder(folder: Path) -> Iterator[Finding]:
    """Yield what is found about each item of CLadder's test files in a folder."""
    for file, item, model in read_items(folder):
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
