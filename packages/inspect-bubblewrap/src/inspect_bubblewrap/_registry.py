"""Registration with Inspect, through the entry point `inspect_ai`."""

from inspect_bubblewrap.environment import BubblewrapSandbox

__all__ = ["BubblewrapSandbox"]
