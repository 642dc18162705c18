"""What calls cost, counted while they are made, and an end before a limit is passed.

Every call to a model that has a price first reserves the most that it may cost: its messages and
tools at a safe number of tokens, and a reply as long as the cap allows. When the reply is there,
what it really cost is entered, and the rest given back. A call that does not fit into what is left
waits for others to give back; where none is under way, the evaluation is ended in order
(`stopping.stop`). So the sum stays below the limit however long the replies become.

A call whose reply never came may have been billed, so it counts as the most that it may have cost,
told apart, or as the dearest call so far if we ended it ourselves. One that the server refused
costs nothing. An attempt that Inspect makes again is a call of its own.

The account is kept beside the logs (`spending.yaml`), so that what earlier runs of a folder spent
counts too, and processes of one machine share it by a lock. Where the folder is elsewhere (an
address of a store) or there is none, it is kept in memory.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from whybench.evaluation.accounts import (
    ACCOUNT,
    Account,
    enter,
    give_up_dead,
    lose,
    say_spent,
    sum_by_suite,
    sum_up,
    this_process,
)
from whybench.evaluation.stopping import stop
from whybench.planning.caps import LONGEST_REPLY
from whybench.planning.prices import NO_SERVER, Prices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from inspect_ai.hooks import (
        BeforeModelGenerate,
        ModelCacheUsageData,
        ModelRetry,
        ModelUsageData,
        SampleEvent,
    )
    from inspect_ai.model import ChatMessage, ModelUsage
    from inspect_ai.tool import ToolInfo

    from whybench.planning.plans import Plan

POLL = 0.1
"""Seconds between looks at the account while a call waits."""

AN_ATTEMPT = 1800.0
"""Seconds after which a call without news is given up, where nothing else bounds an attempt."""

ESTIMATED_AFTER = 20
"""The number of calls after which a better estimate is told."""

A_MESSAGE = 16
"""Tokens that a message or tool takes beside its text, at most."""

PLAIN = re.compile("[A-Za-z ]+")
"""What takes a token for two characters or more."""

RECENT = 50
"""Among how many events of a sample the one of a call that just ended is looked for."""

REFUSED = re.compile(r"(?:error code|status(?:[ _]code)?)\W{0,4}[45]\d\d", re.IGNORECASE)
"""How an error says that the server refused the call."""


@dataclass
class Reservation:
    """The most that a call under way may cost.

    Attributes:
        model: Who is asked.
        suite: For which suite.
        dollars: The most that it may cost.
        capped: The same, if the server held to the cap.
        until: When it cannot be under way any more, in seconds of the clock.
        question: The id of the last message sent.
        at: When it was made.
        name: Its name in the account.
        is_open: Whether the call is under way.
    """

    model: str
    suite: str
    dollars: float
    capped: float
    until: float
    question: str = ""
    at: float = field(default_factory=time.time)
    name: str = field(default_factory=lambda: uuid4().hex)
    is_open: bool = True


_RESERVED: ContextVar[Reservation | None] = ContextVar("whybench_reserved", default=None)
"""The reservation of the call that this task makes; Inspect's hooks run in the task of the call."""


