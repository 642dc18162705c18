"""Protocols: how an agent gets at the rows of an item.

Under `direct` the rows stand in the prompt, and one reply is all there is. Under the others they
lie in a file, and the agent's programs are run on it in a sandbox:

    code        one program, what came of it, the answer
    code-debug  the same, and one more program where the first gave nothing to work with
    agentic     a tool that runs programs, as many as the agent wants up to a bound, the answer
    free        whatever tools the agent has, until it gives its answer; for agents of any kind

Whatever becomes of a program is data: a program that hangs, floods, dies or is none at all has an
outcome with a name (`attempts`), and the conversation goes on. Under all but the last protocol the
agent is asked for its answer exactly once, last. Its last reply is what is graded.

The rows belong to the sample (`Sample.files`), so they are there whatever the solver is.

`programs` finds the program in a reply and says what comes next, `attempts` names and describes
what came of it; `prompts` has the texts and `task` is the part that knows Inspect.
"""
