"""The figures of people and of training: studies in a browser, likeness, exports, environments."""

from __future__ import annotations

from functools import partial

from evidence import cohort, environments, experiment, exports, likeness
from evidence.figures import Parts, figures_of

PARTS: Parts = {
    **experiment.PARTS,
    **cohort.PARTS,
    **likeness.PARTS,
    **exports.PARTS,
    **environments.PARTS,
}

figures = partial(figures_of, PARTS)
