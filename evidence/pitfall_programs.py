"""How the source of `analyze` asked its models, ran their programs and graded them.

The second half of `evidence.pitfalls`, by reading: its rubrics against its keys, and its programs,
which are parsed and never run, and only where they were fetched.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from evidence.figures import Figure, Parts
from whybench.datasets import data_path, file_state
from whybench.seeds import generator
from whybench.suites.analyze.equivalence import equivalence_class
from whybench_papers.du2025.data_sets import FOLDERS, PLACEHOLDER, SOURCE, read_data_sets, read_json
from whybench_papers.du2025.recomputed import parse_graph

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 100
"""Rows that the source's direct protocol puts into a prompt."""

CODE = "llm_evaluation"
NOT_FETCHED = f"nothing compared; not fetched: `whybench data fetch {SOURCE} --only {CODE}`"
"""What is said in place of a figure where the programs are not here."""


def list_placeholders(text: str) -> tuple[str, ...]:
    """Return the placeholders of a text, each once, in order.

    >>> list_placeholders("Does {TREATMENT} move {OUTCOME}? Adjust {TREATMENT} for <CONFOUNDER>.")
    ('TREATMENT', 'OUTCOME', 'CONFOUNDER')
    """
    names = (braced or angled for braced, angled in PLACEHOLDER.findall(text))
    return tuple(dict.fromkeys(names))


def _program(name: str) -> ast.Module | None:
    """Return a program of the source, parsed and never run; None where it was not fetched."""
    path = f"{CODE}/{name}.py"
    if file_state(SOURCE, path) == "not fetched":
        return None
    return ast.parse(data_path(SOURCE, path).read_text(encoding="utf-8"))


def _function(tree: ast.Module, name: str) -> ast.FunctionDef:
    return next(
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name
    )


def _calls(node: ast.AST, name: str) -> list[ast.Call]:
    """Return the calls of a function by its written name, such as `subprocess.run`."""
    calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
    return [call for call in calls if ast.unparse(call.func).endswith(name)]


def _equivalence(_small: bool) -> Iterator[Figure]:
    folder = "dag_structure_markequi"
    listed, whole = set(), set()
    for data in read_data_sets(folder):
        if data.key is not None:
            graphs = {parse_graph(graph) for graph in data.key["EQUIVALENT_GRAPHS"]}
            first, second, third = data.column_names("VARIABLE_X1", "VARIABLE_X2", "VARIABLE_X3")
            true = parse_graph(data.key["TRUE_GRAPH"][0])
            members = equivalence_class(true, (first, second, third))
            reverse = frozenset({(third, second), (second, first)})
            listed.add((len(graphs), graphs < members, members - graphs == {reverse}))
            whole.add(len(members))
    criteria = {criterion["id"]: criterion for criterion in read_json(folder, "rubric")["criteria"]}
    extra = criteria["NO_EXTRA_STRUCTURES"]["desc"]
    yield Figure(
        "keys list 2 of 3 equivalent graphs and leave out the reverse chain, which the rubric "
        "demands; its ban on extra graphs names the forward chain, which it also demands",
        f"(listed, in the class, only the reverse chain missing): {listed}; class of {whole}; "
        f"criteria {', '.join(sorted(criteria))}",
        listed == {(2, True, True)}
        and whole == {3}
        and {"LIST_REVERSE_CHAIN", "LIST_FORWARD_CHAIN"} <= set(criteria)
        and "does not propose the chain {VARIABLE_X1} -> {VARIABLE_X2} -> {VARIABLE_X3}" in extra,
    )


def _keyless(_small: bool) -> Iterator[Figure]:
    without = [f"{data.challenge}/{data.name}" for data in read_data_sets() if data.key is None]
    yield Figure("one data set has no key", ", ".join(without), len(without) == 1)
    tree = _program("scoring_responses")
    if tree is None:
        yield Figure("what the scorer does then", NOT_FETCHED, True)
        return
    source = ast.unparse(_function(tree, "fill_rubric_template"))
    yield Figure(
        "the scorer then takes the first key of the challenge, which is about other columns",
        "answer_key = answer_key[0]",
        "answer_key = answer_key[0]" in source,
    )


def _rubrics(_small: bool) -> Iterator[Figure]:
    left, bare, unused = defaultdict(list), defaultdict(set), defaultdict(set)
    for data in read_data_sets():
        if data.key is None:
            continue
        criteria = read_json(data.challenge, "rubric")["criteria"]
        text = str(criteria)
        keywords = {word for one in criteria for word in one.get("keywords", ())}
        for name in set(list_placeholders(text)) - set(data.key):
            left[f"{data.challenge} {name}"].append(data.number)
        for name, value in data.key.items():
            if re.fullmatch(r"-?[\d.]+", str(value)) and name not in list_placeholders(text):
                unused[data.challenge].add(name)
            if name in keywords:
                bare[data.challenge].add(name)
    yield Figure(
        "placeholders of rubrics that no key fills: in 9 data sets",
        str(dict(left)),
        {name.split()[1]: len(numbers) for name, numbers in left.items()}
        == {"ADJUSTED_DIRECTION": 4, "VARIABLE_T": 5},
    )
    yield Figure(
        "names of key fields that stand without braces, so that the grader sees the name",
        str({name: sorted(fields) for name, fields in bare.items()}),
        set(bare) == {"moderation_effect", "population_shift", "temporal_stability"},
    )
    yield Figure(
        "the wrong keys of counterfactual_reasoning, berkson_paradox and the sleep study are in "
        "no criterion: the grader is told to compare with a reference that it is not given",
        str({name: len(fields) for name, fields in unused.items()}),
        {"ATE", "CONDITIONAL_DIFFERENCE"} <= unused["counterfactual_reasoning"]
        and "NAIVE_CONDITIONAL_1" in unused["berkson_paradox"]
        and "ADJUSTED_P_DIFF" in unused["observational_vs_experimental_reasoning"],
    )


