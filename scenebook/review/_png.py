"""Write a picture from an untrusted source anew, so that nothing but its pixels is left.

Only the plainest form of PNG is accepted: 8 bits a colour, with or without transparency, not interlaced. It is the form
in which figures are drawn. Everything is checked, in Python, before anything is kept.
"""

import struct
import zlib
from collections.abc import Iterator

MAX_BYTES = 2_000_000
MAX_PIXELS = 4_000_000

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {2: 3, 6: 4}
"""The number of bytes of a pixel, by the number that PNG gives to a form of colours: RGB and RGBA."""
_FILTERS = 5


def rewritten(data: bytes) -> bytes:
    """Return the picture as a new PNG; raises `ValueError` if it is not one in the plain form, or too large."""
    if not data.startswith(_SIGNATURE) or len(data) > MAX_BYTES:
        raise ValueError("not a PNG, or too large")
    chunks = list(_chunks(data))
    if not chunks or chunks[0][0] != b"IHDR" or len(chunks[0][1]) != struct.calcsize(">IIBBBBB"):
        raise ValueError("no header")
    header = chunks[0][1]
    width, height, depth, colours, *others = struct.unpack(">IIBBBBB", header)
    if depth != 8 or colours not in _CHANNELS or any(others) or not 0 < width * height <= MAX_PIXELS:
        raise ValueError("another form of PNG, or too many pixels")
    row = 1 + width * _CHANNELS[colours]
    pixels = _inflated(b"".join(content for kind, content in chunks if kind == b"IDAT"), height * row)
    if max(pixels[::row]) >= _FILTERS:
        raise ValueError("an unknown filter")
    return b"".join(
        (_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(pixels, 9)), _chunk(b"IEND", b""))
    )


def _inflated(data: bytes, size: int) -> bytes:
    """Return unpacked data, which must have exactly this size. No more than that is ever unpacked."""
    try:
        found = zlib.decompressobj().decompress(data, size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(found) != size:
        raise ValueError("more or fewer pixels than its header says")
    return found


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kind and the content of each part of a PNG."""
    start = len(_SIGNATURE)
    while start + 12 <= len(data):
        [length] = struct.unpack_from(">I", data, start)
        yield data[start + 4 : start + 8], data[start + 8 : start + 8 + length]
        start += 12 + length


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
