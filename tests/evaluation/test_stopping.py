"""Ending an evaluation before its end: by signals, by word, and when all fails alike."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)

import whybench as wb
from whybench.errors import SIGNALS, Interrupted, StoppedError
from whybench.evaluation import stopping
from whybench.evaluation.stopping import Evaluation, Stop, raise_stopped, signals_raise

pytestmark = pytest.mark.slow

ASKED: list[str] = []
"""The prompts that the scripted model was asked."""

SCRIPT: dict[str, object] = {}
"""What it does: `after` so many calls, call `then`; `fail` decides by the prompt."""


@modelapi(name="scripted")
class Scripted(ModelAPI):
    """Answers 50, and does what the script says."""

    def __init__(self, model_name: str, **_: object) -> None:
        super().__init__(model_name, config=GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: object, tool_choice: object, config: object
    ) -> ModelOutput:
        ASKED.append(input[-1].text)
        if len(ASKED) == SCRIPT.get("after"):
            SCRIPT["then"]()
        fails = SCRIPT.get("fail")
        if fails is not None and fails(input[-1].text):
            raise RuntimeError("the key 4711 is not known")
        return ModelOutput.from_content(self.model_name, "50")


@pytest.fixture(autouse=True)
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    monkeypatch.chdir(tmp_path)
    ASKED.clear()
    SCRIPT.clear()
    return SCRIPT


def ask(**settings: object) -> wb.Records:
    return wb.run("judge", "scripted/one", limit=24, log_dir="logs", max_connections=1, **settings)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_and_the_same_call_goes_on(script: dict, number: int) -> None:
    script.update(after=10, then=lambda: signal.raise_signal(number))
    handlers = [signal.getsignal(one) for one in SIGNALS]
    with pytest.raises(
        Interrupted, match=r"Stopped: judge \d+ of 24\. Run the same .* to resume"
    ) as end:
        ask()
    assert end.value.signal == number
    assert [signal.getsignal(one) for one in SIGNALS] == handlers
    assert len(ASKED) == 10
    # What was in flight is neither an answer nor an error.
    before = wb.load("logs")
    assert before.outcomes == {"scored": len(before)}
    assert len(before) <= 10
    script.clear()
    answers = ask()
    assert answers.outcomes == {"scored": 24}
    assert not answers.incomplete
    assert len(ASKED) == 24 + 10 - len(before)


def test_whoever_has_a_reason_can_stop_a_run(script: dict) -> None:
    script.update(after=8, then=lambda: stopping.stop("the money is spent"))
    with pytest.raises(StoppedError, match=r"since the money is spent\. judge 7 of 24"):
        ask()
    assert len(ASKED) == 8


def test_a_run_whose_first_calls_all_fail_alike_is_stopped(script: dict) -> None:
    script.update(fail=lambda _: True)
    with pytest.raises(StoppedError, match=r"the first 5 calls all failed: .*4711 is not known"):
        ask()
    failed = len(ASKED)
    assert failed <= 6  # one may be under way
    script.clear()
    assert ask().outcomes == {"scored": 24}
    assert len(ASKED) == failed + 24


def test_errors_are_asked_again_until_they_are_kept(script: dict) -> None:
    first: list[str] = []

    def third(prompt: str) -> bool:
        first.append(prompt) if prompt not in first else None
        return first.index(prompt) % 3 == 2

    script.update(fail=third)
    answers = ask()
    assert answers.outcomes == {"scored": 16, "error": 8}
    assert answers.incomplete == (
        "8 of 24 samples ended in an error, such as: RuntimeError('the key 4711 is not known')",
    )
    asked = len(ASKED)
    kept = ask(keep_errors=True)
    assert kept.incomplete == ()
    assert kept.outcomes == {"scored": 16, "error": 8}
    assert set(ASKED[asked:]) == set(first[2::3])
    # A log that was finished with errors is opened again.
    script.clear()
    asked = len(ASKED)
    assert ask().outcomes == {"scored": 24}
    assert sorted(ASKED[asked:]) == sorted(first[2::3])
    asked = len(ASKED)
    ask()
    assert len(ASKED) == asked


def test_kept_errors_do_not_stop_a_run(script: dict) -> None:
    script.update(fail=lambda _: True)
    answers = ask(keep_errors=True)
    assert answers.outcomes == {"error": 24}
    assert answers.incomplete == ()


def test_a_run_that_hides_its_end_is_not_believed(
    script: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    import inspect_ai

    monkeypatch.setattr(inspect_ai, "eval_set", lambda *_, **__: (True, []))
    answers = None
    with pytest.raises(wb.UserError, match="must hold WhyBench answers, got none"):
        answers = ask()
    assert answers is None


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("temprature", 1, r"did you mean .temperature.\?"),
        ("log_dir", "x", "must be generate or eval settings of Inspect's, got 'log_dir'"),
        ("top_p", "much", "top_p cannot be 'much'"),
    ],
)
def test_settings_that_inspect_does_not_have_are_refused(
    name: str, value: object, message: str
) -> None:
    with pytest.raises(wb.UserError, match=message):
        ask(settings={name: value})
    assert not ASKED


def test_settings_reach_inspect_and_the_log(script: dict) -> None:
    answers = ask(temperature=0.7, timeout=99, settings={"top_p": 0.9, "tags": ["mine"]})
    (info,) = list_eval_logs("logs")
    log = read_eval_log(info, header_only=True)
    config = log.plan.config
    assert (config.temperature, config.timeout, config.top_p) == (0.7, 99, 0.9)
    assert config.attempt_timeout is None
    assert sorted(log.eval.tags) == ["causal-reasoning", "judge", "mine"]
    assert answers.agents == ("scripted/one[temperature=0.7,top_p=0.9]",)


def test_no_call_is_given_up_by_a_time_nobody_asked_for() -> None:
    ask()
    (info,) = list_eval_logs("logs")
    config = read_eval_log(info, header_only=True).plan.config
    assert (config.timeout, config.attempt_timeout) == (None, None)


def test_a_key_is_not_part_of_a_folders_name() -> None:
    wb.run("judge", "scripted/one", limit=1, model_args={"api_key": "sk-canary-9"})
    wb.run("judge", "scripted/one", limit=1, model_args={"api_key": "sk-canary-8"})
    wb.run("judge", "scripted/one", limit=1, model_args={"region": "north"})
    folders = [path.name for path in Path("logs").iterdir()]
    assert len(folders) == 2
    assert not [name for name in folders if "canary" in name or "north" in name]


def test_only_the_first_reason_counts() -> None:
    evaluation = Evaluation()
    evaluation.stop(Stop("one"))
    evaluation.stop(Stop("two"))
    assert evaluation.stopped == Stop("one")


def test_failures_of_several_kinds_do_not_stop_an_evaluation() -> None:
    evaluation = Evaluation()
    for number in range(20):
        evaluation.sample_ended("rate limit" if number % 2 else f"cut after {number} bytes", True)
    assert evaluation.stopped is None
    assert evaluation.failed == 20
    alike = Evaluation()
    for number in range(20):
        alike.sample_ended(f"cut after {number} bytes of id 0x{number}af", True)
    assert alike.stopped is not None


def test_a_signal_raises_while_nothing_runs() -> None:
    with pytest.raises(Interrupted) as end, signals_raise():
        signal.raise_signal(signal.SIGHUP)
    assert end.value.signal == signal.SIGHUP
    with pytest.raises(KeyboardInterrupt):
        raise_stopped(Stop.by_signal(2), "far")


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals_raise():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_two_runs_do_not_write_to_one_folder() -> None:
    import fcntl

    Path("logs").mkdir()
    with Path("logs", ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(
            wb.UserError, match="one run at a time must write to a folder, got logs"
        ):
            ask()
    assert not ASKED
