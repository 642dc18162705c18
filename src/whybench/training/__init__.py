"""Items to train on, the reward of replies to them, and finding tests in training data.

Training on a test makes its score worthless. So items to train on come from worlds of the train
split, which no test design ever draws; every row of them says where it comes from and carries a
canary; and a data set can be searched for prompts of tests.
"""

from whybench.training.canary import CANARY
from whybench.training.items import Row, grade, reward

__all__ = ["CANARY", "Row", "grade", "reward"]
