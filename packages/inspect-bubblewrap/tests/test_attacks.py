"""Every attack of the list, with its effect looked for on the host, as root and as a user."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest
from evidence.attacks import Bystanders, Repelled, attacks, repel, repel_as_user
from evidence.confinement import PARTS, told
from evidence.figures import held

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.xdist_group("sandbox"), pytest.mark.usefixtures("confines")]


@pytest.fixture(scope="module")
def bystanders() -> Iterator[Bystanders]:
    with Bystanders() as watched:
        yield watched


@pytest.fixture(scope="module")
def as_user(confines: None) -> dict[str, Repelled]:
    if os.geteuid() != 0:
        pytest.skip("we are an ordinary user already, and the list has been run as that")
    return {repelled.name: repelled for repelled in repel_as_user()}


@pytest.mark.parametrize("name", attacks())
def test_an_attack_is_repelled(name: str, bystanders: Bystanders) -> None:
    figure = told(repel(attacks()[name], bystanders), "this user", small=True)
    assert figure.holds, str(figure)


@pytest.mark.parametrize("name", attacks())
def test_an_attack_is_repelled_for_an_ordinary_user(
    name: str, as_user: dict[str, Repelled]
) -> None:
    figure = told(as_user[name], "user", small=True)
    assert figure.holds, str(figure)


# In tests/nightly.txt: the peak of sampled memory depends on load.
@pytest.mark.slow
def test_memory_is_bounded_on_busy_cores() -> None:
    held(PARTS["crowded"])


def test_harm_is_seen_where_there_is_some() -> None:
    # The watch itself: an attack that has its way must not pass for repelled.
    with Bystanders() as own:
        (own.folder / "left").write_text("x", encoding="utf-8")
        own.secret.write_text("changed", encoding="utf-8")
        with socket.create_connection(own._server.getsockname()):
            found = list(own.harm())
        (own.folder / "left").unlink()
    assert found == [
        "a file was left on the host",
        "a file of the host was changed",
        "a server of the host was reached",
    ]
