"""The environment `whybench-compose` of the library verifiers, which imports it by this name."""

from whybench.training.environments import Chat, Conversation, questions

__all__ = ["Chat", "ComposeQuestions", "Conversation"]

ComposeQuestions = questions("compose")
