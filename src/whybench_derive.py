"""The environment `whybench-derive` of the library verifiers, which imports it by this name."""

from whybench.training.environments import Chat, ConversationEnv, make_taskset

__all__ = ["Chat", "ConversationEnv", "DeriveQuestions"]

DeriveQuestions = make_taskset("derive")
