"""Inspect's own conformance checks of a sandbox, run on ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from inspect_ai.util._sandbox.self_check import *  # noqa: F403

from inspect_bubblewrap.confinement import Sandbox
from inspect_bubblewrap.environment import BubblewrapSandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

CANNOT_APPLY = {
    "test_exec_as_user": "makes a user as root; inside there is no root and no second user",
}

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("sandbox")]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def opened(confines: None) -> Iterator[Sandbox]:
    with Sandbox.open() as sandbox:
        yield sandbox


@pytest.fixture
async def sandbox_env(request: pytest.FixtureRequest, opened: Sandbox) -> BubblewrapSandbox:
    reason = CANNOT_APPLY.get(request.node.originalname)
    if reason:
        request.node.add_marker(pytest.mark.xfail(reason=reason))
    return BubblewrapSandbox(opened)
