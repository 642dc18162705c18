"""What runs inside the sandbox: the runner, process 1 of its namespace.

Nothing here is imported by the program outside. The modules are compiled together (see `bundle`),
handed to bubblewrap and run inside, where WhyBench itself cannot be seen. They import only what
costs next to nothing, because every sandbox waits for them.

From being process 1 three things follow. The code that the runner runs can neither kill nor stop
it. One call ends every other process at once, with no race against one that forks as fast as it
can; that is done after every command, so nothing a command starts outlives it. And should the
runner end, the kernel ends all the rest.
"""
