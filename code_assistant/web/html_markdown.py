"""HTML as Markdown: one pass without recursion, for pages of any shape, within a bound."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urljoin

from code_assistant.web.html_tables import Table
from code_assistant.web.html_tokens import StartTag, tokens
from code_assistant.web.inline_text import LINE_BREAK, InlineText, SpanKind
from code_assistant.web.markdown_blocks import BlockWriter

# No library: those at hand recurse (markdownify), take seconds for deep nesting (selectolax), or leave links relative
# and bring 20 MB of machine code (html-to-markdown); none can be stopped or bounds what it writes.
MAXIMUM_CHARACTERS = 5_000_000
MAXIMUM_TABLE_DEPTH = 4
MAXIMUM_TARGET_CHARACTERS = 2000
TOKENS_BETWEEN_CHECKS = 200
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")

SPANS: dict[str, SpanKind] = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), "*"),
    **dict.fromkeys(("del", "s", "strike"), "~~"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "`"),
}
HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
# A start or an end of these ends the block before it.
# fmt: off
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "li",
    "main", "menu", "noscript", "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot",
    "th", "thead", "tr", "ul", *HEADINGS,
})
# fmt: on
# These are no part of what a page says. A start of the second ones ends them, should their own end be missing.
DROPPED = frozenset({"nav", "svg", "template", "object", "canvas", "audio", "video", "select", "datalist", "textarea"})
MAIN_PARTS = frozenset({"main", "article"})
# Headings may hold these and go on.
INSIDE_HEADINGS = frozenset({"div", "header", "hgroup", "center", "section"})
LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,30})")
TARGET = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
NOT_IN_TARGETS = re.compile(r"[\t\n\r\f]")
TARGET_ESCAPES = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\\": "%5C"})
FENCES = re.compile("^ *(`{3,})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Markdown:
    """What a page says; `is_cut` when it says more than was written down."""

    title: str
    text: str
    is_cut: bool


def markdown_of(
    page: str, address: str, check: Callable[[], None] = lambda: None, maximum: int = MAXIMUM_CHARACTERS
) -> Markdown:
    """`address` is what relative links count from; `check` is called now and then and may raise to stop."""
    converter = _Converter(address)
    is_cut = False
    for number, token in enumerate(tokens(CONTROLS.sub("", page))):
        if isinstance(token, str):
            converter.add_text(token)
        elif isinstance(token, StartTag):
            converter.start(token)
        else:
            converter.end(token.name)
        if number % TOKENS_BETWEEN_CHECKS == 0:
            check()
            if is_cut := converter.size > maximum:
                break
    text = converter.finish()
    return Markdown(converter.title, text[:maximum], is_cut or len(text) > maximum)


class _Converter:
    """Keeps no tree and no stack of tags: what is left open, closed twice or nested wrongly changes only marks."""

    def __init__(self, address: str) -> None:
        self.title = ""
        self._base = address
        self._root = BlockWriter()
        self._tables: list[Table] = []
        self._tables_too_deep = 0
        self._words = InlineText()
        self._heading = ""
        self._code: list[str] | None = None
        self._code_size = 0
        self._language = ""
        self._dropped = ""
        self._dropped_depth = 0
        self._is_title = False

    @property
    def size(self) -> int:
        """How much was written down so far."""
        return self._root.size + self._words.size + self._code_size + sum(table.size for table in self._tables)

    def add_text(self, text: str) -> None:
        if self._dropped:
            return
        if self._is_title:
            self.title = self.title or " ".join(text.split())[:MAXIMUM_TARGET_CHARACTERS]
        elif self._code is not None:
            self._code.append(text)
            self._code_size += len(text)
        else:
            self._words.add(text)

    def start(self, tag: StartTag) -> None:
        name = tag.name
        if self._dropped:
            self._start_in_dropped(name)
        if self._dropped:
            return
        if name in DROPPED:
            self._dropped, self._dropped_depth = name, 1
        elif self._code is not None:
            self._start_in_code(tag)
        elif name in SPANS:
            self._words.open(SPANS[name])
        elif name in BLOCKS:
            self._start_block(tag)
        else:
            self._start_other(tag)

    def end(self, name: str) -> None:
        if self._dropped:
            self._dropped_depth -= name == self._dropped
            if self._dropped_depth == 0:
                self._dropped = ""
        elif name == "title":
            self._is_title = False
        elif self._code is not None:
            self._end_in_code(name)
        elif name == "a":
            self._words.close("link")
        elif name in SPANS:
            self._words.close(SPANS[name])
        elif name in BLOCKS:
            self._end_block(name)

    def finish(self) -> str:
        """Close whatever is open and give all of it."""
        if self._code is not None:
            self._end_code()
        self._flush()
        while self._tables:
            self._end_table()
        return self._root.text()

    @property
    def _writer(self) -> BlockWriter:
        return self._tables[-1].writer if self._tables else self._root

    def _start_in_dropped(self, name: str) -> None:
        if name in MAIN_PARTS:
            # The end of what is dropped must have been forgotten.
            self._dropped = ""
        elif name == self._dropped:
            self._dropped_depth += 1

    def _start_block(self, tag: StartTag) -> None:
        self._flush()
        if tag.name not in INSIDE_HEADINGS:
            self._heading = HEADINGS.get(tag.name, "")
        match tag.name:
            case "blockquote":
                self._writer.open_quotation()
            case "ul" | "menu":
                self._writer.open_list(None)
            case "ol":
                self._writer.open_list(_number(tag.attributes.get("start", "1")))
            case "li":
                self._writer.begin_item()
            case "pre":
                self._code, self._language = [], _language(tag)
            case "hr":
                self._writer.add("---", is_rigid=True)
            case "table":
                if len(self._tables) < MAXIMUM_TABLE_DEPTH:
                    self._tables.append(Table())
                else:
                    self._tables_too_deep += 1
            case "tr" if self._tables:
                self._tables[-1].begin_row()
            case "td" | "th" if self._tables:
                self._tables[-1].begin_cell()
            case _:
                pass

    def _end_block(self, name: str) -> None:
        self._flush()
        match name:
            case "blockquote":
                self._writer.close_quotation()
            case "ul" | "ol" | "menu":
                self._writer.close_list()
            case "table" if self._tables_too_deep:
                self._tables_too_deep -= 1
            case "table" if self._tables:
                self._end_table()
            case _ if name in HEADINGS:
                self._heading = ""
            case _:
                pass

    def _start_other(self, tag: StartTag) -> None:
        match tag.name:
            case "a":
                self._words.open("link", self._target(tag.attributes.get("href", "")))
            case "br":
                self._words.add(LINE_BREAK)
            case "img":
                alternative = " ".join(tag.attributes.get("alt", "").split())
                source = self._target(tag.attributes.get("src", ""))
                if alternative:
                    self._words.add(f"![{alternative}]({source})" if source else alternative)
            case "title":
                self._is_title = True
            case "base":
                self._base = self._target(tag.attributes.get("href", "")) or self._base
            case _:
                pass

    def _start_in_code(self, tag: StartTag) -> None:
        match tag.name:
            case "br":
                self.add_text("\n")
            case "code":
                self._language = self._language or _language(tag)
            case "td" | "tr" | "table" | "pre" | "h1" | "h2" | "h3":
                # The end of the code must have been forgotten.
                self._end_code()
                self._start_block(tag)
            case _:
                pass

    def _end_in_code(self, name: str) -> None:
        if name in ("pre", "table", "td"):
            self._end_code()
            self._end_block(name)
        elif name in ("div", "li", "p") and self._code and not self._code[-1].endswith("\n"):
            self.add_text("\n")

    def _end_code(self) -> None:
        code = "".join(self._code or ()).replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        language = self._language
        self._code, self._code_size, self._language = None, 0, ""
        if code.strip():
            longest = max((len(run) for run in FENCES.findall(code)), default=2)
            fence = "`" * (longest + 1)
            self._writer.add(f"{fence}{language}\n{code}\n{fence}", is_rigid=True)

    def _end_table(self) -> None:
        table = self._tables.pop()
        table.write_to(self._writer)

    def _flush(self) -> None:
        text = self._words.take()
        if not text:
            return
        if self._heading:
            self._writer.add(f"{self._heading} {' '.join(text.split())}", is_rigid=True)
        else:
            self._writer.add(text)

    def _target(self, written: str) -> str:
        """Where a link leads, absolute; empty for what leads nowhere else."""
        written = NOT_IN_TARGETS.sub("", written.strip())
        if not written or written.startswith("#") or len(written) > MAXIMUM_TARGET_CHARACTERS:
            return ""
        try:
            target = urljoin(self._base, written)
        except ValueError:
            return ""
        if TARGET.match(target) is None or len(target) > MAXIMUM_TARGET_CHARACTERS:
            return ""
        return target.translate(TARGET_ESCAPES)


def _number(written: str) -> int:
    return int(written) if re.fullmatch(r"[0-9]{1,9}", written) else 1


def _language(tag: StartTag) -> str:
    found = LANGUAGE.search(tag.attributes.get("class", "")[:MAXIMUM_TARGET_CHARACTERS])
    return found[1] if found else ""
