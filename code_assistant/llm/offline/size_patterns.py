"""How people ask for what can be counted: languages, lines, files, tests, the largest files."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from code_assistant.llm.offline.question_patterns import PROJECT, compiled

SizeKind: TypeAlias = Literal["largest", "tests", "lines", "files", "languages"]

_HOW_MANY = r"(?:how many|(?:the )?number of|count(?: all)?(?: the)?)"
_LANGUAGE = r"(?P<language>[\w.+#]+)"
_LARGEST = r"(?:largest|biggest|longest)"
_FILES = r"(?:files?|modules?)"
_INSIDE = (
    rf"(?:(?:\s+(?:are|is)(?:\s+there)?)?\s+(?:in|of|under|below|inside)\s+(?!{PROJECT}\b)(?!total\b)"
    r"(?P<folder>(?:the\s+)?\S+(?:\s+(?:folder|directory))?))?"
)
_HERE = rf"(?:\s+(?:are|is|do|does|there|we|it|i|you|in total|here|altogether|has|have|in {PROJECT}|{PROJECT}))*"
_END = _INSIDE + _HERE
_LISTING = (
    r"(?:(?:list|show|give|name|find|get|print|what|which)\s+)?(?:me\s+)?(?:(?:are|is)\s+)?(?:the\s+)?(?:\d+\s+)?"
)
_WRITTEN = rf"(?:\s+(?:is|are|was|do|does|been|used|use|uses|written|it|we|they|this|that|there|here|in|by|{PROJECT}))*"

# Each with what it is asked for; groups say in which language and in which folder.
SIZES: tuple[tuple[SizeKind, re.Pattern[str]], ...] = (
    ("largest", compiled(rf"{_LISTING}{_LARGEST}\s+(?:(?:source|code|text)\s+)?(?:{_LANGUAGE}\s+)?{_FILES}{_END}")),
    (
        "largest",
        compiled(
            rf"(?:what|which)\s+(?:{_LANGUAGE}\s+)?{_FILES}\s+(?:is|are|has|have)\s+(?:the\s+)?"
            rf"(?:{_LARGEST}|most lines){_END}"
        ),
    ),
    ("tests", compiled(rf"(?:{_HOW_MANY}|are there(?: any| some)?)\s+(?:unit\s+)?tests?{_END}")),
    ("lines", compiled(rf"{_HOW_MANY}\s+lines?\s+of\s+{_LANGUAGE}(?:\s+code)?{_END}")),
    ("lines", compiled(rf"{_HOW_MANY}\s+lines?(?:\s+of\s+code)?{_END}")),
    ("lines", compiled(rf"how much code{_END}")),
    ("lines", compiled(rf"how much {_LANGUAGE}(?:\s+code)?{_END}")),
    (
        "lines",
        compiled(rf"how (?:big|large|long) is (?:{PROJECT}|it)|(?:sloc|loc|lines of code|size)(?: of {PROJECT})?"),
    ),
    ("files", compiled(rf"{_HOW_MANY}\s+(?:(?:source|code|text)\s+)?files?{_END}")),
    ("files", compiled(rf"{_HOW_MANY}\s+{_LANGUAGE}\s+files?{_END}")),
    (
        "languages",
        compiled(
            r"(?:in\s+)?(?:(?:what|which|how many|list|show|name)\s+)?(?:me\s+)?(?:(?:are|is)\s+)?(?:the\s+|all\s+)?"
            rf"(?:programming\s+|computer\s+)?languages?{_WRITTEN}"
        ),
    ),
)
