"""The one spelling of a host: names in lower case and ASCII, numbers as plain addresses, however they were written."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from code_assistant.errors import ToolError

MAXIMUM_HOST_CHARACTERS = 253
LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")


def plain_host(written: str) -> str:
    """The host of an address as it is compared, shown and asked; IPv6 without its brackets. Raises ToolError."""
    if written.startswith("["):
        return _ipv6(written)
    # Browsers read full-width digits and dots as plain ones, so what they become is what is looked at.
    name = (written if written.isascii() else _ascii_name(written)).lower().removesuffix(".")
    labels = name.split(".")
    if NUMBER.fullmatch(labels[-1]):
        return str(_ipv4(labels, written))
    if len(name) > MAXIMUM_HOST_CHARACTERS or not all(LABEL.fullmatch(label) for label in labels):
        raise _not_a_host(written)
    return name


def address_of(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a plain host is; None where it is a name."""
    try:
        return IPv6Address(host) if ":" in host else IPv4Address(host)
    except AddressValueError:
        return None


def _ascii_name(written: str) -> str:
    import idna

    try:
        return idna.encode(written, uts46=True).decode("ascii")
    except UnicodeError as error:
        raise _not_a_host(written) from error


def _ipv6(written: str) -> str:
    inside = written.removeprefix("[").removesuffix("]")
    try:
        if not written.endswith("]") or "%" in inside:
            raise _not_a_host(written)
        address = IPv6Address(inside)
    except AddressValueError as error:
        raise _not_a_host(written) from error
    # The same machine by another name: a rule about one must be a rule about the other.
    return str(address.ipv4_mapped or address)


def _ipv4(labels: list[str], written: str) -> IPv4Address:
    """Decimal, octal and hexadecimal parts, where the last one fills whatever is left, as the C library reads them."""
    if len(labels) > 4 or not all(NUMBER.fullmatch(label) for label in labels):
        raise _not_a_host(written)
    try:
        numbers = [_number(label) for label in labels]
    except ValueError as error:
        raise _not_a_host(written) from error
    last = numbers.pop()
    if any(number > 255 for number in numbers) or last >= 256 ** (4 - len(numbers)):
        raise _not_a_host(written)
    return IPv4Address(last + sum(number << (24 - 8 * place) for place, number in enumerate(numbers)))


def _number(label: str) -> int:
    if len(label) > 16:
        raise ValueError(label)
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    return int(label, 8) if label.startswith("0") else int(label)


def _not_a_host(written: str) -> ToolError:
    shown = written if len(written) <= MAXIMUM_HOST_CHARACTERS else written[:MAXIMUM_HOST_CHARACTERS] + "…"
    return ToolError(f"{shown!r} is not the name of a host. Write it plainly, such as example.org or 93.184.216.34.")
