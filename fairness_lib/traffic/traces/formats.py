"""What kind of file a stream is, and the rows of JSON Lines, SWF and Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from io import BufferedReader, BytesIO, TextIOWrapper
from itertools import islice
from operator import add
from typing import IO, Any

from .columns import SWF
from .rows import ROWS, Chunk, Table, separated
from .source import FREE_BYTES, Text, TraceError, first_bytes, text_of


def table_of(stream: IO[bytes], kind: str | None, needed: Sequence[str] = ()) -> Table:
    """Find out what a stream holds, and return its rows.

    Parameters
    ----------
    stream : binary file
        From `source.opened`.
    kind : str, optional
        One of `KINDS`; found out by default.
    needed : sequence of str
        Columns that are surely asked for, which JSON Lines may have in later lines only.
    """
    if kind == "parquet" or (kind is None and first_bytes(stream).startswith(b"PAR1")):
        return parquet(stream)
    text = text_of(stream)
    head = text.peek()[: 2**16].decode("utf-8", "ignore").lstrip()
    if not head and len(text.peek()) < 2**16:
        raise TraceError("the file is empty")
    if head.startswith("[") and kind in (None, "jsonl"):
        raise TraceError("the file is a JSON array; JSON Lines has one object a line, without [ ]")
    if kind is None:
        kind = "jsonl" if head.startswith("{") else "swf" if head.startswith(";") else "csv"
    if kind == "jsonl":
        return json_lines(text, needed)
    if kind == "swf":
        return swf(text)
    return separated(text, "\t" if kind == "tsv" else None)


def json_lines(text: Text, needed: Sequence[str]) -> Table:
    """Read an object a line; a column is a key, and a key in an object within is ``a.b``."""
    lines = enumerate(TextIOWrapper(BufferedReader(text, 2**18), "utf-8", newline="\n"), start=1)
    first = list(islice(lines, 1000))
    names: dict[str, None] = {}
    for _, line in first:
        entry = entry_of(line)
        if isinstance(entry, dict):
            names |= dict.fromkeys(entry)
    if not names:
        raise TraceError(f"line 1 is no JSON object: {first[0][1][:60]!r}")

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        import pandas as pd

        ahead = first
        while ahead:
            rows, places, bad = [], [], []
            for number, line in ahead:
                if not line.strip():
                    continue
                entry = entry_of(line)
                if isinstance(entry, str):
                    bad.append((number, entry))
                else:
                    rows.append(entry)
                    places.append(number)
            columns = {name: [row.get(name) for row in rows] for name in wanted}
            frame = pd.DataFrame({n: pd.Series(v, dtype=object) for n, v in columns.items()})
            yield Chunk(frame, places.__getitem__, bad)
            ahead = list(islice(lines, ROWS // 2))

    return Table("jsonl", list(names | dict.fromkeys(needed)), chunks)


def entry_of(line: str) -> dict[str, Any] | str:
    """Return a line's object, flat, or what is wrong with it."""
    try:
        entry = json.loads(line)
    except RecursionError:
        return "is nested too deeply"
    except ValueError as error:  # also a number of too many digits
        return f"is no JSON: {str(error)[:80]}"
    if not isinstance(entry, dict):
        return "is no JSON object"
    flat: dict[str, Any] = {}
    for key, value in entry.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{inner}": own for inner, own in value.items()}
        else:
            flat[key] = value
    return flat


def swf(text: Text) -> Table:
    """Read the Standard Workload Format (Feitelson): 18 numbers a line, ``;`` for comments."""
    lines = enumerate(TextIOWrapper(BufferedReader(text, 2**18), "utf-8"), start=1)

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        import pandas as pd

        while ahead := list(islice(lines, ROWS // 2)):
            rows, places, bad = [], [], []
            for number, line in ahead:
                own = line.split(";", 1)[0].split()
                if len(own) == len(SWF):
                    rows.append(own)
                    places.append(number)
                elif own:
                    bad.append((number, f"has {len(own)} fields, not {len(SWF)}"))
            frame = pd.DataFrame(rows, columns=list(SWF), dtype=object)
            yield Chunk(frame[list(wanted)], places.__getitem__, bad)

    return Table("swf", list(SWF), chunks)


def parquet(stream: IO[bytes]) -> Table:
    """Read Parquet by batches of rows; needs pyarrow."""
    try:
        import pyarrow as pa
        from pyarrow import parquet as pq
    except ImportError:
        said = "Parquet needs pyarrow: pip install 'fairness_lib[parquet]'"
        raise TraceError(said) from None
    whole: IO[bytes] = stream
    if not stream.seekable():
        whole = BytesIO(stream.read(FREE_BYTES * 8 + 1))
        if whole.getbuffer().nbytes > FREE_BYTES * 8:
            raise TraceError("Parquet on standard input must be at most 2 GB; give the file")
    try:
        file = pq.ParquetFile(whole)
        names = list(file.schema_arrow.names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TraceError(f"the Parquet file is damaged: {str(error)[:200]}") from None

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        at = 1
        try:
            for batch in file.iter_batches(ROWS, columns=list(wanted)):
                batch.validate(full=True)  # text that is no UTF-8 would fail later
                frame = batch.to_pandas(ignore_metadata=True)
                yield Chunk(frame, partial(add, at))
                at += len(frame)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise TraceError(f"the Parquet file is damaged: {str(error)[:200]}") from None

    return Table("parquet", names, chunks, "row")
