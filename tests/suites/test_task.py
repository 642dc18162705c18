"""One factory makes every suite's Inspect task, under the names that logs know."""

from __future__ import annotations

import inspect

import pytest
from inspect_ai._util.registry import registry_info, registry_lookup

from whybench import _registry
from whybench.errors import RefusedError
from whybench.suites.designs import list_factors
from whybench.suites.registry import get_suite
from whybench.suites.task import inspect_metric, inspect_scorer, inspect_task

NAMES = {
    "judge": ("judgment", "likelihood_measures"),
    "intervene": ("justification", "justified_measures"),
    "compose": ("verdict", "composition_measures"),
    "analyze": ("analysis", "twin_measures"),
}


@pytest.mark.parametrize("name", NAMES)
def test_task_scorer_and_metric_have_the_names_that_stand_in_logs(name: str) -> None:
    one = get_suite(name)
    scorer, metric = NAMES[name]
    assert getattr(_registry, name) is inspect_task(one)
    made = {"task": inspect_task(one), "scorer": inspect_scorer(one), "metric": inspect_metric(one)}
    for (kind, function), called in zip(made.items(), (name, scorer, metric), strict=True):
        assert registry_info(function).name == f"whybench/{called}"
        assert registry_lookup(kind, f"whybench/{called}") is not None


@pytest.mark.parametrize("name", NAMES)
def test_arguments_are_the_factors_with_their_help(name: str) -> None:
    one = get_suite(name)
    task = inspect_task(one)
    taken = inspect.signature(task).parameters
    factors = list_factors(type(next(iter(one.designs.values()))))
    options = one.inspection.options
    assert list(taken) == ["design", *factors, "shard", "group", *options, "others"]
    assert taken["design"].default == "core"
    assert {taken[factor].default for factor in factors} == {None}
    assert taken["group"].default == (None if name == "compose" else 1)
    said = " ".join(task.__doc__.split())
    for factor in factors.values():
        assert factor.name == "name" or factor.meaning, factor.name
        assert f"{factor.name}: {factor.meaning}" in said
    for option, (default, meaning) in options.items():
        assert taken[option].default == default
        assert f"{option}: {meaning}" in said


def test_judge_takes_what_its_interface_letter_stands_for() -> None:
    names = (
        "design name story graph polarity overload overload_source independence style task "
        "prior leak strength shard group others"
    )
    assert " ".join(inspect.signature(_registry.judge).parameters) == names
    assert get_suite("judge").interface_letter == "B"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"styl": "cot"}, "a design takes design, name, story, .* strength, got 'styl'"),
        ({"style": "cott"}, "style must be among direct, cot, confidence, got 'cott'"),
        ({"design": "cores"}, "design must be one of core, .* got 'cores'"),
        ({"shard": "3/2"}, "shard must be i/n .* got '3/2'"),
        ({"group": 0}, "group must be a whole number from 1, got 0"),
    ],
)
def test_what_cannot_be_asked_is_said_without_a_traceback(given: dict, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        _registry.judge(**given)
