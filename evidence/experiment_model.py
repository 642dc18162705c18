"""A real language model at two temperatures and in two styles: one file, one run, one page."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from evidence.figures import Figure
from evidence.model_server import LEARNED, MODEL, ModelServer
from evidence.processes import command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evidence.figures import Parts

STYLES = ["direct", "cot"]
FEW = {"suite": "judge", "design": {"story": "weather", "polarity": "ppp", "task": ["VI", "VIII"]}}
MANY = {"suite": "compose", "design": {"kinds": "cycle3+cycle3", "worlds": 1, "units": 2}}
"""compose is what the model answers; to ask it takes minutes."""


def state_experiment(small: bool) -> dict[str, Any]:
    """Return the experiment: two styles at two temperatures."""
    asked: dict[str, Any] = FEW if small else MANY
    design = {"design": "core", "style": STYLES, **asked["design"]}
    return {
        "title": "A small model, warmer and with reasons",
        "models": [MODEL],
        "suites": [{**asked, "design": design}],
        "settings": {"temperature": [0, 0.8], "max_tokens": 16 if small else 64},
        "compare": ["style", "temperature"],
        "measures": ["answered"]
        if small
        else ["compositional_agreement", "balanced_accuracy_factual"],
    }


def real_experiment(small: bool) -> Iterator[Figure]:
    """Yield what came of the experiment, from its file to its page."""
    import whybench as wb
    from whybench.evaluation.experiment_files import read_experiment

    with ModelServer(2, LEARNED) as server, tempfile.TemporaryDirectory() as place:
        file, folder = Path(place, "warmer.yaml"), Path(place, "out")
        file.write_text(yaml.safe_dump(state_experiment(small)), encoding="utf-8")
        words = [command(), "experiment", str(file), "-o", str(folder), "--max-connections", "2"]
        for last in (["--freeze"], []):
            subprocess.run(
                [*words, *last],
                env={**os.environ, **server.environment, "INSPECT_DISPLAY": "none"},
                stdout=subprocess.DEVNULL,
                stderr=sys.stderr,
                check=True,
            )
        stated = read_experiment(file)
        (asked,) = stated.content()["suites"]
        answers = wb.load(folder / "logs")
        page = (folder / "page.html").read_text(encoding="utf-8")
        yield Figure(
            "a real model is asked in two styles at two temperatures by one command, and the page "
            "says that all was kept to",
            f"{len(answers):,} answers in {server.calls:,} calls, {dict(answers.outcomes)}, a page "
            f"of {len(page) / 1e6:.2f} MB",
            len(answers) == asked["answers"] and page.count("follows the frozen plan") == 1,
        )
        assert stated.analysis is not None
        compared, notes = stated.analysis.compare(answers.tables)
        for one in compared:
            told = [
                f"{change.measure} ({change.labels['agent'].removeprefix(MODEL)} "
                f"{change.labels.get('style', '')}) {change.difference:+.3f} "
                f"[{change.low:+.3f}, {change.high:+.3f}] {change.verdict}"
                for change in one
                if None not in (change.difference, change.low, change.high)
            ]
            yield Figure(
                f"the page has the effect of {one.by}",
                "; ".join(told) or f"no interval; {'; '.join(notes)}",
                f"<td>{one.by}</td>" in page,
            )


PARTS: Parts = {"real-model": real_experiment}
