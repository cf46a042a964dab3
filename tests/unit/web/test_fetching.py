"""Fetching a page over real HTTP: what is sent, where redirects may lead, and that everything has a bound."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from code_assistant.errors import ToolError
from code_assistant.web.addresses import PageAddress, page_address
from code_assistant.web.fetching import Bounds, Page, PageFetcher
from tests.hang_guard import HANG_GUARD
from tests.unit.web.internet import Internet, Visit, answer, redirect

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


@dataclass
class Permits:
    """Says yes to every address but those of some hosts, and keeps what it was asked."""

    private: bool = False
    denied: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    async def __call__(self, address: PageAddress, source: PageAddress | None) -> bool:
        self.asked.append(address.url if source is None else f"{source.host} -> {address.url}")
        if address.host in self.denied:
            raise ToolError(f"{address.host} is denied")
        return self.private


async def fetch(net: Internet, url: str, permits: Permits | None = None, bounds: Bounds | None = None) -> Page:
    fetcher = PageFetcher(net.client, bounds or Bounds())
    async with asyncio.timeout(HANG_GUARD):
        return await fetcher.fetch(page_address(url), permits or Permits())


async def test_a_page_over_real_http(net: Internet) -> None:
    net.page("example.org/a?b=c", answer("hello", kind="text/plain; charset=utf-8"))
    permits = Permits()
    page = await fetch(net, "http://example.org/a?b=c#part", permits)
    assert (page.status, page.kind.name, page.kind.charset, page.body.data) == (200, "text/plain", "utf-8", b"hello")
    assert permits.asked == ["http://example.org/a?b=c"]
    assert net.dialled == [("93.184.216.34", 80)]


async def test_safe_w1_only_these_headers_are_sent(net: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9/")
    net.page("example.org:8080/", redirect("/next"))
    net.page("example.org:8080/next", answer("x"))
    await fetch(net, "http://example.org:8080/")
    for request in net.requests:
        assert request.line.startswith("GET /")
        assert sorted(name for name, _ in request.headers) == [
            *("Accept", "Accept-Encoding", "Connection", "Host", "User-Agent"),
        ]
        assert request.header("host") == "example.org:8080"
        assert request.header("accept-encoding") == "gzip, deflate"
        assert (request.header("user-agent") or "").startswith("code-assistant/")


async def test_safe_w1_cookies_are_not_sent_back(net: Internet) -> None:
    net.page("example.org/", answer("", "302 Found", None, Location="/next", Set_Cookie="id=1; Path=/"))
    net.page("example.org/next", answer("x", Set_Cookie="id=2"))
    await fetch(net, "http://example.org/")
    await fetch(net, "http://example.org/next")
    assert len(net.requests) == 3
    assert all(request.header("cookie") is None for request in net.requests)


async def test_safe_w1_each_request_has_a_connection_of_its_own_that_was_checked(net: Internet) -> None:
    net.names["example.org"] = [("93.184.216.34",), ("127.0.0.1",)]
    net.page("example.org/", redirect("/next"))
    with pytest.raises(ToolError, match="private network"):
        await fetch(net, "http://example.org/")
    assert net.looked_up == ["example.org", "example.org"]
    assert net.dialled == [("93.184.216.34", 80)]
    assert [request.target for request in net.requests] == ["/"]


@pytest.mark.parametrize("status", ["301 x", "302 x", "303 x", "307 x", "308 x"])
async def test_redirects_are_followed(net: Internet, status: str) -> None:
    net.page("example.org/a/b", redirect("../c", status))
    net.page("example.org/c", redirect("//www.example.org/d"))
    net.page("www.example.org/d", answer("here"), at="93.184.216.35")
    permits = Permits()
    page = await fetch(net, "http://example.org/a/b", permits)
    assert page.address.url == "http://www.example.org/d"
    assert page.body.data == b"here"
    assert permits.asked == [
        "http://example.org/a/b",
        "example.org -> http://example.org/c",
        "example.org -> http://www.example.org/d",
    ]


async def test_safe_w1_a_denied_host_gets_nothing_not_even_a_look_up(net: Internet) -> None:
    net.page("example.org/", redirect("http://evil.example/steal?secret"))
    net.page("evil.example/steal?secret", answer("gotcha"))
    with pytest.raises(ToolError, match=r"evil\.example is denied"):
        await fetch(net, "http://example.org/", Permits(denied={"evil.example"}))
    assert net.looked_up == ["example.org"]
    assert len(net.requests) == 1


INSIDE = ["127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0"]
INSIDE += ["169.254.169.254", "10.1", "[fe80::1]", "[64:ff9b::7f00:1]", "127.0.0.1.", "192.168.0.1:8080", "0xa9fea9fe"]


@pytest.mark.parametrize("host", INSIDE)
async def test_safe_w2_a_redirect_to_a_private_address_is_not_followed(net: Internet, host: str) -> None:
    net.page("example.org/", redirect(f"http://{host}/latest/meta-data"))
    with pytest.raises(ToolError, match="private network or this machine itself"):
        await fetch(net, "http://example.org/")
    assert len(net.dialled) == len(net.requests) == 1


async def test_safe_w2_a_redirect_to_a_name_that_is_private_is_not_followed(net: Internet) -> None:
    net.page("example.org/", redirect("http://inside.example/"))
    net.names["inside.example"] = ("192.168.1.1",)
    with pytest.raises(ToolError, match=r"inside\.example is on a private network"):
        await fetch(net, "http://example.org/")
    assert len(net.dialled) == 1


UNUSABLE = ["file:///etc/passwd", "ftp://example.org/", "http://user:pass@example.org/", "javascript:alert(1)"]
UNUSABLE += ["http://exa mple.org/", "gopher://example.org/", "http://[::1", "http://a..b/"]


@pytest.mark.parametrize("location", UNUSABLE)
async def test_safe_w1_a_redirect_to_something_else_is_not_followed(net: Internet, location: str) -> None:
    net.page("example.org/", redirect(location))
    permits = Permits()
    with pytest.raises(ToolError, match="leads on to an address that cannot be used"):
        await fetch(net, "http://example.org/", permits)
    assert len(net.requests) == len(permits.asked) == 1


async def test_safe_w1_five_redirects_are_followed_and_no_more(net: Internet) -> None:
    for number in range(7):
        net.page(f"example.org/{number}", redirect(f"/{number + 1}"))
    net.page("example.org/7", answer("end"))
    assert (await fetch(net, "http://example.org/2")).body.data == b"end"
    assert len(net.requests) == 6
    net.requests.clear()
    with pytest.raises(ToolError, match="after 5 redirects"):
        await fetch(net, "http://example.org/1")
    assert len(net.requests) == 6


async def test_a_circle_of_redirects_is_seen(net: Internet) -> None:
    net.page("example.org/a", redirect("/b"))
    net.page("example.org/b", redirect("/a#again"))
    with pytest.raises(ToolError, match=r"leads back to http://example\.org/a"):
        await fetch(net, "http://example.org/a")
    assert len(net.requests) == 2


async def test_a_redirect_without_a_place_is_an_error_page(net: Internet) -> None:
    net.page("example.org/", answer("lost", "302 Found"))
    page = await fetch(net, "http://example.org/")
    assert (page.status, page.is_error, page.body.data) == (302, True, b"lost")


async def test_an_error_is_a_page_whose_body_is_not_read_far(net: Internet) -> None:
    net.page("example.org/", answer(b"x" * 300_000, "500 Internal Server Error"))
    net.page("example.org/image", answer(b"\x89PNG", "404 Not Found", "image/png"))
    net.page("example.org/packed", answer(b"nonsense", "403 Forbidden", Content_Encoding="gzip"))
    page = await fetch(net, "http://example.org/")
    assert (page.status, len(page.body.data), page.body.is_cut) == (500, 100_000, True)
    for path, status in (("image", 404), ("packed", 403)):
        page = await fetch(net, f"http://example.org/{path}")
        assert (page.status, page.body.data) == (status, b"")


NOT_TEXT = ["image/png", "application/pdf", "application/octet-stream", "application/zip", "video/mp4", "font/woff2"]
NOT_TEXT += ["application/gzip", "application/vnd.ms-excel", "multipart/form-data; boundary=x", "APPLICATION/PDF"]


@pytest.mark.parametrize("kind", NOT_TEXT)
async def test_safe_w3_only_text_is_read(net: Internet, kind: str) -> None:
    async def endless(visit: Visit) -> None:
        await visit.send(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode())
        await visit.until_closed()
        net.closed_by_client.set()

    net.page("example.org/", endless)
    with pytest.raises(ToolError, match=f"is {kind.partition(';')[0].lower()}, but only text can be fetched"):
        await fetch(net, "http://example.org/")
    await net.closed_by_client.wait()


TEXT = [
    "text/html",
    "text/plain",
    "text/markdown; charset=x",
    "application/json",
    "application/ld+json",
    "image/svg+xml",
]
TEXT += ["application/xml", "application/javascript", "application/atom+xml", "TEXT/HTML", "text/x-unheard-of"]


@pytest.mark.parametrize("kind", [*TEXT, None, "", "nonsense", "text", ";charset=utf-8", "a/b/c"])
async def test_safe_w3_text_and_what_does_not_say_what_it_is_is_read(net: Internet, kind: str | None) -> None:
    net.page("example.org/", answer("x", kind=kind))
    page = await fetch(net, "http://example.org/")
    assert page.body.data == b"x"
    assert page.kind.name == (kind.partition(";")[0].lower() if kind in TEXT else "")


PACKED = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZIP": gzip.compress,
    "deflate": zlib.compress,
    "identity": bytes,
}


@pytest.mark.parametrize("coding", PACKED)
async def test_packed_bodies(net: Internet, coding: str) -> None:
    net.page("example.org/", answer(PACKED[coding](b"hello " * 1000), Content_Encoding=coding))
    assert (await fetch(net, "http://example.org/")).body.data == b"hello " * 1000


BOMBS = {
    "gzip": gzip.compress(b"0" * 10_000_000),
    "deflate": zlib.compress(b"0" * 10_000_000),
    "two files": gzip.compress(b"0" * 3_000_000) + gzip.compress(b"0" * 3_000_000),
    "nested": gzip.compress(gzip.compress(b"0" * 10_000_000)),
}


@pytest.mark.parametrize("name", BOMBS)
async def test_safe_w3_zip_bombs_are_cut(net: Internet, name: str) -> None:
    bomb = BOMBS[name]
    assert len(bomb) < 15_000
    coding = "deflate" if name == "deflate" else "gzip"
    net.page("example.org/", answer(bomb, Content_Encoding=coding))
    page = await fetch(net, "http://example.org/")
    if name == "nested":
        # Unpacked once only: what is inside stays packed.
        assert page.body.data == gzip.decompress(bomb)
    else:
        assert page.body.is_cut
        assert page.body.data == b"0" * 5_000_000


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "gzip, deflate", "compress", "x" * 5000])
async def test_safe_w3_what_was_not_asked_for_is_not_unpacked(net: Internet, coding: str) -> None:
    net.page("example.org/", answer(gzip.compress(gzip.compress(b"x")), Content_Encoding=coding))
    with pytest.raises(ToolError, match="packed in a way that was not asked for") as caught:
        await fetch(net, "http://example.org/")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("body", [b"nonsense", gzip.compress(b"x" * 1000, mtime=0)[:-9], b"\x1f\x8b", b"\x1f"])
async def test_damaged_packed_bodies(net: Internet, body: bytes) -> None:
    net.page("example.org/", answer(body, Content_Encoding="gzip"))
    with pytest.raises(ToolError, match="cannot be unpacked"):
        await fetch(net, "http://example.org/")


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (HEAD + b"\r\n", b"x" * 100_000),
        (HEAD + b"Content-Length: 999999999999\r\n\r\n", b"x" * 100_000),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"%x\r\n%b\r\n" % (100_000, b"x" * 100_000)),
        (HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10], b"\x00\x00\x00\xff\xff" * 10_000),
    ],
    ids=["until closed", "length", "chunked", "packed nothing"],
)
async def test_safe_w3_endless_bodies_are_cut(net: Internet, head: bytes, piece: bytes) -> None:
    async def endless(visit: Visit) -> None:
        await visit.send(head)
        while True:
            await visit.send(piece)

    net.page("example.org/", endless)
    page = await fetch(net, "http://example.org/", bounds=Bounds(body_bytes=1_000_000))
    assert page.body.is_cut
    assert len(page.body.data) == (0 if b"gzip" in head else 1_000_000)
    await net.closed_by_client.wait()


async def test_safe_w3_a_body_of_exactly_the_bound_is_whole(net: Internet) -> None:
    net.page("example.org/", answer(b"x" * 1000))
    assert not (await fetch(net, "http://example.org/", bounds=Bounds(body_bytes=1000))).body.is_cut
    assert (await fetch(net, "http://example.org/", bounds=Bounds(body_bytes=999))).body.is_cut


DRIPS = {
    "head": (b"HTTP/1.1 200 OK\r\n", b"x: y\r\n"),
    "no answer": (b"", b""),
    "informational": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "body": (HEAD + b"\r\n", b"x"),
    "chunked": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "packed": (HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10], b"\x00\x00\x00\xff\xff"),
}


@pytest.mark.parametrize("name", DRIPS)
async def test_safe_w3_slow_drips_end(net: Internet, name: str) -> None:
    first, drip = DRIPS[name]

    async def slow(visit: Visit) -> None:
        await visit.send(first)
        while True:
            await visit.send(drip)
            with suppress(TimeoutError):
                async with asyncio.timeout(0.01):
                    await visit.until_closed()
                    raise ConnectionError

    net.page("example.org/", slow)
    with pytest.raises(ToolError, match=r"http://example\.org/ took longer than 0\.3 s"):
        await fetch(net, "http://example.org/", bounds=Bounds(seconds=0.3))
    await net.closed_by_client.wait()


def time_machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets seconds pass at once, for everything that goes by the clock of the loop."""
    loop, passed = asyncio.get_running_loop(), [0.0]
    real_time = loop.time
    monkeypatch.setattr(loop, "time", lambda: real_time() + sum(passed))
    return passed.append


