"""A study as a folder: an experiment that opens in any browser, from a disk or from a server.

Everything shown stands in `study.js`, a script and not a table, since a page from a disk may run
scripts beside it but not read files. `study.json` says to whoever brings the data home which items
there are. Neither holds a truth; what a page has to know to check a participant's reading is about
the lesson alone, and in an episode the hidden circuit has to be where it is acted on.

The folder is the same, byte by byte, for the same study.
"""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from whybench.datasets import SOURCES, data_path
from whybench.errors import UserError
from whybench.seeds import generator
from whybench.study.diagram import render_diagram
from whybench.study.texts import read_study_text, render_markdown, render_prompt_html
from whybench.training.canary import canary
from whybench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.study.plan import StudyPlan
    from whybench.suites.questionnaire import Lesson

MANIFEST = "study.json"
DATA = "data"
"""The folder beside the experiment into which `whybench study serve` writes."""

PAGE = (
    "circuit.js",
    "experiment.js",
    "index.html",
    "pages.js",
    "participant.js",
    "rows.js",
    "shapes.js",
    "style.css",
)
ENGINE = "jspsych@8.3.0/dist/index.browser.min.js"
JATOS_SCRIPT = '<script src="jatos.js"></script>'
DATAPIPE = "https://pipe.jspsych.org/api/data/"

ATTEMPTS = 3
"""How many comprehension checks may be failed before a study ends, unless it says otherwise."""

TOLERANCE = 2
"""How far a slider may be from where it was asked to be put."""


@dataclass(frozen=True)
class Saving:
    """Where answers go.

    Attributes:
        how: `download`, `serve`, `jatos` or `datapipe`.
        experiment: The experiment's id at DataPipe.
    """

    how: str = "download"
    experiment: str = ""

    @classmethod
    def read(cls, text: str) -> Saving:
        """Parse `download`, `serve`, `jatos` or `datapipe:EXPERIMENT_ID`."""
        how, _, experiment = text.partition(":")
        if how == "datapipe" and experiment.isalnum():
            return cls(how, experiment)
        if text in {"download", "serve", "jatos"}:
            return cls(how)
        raise UserError(
            "`save` must be download, serve, jatos or datapipe:EXPERIMENT_ID (letters and "
            f"digits), got {text!r}"
        )

    @property
    def settings(self) -> dict[str, str]:
        """What the page has to know."""
        if self.how != "datapipe":
            return {"how": self.how}
        return {"how": self.how, "experiment": self.experiment, "address": DATAPIPE}


DOWNLOAD = Saving()


@dataclass(frozen=True)
class Texts:
    """A user's own texts, as paths of Markdown files; None for the bundled ones."""

    consent: str | None = None
    instructions: str | None = None
    debriefing: str | None = None
    early_end: str | None = None

    def html(self, suite_name: str) -> dict[str, str]:
        """Return all texts of a study of a suite, as HTML."""
        return {
            kind: render_markdown(read_study_text(kind, suite_name, path))
            for kind, path in asdict(self).items()
        }


BUNDLED = Texts()


def write_study(
    plan: StudyPlan,
    target: Path,
    saving: Saving = DOWNLOAD,
    texts: Texts = BUNDLED,
    attempts: int = ATTEMPTS,
) -> dict[str, Any]:
    """Write the experiment of a plan into a folder; return what `study.json` says.

    Args:
        plan: Who is asked what.
        target: The folder.
        saving: Where answers go.
        texts: What is said around the questions.
        attempts: After so many comprehension checks that were failed, the study ends; 0: never.

    Raises:
        UserError: It cannot be written there; what was there before is still there.
    """
    engine = data_path("jsPsych", ENGINE)
    content = _content(plan, saving, texts.html(plan.suite.name), attempts)
    manifest = _manifest(plan, saving)
    try:
        _check_target(target, plan.id)
        with _whole_folder(target) as part:
            shutil.copyfile(engine, part / "jspsych" / Path(ENGINE).name)
            licence = files("whybench.datasets").joinpath("jsPsych", "LICENSE.txt")
            _write(part / "jspsych" / "LICENSE.txt", licence.read_text(encoding="utf-8"))
            for name in PAGE:
                text = _page_file(name)
                if name == "index.html":
                    script = JATOS_SCRIPT if saving.how == "jatos" else ""
                    text = text.replace("<!-- jatos -->", script)
                _write(part / name, text)
            _write(part / "study.js", f"const STUDY = {_json(content)};\n")
            _write(part / MANIFEST, f"{json.dumps(manifest, ensure_ascii=False, indent=1)}\n")
    except OSError as error:
        raise UserError(
            f"`output` must be a folder that can be written, got {target}: {error.strerror}; make "
            "room there, or write elsewhere"
        ) from None
    return manifest


