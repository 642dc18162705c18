"""The environment `whybench-compose` of the library verifiers, which imports it by this name."""

from whybench.training.environments import Chat, ConversationEnv, make_taskset

__all__ = ["Chat", "ComposeQuestions", "ConversationEnv"]

ComposeQuestions = make_taskset("compose")
