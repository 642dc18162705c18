"""Figures on agents of whom there is little to say, and on what a page writes in its figures.

A model may be silent, lost to errors, or give one answer to everything. Its calls were paid for, so
`measures`, `figures` and `report` must come to their end and say what is missing. The runs are made
by the real pipeline with a model that is a function.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from evidence.figures import Figure, Parts
from evidence.made_logs import Speaker, write_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

KINDS = {"silent": "no_answer", "lost": "error", "constant": "scored"}
"""What a model does, and the outcome of all its answers."""

COMMANDS = ("measures", "figures", "report")
"""The products of the commands `results` and `report`."""


@dataclass(frozen=True)
class Asked:
    """What is asked of a suite.

    Attributes:
        samples: How many samples.
        constant: A reply that is an answer to every item.
        factors: Levels in place of the design's.
    """

    samples: int
    constant: str
    factors: Mapping[str, Any]


ASKED = {
    "judge": Asked(6, "70", {}),
    "intervene": Asked(3, '{"answer": "yes"}', {}),
    "compose": Asked(
        1, "yes", {"gates": "or", "kinds": "cycle3+cycle3", "worlds": 1, "units": 128}
    ),
    "analyze": Asked(
        2,
        '{"estimate": 0.5, "interval": [0.4, 0.6]}',
        {"challenge": "simpson", "protocol": "direct"},
    ),
}


@dataclass(frozen=True)
class Seen:
    """What a command made of the answers of one model.

    Attributes:
        kind: What the model does.
        command: The command.
        status: Its status at the end.
        error: What it ended in, if not by itself.
        notes: The lines it printed on standard error, but for its progress.
        files: What it wrote.
    """

    kind: str
    command: str
    status: int
    error: str
    notes: tuple[str, ...]
    files: Mapping[str, str]


def ask(name: str, kind: str, folder: Path, times: int = 1) -> Counter[str]:
    """Ask a model of this kind a few samples of a suite, and return what became of its answers."""
    import whybench

    asked = ASKED[name]
    records = whybench.run(
        name,
        f"mockllm/{kind}",
        limit=asked.samples * times,
        log_dir=str(folder),
        model_args={"custom_outputs": _speaker(kind, asked.constant)},
        keep_errors=True,
        display="none",
        **(asked.factors if times == 1 else {}),
    )
    return records.outcomes


def _speaker(kind: str, constant: str) -> Callable[..., Any]:
    from inspect_ai.model import ModelOutput, ModelUsage

    def speak(*_: Any) -> ModelOutput:
        if kind == "lost":
            raise ValueError("the server is gone")
        output = ModelOutput.from_content("mockllm", constant if kind == "constant" else "Hm.")
        output.usage = ModelUsage()  # else tokens are counted, by a table from the network
        return output

    return speak


def see(kind: str, logs: Path, folder: Path) -> Iterator[Seen]:
    """Yield what each command makes of logs, its files below a folder."""
    from click.testing import CliRunner

    from whybench.cli import whybench_command

    places = {
        "measures": ["results", logs],
        "figures": ["results", logs, "--figures", folder],
        "report": ["report", logs, "-o", folder / "page.html"],
    }
    for command in COMMANDS:
        before = set(folder.glob("*"))
        words = [str(word) for word in places[command]]
        done = CliRunner().invoke(whybench_command, words)
        ended = done.exception is None or isinstance(done.exception, SystemExit)
        written = sorted(set(folder.glob("*")) - before)
        yield Seen(
            kind,
            command,
            done.exit_code,
            "" if ended else f"{type(done.exception).__name__}: {done.exception}",
            tuple(line for line in done.stderr.splitlines() if not line.startswith("…")),
            {path.name: path.read_text(encoding="utf-8", errors="replace") for path in written},
        )


def told(name: str, outcomes: Mapping[str, Counter[str]], seen: Sequence[Seen]) -> Iterator[Figure]:
    """Yield the claims about what commands made of a suite's answers."""
    yield Figure(
        f"{name}: every answer of a model that is silent, lost or constant is just that",
        "; ".join(f"{kind} {dict(found)}" for kind, found in outcomes.items()),
        all(set(found) == {KINDS[kind]} for kind, found in outcomes.items()) and bool(outcomes),
    )
    failed = [f"{one.kind}, {one.command}: {one.error}" for one in seen if one.error]
    yield Figure(
        f"{name}: measures, figures and report of such answers end by themselves",
        "; ".join(failed) or f"{len(seen)} commands, none ended in an error",
        not failed
        and len(seen) == len(outcomes) * len(COMMANDS)
        and all(one.status == 0 for one in seen if one.command != "figures"),
    )
    drawn = [one for one in seen if one.command == "figures"]
    yield Figure(
        f"{name}: figures writes files that are whole, or has status 1 and says what is missing",
        "; ".join(f"{one.kind}: {len(one.files)} files, {len(one.notes)} notes" for one in drawn),
        all(_are_whole(one.files) if one.files else one.notes for one in drawn)
        and all(one.status == (not one.files) for one in drawn),
    )
    pages = {one.kind: one.files.get("page.html", "") for one in seen if one.command == "report"}
    faults = [f"{kind}: {fault}" for kind, page in pages.items() for fault in page_faults(page)]
    yield Figure(
        f"{name}: the page has all its sections, and in each figure's place a picture or a note",
        "; ".join(faults) or f"{len(pages)} pages of {sum(map(len, pages.values())):,} characters",
        not faults and bool(pages),
    )


