"""How people ask, as patterns: each kind of question in the wordings that it is known in."""

from __future__ import annotations

import re


def _any(words: str) -> str:
    """An alternative of words; an underscore stands for a blank."""
    return f"(?:{'|'.join(word.replace('_', ' ') for word in words.split())})"


def compiled(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE | re.DOTALL)


_ASKING = r"(?= (?:where|who|how|what|which))"
_OPENINGS = (
    "please hey hi hello ok okay so now well and then can_you could_you would_you will_you i_want_you_to "
    "i_want_to_know i_want_to i_would_like_to_know i_would_like_to i'd_like_to_know i'd_like_to do_you_know "
    "tell_me let_me_know help_me find_out"
)
POLITE = re.compile(rf"^(?:(?:{_any(_OPENINGS)}|find{_ASKING}|show me{_ASKING})\b[\s,:]*)+", re.IGNORECASE)
# Not a dot that stands alone: it names this folder.
END = re.compile(r"[\s?!…]*(?<=[^\s.])\.*[\s?!…]*\Z")

_THING = _any(
    "project repo repository code_base codebase code folder directory app application program workspace thing library "
    "package"
)
PROJECT = rf"(?:this|the|my|our|that)\s+(?:whole\s+|entire\s+)?{_THING}"
_IS = r"(?:'s| is| are|s)?"
_SUMMARY = r"(?:summary|structure|layout)"

GREETING = compiled(_any("hi hello hey hallo good_morning good_evening good_day yo moin servus") + r"(?:\s+there)?")
THANKS = compiled(
    r"(?:many |ok(?:ay)? |great,? )?(?:thanks?|thank you|thx|cheers|danke|merci)(?:\s.{0,30})?",
    _any("ok okay great nice good cool fine"),
)
HELP = compiled(
    r"help(?: me)?|\?+|who are you.*|what are you.*|how do(?:es)? (?:you|this) work",
    r"what (?:can|could) (?:you|i) (?:do|ask|help).*",
    r"(?:how (?:do|can|should|could) (?:i|we)|i (?:want|need)(?: to)?|can i|may i|where (?:do|can) i)\b"
    r".*\b(?:key|language model|real model|another model|llm)\b.*",
)
OVERVIEW = compiled(
    r".*\b(?:overview|big picture|tour|architecture)\b.*",
    rf"(?:what|who)(?:'s| is| does|s)\s+{PROJECT}(?:\s+(?:about|do|for|all about))?",
    _any("explain describe summarize summarise explore about analyze analyse understand introduce show inspect look_at")
    + rf"\s+(?:me\s+)?{PROJECT}",
    rf"walk me through {PROJECT}",
    rf"how (?:is|are) {PROJECT} (?:organi[sz]ed|structured|laid out|built|put together)",
    r"what(?:'s| is|s) (?:in )?(?:here|this|it)(?: about)?|what do we have here",
    rf"what(?:'s| is|s) in {PROJECT}",
    rf"(?:project )?{_SUMMARY}|summari[sz]e",
    rf"(?:give|show) (?:me )?(?:a |the )?(?:short |brief |quick )?{_SUMMARY}(?: of {PROJECT})?",
    rf"(?:a |the )?{_SUMMARY} of {PROJECT}",
    r"(?:what |which )?(?:technolog\w+|(?:tech )?stack)\b.*",
)
_IT = rf"(?:{PROJECT}|it|this|the tests?|tests|everything)"
PROJECT_FACTS = compiled(
    r"how (?:do|can|should|could|would|to)\s*(?:i|we|you|one)?\s+"
    rf"(?:run|start|build|install|test|launch|execute|use) {_IT}",
    rf"how (?:is|are) {_IT} (?:run|started|built|installed|tested|launched)",
    r"(?:what|which|where|list|show)(?:'s| is| are|s)?(?: me)?(?: all)?(?: the| its| our)?\s+"
    rf"(?:entry ?points?|dependenc\w+|requirements)(?: are there| of {_IT}| here)?",
    rf"what does {_IT} (?:need|depend on|require)|where does {_IT} (?:start|begin)",
)
CHANGES = compiled(
    r".*\bwhat(?:'s|s| has| is| have| did| was)?\s+(?:been\s+|i\s+|we\s+|you\s+)?(?:just\s+|recently\s+)?"
    r"(?:changed?|modified|edited|new)(?:\s+(?:since|in|recently|here|today|yesterday|lately|last|so far|now)\b.*)?",
    r"what changes (?:are|were|did|do|have|has)\b.*",
    r".*\b(?:uncommitted|unstaged|git\s+(?:status|diff|log|changes)|recent (?:changes|commits)|last commits?)\b.*",
    r".*\b(?:latest changes|working tree|which files (?:have )?(?:been )?changed)\b.*",
    r"(?:list|show)(?: me)?(?: the| all)? (?:changes|diff|commits)|changes|diff|status",
)
CANNOT = compiled(
    _any(
        "fix write implement refactor add create delete remove rename edit change update rewrite generate make build "
        "convert migrate optimize optimise port install run execute commit push merge translate debug improve clean "
        "move replace review format deploy upgrade complete solve design draft document simplify extend "
        "split extract undo revert stop start set put use turn apply insert append copy download fetch checkout "
        "compile suggest recommend compare"
    )
    + r"\s+\S.*"
)
WRITING_AN_OVERVIEW = re.compile(
    r"(?:write|create|make|generate|draft|do)\s+(?:me\s+)?(?:an?|the)\s+(?:\w+\s+)?(?:overview|tour|summary)\b",
    re.IGNORECASE,
)

