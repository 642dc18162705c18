"""Python without a new interpreter: a fork of the runner, its imports done, runs the script.

That spares a script the second or two that pandas and statsmodels take. To the script it looks as
if `python` had been called: its own `__main__`, its arguments, its folder on the path, the same
traceback and the same exit status.
"""

from __future__ import annotations

import os
import sys

PYTHONS = ("python", "python3", sys.executable)


def is_plain_python(argv: list[str], env: dict[str, str]) -> bool:
    """Whether a command is a Python that takes no option, nor finds a setting of its own."""
    if argv[0] not in PYTHONS or any(name.startswith(("PYTHON", "PATH")) for name in env):
        return False
    return len(argv) > 1 and (argv[1] in ("-", "-c") or not argv[1].startswith("-"))


def become_python(argv: list[str]) -> None:
    """Run a script in this process, and end as an interpreter ends."""
    import atexit

    status = _run(argv)
    endings = [atexit._run_exitfuncs, sys.stdout.flush, sys.stderr.flush]
    if "threading" in sys.modules:
        endings.insert(0, sys.modules["threading"]._shutdown)
    for ending in endings:
        try:
            ending()
        except BaseException:
            status = status or 120
    os._exit(status)


def _run(argv: list[str]) -> int:
    main = type(sys)("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    try:
        name, source = _source(argv, main.__dict__)
    except (OSError, IndexError) as error:
        print(f"{argv[0]}: {error}", file=sys.stderr)
        return 2
    try:
        exec(compile(source, name, "exec"), main.__dict__)
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, int):
            return (leaving.code or 0) & 0xFF
        print(leaving.code, file=sys.stderr)
        return 1
    except BaseException as error:
        import traceback

        here = error.__traceback__
        traceback.print_exception(type(error), error, here and here.tb_next)
        return 1
    return 0


def _source(argv: list[str], main: dict[str, object]) -> tuple[str, str | bytes]:
    """Return the script's name and text, with arguments and path set as it expects them."""
    if argv[1] == "-c":
        sys.argv = ["-c", *argv[3:]]
        sys.path.insert(0, "")
        return "<string>", argv[2]
    sys.argv = argv[1:]
    if argv[1] == "-":
        sys.path.insert(0, "")
        return "<stdin>", sys.stdin.buffer.read()
    sys.path.insert(0, os.path.dirname(os.path.abspath(argv[1])))
    main["__file__"] = argv[1]
    with open(argv[1], "rb") as file:
        return argv[1], file.read()