def _are_whole(files: Mapping[str, str]) -> bool:
    """Say whether files of figures are there in all formats and can be read."""
    endings = Counter(Path(file).suffix for file in files)
    pictures = [text for file, text in files.items() if file.endswith(".svg")]
    try:
        drawn = all(ElementTree.fromstring(text).tag.endswith("svg") for text in pictures)
    except ElementTree.ParseError:
        return False
    return drawn and endings[".svg"] == endings[".pdf"] == endings[".png"] > 0


def page_faults(page: str) -> Iterator[str]:
    """Yield what is wrong with a page as a whole."""
    from whybench.page.writing import SECTIONS

    if not page.rstrip().endswith("</html>"):
        yield "the page does not end"
    for key, _ in SECTIONS:
        if key != "people" and f'<section id="{key}"' not in page:
            yield f"no section {key}"
    if "Traceback" in page:
        yield "a traceback"
    for figure in re.findall(r"<figure .*?</figure>", page, flags=re.DOTALL):
        drawn = '<svg class="figure"' in figure or '<div class="chart' in figure
        if drawn == ("cannot be drawn: " in figure):
            yield f"a figure that is neither drawn nor explained: {figure[:80]}"
    section = page.partition('<section id="suites"')[2].partition('<section id="answers"')[0]
    if "<figure" not in section and '<p class="note">' not in section:
        yield "neither a figure nor a word on it"


def matrix(small: bool) -> Iterator[Figure]:
    """Yield what the commands make of silent, lost and constant models."""
    for name in ["compose"] if small else ASKED:
        yield from of_suite(name, 1 if small else 3)


def of_suite(name: str, times: int = 1) -> Iterator[Figure]:
    """Yield what the commands make of silent, lost and constant models in one suite."""
    outcomes: dict[str, Counter[str]] = {}
    seen: list[Seen] = []
    with TemporaryDirectory() as folder:
        for kind in KINDS:
            logs, output = Path(folder, "logs", kind), Path(folder, "output", kind)
            output.mkdir(parents=True)
            outcomes[kind] = ask(name, kind, logs, times)
            seen += see(kind, logs, output)
    yield from told(name, outcomes, seen)


SPEAKERS: dict[str, tuple[dict[str, Any], int, tuple[tuple[str, dict[str, Any]], ...]]] = {
    "judge": ({}, 60, (("noisy-or", {"noise": 0.02}), ("associative", {}))),
    "intervene": ({}, 12, (("bayes", {}), ("single-cause", {}))),
    "compose": ({"gates": "or", "worlds": 1, "units": 16}, 3, (("exact", {}), ("coin", {}))),
    "analyze": (
        {"challenge": "simpson", "protocol": "code"},
        4,
        (("competent", {}), ("naive", {})),
    ),
}
"""Suite to what its task is given, how many samples are asked, and who answers."""

NAMES = ("maker/one-1.0005", 'other/$two$ id="1.0005"')
"""What the agents are called: digits, and what a page must not take for its own."""


