"""The environment `whybench-judge` of the library verifiers, which imports it by this name."""

from whybench.training.environments import Chat, Conversation, questions

__all__ = ["Chat", "Conversation", "JudgeQuestions"]

JudgeQuestions = questions("judge")
