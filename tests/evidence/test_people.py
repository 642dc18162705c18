"""The subject that joins the figures of five others; each is tested beside its own."""

from __future__ import annotations

from evidence.__main__ import SUBJECTS

from evidence import cohort, environments, experiment, exports, likeness, people


def test_no_part_hides_another_of_the_same_name() -> None:
    joined = (experiment, cohort, likeness, exports, environments)
    assert len(people.PARTS) == sum(len(one.PARTS) for one in joined)
    assert "people" in SUBJECTS
