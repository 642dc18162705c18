"""The environment `whybench-intervene` of the library verifiers, which imports it by this name."""

from whybench.training.environments import Chat, ConversationEnv, make_taskset

__all__ = ["Chat", "ConversationEnv", "InterveneQuestions"]

InterveneQuestions = make_taskset("intervene", interface="text")
