"""The items of a design: as a sequence, in shards and samples, and as arguments of a task.

`Items` makes items as far as somebody looks. A sample asks one item, or as many as one wishes, or
those that belong together by the suite's word, such as all questions about one case. Shards divide
one design over several runs: they do not overlap, leave nothing out, and take nothing apart that
belongs together. Items come in an order that cycles through the levels of every factor, so each
third item may be of the same story. Shards are therefore dealt out in the order of a digest of the
ids: fixed forever, equally large, and unrelated to any factor.

`inspect eval whybench/judge -T style=cot` passes arguments by name. Which there are, and what they
mean, stands beside the factors themselves (`designs.factor`); `task_signature` and `task_help` make
the signature and the docstring of the function that Inspect calls.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import Parameter, Signature
from itertools import groupby, islice
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, overload

from whybench.errors import UserError
from whybench.frames import Frame, rows_to_arrow
from whybench.seeds import digest
from whybench.suites import registry
from whybench.suites.contract import Item
from whybench.suites.designs import DESIGN, list_factors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

WHOLE = "1/1"

ItemT = TypeVar("ItemT", bound=Item)


def split_into_samples(
    items: Sequence[ItemT],
    group: int | None = None,
    group_key: Callable[[ItemT], object] | None = None,
) -> list[list[ItemT]]:
    """Return the items of each sample.

    Args:
        items: All items, in order.
        group: How many items a sample asks; None for those of one `group_key`.
        group_key: What neighboring items of one sample have in common; None if each is alone.
    """
    if group is None and group_key is not None:
        return [list(members) for _, members in groupby(items, key=group_key)]
    if group is not None and (not isinstance(group, int) or group < 1):
        raise UserError(f"group must be a whole number from 1, got {group!r}")
    size = group or 1
    return [list(items[start : start + size]) for start in range(0, len(items), size)]


def list_samples(
    suite: AnySuite,
    items: Iterable[ItemT],
    *,
    shard: str = WHOLE,
    group: int | None = None,
    limit: int | None = None,
) -> list[list[ItemT]]:
    """Return the items of each sample, in the order in which samples are asked.

    Conditions of one item follow each other, so that the first samples can be compared by
    condition. A limit leaves none of them without the others, unless it is lower than
    their number.

    Args:
        suite: The suite.
        items: All items, in order.
        shard: `i/n`, the i-th of n equal parts.
        group: How many items a sample asks; None for those that belong together, or else one.
        limit: The most samples.
    """
    chosen = take_shard(list(items), shard, suite.grouping)
    pairs: dict[str, list[list[ItemT]]] = {}
    for members in split_into_samples(chosen, group_key=suite.grouping):
        pairs.setdefault(members[0].case, []).append(members)
    if group is None:
        samples = [members for pair in pairs.values() for members in pair]
    else:
        ordered = [item for pair in pairs.values() for members in pair for item in members]
        samples = split_into_samples(ordered, group)
    if limit is None or limit >= len(samples):
        return samples
    keys = [members[-1].case for members in samples]
    cut = limit
    while cut and keys[cut] == keys[cut - 1]:
        cut -= 1
    return samples[: cut or limit]


def check_rounds(shard: str, group: int | None) -> None:
    """Refuse to divide a design whose questions are placed by the answers so far."""
    if shard != WHOLE or (group or 1) != 1:
        raise UserError(
            "a design whose questions are placed by the answers must be asked as a whole, one "
            f"question per sample, got shard {shard} and group {group}; use a design without `most`"
        )


def take_shard(
    items: Sequence[ItemT], shard: str, group_key: Callable[[ItemT], object] | None = None
) -> list[ItemT]:
    """Return shard `i/n` of the items, in their order.

    Args:
        items: All items, in order.
        shard: Which part, of how many.
        group_key: What neighboring items have in common that stay in one shard.
    """
    match = re.fullmatch(r"(\d+)/(\d+)", str(shard))
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count:
        raise UserError(f"shard must be i/n with i from 1 to n, such as 2/7, got {shard!r}")
    if count == 1:
        return list(items)
    parts = split_into_samples(items, group_key=group_key)
    order = sorted(range(len(parts)), key=lambda part: digest("shard", parts[part][0].digest))
    return [item for part in sorted(order[index - 1 :: count]) for item in parts[part]]


class Items(Sequence[Item], Frame):
    """The items of a design, in the order in which they are asked.

    Items are made when they are looked at and kept: `items[0]` of an endless design is there at
    once. `len` and a data frame need them all.

    Attributes:
        suite: The suite.
        design: The design whose items these are.
    """

    def __init__(self, suite: AnySuite, design: Design, shard: str = WHOLE) -> None:
        self.suite, self.design = suite, design
        items: Any = suite.items(design)
        if shard != WHOLE:
            items = take_shard(list(items), shard, suite.grouping)
        self._source: Iterator[Item] = iter(items)
        self._items: list[Item] = []

    def __len__(self) -> int:
        return len(self._load(None))

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        """Return an item by its position from 0, or several."""
        if isinstance(index, slice):
            from_start = index.stop is not None and index.stop >= 0 and (index.start or 0) >= 0
            return self._load(index.stop if from_start else None)[index]
        if not isinstance(index, int):
            raise TypeError(f"a position must be a whole number, got {index!r}; see `find`")
        items = self._load(index + 1 if index >= 0 else None)
        if not -len(items) <= index < len(items):
            raise IndexError(f"a position must be from 0 to {len(items) - 1}, got {index}")
        return items[index]

    def __iter__(self) -> Iterator[Item]:
        position = 0
        while len(self._load(position + 1)) > position:
            yield self._items[position]
            position += 1

    def __repr__(self) -> str:
        return f"<Items of {self.suite.name}, design {self.design.name}>"

    def find(self, which: str) -> Item:
        """Return an item by its id, or by its number from 1."""
        number = int(which) - 1 if which.isdigit() else None
        count = 0
        for count, item in enumerate(self, start=1):
            if which == item.id or count - 1 == number:
                return item
        raise UserError(
            f"`which` must be an id or a number from 1 to {count} in the design "
            f"{self.design.name}, got {which!r}; `whybench show {self.suite.name} --all` lists them"
        )

    def row(self, item: Item) -> dict[str, Any]:
        """Return an item as one flat row: id, factors, truth and prompt."""
        return {
            "item": item.id,
            "case": item.case,
            "suite": self.suite.name,
            "version": self.suite.version,
            **item.factors,
            "truth": item.truth,
            "prompt": self.suite.render(item),
        }

    def prompt(self, index: int) -> str:
        """Return the prompt of the item at a position from 0, as an agent sees it."""
        return self.suite.render(self[index])

    def to_arrow(self) -> pa.Table:
        """Return one row for each item."""
        return rows_to_arrow([self.row(item) for item in self])

    def _load(self, count: int | None) -> list[Item]:
        """Return the items made so far, `count` of them or more if there are; None for all."""
        missing = None if count is None else max(0, count - len(self._items))
        self._items.extend(islice(self._source, missing))
        return self._items


def items(suite: str, design: str | None = None, *, shard: str = WHOLE, **factors: Any) -> Items:
    """Return the items of a design, made as far as somebody looks.

    Args:
        suite: The suite's name.
        design: A named design or a YAML file; the suite's first if there is none.
        shard: `i/n`, the i-th of n equal parts of the design.
        **factors: Levels in place of the design's, such as `style="cot"`.

    >>> questions = items("judge", style="cot")
    >>> questions[0].id == questions.find("1").id
    True
    """
    chosen = registry.get_suite(suite)
    return Items(chosen, chosen.make_design(chosen.settings(design, **factors)), shard)


OTHERS = "others"
"""Takes arguments that there are not, so that a misspelt factor is refused and not ignored."""

NAME = "A name for the design as changed, for the records."
SHARD = "`i/n` asks the i-th of n equal parts of the design; what belongs together stays together."
GROUP = "How many items one sample asks, each in a conversation of its own"


def task_signature(suite: AnySuite) -> Signature:
    """Return the signature of a suite's task; a factor that is left out is as in the design."""
    parameters = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind)
        for name, kind, default, _ in _arguments(suite)
    ]
    return Signature([*parameters, Parameter(OTHERS, Parameter.VAR_KEYWORD)])


