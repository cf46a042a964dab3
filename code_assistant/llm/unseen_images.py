"""Words in the place of images, for models that cannot see them."""

from __future__ import annotations

from dataclasses import replace

from code_assistant.messages import Block, Image, Message, Text, ToolResult


def without_images(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """For a model that is not known to take images: words in their place, since it would refuse the whole request."""
    return tuple(replace(message, content=tuple(_worded(block) for block in message.content)) for message in messages)


def _worded(block: Block) -> Block:
    match block:
        case Image():
            return _words(block)
        case ToolResult(_, content):
            return replace(block, content=tuple(_words(part) if isinstance(part, Image) else part for part in content))
        case _:
            return block


def _words(image: Image) -> Text:
    return Text(f"[An image of type {image.media_type}, which this model cannot see.]")
