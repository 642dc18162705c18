"""The published replies of some thirty models as records.

The source's raw replies are 185 files, one for each experiment, model and style of reply. What
they hold is told in part by the file's path and in part by its columns:

- The folder names the experiment and the model. `claude-3-opus-20240229` is printed as
  claude-3-opus, and GPT-5 models carry their settings, as in `gpt-5-mini-v_low-r_minimal`. These
  stand in columns, except where the call failed; there the rest of the file tells them.
- The file's name says `_numeric_` or `_CoT_`. Its column `prompt_category` is not relied upon.
- `id` counts prompts in blocks of 20, always in the order a a b b … i j j k, and the version
  about the first cause comes first. The *story* is not to be taken from the id: the abstract
  prompts were put into another order after most models had been asked. (The invented names that
  models repeat in their explanations show that the stories themselves stayed the same.)
- Failed calls, whose reply starts with "Error:", have neither story nor letter. The letter
  follows from the id, the story from the other rows in the same segment of 160 ids.
- Rows at a temperature of 0.7 repeat each prompt ten times: epochs 1 to 10, and the agent's name
  says so. The source pools them with the row at 0; `printed_name` gives its name for both.
- One file (claude-sonnet-4, `cot_nconf`) is a second run that broke off after 43 replies. The
  source pools it with the first; here it is epoch 2.

Replies can be read in two ways. `recipe` is how the source read them, step by step, and
reproduces its tables. `own` is our reader, which takes nothing that does not say it is the
answer, and does not lose a reply for holding the word "error".
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from whybench.datasets import data_path
from whybench.suites.judge import SUITE as JUDGE
from whybench.suites.judge.published import people_records
from whybench.suites.judge.questions import load_structure
from whybench.suites.judge.replies import JudgeReply, parse_reply
from whybench_papers.datasets import SOURCES
from whybench_papers.dettki2025.design import DESIGNS
from whybench_papers.dettki2025.items import NAME, generate_items
from whybench_papers.dettki2025.prompts import (
    CATEGORY,
    SOURCE,
    parse_story_name,
    published_prompts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from whybench_papers.dettki2025.items import PublishedItem

ReplyParser = Literal["recipe", "own"]

FOLDER = "data/output_llm/"
PREFIX = "published/"
BLOCK = 20
SEGMENT = 160

CONDITIONS = {
    "core": "rw17_indep_causes",
    "abstract": "random_abstract",
    "overload-e": "rw17_overloaded_e",
    "abstract-overload-d": "abstract_overloaded_lorem_de",
}
"""The designs of the paper's conditions, and the folders of its replies."""

PRINTED_NAMES = {"claude-3-opus-20240229": "claude-3-opus"}
CONFIDENCE = re.compile(r"<confidence>\s*(\d{1,3}(?:\.\d+)?)\s*%?\s*</confidence>", re.IGNORECASE)
NO_NUMBER = "the recipe reads no number"
MAX_RECIPE_LENGTH = 50


class _File(NamedTuple):
    path: str
    design: str
    model: str
    style: str


def published_records(
    design: str = "core",
    style: Sequence[str] = ("direct", "cot"),
    parser: ReplyParser = "recipe",
) -> pa.Table:
    """Return the published replies to one design as records.

    Items, truths and factors are those of our design of the same name, so the rows pair with a
    new run on the published prompts. Outcomes are scored, no_answer (the parser found no number)
    and error (the call failed).

    Args:
        design: A key of `CONDITIONS`.
        style: Styles of reply, of direct and cot.
        parser: `recipe`, as the source read replies, or `own`, as we read them.
    """
    if design not in CONDITIONS:
        raise ValueError(f"design must be one of {', '.join(CONDITIONS)}, got {design!r}")
    if parser not in get_args(ReplyParser):
        raise ValueError(f"parser must be recipe or own, got {parser!r}")
    if unknown := set(style) - set(CATEGORY):
        raise ValueError(f"style must be among {', '.join(CATEGORY)}, got {sorted(unknown)}")
    from whybench.records.table import record_table  # noqa: PLC0415  (imports pyarrow)

    epochs: Counter[tuple[str, str]] = Counter()
    rows = (
        {"suite": NAME, "version": JUDGE.version, **row}
        for file in _files()
        if file.design == design and file.style in style
        for row in _rows(file, parser, epochs)
    )
    return record_table(rows, {**JUDGE.columns, "confidence": float})


def all_records() -> pa.Table:
    """Return the published replies to all designs, as the paper read them."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.concat_tables([published_records(design) for design in CONDITIONS])


def people_table() -> pa.Table:
    """Return the judgments of people as records of this suite."""
    import pyarrow as pa  # noqa: PLC0415

    people = pa.concat_tables([people_records("collider"), people_records("fork")])
    return name_suite(people)


def name_suite(records: pa.Table) -> pa.Table:
    """Return records of judge as records of this suite."""
    import pyarrow as pa  # noqa: PLC0415

    names = pa.array([NAME] * records.num_rows, pa.string())
    return records.set_column(records.column_names.index("suite"), "suite", names)


def printed_name(agent: str) -> str:
    """Return the name under which the source prints an agent, whatever its temperature."""
    if agent == "human/rw17.mean":
        return "humans"
    return agent.removeprefix(PREFIX).split("[")[0]


def parse_by_recipe(reply: str) -> float | None:
    """Return the number, 0 to 100, that the source read from a reply; None if it read none.

    (1) A reply with <response>…</response> is read by its <likelihood>. (2) Else, of at most 50
    characters, the first integer from 0 to 100 that stands alone counts. (3) Else there is
    nothing. A reply with the word "error" is dropped in any case.
    """
    text = reply.strip()
    if "error" in text.lower():
        return None
    if (response := re.search(r"<response>.*</response>", text, re.DOTALL)) and (
        tagged := re.search(r"<likelihood>\s*(\d+(?:\.\d+)?)\s*</likelihood>", response[0])
    ):
        return float(tagged[1])
    alone = re.search(r"\b(?:100|[1-9]?\d)\b", text) if len(text) <= MAX_RECIPE_LENGTH else None
    return float(alone[0]) if alone else None


@cache
def _files() -> tuple[_File, ...]:
    """Return the files of replies that belong to the source's four conditions."""
    designs = {folder: design for design, folder in CONDITIONS.items()}
    styles = {category.lower(): style for style, category in CATEGORY.items()}
    files = []
    for path in sorted(SOURCES[SOURCE].files):
        if not path.startswith(FOLDER):
            continue
        experiment, model, name = path.removeprefix(FOLDER).split("/")
        number = "2_" if experiment == CONDITIONS["core"] else "1_"
        category = re.search(r"_(numeric|cot)_", name.lower())
        if experiment in designs and name.startswith(number) and category:
            files.append(_File(path, designs[experiment], model, styles[category[1]]))
    return tuple(files)