def _templates(_small: bool) -> Iterator[Figure]:
    texts = [question for folder in FOLDERS for question in read_data_sets(folder)[0].questions]
    holding = [question for question in texts if list_placeholders(question)]
    yield Figure(
        "all 75 question texts hold placeholders such as {TREATMENT}",
        f"{len(holding)} of {len(texts)}",
        (len(holding), len(texts)) == (75, 75),
    )
    gone = "therapeutic_score"
    sets = read_data_sets("counterfactual_reasoning")
    yield Figure(
        "questions of counterfactual_reasoning warn of a column that four of five sets lack",
        f"in {sum(gone in question for question in sets[0].questions)} questions; in "
        f"{sum(gone in data.rows for data in sets)} sets",
        sum(gone in data.rows for data in sets) == 1,
    )
    tree = _program("get_responses")
    if tree is None:
        yield Figure("whether anything fills them before a model is asked", NOT_FETCHED, True)
        return
    function = _function(tree, "evaluate_model")
    used = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == "answer_key" and isinstance(node.ctx, ast.Load)
    ]
    filled = _calls(function, ".format") + _calls(function, ".replace")
    yield Figure(
        "nothing fills them: the key is loaded and not used, the text goes into the prompt as is",
        f"{len(used)} uses of the key, {len(filled)} replacements",
        not used and not filled,
    )


def _hundred_rows(small: bool) -> Iterator[Figure]:
    draws = 500 if small else 5000
    passes = []
    for data in read_data_sets("simpson_paradox"):
        assert data.key is not None
        drug, outcome = data.columns("TREATMENT", "OUTCOME")
        rng = generator("evidence", "pitfalls", "rows", data.number)
        key = np.array([data.key["OVERALL_P_YES"], data.key["OVERALL_P_NO"]])
        hits = 0
        for _ in range(draws):
            shown = rng.choice(len(outcome), SHOWN, replace=False)
            rates = [outcome[shown][drug[shown] == word].mean() for word in ("Yes", "No")]
            hits += bool(np.all(np.abs(rates - key) <= data.key["TOLERANCE"]))
        passes.append(hits / draws)
    yield Figure(
        f"shown {SHOWN} of 800 rows, who computes both overall rates exactly is within ±0.02 of "
        "the key in less than one case in eight",
        ", ".join(f"{share:.3f}" for share in passes),
        max(passes) < 1 / 8,
    )
    tree = _program("get_responses")
    if tree is None:
        yield Figure("how many rows a direct prompt shows", NOT_FETCHED, True)
        return
    function = _function(tree, "evaluate_model")
    heads = {ast.unparse(call) for call in _calls(function, "data.head")}
    shuffles = [ast.unparse(call) for call in _calls(function, "data.sample")]
    yield Figure(
        "a direct prompt shows the first 100 rows after an unseeded shuffle; keys are of all rows",
        f"{sorted(heads)}, {shuffles}",
        f"data.head({SHOWN})" in heads and shuffles == ["data.sample(frac=1)"],
    )


def _environment(_small: bool) -> Iterator[Figure]:
    tree = _program("code_execution_utils")
    if tree is None:
        yield Figure("how a model's program is run", NOT_FETCHED, True)
        return
    function = _function(tree, "execute_code_with_dependencies")
    runs = _calls(function, "subprocess.run")
    words = [ast.unparse(call) for call in runs]
    bounded = [call for call in runs for word in call.keywords if word.arg == "timeout"]
    installs = [word for word in words if "'install'" in word]
    yield Figure(
        "a model's program gets the whole environment, API keys included, and no limit of time "
        "or memory; what it imports is installed first",
        f"{len(runs)} subprocesses, {len(bounded)} with a timeout, {len(installs)} of pip",
        any("**os.environ" in word for word in words) and not bounded and len(installs) == 2,
    )


def _failures(_small: bool) -> Iterator[Figure]:
    wanting = [folder for folder in FOLDERS if "standard error" in str(read_json(folder, "rubric"))]
    yield Figure(
        "six rubrics name a standard error among what a good answer states",
        ", ".join(wanting),
        len(wanting) == 6,
    )
    tree = _program("get_final_results")
    if tree is None:
        yield Figure("what counts as a failed execution", NOT_FETCHED, True)
        return
    (pattern,) = {
        call.args[0].value
        for call in _calls(tree, "df['response'].str.contains")
        if isinstance(call.args[0], ast.Constant)
    }
    said = "The adjusted difference is 0.12 with a standard error of 0.03."
    yield Figure(
        "an answer that states a standard error counts as a failed execution",
        f"pattern {pattern!r}, searched in {said!r}",
        re.search(str(pattern), said, re.IGNORECASE) is not None,
    )


PARTS: Parts = {
    "equivalence": _equivalence,
    "keyless": _keyless,
    "rubrics": _rubrics,
    "templates": _templates,
    "hundred-rows": _hundred_rows,
    "environment": _environment,
    "failures": _failures,
}
"""Entries of docs/errata/analyze.md by name."""
