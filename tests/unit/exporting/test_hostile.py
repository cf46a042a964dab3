"""Text of models, tools and files stays text, wherever it stands in an exported session."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from code_assistant.event_parts import DetailForm
from code_assistant.events import (
    MAIN,
    BlockAdded,
    Compacted,
    Display,
    Event,
    Notice,
    PromptFinished,
    PromptStarted,
    TextDelta,
    ToolStarted,
)
from code_assistant.exporting.document import document_of
from code_assistant.exporting.html import as_html
from code_assistant.exporting.markdown import as_markdown
from code_assistant.messages import Message, Text, Thinking
from code_assistant.sanitize import is_plain, sanitize
from code_assistant.session.past import Past
from code_assistant.session.view_state import SessionRenamed
from tests.unit.session.made import agent, call, ended, request, result, said, spawned, store_in, write_session

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" x="',
    "' autofocus onfocus='alert(1)",
    "</style></head><body><h1>mine</h1>",
    "</summary></details></section></pre></code>",
    "<!-- a comment that never ends",
    "<![CDATA[ x",
    "</title><meta http-equiv=refresh content=0>",
    "[click](javascript:alert(1)) <javascript:alert(1)> [x](data:text/html,hi) [y](JaVaScRiPt:alert(1))",
    '[a](https://example.org/"onclick="alert(1) "title\\"x")',
    "![pixel](https://example.org/pixel.png) ![p](data:image/png;base64,AAAA)",
    "right \u202egnirts left",
    "\x1b[31mred\x1b]8;;http://x\x07",
    "nul\x00byte bell\x07 del\x7f csi\x9b",
    "&#27;[31m &#x202e; &lt;script&gt; &#60;script&#62;",
    "```\n``````\n~~~\n</details>\n# mine",
    "# mine\n\nmine\n===\n\n## You\n\n> mine",
    "- a\n\n      <script>\n\n| ` <script> | ` |\n|---|---|\n| ` <i> | ` |",
    "`` <b> ` <i> `` \\`<u>` <s>",
    "a\ud800b \ufeff \u2028 \u2029",
    "[ref]: https://example.org\n\n[ref]\n\n<div>\n```\n\n</div>",
]
ALLOWED_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "h4", "h5", "h6", "dl", "dt", "dd"),
    *("section", "div", "span", "p", "details", "summary", "strong", "em", "s", "pre", "code", "hr", "br"),
    *("ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "a"),
}
ALLOWED_ATTRIBUTES = {
    ("html", "lang"),
    ("meta", "charset"),
    ("meta", "http-equiv"),
    ("meta", "name"),
    ("meta", "content"),
    ("a", "href"),
    ("a", "rel"),
    ("ol", "start"),
    *((tag, "class") for tag in ("section", "div", "span", "p", "details")),
}
VOID = {"meta", "hr", "br"}
SKELETON = {"html", "head", "body", "h1", "title", "style"}


class Page(HTMLParser):
    """A page as a browser takes it: every tag and attribute checked, all text collected."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.tags: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED_TAGS
        for name, value in attrs:
            assert (tag, name) in ALLOWED_ATTRIBUTES
            if name == "href":
                assert (value or "").lower().startswith(("http://", "https://"))
                assert dict(attrs)["rel"] == "noopener noreferrer nofollow"
        self.tags.append(tag)
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")

    @property
    def text(self) -> str:
        return "".join(self.texts)


