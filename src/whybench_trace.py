"""The environment `whybench-trace` of the library verifiers, which imports it by this name."""

from whybench.training.environments import Chat, ConversationEnv, make_taskset

__all__ = ["Chat", "ConversationEnv", "TraceQuestions"]

TraceQuestions = make_taskset("trace")
