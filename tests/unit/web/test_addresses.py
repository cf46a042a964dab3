"""Addresses have one spelling, which is shown, permitted and fetched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from code_assistant.errors import ToolError
from code_assistant.web.addresses import joined_address, page_address
from code_assistant.web.hosts import address_of, plain_host
from tests.rows import each_row
from tests.unit.web.internet import wide

SPELLINGS = [
    ("example.org", "example.org"),
    ("EXAMPLE.Org", "example.org"),
    ("example.org.", "example.org"),
    ("a_b.example", "a_b.example"),
    ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ("bücher.example", "xn--bcher-kva.example"),
    ("BÜCHER.example", "xn--bcher-kva.example"),
    (f"{wide('example')}.org", "example.org"),
    ("example。org", "example.org"),
    ("exa\u00admple.org", "example.org"),
    ("8.8.8.8", "8.8.8.8"),
    ("8.8.8.8.", "8.8.8.8"),
    ("134744072", "8.8.8.8"),
    ("0x08080808", "8.8.8.8"),
    ("0X8.0x8.0x8.0x8", "8.8.8.8"),
    ("010.010.010.010", "8.8.8.8"),
    ("8.8.2056", "8.8.8.8"),
    ("8.526344", "8.8.8.8"),
    (wide("0x8.8.8.8"), "8.8.8.8"),
    ("①②⑦.0.0.1", "127.0.0.1"),
    ("[2606:4700::1111]", "2606:4700::1111"),
    ("[2606:4700:0:0:0:0:0:1111]", "2606:4700::1111"),
    ("[::ffff:8.8.8.8]", "8.8.8.8"),
    ("[::FFFF:808:808]", "8.8.8.8"),
]


@each_row(("written", "plain"), SPELLINGS)
def test_safe_w2_a_host_has_one_spelling(written: str, plain: str) -> None:
    assert plain_host(written) == plain
    assert page_address(f"https://{written}/x").host == plain
    again = f"[{plain}]" if ":" in plain else plain
    assert plain_host(again) == plain


NO_HOSTS = ["", ".", "..", "a..b", ".a", "a.b..", "-a.org", "a-.org", "a b", "a%2eb", "%31.0.0.1", "a,b", "a;b", "*.a"]
NO_HOSTS += ["1.2.3.4.5", "256.1.1.1", "1.2.3.256", "1.2.65536", "4294967296", "0x100000000", "08.8.8.8", "0x8g.1"]
NO_HOSTS += ["1.2.3.x4.0x", "a.1", "a.0x1", "1" * 17, "0x" + "0" * 20, "x" * 64 + ".org", "a." * 130 + "org"]
NO_HOSTS += ["[::1", "::1]", "[]", "[::1%eth0]", "[fe80::1%25eth0]", "[1.2.3.4]", "[::g]", "[::1].org", "ex\u202eample"]
NO_HOSTS += ["\u200b", "\ud800", "a\u0000b", "xn--\u00fc", "ﬀ" * 300]


@each_row("written", NO_HOSTS)
def test_safe_w2_what_is_no_host_is_refused(written: str) -> None:
    with pytest.raises(ToolError):
        page_address(f"http://{written}/")


@given(some.text(max_size=60))
def test_any_text_is_a_plain_host_or_refused(written: str) -> None:
    try:
        plain = plain_host(written)
    except ToolError:
        return
    assert plain.isascii()
    assert plain == plain.lower()
    assert plain_host(f"[{plain}]" if ":" in plain else plain) == plain


@given(some.integers(0, 2**32 - 1), some.sampled_from(["{}", "0x{:x}", "0{:o}", "{:#X}", "{}."]))
def test_numbers_are_read_as_the_c_library_reads_them(number: int, form: str) -> None:
    import socket

    written = form.format(number)
    assert plain_host(written) == socket.inet_ntoa(socket.inet_aton(written.rstrip(".")))
    assert address_of(plain_host(written)) is not None


ADDRESSES = [
    ("https://example.org", "https://example.org/"),
    ("HTTPS://Example.ORG:443/a", "https://example.org/a"),
    ("http://example.org:80", "http://example.org/"),
    ("http://example.org:", "http://example.org/"),
    ("http://example.org:443/", "http://example.org:443/"),
    ("https://example.org/a?b=c#d", "https://example.org/a?b=c"),
    ("https://example.org?b", "https://example.org/?b"),
    ("https://example.org/ü/%C3%BC?q=ü", "https://example.org/%C3%BC/%C3%BC?q=%C3%BC"),
    ("https://example.org/a/../b", "https://example.org/a/../b"),
    ("https://example.org/\u202e\u200b", "https://example.org/%E2%80%AE%E2%80%8B"),
    ('https://example.org/"<>`{}', "https://example.org/%22%3C%3E%60%7B%7D"),
    ("https://[2606:4700::1111]:8443/", "https://[2606:4700::1111]:8443/"),
    ("https://example.org//x//y", "https://example.org//x//y"),
    ("https://example.org/?u=http://user:pass@x/", "https://example.org/?u=http://user:pass@x/"),
]


@each_row(("written", "url"), ADDRESSES)
def test_safe_w1_an_address_has_one_spelling(written: str, url: str) -> None:
    address = page_address(written)
    assert address.url == url
    assert page_address(url) == address
    assert url.isascii()


NO_ADDRESSES = [
    ("example.org/page", "not a whole address"),
    ("//example.org/", "not a whole address"),
    ("https:/example.org/", "not a whole address"),
    ("https:example.org", "not a whole address"),
    ("https:///example.org", "does not name a host"),
    ("https://:80/", "does not name a host"),
    ("file:///etc/passwd", "file: addresses cannot be fetched"),
    ("ftp://example.org/", "ftp: addresses cannot be fetched"),
    ("gopher://example.org/", "cannot be fetched"),
    ("javascript://example.org/%0aalert(1)", "cannot be fetched"),
    ("view-source:https://example.org", "not a whole address"),
    ("data:text/html,x", "not a whole address"),
    ("https://user@example.org/", "user name or a password"),
    ("https://user:pass@example.org/", "user name or a password"),
    ("https://example.org@evil.example/", "user name or a password"),
    ("https://example.org:0/", "is not a port"),
    ("https://example.org:65536/", "is not a port"),
    ("https://example.org:+80/", "is not the name of a host"),
    (f"https://example.org:{wide('80')}/", "is not the name of a host"),
    ("https://example.org\\@evil.example/", "backslash"),
    ("https://example.org/a b", "white space"),
    ("https://example.org/a\nHost: evil", "white space"),
    ("https://example.org/\r\n", "white space"),
    (" https://example.org/", "white space"),
    ("https://exam\tple.org/", "white space"),
    ("https://example.org/\x00", "control character"),
    ("https://example.org/\x85", "white space"),
    ("https://example.org/\ud800", "control character"),
    ("https://example.org/" + "x" * 2000, "longer than 2,000 characters"),
]


@each_row(("written", "words"), NO_ADDRESSES)
def test_safe_w1_what_is_not_a_plain_web_address_is_refused(written: str, words: str) -> None:
    with pytest.raises(ToolError, match=words):
        page_address(written)


@given(some.text(max_size=200))
def test_any_text_is_an_address_or_refused(written: str) -> None:
    for text in (written, f"https://{written}", f"https://example.org/{written}"):
        try:
            address = page_address(text)
        except ToolError:
            continue
        assert page_address(address.url) == address
        assert address.url.isascii()
        assert address.url.isprintable()


REDIRECTS = [
    ("/b", "https://example.org/b"),
    ("b", "https://example.org/x/b"),
    ("?q", "https://example.org/x/y?q"),
    ("//other.example/b", "https://other.example/b"),
    ("http://other.example", "http://other.example/"),
    ("#part", "https://example.org/x/y"),
    ("  /b\t", "https://example.org/b"),
    ("HTTPS://EXAMPLE.ORG./b", "https://example.org/b"),
    ("//0x7f.1/", "https://127.0.0.1/"),
    ("/ü", "https://example.org/%C3%BC"),
]


@each_row(("location", "url"), REDIRECTS)
def test_where_a_redirect_leads(location: str, url: str) -> None:
    assert joined_address(page_address("https://example.org/x/y"), location).url == url


@each_row(
    "location",
    ["file:///etc/passwd", "javascript:x", "https://u:p@example.org/", "https://[/", "http://a b/", "/a\\b", "/a\x01"],
)
def test_safe_w1_where_a_redirect_may_not_lead(location: str) -> None:
    with pytest.raises(ToolError, match=r"https://example\.org/x leads on to an address that cannot be used"):
        joined_address(page_address("https://example.org/x"), location)


@given(some.text(max_size=100))
def test_any_location_leads_somewhere_or_is_refused(location: str) -> None:
    try:
        target = joined_address(page_address("https://example.org/x"), location)
    except ToolError:
        return
    assert page_address(target.url) == target
