"""The text that streams: headings, prose, lists, code and tables, in tokens of four characters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

TOKEN_CHARACTERS = 4
SECTION = """\
## How the tax is computed

Some *emphasis* and **strong** text with `code` and a [link](https://example.org/tax) in it. More words follow, so that
the line is wrapped well beyond the width of the screen, because that is how it is with prose that a model writes.

- the first item
- the second item, with a line long enough to be wrapped around at the end of the row, whatever the width of it is
- the third item

```python
def tax(net: float, rate: float = 0.2) -> float:
    return round(net * rate, 2)  # in the currency of `net`
```

| name | value | remark |
|------|------:|--------|
| rate | 0.2   | common |
| food | 0.07  | lower  |

"""


def tokens() -> Iterator[str]:
    """Without end."""
    return cycle([SECTION[start : start + TOKEN_CHARACTERS] for start in range(0, len(SECTION), TOKEN_CHARACTERS)])


def text_of(count: int) -> str:
    """So many tokens."""
    length = count * TOKEN_CHARACTERS
    return (SECTION * (length // len(SECTION) + 1))[:length]
