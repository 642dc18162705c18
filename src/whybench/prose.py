"""Rules for English text, and a search for words that break them.

`RULES` apply to documentation and code; `.ci/prose` checks the files of this project with them.
`PROMPT_RULES` apply to texts that agents and participants read; `whybench validate` checks the
prompts of a suite with them, with your own cover stories included. A text that breaks no rule can
still be unclear: the rules find words that were misread before.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RULES = {
    "software prints, shows or reports; it does not tell or say": (
        r"\b(tells?|told|telling|says?|said|saying|speaks?|speaking)\b"
    ),
    "use: with, next to, compared with, other than": r"\bbeside\b",
    "use a noun instead of a clause with what": (
        r"(?:^|[.:] )What\b(?=[^?]*(?:[.:]|$))(?![^.]*\?)"
        r"|\bwhat (?:it|they|is|are|was|were|there)\b"
    ),
    "name the person instead of who or whoever": (
        r"\b[Ww]hoever\b|\bwho (?:is|has|does|says)\b|(?:^|[.] )Who\b(?![^.]*\?)"
    ),
    "old dialect; see the word list": (
        r"\b(anew|mend(?:s|ed|ing)?|seldom|so many|of its own|rests? on|bears?|dearest|by lot|"
        r"takes? down|minds?|speaks? for|hold(?:s|ing)? against|stands? for)\b"
    ),
    "no metaphors for code": r"\b(rooms?|wardens?|purses?|mouths?|front doors?)\b",
    "write 0.35, not .35": r"(?<![\w.\d/-])\.\d+\b",
    "state the assumption: use a standard sentence": (
        r"\b(nothing is known that|by itself|from outside|in any case|taken down)\b"
    ),
    "American spelling": (
        r"(?:colour|behaviour|neighbour|favour|harbour|labour|honour)\w*|\bcentre[sd]?\b|\b("
        r"analys(?:e|es|ed|ing)|(?:random|organ|recogn|general|standard|normal|summar|character|"
        r"emphas|minim|maxim|optim|visual|util|real|categor)is(?:e|es|ed|ing|ation)|licences?|"
        r"modell(?:ed|ing)|labell(?:ed|ing)|travell(?:ed|ing)|grey|catalogue[sd]?|judgement\w*|"
        r"whilst|amongst|towards|learnt|programmes?)\b"
    ),
}

PROMPT_RULES = {
    "name the intervention: 'by itself' and 'on its own' also mean alone": (
        r"\b(?:by (?:it|him|her|them)sel(?:f|ves)|on (?:its|their) own|of itself)\b"
    ),
    "name the intervention: 'from outside' also names a place": r"\bfrom (?:the )?outside\b",
    "state the assumption: missing knowledge is not one": (
        r"\b(?:nothing|no \w+|none) (?:else )?(?:is|are|was) known (?:that|which|to)\b"
        r"|\bno known \w+\b"
        r"|\bas far as (?:is|anyone|we) knows?n?\b|\b(?:is|are) not known (?:which|to)\b"
    ),
    "say which influences are absent: 'reasons' and 'whatever' leave it open": (
        r"\bno reasons? (?:for|behind)\b|\b[Ww]hatever (?:of|else)\b"
        r"|\bbears? (?:up)?on\b|\bbearing on\b"
    ),
    "state that chance events are independent; the rest depends on causes": (
        r"\b(?:all|everything)\b(?! chance)[^.;]{0,40}\bhappens? independently\b"
        r"|\bindependent(?:ly)? of (?:the rest|everything else)\b"
    ),
    "define a cause by what it makes happen; 'whenever' describes a regularity": (
        r"\b(?:drives?|causes?|moves?|controls?) \w+(?: \w+)? (?:if|when),? "
        r"(?:whenever|every time|each time|always)\b"
    ),
    "write recorded: 'taken down' also means removed": r"\b(?:taken|took|takes?|noted) down\b",
    "use: other than, besides, apart from": (
        r"\b(?:no|nothing|none|any|anything)\b[^.;]{0,80}\bbeside\b|\bbeside (?:those|that|them)\b"
    ),
    "write regardless of anything else: 'in any case' also means anyway": (
        r"\bin any (?:case|event)\b|\bat all events\b"
    ),
    "name the random event of each probability": (
        r"\b(?:one|another|some) with a (?:chance|probability)\b"
        r"|\bcoins? (?:that )?(?:makes?|sets?)\b"
    ),
    "use they for people": (
        r"\b(?:makes?|made|keeps?|kept|leaves?|left|sets?) it (?:to )?(?:present|away|absent)\b"
    ),
    "give question and answer form the same unit": (
        r"percentage points?\b[^|]*?(?:Answer:|such as|form)[^\n%]{0,12}\d%"
    ),
    "write each equally likely: 'evenly' also means in equal steps": (
        r"\b(?:drawn|chosen|picked) (?:evenly|equally)\b"
    ),
    "write at random: 'lot' is archaic": (
        r"\bby (?:the )?(?:drawing of )?lots?\b|\bdrew (?:the |for )?(?:\w+ )?(?:by )?lots?\b"
        r"|\blots? (?:decided|chose|fell|were drawn)\b"
    ),
    "ask for the causal graph: data are evidence and do not speak": (
        r"\b(?:articles?|data|records?|tables?|numbers?) (?:speaks?|argues?|says?|tells?)\b"
        r"|\bspeaks? for\b|\bdrawing of arrows\b"
    ),
    "begin a statement with its subject": (
        r"(?:^|[.:] )(?:What (?:it|is|was|you)\b[^?.:]*[.;]"
        r"|Of (?:an?|any|each|every) [^.,?]*,? you\b)"
    ),
    "use plain modern words": (
        r"\b(?:anew|c[oa]mes? about|do without|(?:is|are|was|were) told|told here|said of|"
        r"rests? on|"
        r"go(?:es)? by (?:its|their) names?|in th(?:is|ese) very|once more|asked for)\b"
    ),
    "American spelling": RULES["American spelling"],
}


class ProseMatch(NamedTuple):
    """Words that break a rule.

    Attributes:
        rule: The rule, as advice.
        words: The words.
        start: The position of the first character in the text.
    """

    rule: str
    words: str
    start: int


def find_matches(text: str, rules: Mapping[str, str] = PROMPT_RULES) -> Iterator[ProseMatch]:
    """Yield the words of a text that break a rule, rule by rule.

    >>> [match.words for match in find_matches("The pump is on by itself.")]
    ['by itself']
    """
    flags = re.MULTILINE | (re.IGNORECASE if rules is PROMPT_RULES else 0)
    for rule, pattern in rules.items():
        for match in re.finditer(pattern, text, flags):
            yield ProseMatch(rule, match[0].strip(), match.start())