class Spending:
    """A budget that all suites and models of a run or profile share.

    Args:
        limit: US dollars; None to count alone.
        prices: What tokens cost.
        account: What was spent so far; by default nothing.
        plans: Model to what is planned, for the estimate.
        say: Called with the estimate, once, a line.
        max_tokens: The longest reply of calls that set none.
    """

    def __init__(
        self,
        limit: float | None,
        prices: Prices | None = None,
        account: Account | None = None,
        *,
        plans: Mapping[str, Sequence[Plan]] | None = None,
        say: Callable[[str], None] = lambda line: print(line, file=sys.stderr),
        max_tokens: int | None = None,
    ) -> None:
        self.limit = limit
        self.prices = prices or Prices.read()
        self.account = account or Account()
        self.plans = plans or {}
        self.say = say
        self.max_tokens = max_tokens or LONGEST_REPLY
        self.begun: float | None = None
        self.settled = 0
        self.ended = False
        self.open: dict[str, Reservation] = {}
        self.repeated: Counter[str] = Counter()
        self.free: Counter[tuple[str, str]] = Counter()

    @classmethod
    def resume(
        cls, folder: str | Path, limit: float | None, prices: Prices | None = None, **options: Any
    ) -> Spending:
        """Return the budget of a folder, in which what earlier runs spent counts.

        Args:
            folder: Where logs are, or below it. Without an account there, what its logs say was
                used is counted, once.
            limit: US dollars for all runs of the folder together; None to count alone.
            prices: What tokens cost.
            **options: Further arguments of the class.
        """
        prices = prices or Prices.read()
        if "://" in str(folder):
            return cls(limit, prices, **options)
        account = Account(Path(folder) / ACCOUNT)
        assert account.path is not None
        if not account.path.exists() and Path(folder).is_dir():
            with account.open() as state:
                for model, suite, sizes in _read_usage(folder, prices):
                    if price := prices.price(model):
                        enter(state, model, suite, price.bill(*sizes), sizes[0], sizes[1])
        return cls(limit, prices, account, **options)

    @contextmanager
    def watch(self, *models: str) -> Iterator[Spending]:
        """Count every call that Inspect makes meanwhile, whichever model or role makes it.

        Args:
            *models: The models that will be asked, whose prices must be known if there is a limit,
                and are told to Inspect for its logs.
        """
        if self.limit is not None:
            self.prices.check_known(*models)
        tell_inspect(self.prices, models)
        _register_hooks()
        self.begun = time.time()
        before, _Watched.spending = _Watched.spending, self
        try:
            yield self
        finally:
            _Watched.spending = before
            for reservation in list(self.open.values()):
                self.lose(reservation, cancelled=True)

    async def reserve(
        self, model: str, suite: str, sent: int, received: int, *, patience: float = AN_ATTEMPT
    ) -> Reservation | None:
        """Reserve the most that a call may cost, once there is room; None if it costs nothing.

        Args:
            model: Who is asked.
            suite: For which suite.
            sent: The most tokens that are sent.
            received: The most tokens that may be received.
            patience: Seconds after which the call cannot be under way any more.
        """
        from anyio import sleep, sleep_forever  # noqa: PLC0415  (not for those who only plan)

        price = self.prices.price(model)
        if price is None and self.limit is not None:
            # A role that was not named beforehand: nobody can say what it costs.
            stop(
                f"a call to {model} must have a known price to hold `max_cost`; give it in `prices`"
            )
            await sleep_forever()
        if price is None or not price.most(1, 1):
            return None
        while True:
            if self.ended:  # a shorter call may still fit, but would be cancelled under way
                await sleep_forever()
            with self.account.open() as state:
                give_up_dead(state)
                capped = price.most(sent, received)
                most = capped * state["excess"].get(model, 1.0)
                taken = sum_up(state) + sum(entry["dollars"] for entry in state["open"].values())
                if self.limit is None or taken + most <= self.limit:
                    now = time.time()
                    made = Reservation(model, suite, most, capped, now + patience, at=now)
                    state["open"][made.name] = {
                        "model": model,
                        "suite": suite,
                        "dollars": most,
                        "until": made.until,
                        "process": this_process(),
                    }
                    break
                alone = not state["open"]
                reason = self._say_limit(state, model, most)
            if alone:
                self.ended = True
                stop(reason)
                await sleep_forever()
            await sleep(POLL)
        self.open[made.name] = made
        return made

    def settle(self, made: Reservation, usage: ModelUsage, again: int = 0) -> None:
        """Enter what a call really cost, and give back the rest of its reservation.

        Args:
            made: The reservation.
            usage: The tokens of the call, as the server counted them.
            again: How often the line broke before the reply came whole, and may have been billed.
        """
        price = self.prices.price(made.model)
        assert price is not None
        sizes = _sizes(usage)
        dollars = price.bill(*sizes)
        with self.account.open() as state:
            entry = state["open"].pop(made.name, None) or state["lost"].pop(made.name, None)
            if entry is None:
                return  # entered before
            enter(state, made.model, made.suite, dollars, sizes[0], sizes[1])
            if again:
                entry = {"model": made.model, "suite": made.suite, "dollars": again * dollars}
                state["lost"][f"{made.name} before"] = entry
            if dollars > made.capped:
                # The server does not hold to the cap: reserve as much more from now on.
                known = state["excess"].get(made.model, 1.0)
                state["excess"][made.model] = max(known, dollars / made.capped)
        self._close(made)
        self._count()

    def count_free(self, model: str, suite: str) -> None:
        """Count a call that costs nothing, or nobody knows what, for the estimate of time."""
        self.free[model, suite] += 1
        self._count()

    def _count(self) -> None:
        self.settled += 1
        if self.settled == ESTIMATED_AFTER and self.plans:
            self.say(self.say_estimate())

    def release(self, made: Reservation) -> None:
        """Give back the whole reservation of a call that was not billed."""
        with self.account.open() as state:
            state["open"].pop(made.name, None)
        self._close(made)

    def lose(self, made: Reservation, *, cancelled: bool = False) -> None:
        """Count a call that may have been billed, and brought no reply.

        Args:
            made: The reservation.
            cancelled: Whether we ended the call ourselves, as in `accounts.lose`.
        """
        with self.account.open() as state:
            lose(state, made.name, cancelled=cancelled)
        self._close(made)

    def _close(self, made: Reservation) -> None:
        made.is_open = False
        self.open.pop(made.name, None)

    def spent(self) -> dict[str, float]:
        """Return the dollars spent so far by suite, of all runs that share the account."""
        with self.account.open() as state:
            return sum_by_suite(state)

    @property
    def total(self) -> float:
        """The dollars spent so far, of all runs that share the account."""
        with self.account.open() as state:
            return sum_up(state)

    def _say_limit(self, state: Mapping[str, Any], model: str, most: float) -> str:
        return (
            f"the limit of ${self.limit:.2f} is reached: {say_spent(state)}, and the next call to "
            f"{model} may cost up to ${most:.4f}; run the same request with a higher `max_cost` to "
            "resume"
        )

    def estimate(self) -> tuple[float, float]:
        """Return what everything planned will cost in dollars, and the minutes that are left.

        The means are those of the calls so far; a suite that was not asked yet is taken to receive
        as many tokens a call as the others.
        """
        with self.account.open() as state:
            spent = json.loads(json.dumps(state["spent"]))
            total = sum_up(state)
        every = [entry for suites in spent.values() for entry in suites.values()]
        mean = sum(entry["received"] for entry in every) / max(sum(e["calls"] for e in every), 1)
        more, left = 0.0, 0
        for model, plans in self.plans.items():
            price = self.prices.price(model)
            for plan in plans:
                known = spent.get(model, {}).get(plan.suite.name)
                done = known["calls"] if known else self.free[model, plan.suite.name]
                remaining = max(plan.calls - done, 0)
                left += remaining
                if known:
                    more += remaining * known["dollars"] / known["calls"]
                elif price and plan.calls:
                    received = max(mean * plan.calls, plan.received)
                    more += price.bill(plan.sent, received, calls=plan.calls)
        seconds = (time.time() - self.begun) / max(self.settled, 1) if self.begun else 0.0
        return total + more, left * seconds / 60

    def say_estimate(self) -> str:
        """Say in one line what everything planned will cost, by the calls so far."""
        dollars, minutes = self.estimate()
        left = f"{minutes:.0f} more minutes" if minutes >= 2 else "a minute or two more"
        price = f"${dollars:.2f} in all, " if dollars else ""
        return f"after {self.settled} calls: about {price}{left}"


