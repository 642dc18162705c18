"""The published stimuli, replies, rubrics and printed results of four papers."""

from whybench_papers.replication import PAPERS, replicate

__all__ = ["PAPERS", "replicate"]
