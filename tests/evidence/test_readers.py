"""Readers who saw only the prompts agree with the items."""

from __future__ import annotations

import json

import pytest
from evidence.figures import held

from evidence import readers


@pytest.mark.parametrize("name", readers.PARTS)
def test_the_figures_hold(name: str) -> None:
    held(readers.PARTS[name])


def test_readings_of_another_prompt_do_not_count(tmp_path, monkeypatch) -> None:
    name = "calculate-plain"
    rows = [
        {"prompt": asked.key, "reader": reader, "fields": dict(asked.expected)}
        for asked in readers.draw_sample(name)
        for reader in ("A", "B")
    ]
    monkeypatch.setattr(readers, "READINGS", tmp_path)
    path = tmp_path / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert held(readers.PARTS[name])
    path.write_text("\n".join(map(json.dumps, rows[1:])), encoding="utf-8")
    with pytest.raises(AssertionError, match="1 or more readers of a prompt"):
        held(readers.PARTS[name])
    for row in rows[:10]:
        row["fields"]["quantity"] = "conditional"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert len(list(readers.find_differences(name))) == 10