def watch_spending(
    folder: str | Path,
    max_cost: float | None,
    prices: Prices | None,
    plans: Mapping[str, Sequence[Plan]],
) -> AbstractContextManager[object]:
    """Count what calls cost while the block runs, and stop at a limit.

    Args:
        folder: Where the account is kept, in which earlier runs count too.
        max_cost: US dollars; None for no limit.
        prices: What tokens cost; None for what is known of them.
        plans: Model to what is planned, for the estimate after some calls; a model may have none.
    """
    asked = {model: each for model, each in plans.items() if not model.startswith(NO_SERVER)}
    if not asked:
        return nullcontext()
    known = {model: each for model, each in asked.items() if each}
    return Spending.resume(folder, max_cost, prices, plans=known).watch(*asked)


def most_tokens(messages: Iterable[ChatMessage], tools: Iterable[ToolInfo] = ()) -> int:
    """Return a number of tokens that messages and tools do not exceed.

    It is one for two plain letters or spaces, and one for each byte of everything else: words have
    half as many, tables of single digits nearly as many.
    """
    texts = [tool.model_dump_json(exclude_none=True) for tool in tools]
    for message in messages:
        content = message.content
        parts = (
            [content]
            if isinstance(content, str)
            else [
                getattr(part, "text", None) or part.model_dump_json(exclude_none=True)
                for part in content
            ]
        )
        calls = getattr(message, "tool_calls", None) or []
        texts += ["".join(parts), *(call.function + json.dumps(call.arguments) for call in calls)]
    rest = [PLAIN.sub("", text) for text in texts]
    letters = sum(map(len, texts)) - sum(map(len, rest))
    return letters // 2 + sum(len(text.encode()) for text in rest) + A_MESSAGE * len(texts)


