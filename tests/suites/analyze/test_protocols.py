"""The code protocols: what counts as a program, what comes of it, and what is said next."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from evidence.code_runs import DIES, DIGEST, HANGS, PARTS, TRUE, block, converse
from evidence.figures import held
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task, eval
from inspect_ai.model import ChatMessageTool
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef

import whybench as wb
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.items import full_instance
from whybench.suites.analyze.prompts import render_prompt, rows_csv
from whybench.suites.analyze.protocols.attempts import (
    FAILED,
    NOT_RUN,
    OUTCOMES,
    Attempt,
    classify_exit,
    code_columns,
    describe_attempt,
    fence_text,
)
from whybench.suites.analyze.protocols.programs import (
    LARGEST,
    check_program,
    find_program,
    follow_up,
)
from whybench.suites.analyze.protocols.prompts import (
    ANSWER,
    NO_RUNS_LEFT,
    PROTOCOLS,
    REPAIR,
    ROWS_FILE,
)
from whybench.suites.analyze.protocols.task import offer_tools, read_outcomes, solver_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from evidence.code_runs import Said
    from inspect_ai.log import EvalSample

TEXTS = st.text(st.sampled_from("`~ \n\tpython<think>/{}x=1\ud800\x00\r"), max_size=80) | st.text()


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("```python\nx = 1\n```", "x = 1\n"),
        ("Here:\n```py\nx = 1\n```\nand then I see.", "x = 1\n"),
        ("```\nx = 1\n```", "x = 1\n"),
        ("~~~ Python3 title=a.py\nx = 1\n~~~~", "x = 1\n"),
        ("```{.python}\nx = 1\n```", "x = 1\n"),
        ("1. so:\n   ```python\n   if x:\n       y\n   ```", "if x:\n    y\n"),
        ("````python\ns = '''\n```\n'''\n````", "s = '''\n```\n'''\n"),
        ("```python\r\nx = 1\r\n```\r\n", "x = 1\n"),
        # Two programs: the last one counts. Blocks of another language are no programs.
        ("```python\ndraft\n```\n```python\nx = 1\n```", "x = 1\n"),
        ("```python\nx = 1\n```\n```json\n{}\n```\n```\n0.3\n```", "x = 1\n"),
        ("```python\nx = 1\n```\n```python\nunfinished", "x = 1\n"),
        ("```python\nx = 1\n```\n```python\n \n```", "x = 1\n"),
        ("<think>```python\ndraft\n```</think>```python\nx = 1\n```", "x = 1\n"),
    ],
)
def test_the_program_of_a_reply(reply: str, code: str) -> None:
    assert find_program(reply).code == code


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("", "no_code"),
        ("x = 1", "no_code"),
        ('```json\n{"effect": 1}\n```', "no_code"),
        ("```python\n \n```", "no_code"),
        ("<think>```python\nx = 1\n```</think> I would rather not.", "no_code"),
        ("<think>```python\nx = 1\n```", "no_code"),
        ("```python\nx = 1", "unclosed"),
        (f"```python\n{'#' * LARGEST}\n```", "too_large"),
    ],
)
def test_a_reply_without_a_program_says_why(reply: str, outcome: str) -> None:
    found = find_program(reply)
    assert (found.code, found.outcome) == ("", outcome)


def test_a_reply_that_was_cut_off_has_no_program() -> None:
    assert find_program("```python\nx = 1\n```", truncated=True).outcome == "cut_off"


def test_blocks_that_might_have_been_meant_are_counted() -> None:
    assert find_program("```python\n1\n```\n```\n2\n```\n```python\n3\n```").blocks == 2


@given(TEXTS, st.booleans())
def test_finding_a_program_never_raises(reply: str, truncated: bool) -> None:
    found = find_program(reply, truncated)
    assert bool(found.code.strip()) != bool(found.outcome)
    assert not found.outcome or found.outcome in NOT_RUN


@given(st.text(st.sampled_from("`~ab \n"), max_size=60))
def test_what_is_fenced_cannot_get_out(text: str) -> None:
    whole = text if text.endswith("\n") else text + "\n"
    assert find_program(f"before\n{fence_text(text)}\nafter").code == (
        whole if text.strip() else ""
    )


@pytest.mark.parametrize(
    ("status", "output", "errors", "outcome"),
    [
        (0, "standard error 0.02\nTraceback of the lot: Error\n", "", "ok"),
        (0, "0.3\n", "FutureWarning: error ahead", "ok"),
        (0, " \n", "", "silent"),
        (0, "x" * 6001, "", "long"),
        (0, "x" * 6000, "", "ok"),
        (1, "0.3\n", "", "error"),
        (128, "", "", "error"),
        (137, "0.3\n", "", "signal"),
        (-9, "", "", "signal"),
        (200, "", "", "error"),
    ],
)
def test_the_status_decides_and_not_the_words(
    status: int, output: str, errors: str, outcome: str
) -> None:
    assert classify_exit(status, output, errors).outcome == outcome


def test_long_output_keeps_its_beginning_and_its_end() -> None:
    said = describe_attempt(classify_exit(0, "a" * 4000 + "b" * 3000 + "c" * 2000, ""), 60)
    assert "a" * 4000 + "\n[... 3000 characters left out ...]\n" + "c" * 2000 in said
    assert "b" not in said.partition("It printed:")[2].replace("characters", "")


@given(
    st.sampled_from(sorted(OUTCOMES)), st.none() | st.integers(), TEXTS, TEXTS, st.integers(0, 9)
)
def test_every_outcome_can_be_told(
    outcome: str, status: int | None, output: str, errors: str, blocks: int
) -> None:
    said = describe_attempt(Attempt(outcome, status, 200 * output, 200 * errors, blocks), 60)
    assert said.startswith(("Your program", "There was no program", "Nothing was run"))
    assert said.encode()  # no lone surrogate is left
    assert "\x00" not in said
    assert len(said) < 30_000


def test_an_outcome_must_have_a_name() -> None:
    with pytest.raises(ValueError, match="outcome must be one of ok, .*, got 'fine'"):
        Attempt("fine")


def test_columns_of_attempts() -> None:
    assert code_columns([]) == {"runs": 0, "failed_runs": 0, "code_outcome": "no_code"}
    assert code_columns(["error", "ok"]) == {"runs": 2, "failed_runs": 1, "code_outcome": "ok"}
    assert code_columns(["time", "unclosed"]) == {
        "runs": 1,
        "failed_runs": 1,
        "code_outcome": "unclosed",
    }


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("left", [0, 1])
def test_what_failed_may_be_repaired_while_programs_are_left(outcome: str, left: int) -> None:
    said, repair = follow_up(Attempt(outcome, status=1), left)
    assert repair == (outcome in FAILED and left == 1)
    assert (REPAIR in said, ANSWER in said) == (repair, not repair)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_instructions_name_the_file_and_no_rows(protocol: str) -> None:
    assert ROWS_FILE in PROTOCOLS[protocol].text
    assert f"{PROTOCOLS['agentic'].programs} times" in PROTOCOLS["agentic"].text
    prompt = render_prompt(full_instance("simpson", "trap", 3), "neutral", 3, protocol)
    assert ROWS_FILE in prompt


def test_a_protocol_must_be_one_that_there_is() -> None:
    with pytest.raises(ValueError, match="protocol must be one of code, .*, got 'direct'"):
        solver_for("direct")


# From here on, programs are run.


@pytest.fixture
def run(
    confines: None, tmp_path: Path
) -> Callable[[str, Mapping[str, Sequence[Said]]], dict[str, EvalSample]]:
    """Hold scripted conversations about one item, and return the samples by their names."""
    return lambda protocol, scripts: converse(protocol, scripts, tmp_path)


def _told(sample: EvalSample) -> str:
    """Return what the agent was told of its first program."""
    return next(
        message.text for message in sample.messages if (message.metadata or {}).get("attempt")
    )


@pytest.mark.xdist_group("sandbox")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_whatever_a_program_does_is_an_outcome_and_the_answer_is_asked_for(confines: None) -> None:
    assert len(held(PARTS["misbehaving"])) > 10


@pytest.mark.slow
@pytest.mark.xdist_group("sandbox")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_end_that_no_program_brought_about_is_an_error(confines: None) -> None:
    assert len(held(PARTS["blame"])) == 3


DEBUG: dict[str, tuple[tuple[Said, ...], list[str]]] = {
    "fine": ((block("print(1)"), TRUE), ["ok"]),
    "repaired": ((block("print(1"), block("print(1)"), TRUE), ["error", "ok"]),
    "nothing printed": ((block("1"), block("print(1)"), TRUE), ["silent", "ok"]),
    "fails again": ((block("1 / 0"), block("1 / 0"), TRUE), ["error", "error"]),
    "gives up": ((block("1 / 0"), "It cannot be done.", TRUE), ["error", "no_code"]),
}


@pytest.mark.xdist_group("sandbox")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_program_is_repaired_once(run: Callable[..., dict[str, EvalSample]]) -> None:
    samples = run("code-debug", {name: script for name, (script, _) in DEBUG.items()})
    for name, (script, outcomes) in DEBUG.items():
        sample = samples[name]
        assert read_outcomes(sample.messages) == outcomes, name
        replies = [message for message in sample.messages if message.role == "assistant"]
        assert len(replies) == len(script) + 1, name  # and the diagnosis
        assert sample.output.completion == TRUE, name
    assert "SyntaxError" in _told(samples["repaired"])


def _call(code: str) -> tuple[str, dict[str, Any]]:
    return ("python", {"code": code})


SPOILS = (
    f"import os; os.remove('{ROWS_FILE}'); os.symlink('/etc/passwd', '{ROWS_FILE}'); print('done')"
)
MOST = PROTOCOLS["agentic"].programs

AGENTIC: dict[str, tuple[tuple[Said, ...], list[str]]] = {
    "several runs": (
        ([_call("open('note', 'w').write('kept')")], [_call("print(open('note').read())")], "ok"),
        ["silent", "ok"],
    ),
    "rewrites the rows": (
        ([_call(f"open('{ROWS_FILE}', 'w').write('1')")], [_call(DIGEST)], "Done."),
        ["silent", "ok"],
    ),
    "spoils the file": (([_call(SPOILS)], [_call("print(1)")], "Done."), ["ok", "gone"]),
    "hangs and dies": (([_call(HANGS)], [_call(DIES)], "Done."), ["time", "signal"]),
    "two at once": (([_call("print(1)"), _call("1 / 0")], "Done."), ["ok", "error"]),
    "never calls": (("I can see it without.",), ["no_code"]),
    "never stops": (([_call("print(1)")],), ["ok"] * MOST),
    "too many at once": (([_call("print(1)")] * (MOST + 3), "Done."), ["ok"] * MOST),
    "no such tool": (([("bash", {"cmd": "ls"})], [("python", {})], "Done."), ["no_code"]),
    "an empty program": (([_call(" ")], "Done."), ["no_code"]),
}


@pytest.mark.xdist_group("sandbox")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_agent_runs_programs_within_bounds(run: Callable[..., dict[str, EvalSample]]) -> None:
    samples = run("agentic", {name: script for name, (script, _) in AGENTIC.items()})
    for name, (_, outcomes) in AGENTIC.items():
        messages = samples[name].messages
        assert read_outcomes(messages) == outcomes, name
        assert [message.text for message in messages].count(ANSWER) == 1, name
        assert messages[-2].text == ANSWER, name
        assert messages[-1].role == "assistant", name
    results = {
        name: [entry.text for entry in sample.messages if isinstance(entry, ChatMessageTool)]
        for name, sample in samples.items()
    }
    assert SUITE.transcript_columns(samples["never calls"].messages) == {
        "runs": 0, "failed_runs": 0, "code_outcome": "no_code",
    }  # fmt: skip
    assert "kept" in results["several runs"][1]
    rows = rows_csv(full_instance("simpson", "trap", 3), "neutral").encode()
    assert hashlib.sha256(rows).hexdigest() in results["rewrites the rows"][1]
    assert results["too many at once"].count(NO_RUNS_LEFT) == 3
    assert f"Runs left: {MOST - 1}." in results["two at once"][0]


def test_any_program_that_is_given_is_bounded() -> None:
    assert check_program("é" * LARGEST).outcome == "too_large"
    assert check_program("\n").outcome == "no_code"
    assert check_program("\ud800").code == "\ud800"


@solver
def look_around() -> Solver:
    """Write down which tools there are, and ask nobody."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.store.set("tools", [ToolDef(tool).name for tool in state.tools])
        return state

    return solve


@pytest.mark.xdist_group("sandbox")
def test_the_set_up_of_rows_gives_the_sample_tools_that_run_programs(
    confines: None, tmp_path: Path
) -> None:
    samples = wb.analyze(protocol="free").dataset[:1]
    task = Task(
        dataset=samples, setup=offer_tools("free"), solver=look_around(), sandbox="bubblewrap"
    )
    (log,) = eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    (sample,) = log.samples
    assert sample.store["tools"] == ["bash", "python"]
    assert "statsmodels" in sample.store["packages"]
