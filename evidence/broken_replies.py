"""The fault drill: runs against a server of which a fifth of the calls go wrong.

What must hold, whatever the server does: every question has one outcome, a missing one has a reason
that can be read, nothing is scored from a broken reply or from the reply to another question, and
calls, time and memory have bounds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evidence.fault_server import (
    DECOY,
    FAULTS,
    HARMLESS,
    MODEL,
    FaultServer,
    Plan,
    busiest,
    even_number,
)
from evidence.figures import Figure, Parts
from evidence.processes import ended
from whybench.evaluation.engine import KEEP_CONNECTIONS
from whybench.outcomes import CUT_BY_DEFAULT, CUT_OFF

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHARES = {
    "rate_limit": 0.03,
    "server_error": 0.03,
    "cut": 0.02,
    "truncated": 0.02,
    "empty": 0.02,
    "page": 0.02,
    "slow": 0.01,
    "hang": 0.01,
    "doubled": 0.01,
    "long": 0.01,
    "repeated": 0.01,
    "mislabelled": 0.01,
}
"""Fault to its share of the calls: a fifth in all, and no fault is left out."""

KEPT_LINES = {KEEP_CONNECTIONS: "20"}
"""Keeps lines open after a reply, as the HTTP client would if a run did not close them."""

COMMAND = (sys.executable, "-c", "from whybench.cli import main; main()", "run", "judge", "--json")


@dataclass(frozen=True)
class Drill:
    """What came of a run against the faulty server.

    Attributes:
        asked: How many answers were asked for.
        rows: The records.
        right: Item to the value of the right reply.
        calls: The server's log.
        seconds: Wall time of the run, from start to end of its process.
        peak: Largest memory of its process, in MB.
        in_time: Whether it ended by itself before its time was up.
    """

    asked: int
    rows: list[dict[str, Any]]
    right: Mapping[str, float]
    calls: list[dict[str, Any]]
    seconds: float
    peak: float
    in_time: bool

    @property
    def outcomes(self) -> Counter[str]:
        """How many records have which outcome."""
        return Counter(row["outcome"] for row in self.rows)

    @property
    def faults(self) -> Counter[str]:
        """How many calls met which fault."""
        return Counter(call["fault"] for call in self.calls)

    def misread(self) -> list[tuple[str, float]]:
        """Return item and value of what was scored, but was not in the right reply."""
        return [
            (row["item"], row["value"])
            for row in self.rows
            if row["outcome"] == "scored" and row["value"] != self.right[row["item"]]
        ]

    def unexplained(self) -> list[str]:
        """Return reasons that name nothing, or a place in the memory of a process that is gone."""
        return [
            row["reason"]
            for row in self.rows
            if row["outcome"] != "scored" and (len(row["reason"]) < 5 or " at 0x" in row["reason"])
        ]


def drill(
    design: str,
    shares: Mapping[str, float],
    *,
    limit: int | None = None,
    epochs: int = 1,
    group: int = 1,
    connections: int = 40,
    attempt: int = 10,
    seconds: float = 600.0,
    environment: Mapping[str, str] | None = None,
) -> Drill:
    """Run judge by the command against the faulty server, and return what came of it.

    Args:
        design: A design of judge; its direct style is asked.
        shares: Fault to its share of the calls.
        limit: Only the first so many items.
        epochs: How often each is asked.
        group: Items a sample asks.
        connections: Calls at once.
        attempt: Seconds after which an attempt is given up.
        seconds: Seconds after which the run is killed.
        environment: Settings of the HTTP client, where not those of every run.
    """
    from whybench.records import read_logs
    from whybench.suites.judge import SUITE

    items = list(SUITE.items(SUITE.make_design({"design": design, "style": "direct"})))[:limit]
    options = {
        "--design": design,
        "-T": "style=direct",
        "--model": MODEL,
        "--epochs": epochs,
        "--group": group,
        "--max-connections": connections,
        **({} if limit is None else {"--limit": limit // group}),
    }
    plan = Plan(shares, slow=attempt + 2)
    with FaultServer(plan) as server, tempfile.TemporaryDirectory() as folder:
        words = [str(word) for pair in (*options.items(), ("--log-dir", folder)) for word in pair]
        began = time.monotonic()
        process = subprocess.Popen(
            [*COMMAND, "-G", f"attempt_timeout={attempt}", *words],
            env={**os.environ, **(environment or {}), **server.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        in_time, peak = ended(process, seconds)
        return Drill(
            asked=len(items) * epochs,
            rows=read_logs([folder]).rows["judge"],
            right={item.id: float(even_number(SUITE.render(item))) for item in items},
            calls=server.calls(),
            seconds=time.monotonic() - began,
            peak=peak,
            in_time=in_time,
        )


def mixed(small: bool) -> Iterator[Figure]:
    """Yield what a run comes to when a fifth of its calls go wrong."""
    if small:
        yield from told(drill("core", SHARES, limit=160, seconds=900), 900)
    else:
        yield from told(drill("full", SHARES, epochs=6, seconds=3600), 3600)


def told(found: Drill, seconds: float) -> Iterator[Figure]:
    """Yield the claims about a drill."""
    outcomes, faults = found.outcomes, found.faults
    met = sum(count for fault, count in faults.items() if fault)
    yield Figure(
        f"{found.asked} questions to a server that fails a fifth of its calls: "
        "scored + no answer + error = asked",
        f"{dict(outcomes)}; {met} of {len(found.calls)} calls met a fault: "
        + ", ".join(f"{name} {faults[name]}" for name in FAULTS),
        sum(outcomes.values()) == found.asked == len(found.rows) and met > 0,
    )
    misread = found.misread()
    decoys = sum(value == float(DECOY) for _, value in misread)
    broken = sum(count for fault, count in faults.items() if fault and fault not in HARMLESS)
    yield Figure(
        "nothing is scored from a broken reply, or from the reply to another question",
        f"{len(misread)} of {outcomes['scored']} values are not those of the right reply, "
        f"{decoys} of them the decoy that {broken} broken replies carried",
        not misread and outcomes["scored"] > 0,
    )
    reasons = Counter(row["reason"] for row in found.rows if row["outcome"] != "scored")
    yield Figure(
        "no answer comes only of replies cut off by the token limit, and every other loss is an "
        "error with its reason, in at most 1 of 100 questions",
        "; ".join(f"{count} x {reason}" for reason, count in reasons.most_common(6)) or "none",
        not found.unexplained()
        and all(
            row["reason"] in {CUT_OFF, CUT_BY_DEFAULT}
            for row in found.rows
            if row["outcome"] == "no_answer"
        )
        and outcomes["no_answer"] <= faults["long"]
        and outcomes["error"] <= max(2, found.asked / 100),
    )
    times = [call["time"] for call in found.calls]
    most = max(Counter(call["question"] for call in found.calls).values())
    yield Figure(
        "retries are bounded: at most 1.5 calls a question on average",
        f"{len(found.calls) / found.asked:.2f} calls a question, {most} at most for one prompt in "
        f"all epochs, {busiest(times)} in the busiest 10 s",
        len(found.calls) <= 1.5 * found.asked,
    )
    yield Figure(
        "it takes at most 500 MB of memory and 50 KB a question",
        f"peak {found.peak:.0f} MB",
        found.peak <= 500 + 0.05 * found.asked,
    )
    yield Figure(
        f"it ends by itself in {seconds:.0f} s",
        f"{found.seconds:.0f} s",
        found.in_time,
        timed=True,
    )


def stray(count: int, environment: Mapping[str, str] | None = None) -> Drill:
    """Ask a server that sends half of its right replies twice."""
    return drill("core", {"repeated": 0.5}, limit=count, connections=4, environment=environment)


def repeated(small: bool) -> Iterator[Figure]:
    """Yield what becomes of replies that are sent twice on one line."""
    count = 40 if small else 240
    closed, kept = stray(count), stray(count, KEPT_LINES)
    yield Figure(
        "a reply that is sent twice answers no other question, since no line is used again",
        f"{len(closed.misread())} of {closed.outcomes['scored']} replies strayed, of "
        f"{closed.faults['repeated']} sent twice; on lines kept open {len(kept.misread())} of "
        f"{kept.outcomes['scored']} strayed",
        not closed.misread() and closed.faults["repeated"] > 0 and len(kept.rows) == count,
    )


def grouped(small: bool) -> Iterator[Figure]:
    """Yield what a run of many conversations a sample loses to broken replies."""
    shares = {"truncated": 0.05, "empty": 0.05, "doubled": 0.02}
    found = drill("core", shares, limit=80 if small else 240, group=20)
    yield Figure(
        "20 conversations a sample, an eighth of the replies broken: at most 1 of 20 is lost",
        f"{dict(found.outcomes)} in {len(found.calls)} calls; {len(found.misread())} misread",
        found.outcomes["scored"] >= 0.95 * found.asked
        and not found.misread()
        and len(found.rows) == found.asked,
    )


PARTS: Parts = {
    "mixed faults": mixed,
    "repeated replies": repeated,
    "grouped faults": grouped,
}