@contextmanager
def _whole_folder(target: Path) -> Iterator[Path]:
    """Yield a folder whose files, once all are written, get to their place; else none does."""
    inside = target.is_dir()
    part = (target if inside else target.parent) / f".{target.name}.{uuid4().hex}.part"
    try:
        (part / "jspsych").mkdir(parents=True)
        yield part
        if not inside:
            part.replace(target)
            return
        (target / "jspsych").mkdir(exist_ok=True)
        for file in (file for file in part.rglob("*") if file.is_file()):
            file.replace(target / file.relative_to(part))
    finally:
        shutil.rmtree(part, ignore_errors=True)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what a study's folder says of itself."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if "study" in manifest and "suite" in manifest:
            return manifest
    except (OSError, ValueError, TypeError):
        pass
    raise UserError(
        f"{folder} must be the folder of a study, with its {MANIFEST}; "
        "make one by `whybench study export`"
    )


def _manifest(plan: StudyPlan, saving: Saving) -> dict[str, Any]:
    return {
        "study": plan.id,
        "suite": plan.suite.name,
        "version": plan.suite.version,
        "settings": dict(plan.settings),
        "design_hash": plan.design_hash,
        "whybench": __version__,
        "save": saving.how,
        "pictures": plan.pictures,
        "cycle": plan.cycle,
        "lists": [[item.digest for item in entry] for entry in plan.lists],
        "canary": _canary(plan),
        "engine": SOURCES["jsPsych"].address + ENGINE,
    }


def _content(
    plan: StudyPlan, saving: Saving, texts: Mapping[str, str], attempts: int
) -> dict[str, Any]:
    """Return everything that the pages show, and what they need to go through it."""
    questionnaire = plan.questionnaire
    return {
        "id": plan.id,
        "suite": plan.suite.name,
        "version": plan.suite.version,
        "design_hash": plan.design_hash,
        "whybench": __version__,
        "canary": _canary(plan),
        "save": saving.settings,
        "texts": dict(texts),
        "response": questionnaire.response,
        "ends": questionnaire.ends,
        "options": list(questionnaire.options.items()),
        "unfolded": questionnaire.unfolded,
        "pictures": plan.pictures,
        "attempts": attempts,
        "cycle": plan.cycle,
        "orders": plan.orders,
        "attention": list(_attention(plan)),
        "lists": [
            {
                "lesson": _lesson(plan, questionnaire.lesson(entry[0])),
                "items": [_item(plan, item) for item in entry],
            }
            for entry in plan.lists
        ],
    }


def _lesson(plan: StudyPlan, lesson: Lesson) -> dict[str, Any]:
    drawn = render_diagram(lesson.picture) if plan.pictures and lesson.picture else ""
    return {
        "title": lesson.title,
        "html": render_prompt_html(lesson.text) + drawn,
        "quizzes": [asdict(quiz) for quiz in lesson.quizzes],
    }


def _canary(plan: StudyPlan) -> str:
    """Return the mark by which the items are found should they get into training data."""
    splits = {item.factors.get("split", "test") for entry in plan.lists for item in entry}
    return canary("train" if splits == {"train"} else "test")


def _item(plan: StudyPlan, item: Any) -> dict[str, Any]:
    page = plan.questionnaire.page(item)
    further: dict[str, Any] = {} if page.circuit is None else {"circuit": dict(page.circuit)}
    if page.options is not None:
        further |= {"response": "choice", "options": list(page.options.items())}
    return {
        # An id says in words what people are to find out; the digest does not.
        "id": item.digest,
        "html": render_prompt_html(page.text),
        "question": page.question,
        **further,
    }


def _attention(plan: StudyPlan) -> Iterator[dict[str, Any]]:
    """Yield checks on attention: after a third and after two thirds of the shortest list."""
    shortest = min(map(len, plan.lists))
    questionnaire = plan.questionnaire
    rng = generator("study", "attention", plan.id)
    for after in sorted({shortest // 3, 2 * shortest // 3} - {0}):
        response, options = questionnaire.response, list[tuple[str, str]]()
        if response == "rating":
            target = int(rng.integers(10, 91))
            right = [str(target + off) for off in range(-TOLERANCE, TOLERANCE + 1)]
            question = f"Please move the slider to {target}."
        elif response == "number":
            target = int(rng.integers(10, 91))
            right, question = [f"{target}%"], f"Please type in {target}."
        else:
            response = "choice"
            options = list(questionnaire.options.items()) or [("Yes", "yes"), ("No", "no")]
            label, reply = options[int(rng.integers(len(options)))]
            right, question = [reply], f"Please choose “{label}”."
        yield {
            "after": after,
            "response": response,
            "html": "<p>This is not one of the questions. It shows that you are reading.</p>",
            "question": question,
            "options": options,
            "right": right,
        }


def _check_target(target: Path, study: str) -> None:
    """Refuse to write over what is not a study, or over one that has data of another."""
    if not target.exists():
        return
    if not target.is_dir():
        raise UserError(f"`output` must be a folder, got the file {target}")
    if not any(target.iterdir()):
        return
    existing = read_manifest(target)["study"] if (target / MANIFEST).is_file() else None
    if existing is None:
        raise UserError(
            f"`output` must be a new or empty folder or that of a study, got {target}, which holds "
            "other files"
        )
    if existing != study and any((target / DATA).glob("*")):
        raise UserError(
            f"`output` must be another folder: {target} holds data of the study {existing}, and "
            f"this study is {study}"
        )


def _page_file(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _json(value: object) -> str:
    # Some programs take these two for ends of lines, inside of a text too.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
