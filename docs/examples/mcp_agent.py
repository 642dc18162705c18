"""An agent of its own: it finds out, by tools that it is served, whether one thing causes another.

It brings both things to rest, sets the supposed cause going, and looks. It reads the question on
its standard input, and finds the address of the tools in a variable.
"""

import asyncio
import os
import re
import sys

from mcp import Client


def see(text: str) -> dict[str, bool]:
    """Return which things move, by what a text says last."""
    seen = text.rpartition("You see: ")[2].partition(".")[0]
    return {name: state == "moving" for name, state in re.findall(r"([^:; ]+): (\w+)", seen)}


async def find_out(question: str) -> None:
    """Act until the question is settled, and answer it."""
    cause, effect = re.findall(r"upposed (?:cause|effect): ([^;.]+)", question)
    async with Client(os.environ["WHYBENCH_MCP_URL"]) as client:

        async def call(tool: str, **arguments: str) -> str:
            result = await client.call_tool(tool, arguments)
            return result.content[0].text

        state = see(question)
        while state[effect]:
            for name in [name for name in state if state[name]]:
                state = see(await call("hold", entity=name))
                if not state[effect]:
                    break
        if not state[cause]:  # else it moves and the effect does not
            state = see(await call("move", entity=cause))
        await call("answer", answer="yes" if state[effect] else "no")


asyncio.run(find_out(sys.stdin.read()))
