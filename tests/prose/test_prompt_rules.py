"""Rules for prompts find each lintable finding of a review, in the old words and in others."""

from __future__ import annotations

import pytest

from whybench.prose import find_matches

LINTABLE = {
    "by itself": [
        "in the cases in which the ladder maker is present by itself than it would be",
        "among the cases where the pump runs on its own",
        "when the drill is switched on of itself",
    ],
    "nothing is known": [
        "nothing is known that would move both walking and sleep.",
        "There is no known factor that affects both.",
        "As far as anyone knows, the two have no common cause.",
    ],
    "reasons and whatever": [
        "There are no reasons for the choice that bear on breakdowns beside those in the table.",
        "Whatever of that bears on the speed in December is among the columns.",
        "The age has no bearing on the choice.",
    ],
    "independence of everything": [
        "all that is told here happens independently of the rest.",
        "Everything in this world happens independently.",
        "The devices are independent of everything else.",
    ],
    "taken down": [
        "Your report is taken down as it stands.",
        "Your answer is taken down.",
        "We took down your reply.",
    ],
    "regularity": [
        "One shape drives another if, whenever the one is moving, the other becomes moving too.",
        "A lamp controls another if whenever it is lit, the other lights up.",
        "Something causes another when, every time it happens, the other follows.",
    ],
    "coins": [
        "The cellarer is away unless a coin makes it present: one with a chance of 71%.",
        "it holds if some coin sets the lamp on",
        "another with a probability of 11%",
    ],
    "in any case": [
        "one with a chance of 11% in any case",
        "| in any case | 16% |",
        "An event of 5%, at all events",
    ],
    "it for people": [
        "a coin makes it present",
        "the weather keeps it away",
        "the rule left it absent",
    ],
    "units": [
        "By how many percentage points is it more likely?\n\nEnd with a line such as Answer: 12.3%",
        "How many percentage points lie between them? Answer: 4%",
        "Give the percentage points, in a form such as 7.5%",
    ],
    "from outside": [
        "if the boat yard is set to shut from outside",
        "had the pump been turned on from the outside",
        "somebody sets it from outside",
    ],
    "evenly": [
        "a number drawn evenly from 1 to 100",
        "a number picked evenly between 1 and 6",
        "values chosen equally from the list",
    ],
    "come about": [
        "the numbers of tokens come about anew in each",
        "Said of any other two in the chain, 'follows' means the same",
        "how each number came about is told here",
    ],
    "leading object": [
        "Of a pair that you do not list, you say that the first does not drive the second.",
        "Of any pair left out you claim nothing. Of each pair you list, you are sure.",
        "What you leave out counts as a no.",
    ],
    "names": [
        "columns go by their names.",
        "each column goes by its name",
        "lower: less of it, or do without",
    ],
    "output": [
        "What it prints comes back to you; if that is long, the first 4000 characters.",
        "What is printed comes back.",
        "What was drawn is shown to you.",
    ],
    "lot": [
        "Half of its new patients, drawn by lot, got it.",
        "a lot decided who went first",
        "The district drew the wells by lot",
    ],
    "speak for": [
        "Give the drawing of arrows that the articles speak for.",
        "the graph for which the data speak",
        "which story the table tells",
    ],
    "retry": [
        "Reply once more, in the form that was asked for.",
        "Answer once more.",
        "Use the words that were asked for.",
    ],
}
"""Old words of a finding, and two other ways to make the same mistake."""


@pytest.mark.parametrize("finding", LINTABLE)
def test_find_matches_old_words_and_paraphrases_are_found(finding: str) -> None:
    missed = [text for text in LINTABLE[finding] if not list(find_matches(text))]
    assert not missed


@pytest.mark.parametrize(
    "text",
    [
        "No variable outside the table affects both walking and sleep.",
        "Nothing outside the table influenced both the choice and breakdowns.",
        "All chance events are independent of one another.",
        "Shape A drives shape B if A's motion makes B move.",
        "Your answer has been recorded.",
        "By how many percentage points is it more likely? Answer: -12.3 percentage points",
        "Please answer again, using exactly the requested format.",
        "Leaving a pair out means you claim the first does not drive the second.",
        "It has no network access. You will see the output.",
    ],
)
def test_find_matches_plain_sentence_is_clean(text: str) -> None:
    assert not list(find_matches(text))
