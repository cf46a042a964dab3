"""The program fetches and searches: only what rules allow, only loop-back here, and no key is left anywhere."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.e2e.program import Program
from tests.e2e.test_changes import told, words
from tests.e2e.test_terminal import HOSTILE, unsafe
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer

KEY = "brave-0123456789"


@dataclass
class Site:
    """A web server on this machine, and what it was asked."""

    port: int = 0
    pages: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@pytest.fixture
def site() -> Iterator[Site]:
    there = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            there.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            kind, body = there.pages.get(self.path, ("text/plain", b""))
            self.send_response(200 if self.path in there.pages else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Nothing is said about requests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        there.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield there
        server.shutdown()
        thread.join()


def test_safe_w2_a_rule_that_names_this_machine_lets_it_be_fetched(
    program: Program, server: ScriptedServer, site: Site
) -> None:
    site.pages["/"] = ("text/html; charset=utf-8", b"<title>Mine</title><h1>Hello</h1><a href=x>there</a>")
    url = f"http://localhost:{site.port}/"
    server.script_default([turn(call("web_fetch", {"url": url})), turn(text("Done."))])
    done = program.run("-p", "go", "--allow", "WebFetch(domain:localhost)")
    assert (done.code, done.out, done.err) == (0, "Done.\n", "")
    head, _, body = words(told(server)[0]).partition("\n\n")
    assert head.startswith(f"{url} · 200 OK · text/html\n")
    assert body == f"Title: Mine\n\n# Hello\n\n[there]({url}x)"
    assert [path for path, _ in site.requests] == ["/"]


@pytest.mark.parametrize("options", [["--permission-mode", "yolo"], ["--allow", "WebFetch"]])
def test_safe_w2_without_such_a_rule_nothing_is_sent(
    program: Program, server: ScriptedServer, site: Site, options: list[str]
) -> None:
    urls = [f"http://{host}:{site.port}/" for host in ("localhost", "127.0.0.1", "2130706433", "[::ffff:127.0.0.1]")]
    server.script_default([turn(*(call("web_fetch", {"url": url}) for url in urls)), turn(text("I could not."))])
    program.run("-p", "go", *options)
    for result in told(server):
        assert result["is_error"]
        assert "no rule names it" in words(result)
    assert site.requests == []


def test_safe_x1_what_a_page_says_reaches_the_terminal_as_stand_ins(
    program: Program, server: ScriptedServer, site: Site
) -> None:
    site.pages["/"] = ("text/plain; charset=utf-8", HOSTILE.replace("\x00", "").encode())
    urls = [f"http://127.0.0.1:{site.port}/", f"http://127.0.0.1:{site.port}/missing", f"http://{HOSTILE}/"]
    server.script_default([turn(*(call("web_fetch", {"url": url}) for url in urls)), turn(text("Done."))])
    program.environ |= {"NO_COLOR": "1"}
    with program.in_terminal("-p", "go", "--allow", "WebFetch(domain:127.0.0.1)") as terminal:
        assert terminal.finish() == 0
    assert unsafe(terminal.written) == []
    assert b"Fetched 127.0.0.1:" in terminal.written


def test_safe_k1_searching_sends_the_key_to_the_service_and_leaves_it_nowhere(
    program: Program, server: ScriptedServer, site: Site
) -> None:
    found = {"web": {"results": [{"title": KEY, "url": "https://example.org/", "description": "about tax"}]}}
    site.pages["/search?q=tax&count=8"] = ("application/json", json.dumps(found).encode())
    program.environ |= {"BRAVE_API_KEY": KEY, "CODE_ASSISTANT_WEB__SEARCH_URL": f"http://127.0.0.1:{site.port}/search"}
    server.script_default([turn(call("web_search", {"query": "tax"})), turn(text(f"It is {KEY}."))])
    done = program.run("-p", "go", "--allow", "WebSearch", "--debug")
    assert done.code == 0
    assert site.requests[0][1]["x-subscription-token"] == KEY
    assert "https://example.org/\n   about tax" in words(told(server)[0])
    assert all(KEY not in request.raw_body.decode() for request in server.requests[:2])
    assert KEY not in done.out + done.err
    for file in (*program.home.rglob("*"), *program.folder.rglob("*")):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_safe_t3_a_project_cannot_say_where_the_key_goes(program: Program, server: ScriptedServer, site: Site) -> None:
    (program.folder / ".code-assistant").mkdir()
    (program.folder / ".code-assistant" / "config.toml").write_text(
        f'web.search_url = "http://127.0.0.1:{site.port}/evil"\n'
    )
    program.environ |= {"BRAVE_API_KEY": KEY, "CODE_ASSISTANT_WEB__SEARCH_URL": f"http://127.0.0.1:{site.port}/own"}
    server.script_default([turn(call("web_search", {"query": "tax"})), turn(text("No."))])
    done = program.run("-p", "go", "--allow", "WebSearch")
    assert "web.search_url is ignored: a project may not set it" in done.err
    assert [path.partition("?")[0] for path, _ in site.requests] == ["/own"]


def test_searching_is_offered_only_with_a_key_and_asks(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("one")), turn(text("two"))])
    program.run("-p", "go")
    program.environ |= {"BRAVE_API_KEY": KEY}
    server.script("second", [turn(call("web_search", {"query": "tax"})), turn(text("I may not."))])
    done = program.run("-p", "second")
    offered = [{tool["name"] for tool in request.body["tools"]} for request in server.requests[:2]]
    assert ["web_search" in names for names in offered] == [False, True]
    assert "web_search may not search the web (tax): nobody is there" in done.err
