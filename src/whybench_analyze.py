"""The environment `whybench-analyze` of the library verifiers, which imports it by this name."""

from whybench.training.environments import Chat, Conversation, questions

__all__ = ["AnalyzeQuestions", "Chat", "Conversation"]

AnalyzeQuestions = questions("analyze", protocol="direct")
