"""The environment `whybench-analyze` of the library verifiers, which imports it by this name."""

from whybench.training.environments import Chat, ConversationEnv, make_taskset

__all__ = ["AnalyzeQuestions", "Chat", "ConversationEnv"]

AnalyzeQuestions = make_taskset("analyze", protocol="direct")
