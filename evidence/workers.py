"""Experiments whose workers, node and driver are killed: no answer is lost or doubled.

Each drill runs in a network namespace of its own, since Ray listens on network interfaces. It is a
process (`python -m evidence.workers KIND SAMPLES DESIGN`) that talks to a server of its own, kills
with SIGKILL, and prints what it saw as JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import yaml

from evidence.fault_server import MODEL, FaultServer, Plan, busiest, question_digest
from evidence.figures import Figure, Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from whybench.evaluation.store import Store
    from whybench.evaluation.units import Unit

AT_ONCE = 10
"""Calls at once of a worker."""
REPLY = "evidence.fault_server:labelled_number"
PAUSE = 1.0
"""Seconds that a reply takes, so that a unit is in the middle of its work for some seconds."""
PATIENCE = 2700
"""Seconds after which a drill is given up."""
QUOTAS = {"core": 8.0, "styles": 20.0}
"""Calls a second that a quota allows in a drill with this design: fewer in the small one, so that
it is the quota that slows it down, and not a machine that has much else to do."""
WITHIN = 1.05


class Drill:
    """An experiment with judge against a server, in a folder of its own.

    Args:
        folder: Where everything is kept.
        server: The server.
        samples: Samples of a unit.
        design: The design that is asked.
        quotas: Calls a second, by provider.
    """

    def __init__(
        self,
        folder: Path,
        server: FaultServer,
        samples: int,
        design: str,
        quotas: dict[str, float] | None = None,
    ) -> None:
        from whybench.evaluation.experiment_files import read_experiment
        from whybench.evaluation.store import open_store
        from whybench.suites.judge import SUITE

        self.work, self.server, self.samples = folder / "work", server, samples
        self.output = str(folder / "out")
        self.file = folder / "plan.yaml"
        plan = {
            "models": [MODEL],
            "suites": [{"suite": "judge", "design": design}],
            "unit_size": samples,
            "settings": {"max_connections": AT_ONCE, "max_samples": AT_ONCE},
            "quotas": quotas or {},
        }
        self.file.write_text(yaml.safe_dump(plan), encoding="utf-8")
        self.units: list[Unit] = read_experiment(self.file).list_units()
        self.store: Store = open_store(self.output)
        items = list(SUITE.items(SUITE.designs[design]))
        self.items = {item.id for item in items}
        self.unit_of = _units_by_question(self.units, items)
        self.lost: dict[str, int] = {}
        """Calls that kills may have cost each unit: those that no upload has the answers of."""

    def start(self, *options: str, **environment: str) -> subprocess.Popen[str]:
        """Start the driver."""
        whybench = Path(sys.executable).with_name("whybench")
        return subprocess.Popen(
            [whybench, "experiment", self.file, "-o", self.output, "--work", self.work, *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **self.server.environment, **environment},
        )

    def calls(self) -> Counter[str]:
        """Return how many calls each unit has made."""
        return Counter(self.unit_of[call["question"]] for call in self.server.calls())

    def running(self) -> dict[str, dict[str, Any]]:
        """Return what the units that are running say of themselves."""
        found = {}
        for unit in self.units:
            note = self.store.read_note(unit)
            if note and not self.is_complete(unit) and psutil.pid_exists(note["pid"]):
                found[unit.place] = note
        return found

    def is_complete(self, unit: Unit) -> bool:
        """Tell whether a unit is complete, by its note."""
        from whybench.evaluation.states import read_state

        return read_state(unit, self.store).progress.complete

    def busiest_unit(self) -> tuple[str, dict[str, Any]]:
        """Return the running unit that has made most calls, and what it says of itself."""
        calls = self.calls()
        return max(self.running().items(), key=lambda entry: calls[entry[0]])

    def count_lost(self, units: Sequence[str]) -> None:
        """Count the calls of units that stand still beyond the samples in their uploaded logs.

        What an earlier kill cost a unit is among them, so the latest count holds.
        """
        from inspect_ai.log import read_eval_log_sample_summaries

        calls = self.calls()
        while True:  # until the server has received all that was sent
            time.sleep(PAUSE)
            before, calls = calls, self.calls()
            if all(calls[name] == before[name] for name in units):
                break
        places = {unit.place: unit for unit in self.units}
        for name in units:
            logs = self.store.logs(places[name])
            held = [len(read_eval_log_sample_summaries(log)) for log in logs]
            self.lost[name] = calls[name] - max(held, default=0)

    def kill_worker(self, name: str, note: dict[str, Any]) -> None:
        """Kill the process of a unit.

        It is stopped while its calls are counted: what it asks in the meantime would be lost too.
        """
        os.kill(note["pid"], signal.SIGSTOP)
        self.count_lost([name])
        os.kill(note["pid"], signal.SIGKILL)

    def kill_driver(self, driver: subprocess.Popen[str]) -> None:
        """Kill the driver, and count once its workers have noticed and are gone.

        A worker that was only starting may ask something before it notices, so all are waited for.
        """
        workers = psutil.Process(driver.pid).children(recursive=True)
        driver.kill()
        driver.wait()
        _, left = psutil.wait_procs(workers, timeout=60)
        if left:
            raise RuntimeError(f"workers must end with their driver, got {left}")
        self.count_lost([unit.place for unit in self.units if not self.is_complete(unit)])

    def wait(self, driver: subprocess.Popen[str], until: Callable[[], bool]) -> None:
        """Wait until something is so, while the driver runs, a bounded time."""
        end = time.time() + PATIENCE
        while not until():
            if driver.poll() is not None:
                raise RuntimeError(f"the driver ended too early: {driver.communicate()[1][-2000:]}")
            if time.time() > end:
                driver.kill()
                raise RuntimeError("the drill took too long")
            time.sleep(0.3)

    def partly(self, share: float) -> bool:
        """Tell whether a share of the items was asked, and a unit is in the middle of its work."""
        calls = self.calls()
        middle = [n for n in self.running() if self.samples // 4 < calls[n] < 0.8 * self.samples]
        return sum(calls.values()) >= share * len(self.items) and bool(middle)

    def result(self) -> dict[str, Any]:
        """Collect the records and say what came of it."""
        from whybench.records import read_logs

        folders = [f"{self.output}/{unit.place}" for unit in self.units]
        rows = [row for folder in folders for row in read_logs([folder]).rows["judge"]]
        answered = Counter((row["item"], row["epoch"]) for row in rows)
        calls = self.server.calls()
        return {
            "units": len(self.units),
            "items": len(self.items),
            "answers": len(rows),
            "once": sum(count == 1 for count in answered.values()),
            "missing": len(self.items - {item for item, _ in answered}),
            "errors": sum(row["outcome"] == "error" for row in rows),
            "calls": len(calls),
            "repeated": len(calls) - len({call["question"] for call in calls}),
            "allowed": sum(self.lost.values()),
            "busiest": busiest([call["time"] for call in calls]),
        }


def _units_by_question(units: list[Unit], items: list[Any]) -> dict[str, str]:
    from whybench.suites.catalog import take_shard
    from whybench.suites.judge import SUITE

    return {
        question_digest(SUITE.render(item)): unit.place
        for unit in units
        for item in take_shard(items, unit.shard, SUITE.grouping)
    }


def _cluster(server: FaultServer, nodes: int) -> Any:
    """Start a cluster on whose nodes the server is known, and no other."""
    from ray.cluster_utils import Cluster

    # Ray gives way to everything else by default; beside other tests its workers would starve.
    os.environ.update({**server.environment, "RAY_worker_niceness": "0"})
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "node_ip_address": "127.0.0.1", "include_dashboard": False},
    )
    for _ in range(nodes):
        cluster.add_node(num_cpus=1, node_ip_address="127.0.0.1")
    return cluster


def killed_on_ray(folder: Path, samples: int, design: str) -> dict[str, Any]:
    """Kill a worker, then a node with all its files, of a cluster of two."""
    with FaultServer(Plan(pause=PAUSE, reply=REPLY)) as server:
        drill = Drill(folder, server, samples, design)
        cluster = _cluster(server, 2)
        try:
            driver = drill.start("--ray", RAY_ADDRESS=cluster.address)
            drill.wait(driver, lambda: drill.partly(0.2))
            name, note = drill.busiest_unit()
            drill.kill_worker(name, note)
            drill.wait(driver, lambda: drill.partly(0.5))
            name, note = drill.busiest_unit()
            node = next(one for one in cluster.worker_nodes if one.node_id in note["folder"])
            drill.kill_worker(name, note)  # it has one processor, and so one unit at a time
            cluster.remove_node(node, allow_graceful=False)
            shutil.rmtree(drill.work / node.node_id)
            drill.wait(driver, lambda: driver.poll() is not None)
        finally:
            cluster.shutdown()
        return drill.result()


def killed_in_pool(folder: Path, samples: int, design: str) -> dict[str, Any]:
    """Kill a worker process, then the driver, and start the same command again."""
    with FaultServer(Plan(pause=PAUSE, reply=REPLY)) as server:
        drill = Drill(folder, server, samples, design)
        driver = drill.start("--workers", "2")
        drill.wait(driver, lambda: drill.partly(0.2))
        name, note = drill.busiest_unit()
        drill.kill_worker(name, note)
        drill.wait(driver, lambda: drill.partly(0.5))
        drill.kill_driver(driver)
        again = drill.start("--workers", "2")
        drill.wait(again, lambda: again.poll() is not None)
        return drill.result()


def within_quota(folder: Path, samples: int, design: str) -> dict[str, Any]:
    """Let a cluster of two nodes ask as fast as a quota lets it."""
    with FaultServer() as server:
        drill = Drill(folder, server, samples, design, {MODEL.partition("/")[0]: QUOTAS[design]})
        cluster = _cluster(server, 2)
        try:
            driver = drill.start("--ray", RAY_ADDRESS=cluster.address)
            drill.wait(driver, lambda: driver.poll() is not None)
        finally:
            cluster.shutdown()
        return drill.result()


DRILLS = {"ray": killed_on_ray, "pool": killed_in_pool, "quota": within_quota}


def _drilled(kind: str, samples: int, design: str) -> dict[str, Any]:
    """Run a drill in a network namespace of its own."""
    drill = [sys.executable, "-m", "evidence.workers", kind, str(samples), design]
    command = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "drill", *drill]
    found = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if found.returncode:
        raise RuntimeError(f"the drill {kind} must end well, got {found.stderr[-3000:]}")
    result: dict[str, Any] = json.loads(found.stdout.splitlines()[-1])
    return result


def _survived(kind: str, what: str, samples: int, design: str) -> Figure:
    seen = _drilled(kind, samples, design)
    return Figure(
        f"{what}: every item is answered exactly once, and no more calls are repeated than were "
        "made since the last upload",
        f"{seen['units']} units, {seen['items']} items: {seen['once']} answered once, "
        f"{seen['missing']} missing, {seen['errors']} errors; allowed {seen['allowed']}, made "
        f"{seen['calls']}, repeated {seen['repeated']}",
        seen["once"] == seen["items"] == seen["answers"]
        and not seen["errors"]
        and 0 < seen["repeated"] <= seen["allowed"],
    )


def ray(small: bool) -> Iterator[Figure]:
    """Yield the drill on a cluster."""
    size = (80, "core") if small else (252, "full")
    yield _survived(
        "ray", "a worker and then a node of a Ray cluster are killed, its logs deleted", *size
    )


def pool(small: bool) -> Iterator[Figure]:
    """Yield the drill on one machine."""
    size = (80, "core") if small else (252, "full")
    yield _survived("pool", "a worker and then the driver are killed, and started again", *size)


def quota(small: bool) -> Iterator[Figure]:
    """Yield how many calls a quota lets through."""
    seen = _drilled("quota", 120 if small else 360, "core" if small else "styles")
    rate = QUOTAS["core" if small else "styles"]
    # On a machine that has much else to do, calls that were held up come with those after them: as
    # many as are made at once. Without a quota it would be twice as many and more.
    most = WITHIN * rate * 10 + 2 * AT_ONCE * small
    yield Figure(
        f"two nodes with a quota of {rate:.0f} calls a second make at most {most:.0f} in any 10 s",
        f"{seen['calls']} calls, at most {seen['busiest']} in 10 s",
        0.5 * most < seen["busiest"] <= most,
        timed=True,
    )
    yield Figure(
        "two nodes that share a quota answer every item exactly once",
        f"{seen['once']} of {seen['items']} items",
        seen["once"] == seen["items"],
    )


PARTS: Parts = {"ray": ray, "pool": pool, "quota": quota}


def main(kind: str, samples: str, design: str) -> None:
    """Run one drill here and print what was seen."""
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(DRILLS[kind](Path(folder), int(samples), design)))


if __name__ == "__main__":
    main(*sys.argv[1:])
