"""Messages between the program outside and the runner inside."""

from __future__ import annotations

import os
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_bubblewrap import channel
from inspect_bubblewrap.channel import Channel, LateReplyError
from inspect_bubblewrap.inside.messages import Pipes
from inspect_bubblewrap.outcome import SandboxError

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW, SOON = 0.0, 60.0
FIELDS = st.lists(st.binary(max_size=300), min_size=1, max_size=6)


class Line:
    """A channel and the runner's end of it."""

    def __init__(self) -> None:
        asked, requests = os.pipe()
        self.replies, self.answered = os.pipe()
        self.channel = Channel(requests, self.replies)
        self.inside = Pipes(asked, self.answered)
        self._asked = asked

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self.channel.close()
        os.close(self._asked)
        if self.answered >= 0:
            os.close(self.answered)

    def hang_up(self) -> None:
        os.close(self.answered)
        self.answered = -1


@pytest.fixture(scope="module", autouse=True)
def stopped_clock() -> Iterator[None]:
    """Stop the clock of channels, so that a deadline is met or missed on any machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(channel, "time", SimpleNamespace(monotonic=lambda: NOW))
        yield


@given(FIELDS, FIELDS)
def test_a_message_arrives_as_it_was_sent(request: list[bytes], reply: list[bytes]) -> None:
    with Line() as line:
        line.channel.send(request, SOON)
        assert line.inside.received() == request
        line.inside.send(*reply)
        assert line.channel.receive(10_000, SOON) == reply


def test_large_messages_pass_both_ways() -> None:
    large = os.urandom(3_000_000)
    with Line() as line:
        echo = threading.Thread(target=lambda: line.inside.send(*line.inside.received()))
        echo.start()
        line.channel.send([large, b""], SOON)
        assert line.channel.receive(len(large), SOON) == [large, b""]
        echo.join()


@given(st.binary(max_size=60))
def test_no_bytes_make_the_reader_fail_otherwise_than_it_should(noise: bytes) -> None:
    with Line() as line:
        os.write(line.answered, noise)
        line.hang_up()
        try:
            fields = line.channel.receive(1000, SOON)
        except SandboxError:
            return
        assert sum(map(len, fields)) <= 1000


def test_a_reply_that_is_too_large_is_not_read() -> None:
    with Line() as line:
        os.write(line.answered, (1).to_bytes(4, "big") + (2**60).to_bytes(8, "big"))
        with pytest.raises(SandboxError, match="larger than was asked for"):
            line.channel.receive(1000, SOON)


def test_a_reply_of_too_many_parts_is_not_read() -> None:
    with Line() as line:
        os.write(line.answered, (2**31).to_bytes(4, "big"))
        with pytest.raises(SandboxError, match="at most 4096 parts, got 2147483648"):
            line.channel.receive(1000, SOON)


def test_a_silent_end_is_late_and_a_closed_one_is_gone() -> None:
    with Line() as line:
        with pytest.raises(LateReplyError):
            line.channel.receive(1000, NOW)
        line.hang_up()
        with pytest.raises(SandboxError, match="gone"):
            line.channel.receive(1000, SOON)