def hostile_past(folder: Path, text: str) -> Past:
    """The text in every place that text of others can have."""
    scout = replace(agent("scout", "c1"), name=text)
    store = store_in(folder)
    forms: tuple[DetailForm, ...] = ("text", "diff", "output", "markdown")
    events: list[Event] = [
        PromptStarted(MAIN, "p1", Message("user", (Text(text),))),
        replace(request(), model=text),
        BlockAdded(MAIN, Thinking(text, "")),
        said(text),
        call("c1", "spawn_agent", text),
        spawned(scout, text, text),
        ended(scout, "failed", text, text),
    ]
    for number, form in enumerate(forms):
        events.append(ToolStarted(MAIN, f"t{number}", text, {text: [text]}, text))
        events.append(result(f"t{number}", text, Display(text, text, text, form)))
    events += [
        Notice(MAIN, "error", text),
        Compacted(MAIN, "asked", 2, 1, (text,), text, ()),
        PromptFinished(MAIN, "p1", "failed", "", 1, 1.0, text),
        request(),
        TextDelta(MAIN, text),
    ]
    own: list[Event] = [spawned(scout, text, text), request(1, scout), said(f"{text}.", scout)]
    session_id = write_session(store, events, [own], Path("/home") / text.replace("/", "").replace("\0", ""))
    files, past = store.open(session_id)
    files.view.write(SessionRenamed(text))
    files.close()
    return past


@pytest.mark.parametrize("text", HOSTILE)
def test_html_is_only_ours(tmp_path: Path, text: str) -> None:
    page_text = as_html(document_of(hostile_past(tmp_path, text), str))
    assert is_plain(page_text)
    page = Page(page_text)
    assert {tag: page.tags.count(tag) for tag in SKELETON} == dict.fromkeys(SKELETON, 1)
    # Where it is not read as Markdown it comes back word for word: said, thought, instructed, argued, detailed.
    assert page.text.count(sanitize(text)) >= 6
    policy = page_text.partition('Content-Security-Policy" content="')[2].partition('"')[0]
    assert policy.startswith("default-src &#x27;none&#x27;; style-src &#x27;sha256-")
    assert "url(" not in page_text.partition("</style>")[0]


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_is_only_ours(tmp_path: Path, text: str) -> None:
    """As GitHub reads it: with HTML. The only HTML that is found is our own folds, and they fit into each other."""
    source = as_markdown(document_of(hostile_past(tmp_path, text), str))
    assert is_plain(source)
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(source)
    blocks = [token for token in tokens if token.type == "html_block"]
    inline = [child for token in tokens for child in token.children or () if child.type == "html_inline"]
    assert inline == []
    assert all(token.level == 0 for token in blocks)
    depth = 0
    for block in blocks:
        opening = block.content.startswith("<details>\n<summary>") and block.content.endswith("</summary>\n")
        assert opening or block.content == "</details>\n"
        tags = (5 if "<b>" in block.content else 3) if opening else 1
        assert block.content.count("<") == tags
        depth += 1 if opening else -1
        assert depth >= 0
    # One thought, one agent, four tools, one summary, and none that the text brought.
    assert (depth, len(blocks)) == (0, 14)
    headings = [
        (token.tag, tokens[place + 1].content)
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2")
    ]
    assert [tag for tag, _ in headings] == ["h1", "h2", "h2", "h2"]
    assert [words for _, words in headings[1:]] == ["You", "Assistant", "Assistant (cut off)"]


def test_an_answer_is_rendered(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    answer = (
        "# Tax\n\n*a* **b** ~~c~~ `d<e>`\n\n3. one\n4. two\n\n> q\n\n| x | y |\n|---|--:|\n| 1 | 2 |\n\n"
        "<https://example.org/?a=1&b=2> [here](tax.py) ![alt](https://example.org/a.png)\n\n```py\nx < 1\n```\n\n---\n"
    )
    past = store.read(write_session(store, [request(), said(answer)]))
    page = as_html(document_of(past, str))
    for part in (
        "<h3>Tax</h3>",
        "<p><em>a</em> <strong>b</strong> <s>c</s> <code>d&lt;e&gt;</code></p>",
        '<ol start="3"><li>one</li>\n<li>two</li>\n</ol>',
        "<blockquote><p>q</p>\n</blockquote>",
        "<td>1</td>\n<td>2</td>",
        '<a href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer nofollow">',
        "[here](tax.py)",
        "[image: alt] (https://example.org/a.png)",
        "<pre><code>x &lt; 1\n</code></pre>",
        "<hr>",
    ):
        assert part in page
    Page(page)
