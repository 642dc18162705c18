"""Our own scripts as the interpreter stores them, which spares every start compiling them.

The monitor is one file. The runner is several modules that import each other under their full
names; inside this package cannot be imported, so they travel together, with a few lines that
put them in place.
"""

from __future__ import annotations

import importlib.util
import marshal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType

HERE = Path(__file__).parent
INSIDE = ("messages", "files", "processes", "scripts", "commands", "runner")
"""Modules of the runner, each after those it imports."""

BOOT = """
import marshal, sys
for name, code in marshal.loads(PACKED):
    module = sys.modules[name] = type(sys)(name)
    exec(code, module.__dict__)
module.main()
"""


@cache
def pack_runner() -> bytes:
    """Return the runner, ready to be run."""
    package = f"{__package__}.inside"
    packed = [(f"{package}.{name}", _code(HERE / "inside" / f"{name}.py")) for name in INSIDE]
    source = f"PACKED = {marshal.dumps(packed)!r}\n{BOOT}"
    return _stored(compile(source, "runner", "exec", dont_inherit=True))


@cache
def pack_monitor() -> bytes:
    """Return the monitor, ready to be run."""
    return _stored(_code(HERE / "monitor.py"))


def _code(path: Path) -> CodeType:
    source = path.read_text(encoding="utf-8")
    return compile(source, path.name, "exec", dont_inherit=True)


def _stored(code: CodeType) -> bytes:
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)
