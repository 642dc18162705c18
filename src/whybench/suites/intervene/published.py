"""The source's own prompts: CausalLink (Feng and Rudzicz 2025), downloaded and read as text.

Its repository keeps the prompts in a Python file, as one literal. The file is parsed and the
literal taken from it; nothing of it is run. There is a set of five prompts for each of our styles:
what the world is (system), the first request (initial), and what is said after an action (choice),
to go on (interaction) and at the end (answer). They stand word for word, with their indentation.

What fills their places is ours, and so the same as in our own prompts: what is seen and the
question. The names of shapes and actions are listed as the source lists them. All is said in the
role of the user, as the source does for models without a system role.

>>> sorted(NAMES)
['cot', 'direct', 'fewest-steps', 'recipe']
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from whybench.datasets import data_path
from whybench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = "CausalLink"
FILE = "prompt_templates.py"
LITERAL = "TEMPLATES"

NAMES: Mapping[str, str] = {
    "direct": "basic",
    "fewest-steps": "basic_limit_step",
    "cot": "cot_basic_limit_step",
    "recipe": "cot_instructed_limit_step",
}
"""Our styles, and what the source calls them. Its last two also ask for few steps."""

PARTS = ("system", "initial", "choice", "interaction", "answer")


@cache
def read_templates() -> Mapping[str, Mapping[str, str]]:
    """Return the source's name of a set of prompts to its prompts by name.

    Raises:
        DataError: The file cannot be had, or does not hold the prompts.
    """
    path = data_path(SOURCE, FILE)
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == LITERAL:
            found = ast.literal_eval(statement.value)
            if all({*PARTS} <= found.get(name, {}).keys() for name in NAMES.values()):
                return {name: dict(found[name]) for name in NAMES.values()}
    raise DataError(
        f"{path} must assign {LITERAL} with {', '.join(PARTS)} of each of "
        f"{', '.join(NAMES.values())}; fetch it again (`whybench data fetch {SOURCE}`)"
    )


@dataclass(frozen=True)
class PublishedPrompts:
    """The source's prompts for one question.

    Attributes:
        style: How the agent is instructed, in our words.
        names: The shapes as they are listed.
        actions: The two verbs.
        question: The question.
    """

    style: str
    names: tuple[str, ...]
    actions: tuple[str, ...]
    question: str

    @property
    def _prompts(self) -> Mapping[str, str]:
        return read_templates()[NAMES[self.style]]

    def opening(self, seen: str) -> str:
        """Return the first message: the world, what is seen, the question, the form of a reply."""
        system, initial = self._prompts["system"], self._prompts["initial"]
        return f"{system}\n{initial.format(seen, self.question, *self._listed)}"

    @property
    def choice(self) -> str:
        """What is asked after an action: to go on, or to answer."""
        return self._prompts["choice"].format(self.question)

    @property
    def interaction(self) -> str:
        """What is asked of an agent that goes on."""
        return self._prompts["interaction"].format(*self._listed)

    @property
    def answer(self) -> str:
        """What is asked of an agent that is ready to answer."""
        return self._prompts["answer"].format(self.question)

    @property
    def _listed(self) -> tuple[str, str]:
        return str([*self.names]), str([*self.actions])
