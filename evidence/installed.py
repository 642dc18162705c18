"""The wheel in a fresh environment: what a new user meets in the first minutes."""

from __future__ import annotations

import atexit
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evidence.processes import children_cpu

ROOT = Path(__file__).parents[1]
UV = (sys.executable, "-m", "uv")


@dataclass(frozen=True)
class Installed:
    """A fresh environment that holds the wheel and what it depends on, and nothing else."""

    folder: Path

    def run(self, *words: str, cwd: Path | None = None) -> str:
        """Run a command of the environment and return what it prints."""
        tools = self.folder / "bin"
        done = subprocess.run(
            [str(tools / words[0]), *words[1:]],
            env={
                "PATH": f"{tools}:{os.environ['PATH']}",
                "HOME": str(self.folder),
                "INSPECT_DISPLAY": "plain",
            },
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)} must succeed, got {done.stdout}{done.stderr}")
        return done.stdout


@cache
def _place() -> Path:
    """Return a folder that is there until this process ends."""
    folder = tempfile.TemporaryDirectory(prefix="whybench-installed-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@cache
def build_wheel(release: bool = False) -> Path:
    """Build the wheel, once for all environments of this process; or that of a release."""
    built = _place() / ("release" if release else "dist")
    subprocess.run(
        [*UV, "build", "--quiet", "--wheel", "--out-dir", built, ROOT],
        env={**os.environ, "WHYBENCH_RELEASE": "1" if release else "0"},
        check=True,
    )
    (wheel,) = built.glob("*.whl")
    return wheel


@cache
def install_wheel(extras: str = "", release: bool = False) -> Installed:
    """Install the wheel, with extras, into an environment of its own, which asks may share.

    Nothing is compiled before it is first imported, so the first of many starts is not timed.
    """
    environment = _place() / (f"{extras or 'bare'}{'-release' if release else ''}")
    wheel = build_wheel(release)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    install = ["pip", "install", "--quiet", "--python", str(environment)]
    subprocess.run(
        [*UV, *install, f"{wheel}[{extras}]" if extras else str(wheel)],
        env={**os.environ, "UV_CONSTRAINT": str(ROOT / "constraints.txt")},
        check=True,
    )
    return Installed(environment)


def first_example(installed: Installed) -> str:
    """Run the README's first example that needs no extra, word for word, with the wheel."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    install, *_ = re.findall(r"```bash\n(.*?)\n", readme) or [""]
    if install != "pip install 'whybench[all]'":
        raise RuntimeError(f"the README must begin with how to install it, got {install!r}")
    command = re.search(r"```bash\n(inspect eval .*?)\n```", readme)
    if command is None:
        raise RuntimeError("the README must have an example that needs no extra, got none")
    return installed.run(*command[1].split())


def start_up(installed: Installed, rounds: int = 7) -> dict[str, float]:
    """Return how many seconds of CPU each light command takes above a bare interpreter."""

    def best(*words: str) -> float:
        times = []
        for _ in range(rounds):
            start = children_cpu()
            installed.run(*words)
            times.append(children_cpu() - start)
        return min(times)

    bare = best("python", "-c", "pass")
    commands = ("--help", "list", "show judge", "show judge --count 1")
    extra = {command: best("whybench", *command.split()) - bare for command in commands}
    return {**extra, "import whybench": best("python", "-c", "import whybench") - bare}
