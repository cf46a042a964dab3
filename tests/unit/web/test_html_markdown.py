"""HTML as Markdown: a table of snippets, hostile pages, and random ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from code_assistant.web.html_markdown import markdown_of
from code_assistant.web.html_tokens import EndTag, StartTag, plain_text, tokens
from tests.rows import each_row

BASE = "https://example.org/docs/page"


def markdown(page: str) -> str:
    return markdown_of(page, BASE).text


SNIPPETS = [
    # Words and white space.
    ("plain words", "plain words"),
    ("", ""),
    (" \n\t ", ""),
    ("<p>one</p><p>two</p>", "one\n\ntwo"),
    ("<p>one<p>two", "one\n\ntwo"),
    ("<p>  a \n  b\t c </p>", "a b c"),
    ("a<br>b<br/>c", "a\nb\nc"),
    ("a <br> b", "a\nb"),
    ("<div><div>a</div><div>b</div></div>", "a\n\nb"),
    ("<span>a</span><span>b</span>", "ab"),
    ("a&nbsp;b &lt;c&gt; &amp;amp; &#65;&#x42; &unknown;", "a b <c> &amp; AB &unknown;"),
    ("1 < 2 and 3 <4", "1 < 2 and 3 <4"),
    ("a<!-- b -->c<!-->d<!--->e", "acde"),
    ("<!DOCTYPE html><?php x ?>a</ x>b", "ab"),
    ("\x00\x1b[31ma\x08\x0bb\x7f\x85", "[31mab"),
    # Headings.
    ("<h1>One</h1><h3>Three</h3><p>x", "# One\n\n### Three\n\nx"),
    ("<h2>a<br>b <small>c</small></h2>x", "## a b c\n\nx"),
    ("<h1><div>in a div</div></h1><div>x</div>", "# in a div\n\nx"),
    ("<h1>open<p>closed", "# open\n\nclosed"),
    ('<h2>Title<a class="headerlink" href="#title">¶</a></h2>', "## Title"),
    ('<h2><a href="#x">Title</a></h2>', "## Title"),
    # Emphasis and code.
    ("<b>a</b> <strong>b</strong> <i>c</i> <em>d</em> <del>e</del>", "**a** **b** *c* *d* ~~e~~"),
    ("a<b> b </b>c", "a **b** c"),
    ("<b></b>x<i> </i>y", "x y"),
    ("<b>a<i>b</b>c</i>", "**a*b***c"),
    ("<b><b>a</b>b</b>c", "**ab**c"),
    ("</b></i></a>x", "x"),
    ("<b><p>a</p><p>b</p></b>c", "**a**\n\n**b**\n\nc"),
    ("<code>x = 1</code> <kbd>Ctrl</kbd>", "`x = 1` `Ctrl`"),
    ("<code>a`b``c</code>", "``` a`b``c ```"),
    ("<code><b>a</b><a href=x>b</a></code>", "`ab`"),
    # Links and images.
    ('<a href="/x">a</a>', "[a](https://example.org/x)"),
    ('<a href="x?y=1&amp;z=2#f">a</a>', "[a](https://example.org/docs/x?y=1&z=2#f)"),
    ('<a href="//other.org">a</a>', "[a](https://other.org)"),
    ("<a href='mailto:a@b.c'>a</a>", "[a](mailto:a@b.c)"),
    ('<a href="javascript:alert(1)">a</a> <a href="data:x,y">b</a> <a href="file:///x">c</a>', "a b c"),
    ('<a href="java\nscript:alert(1)">a</a>', "a"),
    ('<a href="#part">a</a> <a name=x>b</a> <a href="">c</a>', "a b c"),
    ('<a href="/a b(c)">x</a>', "[x](https://example.org/a%20b%28c%29)"),
    ('<a href="http://[">x</a>', "x"),
    ("<a href=/x><code>f()</code></a>", "[`f()`](https://example.org/x)"),
    ("<a href=/x>a<a href=/y>b", "[a](https://example.org/x)[b](https://example.org/y)"),
    ("<a href=/x><h3>Card</h3><p>text</p></a>", "### [Card](https://example.org/x)\n\n[text](https://example.org/x)"),
    ("<base href='/other/'><a href=x>a</a>", "[a](https://example.org/other/x)"),
    ("<base href='javascript:x'><a href=x>a</a>", "[a](https://example.org/docs/x)"),
    ("<img src=/a.png alt='A  cat'><img src=/b.png><img alt=only>", "![A cat](https://example.org/a.png)only"),
    ("<a href=/x><img alt=cat src=/c></a>", "[![cat](https://example.org/c)](https://example.org/x)"),
    # Lists and quotations.
    ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
    ("<p>x</p><ul><li>a<li>b</ul><p>y", "x\n\n- a\n- b\n\ny"),
    ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
    ("<ol start=9><li>a<li>b<p>c</ol>", "9. a\n10. b\n\n    c"),
    ("<ol start=x><li>a</ol>", "1. a"),
    ("<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", "- a\n  - b\n    1. c\n- d"),
    ("<ul><li><p>a</p><p>b</p></li><li>c</ul>", "- a\n\n  b\n- c"),
    ("<li>stray<li>items", "- stray\n- items"),
    ("<ul><li></li><li>a</ul>", "- a"),
    ("<blockquote><p>a</p><ul><li>b</ul></blockquote>c", "> a\n\n> - b\n\nc"),
    ("<blockquote>a<br>b</blockquote>", "> a\n> b"),
    ("<ul><li>a<blockquote>b</ul>c", "- a\n\n  > b\n\nc"),
    ("</ul></blockquote>a", "a"),
    ("<dl><dt>term<dd>words</dl>", "term\n\nwords"),
    ("a<hr>b", "a\n\n---\n\nb"),
    # Blocks of code.
    ("<pre>\n  a\n\n    b  \n</pre>", "```\n  a\n\n    b  \n```"),
    ('<pre><code class="hljs language-python">x\n</code></pre>', "```python\nx\n```"),
    ("<pre>a &lt;b&gt; <span>c</span><br>d</pre>e", "```\na <b> c\nd\n```\n\ne"),
    ("<pre>```\na\n````</pre>", "`````\n```\na\n````\n`````"),
    ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"),
    ("<ul><li>a<pre>b\nc</pre></ul>", "- a\n\n  ```\n  b\n  c\n  ```"),
    ("<pre> \n </pre>x", "x"),
    ("<pre>open", "```\nopen\n```"),
    ("<pre>open<h1>Title</h1>", "```\nopen\n```\n\n# Title"),
    # Tables.
    ("<table><tr><th>A<th>B<tr><td>1<td>2|3</table>", "| A | B |\n| --- | --- |\n| 1 | 2\\|3 |"),
    (
        "<table><caption>C</caption><thead><tr><td>A</td><td>B</td></tr></thead><tbody><tr><td><p>x</p><p>y<br>z</td>"
        "<td><b>b</b></td></tr></tbody></table>after",
        "C\n\n| A | B |\n| --- | --- |\n| x y z | **b** |\n\nafter",
    ),
    ("<table><tr><td>lay<td>out</table>", "lay\n\nout"),
    ("<table><tr><td>one<tr><td>column</table>", "one\n\ncolumn"),
    ("<table><tr><td>1<td><pre>code</pre><tr><td>2<td>x</table>", "1\n\n```\ncode\n```\n\n2\n\nx"),
    ("<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>", "| a | b |\n| --- | --- |\n| c | d |"),
    ("<table><tr><td>a<td>b<tr><td>c<td>d", "| a | b |\n| --- | --- |\n| c | d |"),
    ("<td>stray</td><tr>cells</table>", "stray\n\ncells"),
    ("<ul><li>a<table><tr><td>b<td>c<tr><td>d<td>e</table></ul>", "- a\n\n  | b | c |\n  | --- | --- |\n  | d | e |"),
    # What is left out.
    ("a<script>if (a<b) '</p>'</script>b<style>c{}</style>d", "abd"),
    ("a<SCRIPT>b</Script >c", "ac"),
    ("a<script>never closed", "a"),
    ("<nav><ul><li>Home</ul></nav><main>x</main>", "x"),
    ("<nav>never closed <p>a</p><main>x", "x"),
    ("<nav>a<nav>b</nav>c</nav>d", "d"),
    ("a<svg><title>t</title><text>x</text></svg>b<template>c</template>d", "abd"),
    ("<select><option>a<option>b</select>c<textarea><p>d</textarea>e", "ce"),
    ("<iframe src=x>a</iframe>b<noscript>c</noscript>", "b\n\nc"),
    ("<head><meta name=x content=y><link href=z></head>a", "a"),
    # What is broken.
    ("<p class='never closed>a <b>b", "a **b**"),
    ("<a", ""),
    ("a</", "a"),
    ("a<!-- never closed <p>b", "a"),
    ('<p title="a>b">c</p>', "c"),
    ("<p a=b/c=d/>e", "e"),
    ('<a href="/x"title="y">a</a>', "[a](https://example.org/x)"),
    ('<a HREF = "/x" href="/y">a</a>', "[a](https://example.org/x)"),
    ("<unknown-tag>a</unknown-tag>", "a"),
    ("<p<b>a", "a"),
]


@each_row(("page", "expected"), SNIPPETS)
def test_snippets(page: str, expected: str) -> None:
    found = markdown_of(page, BASE)
    assert found.text == expected
    assert not found.is_cut


@each_row(
    ("page", "title"),
    [
        ("<title>A &amp; B</title>", "A & B"),
        ("<head><TITLE>\n A\n <b>B</title><body><title>C</title>", "A <b>B"),
        ("<svg><title>icon</title></svg><title>page</title>", "page"),
        ("<title></title>x", ""),
        ("no title", ""),
    ],
)
def test_titles(page: str, title: str) -> None:
    found = markdown_of(page, BASE)
    assert found.title == title
    assert "A" not in found.text


DEEP = 100_000
HOSTILE = {
    "nested": "<div>" * DEEP + "x" + "</div>" * DEEP,
    "nested emphasis": "<b><i>" * DEEP + "x" + "</s></a>" * DEEP,
    "nested lists": "<ul><li>" * DEEP + "x",
    "nested numbers": "<ol start=999999999><li>" * DEEP + "x",
    "nested quotations": "<blockquote>" * DEEP + "x",
    "nested tables": "<table><tr><td>" * DEEP + "x",
    "nested links": "<a href=/x>" * DEEP + "x",
    "nested dropped parts": "<nav>" * DEEP + "x",
    "comments": "<!--" * DEEP,
    "declarations": "<!" * DEEP,
    "instructions": "<?" * DEEP,
    "CDATA": "<![CDATA[" * DEEP,
    "beginnings": "<" * DEEP * 10,
    "tags cut off": "<a" * DEEP,
    "ends cut off": "</" * DEEP,
    "double quotes": '<a b="' * DEEP,
    "single quotes": "<a b='" * DEEP,
    "both quotes": "<a b='\"" * DEEP,
    "equal signs": "<a " + "=" * DEEP * 5,
    "attributes": "<a " + "b=c " * DEEP + ">x",
    "one attribute": f"<a href='{'x' * 3_000_000}'>x</a>",
    "one name": "<" + "x" * 3_000_000 + ">x",
    "references": "&amp" * DEEP * 5,
    "half references": "&" * DEEP * 10,
    "long reference": "&" + "a" * 1_000_000 + ";",
    "long number": "&#" + "9" * 1_000_000 + ";",
    "long hexadecimal": "&#x" + "f" * 1_000_000 + ";",
    "numbers": "&#99999999999;&#xFFFFFFFF;&#0;&#xD800;" * 10_000,
    "scripts": "<script>" * DEEP,
    "titles": "<title>" * DEEP,
    "white space": "<p>" + " \n" * DEEP * 10,
    "breaks": "x<br> " * DEEP,
    "backticks": "<code>" + "`" * DEEP * 10,
    "fences": "<pre>" + "```\n" * DEEP,
    "short lines in lists": "<ul>" * 50 + "<li><pre>" + "a\n" * DEEP * 5,
    "cells": "<table>" + "<td>x" * DEEP,
    "rows": "<table>" + "<tr>" * DEEP,
    "uneven rows": "<table><tr>" + "<td>x" * 20_000 + "<tr><td>y" * 20_000,
    "links": "<base href='https://example.org/" + "x" * 1900 + "/'>" + "<a href=y>z</a>" * 20_000,
    "images": "<img src=y alt=z>" * 20_000,
    "spans": "<b><i><s><code>x</b></i>" * 20_000,
    "open spans": "<b><i><s><a href=/x>" + "<p>y" * 20_000,
    "ends": "</p>" * DEEP,
    "headings": "<h1>" * DEEP,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_safe_w3_hostile_pages_neither_raise_nor_hang_nor_grow(name: str) -> None:
    limit = 1_000_000
    found = markdown_of(HOSTILE[name], BASE, maximum=limit)
    assert len(found.text) <= limit
    found.text.encode("utf-8")


def test_safe_w3_a_page_is_cut_where_it_grows_too_long() -> None:
    found = markdown_of("<a href=/x>y</a> " * 100_000, BASE, maximum=10_000)
    assert found.is_cut
    assert len(found.text) == 10_000


def test_it_can_be_stopped() -> None:
    class Stopped(Exception):
        pass

    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise Stopped

    with pytest.raises(Stopped):
        markdown_of("<p>x" * 10_000, BASE, check)


# fmt: off
PIECES = some.sampled_from([
    "<p>", "</p>", "<b>", "</b>", "<i>", "</i>", "<code>", "</code>", "<pre>", "</pre>", "<ul>", "<ol start=3>",
    "</ul>", "</ol>", "<li>", "</li>", "<blockquote>", "</blockquote>", "<table>", "<tr>", "<td>", "<th>", "</table>",
    "<a href=/x>", "</a>", "<br>", "<img alt=a src=b>", "<h1>", "</h1>", "<nav>", "</nav>", "<main>", "<div>", "</div>",
    "<script>", "</script>", "<title>", "</title>", "<!--", "-->", "<", ">", "</", "<a", "&amp;", "&#", "&", '"', "'",
    "=", " ", "\n", "\x0b", "\x00", "words", "`", "```\n", "|", "<base href=//x.org>", "<svg>", "</svg>", "<hr>",
])
# fmt: on


@settings(deadline=None)
@given(some.lists(PIECES | some.text(max_size=10), max_size=80).map("".join))
def test_random_html_never_raises_and_stays_bounded(page: str) -> None:
    found = markdown_of(page, BASE)
    assert len(found.text) <= 500 + 60 * len(page)
    assert not {"\x00", "\x0b", "\x1b"} & set(found.text)
    assert found.text == found.text.strip("\n")


@given(some.text(max_size=300))
def test_random_text_never_raises(page: str) -> None:
    markdown_of(page, BASE)
    markdown_of(f"<{page}", BASE)


def test_tokens_hold_only_what_is_wanted() -> None:
    assert list(tokens("<A HREF='x&amp;y' onclick=z>t</A>")) == [StartTag("a", {"href": "x&y"}), "t", EndTag("a")]


def test_snippets_as_plain_words() -> None:
    assert plain_text(" a <strong>b</strong>\n &amp; c<script>d</script>") == "a b & c"
