"""The environment `whybench-intervene` of the library verifiers, which imports it by this name."""

from whybench.training.environments import Chat, Conversation, questions

__all__ = ["Chat", "Conversation", "InterveneQuestions"]

InterveneQuestions = questions("intervene", interface="text")