def axis_labels(small: bool) -> Iterator[Figure]:
    """Yield whether a page writes in its drawings what their files do; charts it draws itself."""
    from whybench.page import report
    from whybench.results import load
    from whybench.suites.registry import get_suite
    from whybench.suites.task import inspect_task

    suites = ["judge", "intervene"] if small else list(SPEAKERS)
    files: dict[str, list[str]] = {}
    with TemporaryDirectory() as folder:
        for name in suites:
            arguments, samples, strategies = SPEAKERS[name]
            asked = get_suite(name)
            task = inspect_task(asked)(**arguments)
            for agent, (strategy, settings) in zip(NAMES, strategies, strict=True):
                speaker = Speaker(agent, strategy, settings)
                write_log(asked, task, speaker, Path(folder, name), samples)
            drawings = load(str(Path(folder, name))).figures()
            for figure in (one for one in drawings if one.spec is None):
                files[f"{name}: {figure.title}"] = words_of_file(figure.to_svg())
        answers = load(*(str(Path(folder, name)) for name in suites))
        page = report(answers, Path(folder, "page.html")).read_text(encoding="utf-8")
    shown = words_of_page(page)
    yield compare_words(files, {title: shown[title] for title in files if title in shown})


def compare_words(files: Mapping[str, list[str]], shown: Mapping[str, list[str]]) -> Figure:
    """Return whether the figures of a page write what their files do."""
    differ = [title for title in files if files[title] != shown.get(title)]
    words = [word for found in shown.values() for word in found]
    fine = [word for word in words if re.search(r"\d\.\d{3}", word)]
    return Figure(
        "what a page writes in its figures is what their files write",
        f"{len(shown)} figures with {len(words):,} words, {len(fine)} of them with three decimals "
        f"or more; other words in {len(differ)}{f': {differ[0]}' if differ else ''}",
        set(files) == set(shown) and not differ and bool(fine),
    )


def words_of_file(svg: str) -> list[str]:
    """Return what an SVG file writes: letters are paths there, each line with a comment."""
    return [unescape(words) for words in re.findall(r"<!-- (.*?) -->", svg)]


def words_of_page(page: str) -> dict[str, list[str]]:
    """Return what the figures of a page write, by their captions."""
    figures = re.findall(r"<figure .*?</figure>", page, flags=re.DOTALL)
    return {
        unescape(re.findall(r"<figcaption[^>]*>(.*?)</figcaption>", figure)[0]): [
            unescape(words) for words in re.findall(r"<text[^>]*>(.*?)</text>", figure)
        ]
        for figure in figures
    }


MARKS = "\u202e\u202c\u2066\u2069\u200b\u200f"
"""Marks that turn the direction of writing, or that nobody sees."""


def hidden_marks(small: bool) -> Iterator[Figure]:
    """Yield whether a browser shows what is hidden in the name of an agent."""
    from evidence.browser import chromium, opened
    from whybench.page import report
    from whybench.results import load
    from whybench.suites.registry import get_suite
    from whybench.suites.task import inspect_task

    judge = get_suite("judge")
    with TemporaryDirectory() as folder:
        target = Path(folder, "page.html")
        speaker = Speaker(f"maker/a{MARKS}b", "random")
        write_log(judge, inspect_task(judge)(), speaker, Path(folder, "logs"), 6 if small else 60)
        report(load(str(Path(folder, "logs"))), target)
        with chromium() as browser, opened(browser, target.as_uri()) as found:
            found.page.wait_for_selector("#answers-list li")
            seen = found.page.inner_text("body")
    spelled = "a" + "".join(f"[U+{ord(mark):04X}]" for mark in MARKS) + "b"
    hidden = [mark for mark in MARKS if mark in seen]
    yield Figure(
        f"{len(MARKS)} marks that cannot be seen, in the name of an agent, are spelled out",
        f"{seen.count(spelled)} times spelled out, {len(hidden)} marks left as they are; "
        f"{len(found.errors)} errors on the console",
        not hidden and seen.count(spelled) > 3 and not found.errors,
    )


PARTS: Parts = {"matrix": matrix, "axis labels": axis_labels, "hidden marks": hidden_marks}
