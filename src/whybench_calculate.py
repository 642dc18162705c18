"""The environment `whybench-calculate` of the library verifiers, which imports it by this name."""

from whybench.training.environments import Chat, ConversationEnv, make_taskset

__all__ = ["CalculateQuestions", "Chat", "ConversationEnv"]

CalculateQuestions = make_taskset("calculate")
