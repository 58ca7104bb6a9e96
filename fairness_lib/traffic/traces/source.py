"""The bytes of a trace: from a path or standard input, plain or gzip, looked at as they pass.

What no format of ours can hold is refused here, by line: NUL bytes, what is not UTF-8, lines
without end, and what unpacks to a thousand times its size.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zlib
from pathlib import Path
from typing import IO, Any

MOST_LINE = 32 * 2**20
"""Bytes of the longest line."""
MOST_RATIO, FREE_BYTES = 200, 2**28
"""How many times its size a file may unpack to, beyond so many bytes."""
BLOCK = 2**20
FOREIGN = {
    b"PK\x03\x04": "a zip archive",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"BZh": "compressed with bzip2",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
"""First bytes of what is not read, each with what it is."""
INSIDE = FOREIGN | {b"\x1f\x8b": "gzip inside gzip", b"PAR1": "Parquet inside gzip"}
"""The same of what was unpacked."""


class TraceError(ValueError):
    """A trace that cannot be read as asked; its text names the place, the value and what to do."""


class Counted(io.RawIOBase):
    """A stream that counts what it gave."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.given = inner, 0

    def readable(self) -> bool:
        """Say that this can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer."""
        data = self.inner.read(len(buffer))
        buffer[: len(data)] = data
        self.given += len(data)
        return len(data)


class Text(io.RawIOBase):
    """A stream of bytes that is UTF-8 text in lines of a bounded length, or raises an error.

    Attributes
    ----------
    quoted : bool
        Whether a double quote has passed: only then can a record span lines.
    """

    def __init__(self, inner: Any, packed: Counted | None) -> None:
        self.inner, self.packed = inner, packed
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.left, self.lines, self.in_line, self.given = b"", 0, 0, 0
        self.quoted = self.begun = False

    def readable(self) -> bool:
        """Say that this can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer what has been looked at."""
        if not self.left:
            self.left = self.block()
        data, self.left = self.left[: len(buffer)], self.left[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def peek(self) -> bytes:
        """Return the first block without taking it."""
        if not self.left:
            self.left = self.block()
        return self.left

    def block(self) -> bytes:
        """Take the next block and look at it; the first one without its byte-order mark."""
        data = unpacked(self.inner)
        if not self.begun:
            self.begun = True
            known(data, INSIDE)
            data = data.removeprefix(codecs.BOM_UTF8)
        self.given += len(data)
        packed = self.packed
        if packed is not None and self.given > FREE_BYTES + MOST_RATIO * packed.given:
            raise TraceError(
                f"the file unpacks to more than {MOST_RATIO} times its size: {self.given:,} bytes "
                f"from {packed.given:,}; unpack it yourself if that is right"
            )
        if (at := data.find(b"\0")) >= 0:
            raise TraceError(f"line {self.line_at(data, at)} holds a NUL byte: this is not text")
        try:
            self.decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            line = self.line_at(data, min(error.start, len(data)))
            said = f"line {line} holds bytes that are not UTF-8; save the file as UTF-8"
            raise TraceError(said) from None
        self.quoted = self.quoted or b'"' in data
        ends = data.count(b"\n") or data.count(b"\r")
        self.lines += ends
        last = max(data.rfind(b"\n"), data.rfind(b"\r"))
        self.in_line = self.in_line + len(data) if last < 0 else len(data) - last - 1
        if self.in_line > MOST_LINE:
            said = f"line {self.lines + 1} is longer than {MOST_LINE // 2**20} MB"
            raise TraceError(said)
        return data

    def line_at(self, data: bytes, at: int) -> int:
        """Return the number of the line that a byte of this block is in."""
        return self.lines + data.count(b"\n", 0, at) + 1


def unpacked(stream: Any) -> bytes:
    """Read a block; a damaged archive is an error that says so."""
    try:
        return stream.read(BLOCK) or b""
    except EOFError:
        raise TraceError("the gzip file ends in the middle: it was cut off") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise TraceError(f"the gzip file is damaged: {error}") from None
    except OSError as error:
        raise TraceError(f"the file cannot be read: {error.strerror}") from None


def opened(path: str | os.PathLike[str] | IO[bytes]) -> IO[bytes]:
    """Open a path, or standard input for ``-``, as bytes that can be peeked at."""
    if hasattr(path, "read"):
        return io.BufferedReader(Counted(path))
    if os.fspath(path) == "-":
        return sys.stdin.buffer
    where = Path(path)
    try:
        if where.is_dir():
            raise TraceError(f"{where} is a directory; a trace is a file")
        return where.open("rb")
    except FileNotFoundError:
        raise TraceError(f"there is no file {where}") from None
    except (OSError, ValueError) as error:  # a name with a NUL, or longer than a name can be
        why = getattr(error, "strerror", None) or error
        raise TraceError(f"{str(where)[:200]} cannot be opened: {why}") from None


def first_bytes(stream: IO[bytes]) -> bytes:
    """Return a stream's first bytes without taking them; an empty one is an error."""
    try:
        head: bytes = stream.peek(8)  # type: ignore[attr-defined]
    except OSError as error:
        raise TraceError(f"the file cannot be read: {error.strerror}") from None
    if not head:
        raise TraceError("the file is empty")
    known(head, FOREIGN)
    return head


def known(head: bytes, formats: dict[bytes, str]) -> None:
    """Raise an error for what is known by its first bytes and not read."""
    for magic, what in formats.items():
        if head.startswith(magic):
            raise TraceError(f"the file is {what}; unpack it, or save it as plain UTF-8 text")


def text_of(stream: IO[bytes]) -> Text:
    """Return the text of a stream, unpacked if it is gzip."""
    if not first_bytes(stream).startswith(b"\x1f\x8b"):
        return Text(stream, None)
    packed = Counted(stream)
    text = Text(gzip.GzipFile(fileobj=io.BufferedReader(packed)), packed)
    if not text.peek():
        raise TraceError("the file is empty")
    return text
