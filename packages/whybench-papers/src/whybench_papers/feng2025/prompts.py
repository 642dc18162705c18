"""The prompts of CausalLink (Feng and Rudzicz 2025), downloaded and read as text.

The paper's repository keeps the prompts in a Python file, as one literal. The file is parsed and
the literal is taken from it. Nothing in it is executed. Each of our styles has a set of five
prompts: the world (system), the first request (initial), and the messages after an action (choice),
to go on (interaction) and at the end (answer). They are used word for word, with their indentation.

The observation and the question fill the placeholders, as they do in intervene. The names of shapes
and actions are listed as the paper lists them. Everything has the role of the user, as in the paper
for models without a system role.

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
"""The styles of intervene, and their names in the paper. The last two also ask for few steps."""

PARTS = ("system", "initial", "choice", "interaction", "answer")


@cache
def read_templates() -> Mapping[str, Mapping[str, str]]:
    """Return the prompts by name, of each set of prompts by its name in the paper.

    Raises:
        DataError: The file is missing, or does not contain the prompts.
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
    """The prompts for one question.

    Attributes:
        style: The style of intervene.
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
        """Return the first message: world, observation, question and form of the reply."""
        system, initial = self._prompts["system"], self._prompts["initial"]
        return f"{system}\n{initial.format(seen, self.question, *self._listed)}"

    @property
    def choice(self) -> str:
        """The request after an action: go on, or answer."""
        return self._prompts["choice"].format(self.question)

    @property
    def interaction(self) -> str:
        """The request to an agent that goes on."""
        return self._prompts["interaction"].format(*self._listed)

    @property
    def answer(self) -> str:
        """The request to an agent that is ready to answer."""
        return self._prompts["answer"].format(self.question)

    @property
    def _listed(self) -> tuple[str, str]:
        return str([*self.names]), str([*self.actions])
