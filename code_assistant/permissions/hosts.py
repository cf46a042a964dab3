"""The hosts that rules name: one, or all below it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from code_assistant.errors import UsageError

DOMAIN = re.compile(r"domain:(?P<wild>\*\.)?(?P<host>\S+)", re.IGNORECASE)
HOST_NAME = re.compile(r"(?:[a-z0-9_][a-z0-9_-]{0,62}\.)*[a-z0-9_][a-z0-9_-]{0,62}")
# A last label like these makes an address of the whole name, in one of many spellings.
NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
HELP = "Write WebFetch(domain:example.org) or WebFetch(domain:*.example.org), without a port or a path."


@dataclass(frozen=True, slots=True)
class Domain:
    """A host by its name or address, or all hosts below it and not the host itself."""

    host: str
    with_subdomains: bool

    def covers(self, host: str) -> bool:
        return host.endswith(f".{self.host}") if self.with_subdomains else host == self.host


def parse_domain(rule: str, inside: str) -> Domain:
    """What stands in the brackets of a rule; raises UsageError for what is no host, which would never match."""
    found = DOMAIN.fullmatch(inside)
    if found is None:
        raise UsageError(f"{rule!r} does not name a domain. {HELP}")
    text = found["host"].lower()
    if not text.isascii():
        raise UsageError(f"{rule!r} has letters that addresses do not have. Write the host as xn--…, as it is sent.")
    address = _address(text)
    if address is not None and not found["wild"]:
        return Domain(address, with_subdomains=False)
    name = text.removesuffix(".")
    if HOST_NAME.fullmatch(name) is None or NUMBER.fullmatch(name.rpartition(".")[2]):
        raise UsageError(f"{rule!r} does not name a domain. {HELP}")
    return Domain(name, with_subdomains=found["wild"] is not None)


def written_host(host: str) -> str:
    """A host as a rule names it: IPv6 addresses stand in brackets."""
    return f"[{host}]" if ":" in host else host


def _address(text: str) -> str | None:
    from ipaddress import IPv6Address, ip_address

    is_bracketed = text.startswith("[") and text.endswith("]")
    try:
        address = ip_address(text[1:-1] if is_bracketed else text)
    except ValueError:
        return None
    if not isinstance(address, IPv6Address):
        return str(address)
    # A mapped address is the same machine by another name; a zone is not part of a web address.
    return None if address.scope_id else str(address.ipv4_mapped or address)