async def test_safe_w3_the_time_counts_for_all_redirects_together(
    net: Internet, monkeypatch: pytest.MonkeyPatch
) -> None:
    pass_time = time_machine(monkeypatch)

    async def slow(visit: Visit) -> None:
        pass_time(12)
        await visit.send(redirect(f"{visit.request.target}x"))

    net.pages |= {f"example.org/{'x' * number}": slow for number in range(9)}
    net.names["example.org"] = ("93.184.216.34",)
    with pytest.raises(ToolError, match=r"/xx took longer than 30 s"):
        await fetch(net, "http://example.org/", bounds=Bounds(seconds=30))


async def test_the_time_does_not_count_while_somebody_is_asked(net: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    pass_time = time_machine(monkeypatch)

    async def thinks(address: PageAddress, source: PageAddress | None) -> bool:
        pass_time(2 * HANG_GUARD)
        return False

    net.page("example.org/", answer("here"))
    page = await PageFetcher(net.client, Bounds(seconds=HANG_GUARD)).fetch(page_address("http://example.org/"), thinks)
    assert page.body.data == b"here"


async def test_a_name_that_is_never_found_ends_in_time(net: Internet) -> None:
    async def never(host: str) -> tuple[str, ...]:
        await asyncio.Event().wait()
        raise AssertionError(host)

    net.resolve = never  # type: ignore[method-assign]
    with pytest.raises(ToolError, match="took longer than"):
        await fetch(net, "http://example.org/", bounds=Bounds(seconds=0.1))


CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
FAULTS = {
    "nothing": (b"", "closed the connection without an answer"),
    "nonsense": (b"\x00\x01\x02\x03\r\n\r\n", "does not answer in proper HTTP"),
    "another protocol": (b"SSH-2.0-OpenSSH_9.9\r\n\r\n", "does not answer in proper HTTP"),
    "status": (b"HTTP/1.1 abc\r\n\r\n", "does not answer in proper HTTP"),
    "old": (b"<html>hi</html>", "closed the connection without an answer|does not answer in proper HTTP"),
    "half a head": (HEAD, "closed the connection without an answer|does not answer in proper HTTP"),
    "short": (HEAD + b"Content-Length: 10\r\n\r\nabc", "closed the connection before the answer was complete"),
    "two lengths": (HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "does not answer in proper HTTP"),
    "bad length": (HEAD + b"Content-Length: -1\r\n\r\nabc", "does not answer in proper HTTP"),
    "chunked garbage": (CHUNKED + b"zz\r\nabc", "does not answer in proper HTTP"),
    "chunk cut": (CHUNKED + b"10\r\nabc", "closed the connection before the answer was complete"),
    "chunk size": (CHUNKED + b"f" * 40 + b"\r\nabc", "does not answer in proper HTTP"),
    "header flood": (b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 100_000, "does not answer in proper HTTP"),
    "long header": (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 1_000_000, "does not answer in proper HTTP"),
    "folded NUL": (b"HTTP/1.1 200 OK\r\nx: \x00\r\n\r\n", "does not answer in proper HTTP"),
    "trailer flood": (CHUNKED + b"0\r\n" + b"x: y\r\n" * 100_000, "does not answer in proper HTTP"),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_answers_that_make_no_sense(net: Internet, name: str) -> None:
    data, words = FAULTS[name]

    async def faulty(visit: Visit) -> None:
        # What the other side does not read any more is not missed.
        visit.writer.write(data)

    net.page("example.org/", faulty)
    with pytest.raises(ToolError, match=rf"example\.org ({words})") as caught:
        await fetch(net, "http://example.org/")
    assert len(str(caught.value)) < 200


async def test_what_comes_after_the_length_is_not_part_of_it(net: Internet) -> None:
    net.page("example.org/", HEAD + b"Content-Length: 3\r\n\r\nabcdef")
    assert (await fetch(net, "http://example.org/")).body.data == b"abc"


async def test_an_upgrade_that_was_not_asked_for(net: Internet) -> None:
    net.page("example.org/", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxyz")
    try:
        page = await fetch(net, "http://example.org/", bounds=Bounds(seconds=2))
    except ToolError:
        return
    assert page.is_error


async def test_a_connection_that_is_reset(net: Internet) -> None:
    async def reset(visit: Visit) -> None:
        await visit.send(HEAD + b"Content-Length: 10\r\n\r\nabc")
        visit.writer.transport.abort()

    net.page("example.org/", reset)
    with pytest.raises(ToolError, match=r"broke|before the answer was complete"):
        await fetch(net, "http://example.org/")


async def test_nothing_listens(net: Internet) -> None:
    net.names["example.org"] = ("93.184.216.34",)
    net.port = 1
    with pytest.raises(ToolError, match=r"example\.org cannot be reached: nothing accepts connections on port 80"):
        await fetch(net, "http://example.org/")


async def test_plain_http_where_tls_was_expected(net: Internet) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(answer("", "400 Bad Request"))
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        net.tls_port = server.sockets[0].getsockname()[1]
        net.names["example.org"] = ("93.184.216.34",)
        with pytest.raises(
            ToolError, match=r"example\.org cannot be reached: it does not speak TLS properly on port 443"
        ):
            await fetch(net, "https://example.org/")


@pytest.mark.parametrize("moment", ["before the answer", "in the head", "in the body"])
async def test_cancelling_closes_the_connection_at_once(net: Internet, moment: str) -> None:
    arrived, left = asyncio.Event(), asyncio.Event()
    sent = {"before the answer": b"", "in the head": b"HTTP/1.1 200 OK\r\nx: y", "in the body": HEAD + b"\r\nabc"}

    async def hold(visit: Visit) -> None:
        await visit.send(sent[moment])
        arrived.set()
        await visit.until_closed()
        left.set()

    net.page("example.org/", hold)
    fetching = asyncio.create_task(fetch(net, "http://example.org/"))
    await arrived.wait()
    await asyncio.sleep(0)
    fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetching
    async with asyncio.timeout(HANG_GUARD):
        await left.wait()


async def test_cancelling_in_the_handshake_closes_the_connection_at_once(net: Internet) -> None:
    began, left = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        began.set()
        while await reader.read(1000):
            pass
        left.set()
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        net.tls_port = server.sockets[0].getsockname()[1]
        net.names["example.org"] = ("93.184.216.34",)
        fetching = asyncio.create_task(fetch(net, "https://example.org/"))
        await began.wait()
        fetching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetching
        async with asyncio.timeout(HANG_GUARD):
            await left.wait()