def tell_inspect(prices: Prices, models: Iterable[str]) -> None:
    """Tell Inspect the prices of models, so that its logs and its viewer show costs."""
    from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info  # noqa: PLC0415

    for model in models:
        price = prices.price(model)
        if price is None or not price.most(1, 1):
            continue
        cost = ModelCost(
            input=price.input,
            output=price.output,
            input_cache_read=price.input if price.cache_read is None else price.cache_read,
            input_cache_write=price.input if price.cache_write is None else price.cache_write,
        )
        known = get_model_info(model) or ModelInfo()
        set_model_info(model, known.model_copy(update={"cost": cost}))


class _Watched:
    """The budget that calls of this process are counted against, if any."""

    spending: Spending | None = None
    has_hooks = False


def _register_hooks() -> None:
    """Have Inspect tell of every call; once in a process."""
    if _Watched.has_hooks:
        return
    _Watched.has_hooks = True
    from inspect_ai.hooks import Hooks, hooks  # noqa: PLC0415  (importing Inspect takes seconds)

    @hooks(name="whybench_spending", description="Counts what calls cost, and holds the limit")
    class _Spending(Hooks):  # Inspect registers the class when it is defined
        def enabled(self) -> bool:
            return _Watched.spending is not None

        async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
            if (spending := _Watched.spending) is not None:
                await _begin_or_stop(spending, data)

        async def on_model_usage(self, data: ModelUsageData) -> None:
            spending, made = _Watched.spending, _RESERVED.get()
            if spending is None:
                return
            if made is not None and made.model == data.model_name:
                spending.settle(made, data.usage, _count_unseen(spending, made.question))
            elif made is None:
                spending.count_free(data.model_name, _suite_name(data.task_name))

        async def on_model_cache_usage(self, data: ModelCacheUsageData) -> None:  # noqa: ARG002
            spending, made = _Watched.spending, _RESERVED.get()
            if spending is not None and made is not None:
                spending.release(made)

        async def on_model_retry(self, data: ModelRetry) -> None:
            spending, made = _Watched.spending, _RESERVED.get()
            if spending is None or made is None:
                return
            spending.repeated[made.question] += 1
            if made.is_open:
                (spending.release if data.status_code else spending.lose)(made)

        async def on_sample_event(self, data: SampleEvent) -> None:
            if (spending := _Watched.spending) is not None:
                _end(spending, data.event)


def _suite_name(task: str | None) -> str:
    return (task or "other").rpartition("/")[2]


