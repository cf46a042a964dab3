"""Images that a model can see, known by their first bytes rather than by their names."""

from __future__ import annotations

from base64 import b64encode

from code_assistant.messages import Image

MAXIMUM_IMAGE_BYTES = 3_750_000

MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def image_type(head: bytes) -> str | None:
    """The media type of a file that begins so, or None when it is no image we can show."""
    for magic, media_type in MAGIC:
        if head.startswith(magic):
            return media_type
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return None


def image_block(media_type: str, data: bytes) -> Image:
    return Image(media_type, b64encode(data).decode("ascii"))
