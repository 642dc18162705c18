"""The figures of the environments at a small size."""

from __future__ import annotations

import re

import pytest
from evidence.agent_server import AgentServer
from evidence.environments import PARTS, items_of
from evidence.figures import held

from whybench.suites.registry import get_suite

# Importing the library takes seconds; one process is enough.
pytestmark = pytest.mark.xdist_group("verifiers")


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(part, marks=pytest.mark.model if part.endswith("model") else ())
        for part in PARTS
    ],
)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])


def test_an_agent_does_not_answer_for_another_item() -> None:
    asked = get_suite("compose")
    first, second = items_of(asked, 2)
    server = AgentServer(asked, [first, second], lambda item, _about, _turn: item.id)
    assert server.reply([{"role": "user", "content": asked.render(first)}]) == first.id
    with pytest.raises(ValueError, match=re.escape(second.id)):
        server.reply([{"role": "user", "content": asked.render(first)}])