@cache
def _items(design: str, style: str) -> tuple[str, dict[tuple[str, ...], PublishedItem]]:
    """Return the hash of a design in one style, and its items by what tells them apart."""
    chosen = replace(DESIGNS[design], style=(style,))
    return chosen.hash, {
        (item.story.name, item.overload_source, item.polarity, item.question.letter,
         item.question.cause): item
        for item in generate_items(chosen)
    }  # fmt: skip


def _rows(
    file: _File, parser: ReplyParser, epochs: Counter[tuple[str, str]]
) -> Iterator[dict[str, Any]]:
    """Yield the replies of a file; `epochs` counts an agent's answers to an item over all files."""
    # Some replies repeat themselves up to the model's limit, far beyond what csv takes in a field.
    csv.field_size_limit(10**7)
    with data_path(SOURCE, file.path).open(encoding="utf-8-sig", newline="") as lines:
        replies = list(csv.DictReader(lines, delimiter=";"))
    design_hash, items = _items(file.design, file.style)
    stories = _stories(file, replies)
    settings = next(
        ((r["verbosity"], r["reasoning_effort"]) for r in replies if _has_gpt5_settings(r)), None
    )
    for reply in replies:
        letter, cause = _questions()[(int(reply["id"]) - 1) % BLOCK]
        if reply["task"] not in ("", letter):
            raise ValueError(
                f"task must be {letter} at id {reply['id']} of {file.path}, got {reply['task']!r}"
            )
        story, source = stories[(int(reply["id"]) - 1) // SEGMENT]
        item = items[story, source, reply["cntbl_cond"], letter, cause]
        agent = _agent_name(file.model, settings, float(reply["temperature"]))
        epochs[agent, item.id] += 1
        yield {
            **item.factors,
            "agent": agent,
            "design": file.design,
            "design_hash": design_hash,
            "item": item.id,
            "case": item.case,
            "epoch": epochs[agent, item.id],
            "truth": item.truth,
            "log": f"{SOURCE}/{file.path}",
            **_parse(reply["response"], file.style, parser),
        }


def _parse(reply: str, style: str, parser: ReplyParser) -> dict[str, Any]:
    """Return outcome, reason, value and confidence of a reply."""
    if reply.startswith("Error:"):
        return {"outcome": "error", "reason": "call failed", "value": None, "confidence": None}
    if parser == "own":
        parsed = parse_reply(reply, style)
    else:
        value = parse_by_recipe(reply)
        parsed = JudgeReply(value, None, NO_NUMBER if value is None else "")
    if parsed.confidence is None:
        parsed = parsed._replace(confidence=_find_confidence(reply))
    return {"outcome": "no_answer" if parsed.value is None else "scored", **parsed._asdict()}


def _find_confidence(reply: str) -> float | None:
    """Return the confidence that a reply states between its marks; prompts for CoT ask for it."""
    stated = [float(number) for number in CONFIDENCE.findall(reply)]
    return stated[-1] if stated and 0 <= stated[-1] <= 100 else None


@cache
def _questions() -> tuple[tuple[str, str], ...]:
    """Return letter and cause of the prompts of a block, in the order of their ids."""
    questions = sorted(load_structure("collider").questions, key=lambda q: (q.letter, q.cause))
    return tuple((question.letter, question.cause) for question in questions)


def _stories(file: _File, replies: list[dict[str, str]]) -> dict[int, tuple[str, str]]:
    """Return the story and its overload source for each segment of ids in a file."""
    design = DESIGNS[file.design]
    prompts = published_prompts("abstract" in file.design, design.overload[0], file.style)
    # The order of the prompts as they are now, for segments of which every call failed.
    current = dict(enumerate(dict.fromkeys((story, source) for story, _, source, _ in prompts)))
    named = {
        (int(reply["id"]) - 1) // SEGMENT: parse_story_name(reply["domain"])
        for reply in replies
        if reply["domain"]
    }
    missing = [story for story in current.values() if story not in named.values()]
    rest = [segment for segment in current if segment not in named]
    return named | dict(zip(rest, missing, strict=True))


def _has_gpt5_settings(reply: dict[str, str]) -> bool:
    return reply["subject"].startswith("gpt-5") and reply["verbosity"] != "N/A"


def _agent_name(model: str, settings: tuple[str, str] | None, temperature: float) -> str:
    name = PREFIX + PRINTED_NAMES.get(model, model)
    if settings is not None:
        name += f"-v_{settings[0]}-r_{settings[1]}"
    return name if temperature == 0 else f"{name}[temperature={temperature:g}]"