async def _begin_or_stop(spending: Spending, data: BeforeModelGenerate) -> None:
    """Begin a call; where it cannot be counted and there is a limit, end the evaluation.

    Inspect would make the call all the same, since it passes over hooks that fail.
    """
    from anyio import sleep_forever  # noqa: PLC0415

    try:
        await _begin(spending, data)
    except Exception as error:
        if spending.limit is None:
            raise
        stop(f"calls must be counted to hold `max_cost`, got {error!r}; then go on as before")
        await sleep_forever()


async def _begin(spending: Spending, data: BeforeModelGenerate) -> None:
    """Reserve what a call may cost; a call before it in this task that nobody ended is lost."""
    before = _RESERVED.get()
    if before is not None and before.is_open:
        spending.lose(before)
    config = data.config
    reply = (config.max_tokens or spending.max_tokens) + (config.reasoning_tokens or 0)
    made = await spending.reserve(
        data.model_name,
        _suite_name(data.task_name),
        most_tokens(data.input, data.tools),
        reply * max(config.num_choices or 1, config.best_of or 1),
        patience=config.attempt_timeout or config.timeout or AN_ATTEMPT,
    )
    if made is not None and data.input:
        made.question = data.input[-1].id or ""
    _RESERVED.set(made)


def _end(spending: Spending, event: Any) -> None:
    """End the reservation of a call of which only Inspect's transcript says how it ended.

    That is a call that failed, and one whose server does not tell what was used.
    """
    if event.event != "model" or not event.input or (event.output.usage and not event.error):
        return
    for made in list(spending.open.values()):
        # An attempt that was made again has a reservation that is younger than the event.
        if made.question == event.input[-1].id and made.at <= event.timestamp.timestamp():
            if event.cache == "read" or REFUSED.search(event.error or ""):
                spending.release(made)
            else:
                spending.lose(made, cancelled="cancelled" in (event.error or ""))


def _count_unseen(spending: Spending, question: str) -> int:
    """Return how often a question was asked again by the provider's library, unseen by us.

    What was cut off may have been billed.
    """
    from inspect_ai.event import ModelEvent  # noqa: PLC0415  (importing Inspect takes seconds)
    from inspect_ai.log import transcript  # noqa: PLC0415

    seen = spending.repeated.pop(question, 0)
    for event in reversed(transcript().history.recent_events(RECENT)):
        if isinstance(event, ModelEvent) and event.input and event.input[-1].id == question:
            return max((event.retries or 0) - seen, 0)
    return 0


def _sizes(usage: ModelUsage) -> tuple[int, int, int, int]:
    """Return tokens sent and received, reasoning among them, and those of the cache."""
    read, written = usage.input_tokens_cache_read or 0, usage.input_tokens_cache_write or 0
    # Some servers leave reasoning out of what was received, and have it in the sum.
    summed = usage.total_tokens - usage.input_tokens - read - written
    received = max(usage.output_tokens, summed, usage.reasoning_tokens or 0)
    return usage.input_tokens, received, read, written


def _read_usage(
    folder: str | Path, prices: Prices
) -> Iterator[tuple[str, str, tuple[int, int, int, int]]]:
    """Yield the model, suite and tokens of every sample in logs that cost something, each once."""
    from inspect_ai.log import read_eval_log_sample_summaries  # noqa: PLC0415

    from whybench.records.logs import read_headers  # noqa: PLC0415

    seen: set[str] = set()
    for path, header in read_headers([folder]):
        asked = (prices.price(model) for model in {header.eval.model, *header.stats.model_usage})
        if not any(price and price.most(1, 1) for price in asked):
            continue
        suite = header.eval.task.rpartition("/")[2]
        for summary in read_eval_log_sample_summaries(path):
            # A log that was resumed holds the samples of the one before it.
            name = summary.uuid or f"{path} {summary.id} {summary.epoch}"
            if name not in seen:
                seen.add(name)
                for model, usage in summary.model_usage.items():
                    yield model, suite, _sizes(usage)
