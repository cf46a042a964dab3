"""The address of a page in the one spelling that is shown, permitted and fetched."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast
from urllib.parse import quote, urljoin

from code_assistant.errors import ToolError
from code_assistant.web.hosts import plain_host

MAXIMUM_ADDRESS_CHARACTERS = 2000
MAXIMUM_SHORT_CHARACTERS = 100
FORM = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<query>\?[^#]*)?", re.I)
PORT = re.compile(r"(?P<host>.*?)(?::(?P<port>[0-9]{0,5}))?", re.DOTALL)
# White space of every kind, controls, and the backslash, which some programs take for a slash and some do not.
UNUSABLE = re.compile(r"[\s\x00-\x20\x7f-\x9f\\\ud800-\udfff]")
SAFE_IN_PATH = "/%:@!$&'()*+,;=~-._|[]^"
STANDARD_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class PageAddress:
    """Where a page is. `target` is the path with its query, percent-encoded, as it goes over the wire."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host and port as an address and a Host header have them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == STANDARD_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def page_address(text: str) -> PageAddress:
    """Raises ToolError for what is not a plain http or https address."""
    if len(text) > MAXIMUM_ADDRESS_CHARACTERS:
        raise ToolError(f"The address is longer than {MAXIMUM_ADDRESS_CHARACTERS:,} characters. Use a shorter one.")
    if UNUSABLE.search(text):
        raise ToolError(
            "The address holds white space, a control character or a backslash. Percent-encode it, such as %20."
        )
    form = FORM.match(text)
    if form is None:
        raise ToolError(f"{text!r} is not a whole address. Write it with its scheme: https://example.org/page.")
    scheme = form["scheme"].lower()
    if scheme not in STANDARD_PORTS:
        raise ToolError(f"{scheme}: addresses cannot be fetched, only http and https.")
    authority = form["authority"]
    if "@" in authority:
        raise ToolError("The address holds a user name or a password before the host. Leave them out; none are sent.")
    host, port = _host_and_port(authority, STANDARD_PORTS[scheme])
    target = quote(form["path"] or "/", safe=SAFE_IN_PATH) + quote(form["query"] or "", safe=SAFE_IN_PATH + "?")
    return PageAddress(cast('Literal["http", "https"]', scheme), host, port, target)


def short_address(text: str) -> str:
    """Host and path, for a title; also of what is no address at all."""
    try:
        address = page_address(text)
        short = (address.authority + address.target.partition("?")[0]).removesuffix("/")
    except ToolError:
        short = text
    return short if len(short) <= MAXIMUM_SHORT_CHARACTERS else f"{short[:MAXIMUM_SHORT_CHARACTERS]}…"


def joined_address(base: PageAddress, location: str) -> PageAddress:
    """Where a redirect leads, checked as every address is. A fragment is for browsers and left out."""
    try:
        return page_address(urljoin(base.url, location.strip(" \t")))
    except (ToolError, ValueError) as error:
        raise ToolError(f"{base.url} leads on to an address that cannot be used. {error}") from error


def _host_and_port(authority: str, standard: int) -> tuple[str, int]:
    found = PORT.fullmatch(authority)
    if found is None or not found["host"]:
        raise ToolError(f"{authority!r} does not name a host. Write the address as https://example.org/page.")
    port = int(found["port"] or standard)
    if not 0 < port < 65_536:
        raise ToolError(f"{port} is not a port; ports are from 1 to 65535.")
    return plain_host(found["host"]), port
