"""Images that a model can see, known by their bytes rather than by their names."""

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


def is_whole(media_type: str, data: bytes) -> bool:
    """Whether the file ends as its format does. A service refuses a broken image, and all that is said after it."""
    match media_type:
        case "image/png":
            return data[12:16] == b"IHDR" and b"IEND" in data[-12:]
        case "image/jpeg":
            return b"\xff\xd9" in data[-64:]
        case "image/gif":
            return len(data) > 13 and data.rstrip(b"\0").endswith(b"\x3b")
        case _:
            return len(data) >= int.from_bytes(data[4:8], "little") + 8


def image_block(media_type: str, data: bytes) -> Image:
    return Image(media_type, b64encode(data).decode("ascii"))
