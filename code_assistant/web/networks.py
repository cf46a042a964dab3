"""Which addresses belong to the public internet; everything else is somebody's own network or machine."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from code_assistant.web.hosts import address_of

# A table of our own, because the library's changes between versions of Python.
NOT_PUBLIC = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        # A public address by its number, but a cloud's inside answers there with the machine's secrets.
        "168.63.129.16/32",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
PUBLIC_IPV6 = IPv6Network("2000::/3")
# Protocol assignments with Teredo among them, documentation, and 6to4, which carries any IPv4 address inside.
NOT_PUBLIC_IPV6 = tuple(IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
# How networks without IPv4 reach it: the address that is meant is in the last four bytes.
TRANSLATED = IPv6Network("64:ff9b::/96")


def is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC)
    if address.scope_id is not None:
        return False
    inner = address.ipv4_mapped or (_last_bytes(address) if address in TRANSLATED else None)
    if inner is not None:
        return is_public(inner)
    return address in PUBLIC_IPV6 and not any(address in network for network in NOT_PUBLIC_IPV6)


def is_private_by_name(host: str) -> bool:
    """Whether a plain host can be seen to be private without asking anybody where it is."""
    address = address_of(host)
    if address is not None:
        return not is_public(address)
    return host == "localhost" or host.endswith(".localhost")


def _last_bytes(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFF_FFFF)