_WHERE = (
    r"where(?:'s| is| are|s| does| do| can i find| do i find| do we)?\s+(?P<names>.+?)\s+(?:(?:get|gets|being)\s+)?"
)
DEFINED_AND_USED = (
    compiled(
        _WHERE + r"(?:defined|declared|implemented)\s+(?:and|or|&)\s+(?:where\s+)?(?:is\s+)?(?:it\s+)?"
        r"(?:used|called|referenced)\b.*"
    ),
)
USED = (
    compiled(
        r"(?:where|how|when)(?:'s| is| are|s| does| do)?\s+(?P<names>.+?)\s+(?:(?:get|gets|being)\s+)?"
        r"(?:used|called|referenced|imported|invoked|instantiated|read|mentioned)\b.*"
    ),
    compiled(
        r"(?:who|what|which \w+|where)\s+(?:all\s+)?(?:do(?:es)? (?:we|it|you)\s+)?"
        r"(?:calls?|uses?|imports?|references?|invokes?|instantiates?|depends on|is using|is calling)\s+(?P<names>.+)"
    ),
    compiled(
        r"(?:find|show|list|get|give me|search(?: for)?)?\s*(?:me\s+)?(?:all\s+|the\s+)*"
        r"(?:usages?|uses|callers?|references|call ?sites?|occurrences)\s+(?:of|to|for)\s+(?P<names>.+)"
    ),
)
DEFINED = (
    compiled(_WHERE + r"(?:defined|declared|implemented|located|set|comes? from|lives?)\b.*"),
    compiled(
        r"(?:find|show|get|go to|open)?\s*(?:me\s+)?(?:the\s+|all\s+)?"
        r"(?:definitions?|declarations?|implementations?)\s+(?:of|for)\s+(?P<names>.+)"
    ),
    compiled(r"(?:which|what) (?:file|module|class|folder)s? (?:defines?|declares?|implements?)\s+(?P<names>.+)"),
    compiled(
        r"(?:find|locate)\s+(?:the\s+)?"
        r"(?:class|function|method|type|struct|variable|constant|symbol|interface|enum|module)\s+(?P<names>.+)"
    ),
    compiled(r"where(?:'s| is| are|s| can i find| do i find)\s+(?:the\s+)?(?P<names>.+)"),
)

_TEXT = (
    r"(?:the\s+)?(?:files? (?:named|called)\s+|text\s+|string\s+|word\s+|lines with\s+|occurrences of\s+)?(?P<text>.+"
)
FIND = (
    compiled(
        r"(?:find|search|grep|look|looking)(?:\s+(?:for|in all files for|all files for))?\s+(?:me\s+)?"
        rf"(?:all\s+|every\s+|any\s+)?{_TEXT})"
    ),
    compiled(rf"(?:which|what) files?\s+(?:contains?|mentions?|ha(?:s|ve)|includes?)\s+{_TEXT})"),
    compiled(rf"where\s+(?:does|do)\s+{_TEXT}?)\s+(?:appear|occur|stand|show up)\b.*"),
    compiled(r"(?:list|show)(?: me)? all\s+(?:the\s+)?(?P<text>.+)"),
)
IS_THERE = compiled(r"(?:are|is) there (?:any|an?|some)\s+(?P<text>.+)")
DESCRIBE = (
    compiled(
        rf"(?:what|(?:what|which|list(?: the| all)?) files){_IS}\s+(?:there\s+)?"
        r"(?:in(?:side)?|under|within)\s+(?:of\s+)?(?P<target>.+)"
    ),
    compiled(
        r"what\s+(?:does|do)\s+(?P<target>.+?)\s+"
        r"(?:hold|contain|do|define|have|include|mean|look like|export|provide)\b.*"
    ),
    compiled(
        _any(
            "show explain describe summarize summarise read open list cat ls view print display explore look_at "
            "look_into inspect outline about walk_me_through go_through"
        )
        + r"(?: me)?(?: about)?(?: what is in| what's in| the (?:contents?|code) (?:of|for))?\s+(?P<target>.+)"
    ),
    compiled(r"(?:the\s+)?(?:contents?|outline|summary|purpose) of\s+(?P<target>.+)"),
    compiled(rf"what{_IS}\s+(?P<target>.+?)(?:\s+(?:about|for|all about))?"),
)
