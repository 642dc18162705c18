"""Items to train on, what replies to them are worth, and finding tests in training data.

Training on a test makes its score worthless. So what is handed out for training comes from worlds
of the train side, which no test design ever draws; every row of it says where it comes from and
carries a canary; and a data set can be searched for prompts of tests.
"""

from whybench.training.canary import CANARY
from whybench.training.rewards import Row, grade, reward

__all__ = ["CANARY", "Row", "grade", "reward"]
