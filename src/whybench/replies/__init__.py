"""Read what a reply to an item says: a number, a choice, a JSON object, or why there is no answer.

All suites read replies with this package. A suite declares the value it expects and its policy
(`Reader`), or the fields of the JSON object that it asks for (`find_last_object`).

| module | subject |
|---|---|
| `shown` | the text outside thinking blocks and explanations |
| `objects` | JSON objects, and what is not quite JSON |
| `plain` | plain text: one script for digits and signs, no markup |
| `numbers` | numbers with sign, unit and range |
| `words` | words that decline to answer, take it back, or state that there is none |
| `reader` | where the answer stands, and what contradicts it |
| `statements` | readers of numbers in percent |
| `choices` | readers of yes and no |

Reading never guesses: where a careful person would hesitate, there is a reason and no value.
"""