def task_help(suite: AnySuite) -> str:
    """Return the docstring of a suite's task: what the agent does, and every argument."""
    lines = [
        fill(
            f"{name}: {meaning}",
            96,
            initial_indent="    ",
            subsequent_indent="        ",
            break_on_hyphens=False,
        )
        for name, _, _, meaning in _arguments(suite)
    ]
    return "\n".join([f"The agent {suite.summary}.", "", "Args:", *lines])


def _arguments(suite: AnySuite) -> Iterator[tuple[str, Any, Any, str]]:
    """Yield name, type, default and meaning of each argument."""
    default = next(iter(suite.designs))
    named = ", ".join(f"`{name}`" for name in suite.designs)
    yield DESIGN, str, default, f"A named design ({named}) or the path of a YAML file."
    for factor in list_factors(type(suite.designs[default])).values():
        yield factor.name, _argument_type(factor.kind), None, factor.meaning or NAME
    yield "shard", str, WHOLE, SHARD
    if suite.grouping is None:
        yield "group", int, 1, f"{GROUP}."
    else:
        yield "group", int | None, None, f"{GROUP}, in place of all that belong together."
    for name, (value, meaning) in suite.inspection.options.items():
        yield name, type(value) if value is not None else str | None, value, meaning


def _argument_type(kind: Any) -> Any:
    """Return what a user may give for a field of this type: levels may be a list, or words."""
    if get_origin(kind) is tuple:
        level = get_args(kind)[0]
        return level | str | list[level] | None  # type: ignore[valid-type]
    return (str if get_origin(kind) is Literal else kind) | None
