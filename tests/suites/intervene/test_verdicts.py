"""Right or wrong, with or without reason."""

from __future__ import annotations

import pytest

from whybench.suites.intervene.verdicts import VERDICTS, decide_verdict


@pytest.mark.parametrize(
    ("answer", "truth", "evidence", "expected"),
    [
        ("yes", True, "yes", "justified"),
        ("no", False, "no", "justified"),
        ("yes", True, "open", "lucky"),
        ("no", False, "open", "lucky"),
        ("yes", False, "open", "premature"),
        ("no", True, "open", "premature"),
        ("yes", False, "no", "contradicts"),
        ("no", True, "yes", "contradicts"),
        (None, True, "yes", "no_answer"),
        (None, False, "open", "no_answer"),
    ],
)
def test_every_combination_has_one_verdict(answer, truth, evidence, expected):
    assert decide_verdict(answer, truth, evidence) == expected
    assert expected in VERDICTS


@pytest.mark.parametrize("answer", ["yes", "no", None])
@pytest.mark.parametrize(("truth", "evidence"), [(True, "no"), (False, "yes")])
def test_evidence_for_what_is_false_is_an_error(answer, truth, evidence):
    with pytest.raises(ValueError, match=f"got '{evidence}'"):
        decide_verdict(answer, truth, evidence)
